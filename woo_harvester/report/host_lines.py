"""The hosts of a report while it is assembled: kept as lines of JSON in a file, and sorted worst first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from woo_harvester.report.json_file import dump
from woo_harvester.report.model import HostReport, OrganisationTotals
from woo_harvester.report.model_base import OrganisationRef
from woo_harvester.report.shared_findings import SharedFindings


class HostLines:
    """The hosts of a report, each as a line of JSON in a temporary file, and their totals in memory."""

    def __init__(self, lines: IO[bytes]) -> None:
        self.shared_findings = SharedFindings()
        self.without_documents = 0
        self.incomplete = 0
        self._file = lines
        self._places: list[tuple[tuple[Any, ...], int, int]] = []
        self._totals: dict[str, OrganisationTotals] = {}

    def add(self, host: HostReport) -> None:
        """Write a host to the file, and add it to the totals."""
        self.shared_findings.add(host)
        self.without_documents += not host.harvested
        self.incomplete += not host.complete
        line = dump(host).encode()
        self._places.append((_worst_first(host), self._file.tell(), len(line)))
        self._file.write(line)
        if len(host.organisations) == 1:
            self._add_to_organisation(host.organisations[0], host)

    def lines(self) -> Iterator[str]:
        """Return the hosts as lines of JSON, worst first."""
        for _, place, length in sorted(self._places):
            self._file.seek(place)
            yield self._file.read(length).decode()

    def organisations(self) -> list[OrganisationTotals]:
        """Return the organisations with several hosts of their own, worst first."""
        several = [each for each in self._totals.values() if each.hosts > 1]
        return sorted(several, key=_worst_organisation)

    def _add_to_organisation(self, organisation: OrganisationRef, host: HostReport) -> None:
        known = self._totals.setdefault(
            organisation.id,
            OrganisationTotals(
                id=organisation.id, name=organisation.name, hosts=0, listed=0, harvested=0, score=None
            ),
        )
        known.hosts += 1
        known.listed += host.listed
        known.harvested += host.harvested
        scores = [value for value in (known.score, host.score) if value is not None]
        known.score = min(scores, default=None)


def _worst_first(host: HostReport) -> tuple[bool, float, int, str]:
    """Return the sort key of a host: nothing harvested first, then the share lost, then the score."""
    return host.harvested > 0, -host.share_lost, _order(host.score), host.host


def _worst_organisation(organisation: OrganisationTotals) -> tuple[bool, float, int, str]:
    lost = 1 - organisation.harvested / organisation.listed if organisation.listed else 1.0
    return organisation.harvested > 0, -lost, _order(organisation.score), organisation.name


def _order(value: int | None) -> int:
    """Return a score to sort by; no score is worse than zero."""
    return -1 if value is None else value
