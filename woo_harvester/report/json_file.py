"""Reading and writing ``report.json``: each host is on a line of its own, so it can be read host by host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import BaseModel

from woo_harvester.report.model import Head, HostReport
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
