"""Gathers the hosts of a report while they are made, and puts the worst first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from woo_harvester.report.json_file import dump
from woo_harvester.report.model import Host, Organisation, OrganisationTotals
from woo_harvester.report.shared_findings import SharedFindings


class HostLines:
    """What is kept of the hosts while they are made: each as a line of JSON in a file, and their sums."""

    def __init__(self, lines: IO[bytes]) -> None:
        self.faults = SharedFindings()
        self.without_documents = 0
        self.incomplete = 0
        self._file = lines
        self._places: list[tuple[tuple[Any, ...], int, int]] = []
        self._bodies: dict[str, OrganisationTotals] = {}

    def add(self, host: Host) -> None:
        """Write a host to the file, and count it."""
        self.faults.add(host)
        self.without_documents += not host.harvested
        self.incomplete += not host.complete
        line = dump(host).encode()
        self._places.append((_worst_first(host), self._file.tell(), len(line)))
        self._file.write(line)
        if len(host.organisations) == 1:
            self._add_body(host.organisations[0], host)

    def lines(self) -> Iterator[str]:
        """The hosts as JSON, worst first."""
        for _, place, length in sorted(self._places):
            self._file.seek(place)
            yield self._file.read(length).decode()

    def organisations(self) -> list[OrganisationTotals]:
        """The bodies with several hosts of their own, worst first."""
        several = [body for body in self._bodies.values() if body.hosts > 1]
        return sorted(several, key=_worst_organisation)

    def _add_body(self, body: Organisation, host: Host) -> None:
        known = self._bodies.setdefault(
            body.id,
            OrganisationTotals(id=body.id, name=body.name, hosts=0, listed=0, harvested=0, score=None),
        )
        known.hosts += 1
        known.listed += host.listed
        known.harvested += host.harvested
        scores = [value for value in (known.score, host.score) if value is not None]
        known.score = min(scores, default=None)


def _worst_first(host: Host) -> tuple[bool, float, int, str]:
    """By what hosts are sorted: nothing harvested, then the share that is not, then the score."""
    return host.harvested > 0, -host.share_lost, _order(host.score), host.host


def _worst_organisation(body: OrganisationTotals) -> tuple[bool, float, int, str]:
    lost = 1 - body.harvested / body.listed if body.listed else 1.0
    return body.harvested > 0, -lost, _order(body.score), body.name


def _order(value: int | None) -> int:
    """A score for sorting: none at all is worse than nought."""
    return -1 if value is None else value
