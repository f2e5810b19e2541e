"""Reading and writing ``report.json``: each host is on a line of its own, so it can be read host by host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from pydantic import BaseModel

from woo_harvester.findings import Severity
from woo_harvester.report.model import Fault, Head, HostReport
from woo_harvester.report.run_folder import REPORT

_HOSTS = '"hosts": ['


def dump(model: BaseModel) -> str:
    """Return a part of the report as JSON on one line."""
    return model.model_dump_json(by_alias=True)


def write_report(path: Path, head: Head, hosts: Iterable[str]) -> None:
    """Write ``report.json``; *hosts* are lines of JSON, already in order. Raises OSError."""
    with path.open("w", encoding="utf-8") as file:
        file.write(dump(head)[:-1] + ", " + _HOSTS)
        separator = "\n"
        for host in hosts:
            file.write(separator + host)
            separator = ",\n"
        file.write("\n]}\n")


def read_head(path: Path) -> Head:
    """Read everything but the hosts. Raises OSError, and ValueError if the file is not a ``report.json``."""
    with path.open(encoding="utf-8") as file:
        line = file.readline().rstrip()
    if not line.endswith(_HOSTS):
        raise ValueError(f"{path} is no {REPORT} of this program: its first line does not end with {_HOSTS}")
    return Head.model_validate_json(line.removesuffix(", " + _HOSTS) + "}")


def read_hosts(path: Path) -> Iterator[HostReport]:
    """Read the hosts one at a time, in the order of the file."""
    with path.open(encoding="utf-8") as file:
        next(file)
        for line in file:
            text = line.rstrip().removesuffix(",")
            if text.startswith("{"):
                yield HostReport.model_validate_json(text)


#: The maximum number of hosts that a fault names.
MAX_NAMED_HOSTS = 20

_ORDER = list(Severity)


class Faults:
    """The errors and warnings of all hosts, by code."""

    def __init__(self) -> None:
        self._faults: dict[str, Fault] = {}

    def add(self, host: HostReport) -> None:
        """Add the faults of one host."""
        for code in {row.code for row in host.findings if row.severity is not Severity.INFO}:
            rows = [row for row in host.findings if row.code == code]
            fault = self._faults.setdefault(code, Fault(code=code, severity=rows[0].severity))
            fault.host_count += 1
            fault.count += sum(row.count for row in rows)
            fault.points += sum(row.points for row in rows)
            if len(fault.hosts) < MAX_NAMED_HOSTS:
                fault.hosts.append(host.host)

    def heaviest_first(self) -> list[Fault]:
        """Return the faults: those that cost the most points first, then errors, then those of most hosts."""
        return sorted(self._faults.values(), key=_heaviest_first)


def _heaviest_first(fault: Fault) -> tuple[float, int, int, str]:
    return -fault.points, _ORDER.index(fault.severity), -fault.host_count, fault.code


class HostLines:
    """The hosts of a report, each as a line of JSON in a temporary file, and their totals in memory."""

    def __init__(self, lines: IO[bytes]) -> None:
        self.faults = Faults()
        self.without_documents = 0
        self.incomplete = 0
        self._file = lines
        self._places: list[tuple[tuple[Any, ...], int, int]] = []

    def add(self, host: HostReport) -> None:
        """Write a host to the file, and add it to the totals."""
        self.faults.add(host)
        self.without_documents += not host.harvested
        self.incomplete += not host.complete
        line = dump(host).encode()
        self._places.append((_worst_first(host), self._file.tell(), len(line)))
        self._file.write(line)

    def lines(self) -> Iterator[str]:
        """Return the hosts as lines of JSON, worst first."""
        for _, place, length in sorted(self._places):
            self._file.seek(place)
            yield self._file.read(length).decode()


def _worst_first(host: HostReport) -> tuple[bool, float, int, str]:
    """Return the sort key of a host: nothing harvested first, then the share lost, then the score."""
    score = -1 if host.score is None else host.score  # no score is worse than zero
    return host.harvested > 0, -host.share_lost, score, host.host
