"""What the arguments of ``scrapy state`` name: hosts, documents, entry pages and cases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from woo_harvester.state import resources, upkeep
from woo_harvester.state.permits import forget_entries
from woo_harvester.utils.program import counted
from woo_harvester.utils.terminal import printable
from woo_harvester.utils.urls import host_of

if TYPE_CHECKING:
    from sqlalchemy import Connection


def known_host(given: str, hosts: Sequence[str]) -> str:
    """Return the host in the state that *given* names, as a host or a URL. Raises UsageError."""
    try:
        host = host_of(given if "://" in given else f"https://{given}")
    except ValueError as error:
        raise UsageError(str(error)) from None
    is_page = re.search(r"[/?#]", given.rpartition("://")[2].rstrip("/"))
    if host not in hosts or is_page:
        close = get_close_matches(host, hosts, n=1, cutoff=0.8)
        meant = f": did you mean {close[0]}?" if close and not is_page else ""
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
class Forgotten:
    """What the arguments name, each with the hosts whose runs know it."""

    hosts: set[str] = field(default_factory=set)
    documents: dict[str, str] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    cases: dict[str, frozenset[str]] = field(default_factory=dict)

    def __str__(self) -> str:
        numbers = {
            "host": self.hosts,
            "document": self.documents,
            "entry page": self.pages,
            "case": self.cases,
        }
        return ", ".join(counted(len(named), what) for what, named in numbers.items() if named)

    @property
    def to_lock(self) -> set[str]:
        """The hosts that no run may work on meanwhile."""
        return self.hosts.union(self.documents.values(), self.pages.values(), *self.cases.values())


def find_named(connection: Connection, args: Iterable[str]) -> Forgotten:
    """Return what *args* name. Raises UsageError for what the state does not know."""
    found, known = Forgotten(), known_hosts(connection)
    for given in args:
        if not given.isascii() and printable(given) != given:  # such as bytes that are no UTF-8
            raise UsageError(f"the state does not know {printable(given)}")
        document = upkeep.host_of_document(connection, given)
        page = upkeep.host_of_page(connection, given)
        case = upkeep.hosts_of_case(connection, given)
        if document is not None:
            found.documents[given] = document
        if page is not None:
            found.pages[given] = page
        if case:
            found.cases[given] = case
        if document is None and page is None and not case:
            found.hosts.add(known_host(given, known))
    return found


def forget_all(connection: Connection, found: Forgotten) -> None:
    """Forget what was found, so that the next run delivers what is still listed."""
    for loc in found.documents:
        upkeep.forget_document(connection, loc)
    for case in found.cases:
        upkeep.forget_case(connection, case)
    for page in found.pages:
        upkeep.forget_page(connection, page)
    for host in sorted(found.hosts):
        resources.forget_host(connection, host)
        forget_entries(connection, host)


def known_hosts(connection: Connection) -> Sequence[str]:
    """Return the hosts with documents or with entry pages of permits, sorted."""
    return sorted({*upkeep.known_hosts(connection), *upkeep.hosts_of_pages(connection)})
