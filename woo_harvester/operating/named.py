"""What the arguments of ``scrapy state`` name: hosts, and documents by their URL."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from woo_harvester.kinds import others
from woo_harvester.state import resources, upkeep
from woo_harvester.utils.program import counted
from woo_harvester.utils.terminal import printable

if TYPE_CHECKING:
    from sqlalchemy import Connection


def _known_host(given: str, hosts: Sequence[str]) -> str:
    """Return the host in the state that *given* is, in any case. Raises UsageError."""
    host = given.lower()
    if host not in hosts:
        close = [] if "/" in host else get_close_matches(host, hosts, n=1, cutoff=0.8)
        meant = f": did you mean {close[0]}?" if close else ""
        raise UsageError(f"the state does not know {given}{meant}")
    return host


#: Ends of names that promise another format than one of these.
_OTHER_FORMATS = frozenset({"gz", "bz2", "xz", "zip", "xlsx", "xls", "ods", "xml", "json", "parquet"})


def format_of(given: str | None, path: Path | None) -> str:
    """Return the format: *given*, or else from the name of the file. Raises UsageError."""
    name = given or (path.suffix.removeprefix(".").lower() if path else "")
    if name in ("csv", "csv-nl"):
        return name
    if given not in (None, "jsonl"):
        raise UsageError(f"expected --format jsonl, csv or csv-nl, got {given}")
    if given is None and name in _OTHER_FORMATS:
        raise UsageError(f"{path}: expected a name that ends in .jsonl or .csv; the file is not packed")
    return "jsonl"


@dataclass
class Named:
    """What the arguments name."""

    hosts: set[str] = field(default_factory=set)
    documents: dict[str, Collection[str]] = field(default_factory=dict)
    """By URL: the hosts whose runs know the document."""

    def __str__(self) -> str:
        numbers = {"host": self.hosts, "document": self.documents}
        return ", ".join(counted(len(named), what) for what, named in numbers.items() if named)

    @property
    def to_lock(self) -> set[str]:
        """The hosts that no run may work on meanwhile."""
        return self.hosts.union(*self.documents.values())


def find_named(connection: Connection, args: Iterable[str]) -> Named:
    """Return what *args* name. Raises UsageError for what the state does not know."""
    found, known = Named(), known_hosts(connection)
    for given in args:
        if not given.isascii() and printable(given) != given:  # such as bytes that are no UTF-8
            raise UsageError(f"the state does not know {printable(given)}")
        if hosts := upkeep.hosts_of_document(connection, given):
            found.documents[given] = hosts
        else:
            found.hosts.add(_known_host(given, known))
    return found


def forget_all(connection: Connection, found: Named) -> None:
    """Forget what was found, so that the next run delivers what is still listed."""
    for url in found.documents:
        upkeep.forget_document(connection, url)
    for host in sorted(found.hosts):
        for forget in (resources.forget_host, *others("forget_host")):
            forget(connection, host)


def known_hosts(connection: Connection) -> Sequence[str]:
    """Return all hosts that the state knows, sorted."""
    return sorted(
        {host for each in (upkeep.known_hosts, *others("known_hosts")) for host in each(connection)}
    )
