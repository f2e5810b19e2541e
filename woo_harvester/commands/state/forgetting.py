"""What ``scrapy state forget`` forgets: hosts, documents, entry pages of permits, and cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from woo_harvester.commands.state.arguments import known_host
from woo_harvester.commands.state.output import Totals
from woo_harvester.state import resources, upkeep
from woo_harvester.state.permits import forget_entries

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass
class Forgotten:
    """What the arguments name, each with the hosts whose runs know it."""

    hosts: set[str] = field(default_factory=set)
    documents: dict[str, str] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    cases: dict[str, frozenset[str]] = field(default_factory=dict)

    @property
    def to_lock(self) -> set[str]:
        """The hosts that no run may work on meanwhile."""
        return self.hosts.union(self.documents.values(), self.pages.values(), *self.cases.values())


def find_named(connection: Connection, args: Iterable[str]) -> Forgotten:
    """Return what *args* name. Raises UsageError for what the state does not know."""
    found, known = Forgotten(), known_hosts(connection)
    for given in args:
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


def forget_all(connection: Connection, found: Forgotten) -> Totals:
    """Forget what was found, so that the next run delivers what is still listed. Return how much it was."""
    before = _totals(connection)
    for loc in found.documents:
        upkeep.forget_document(connection, loc)
    for case in found.cases:
        upkeep.forget_case(connection, case)
    for page in found.pages:
        upkeep.forget_page(connection, page)
    for host in sorted(found.hosts):
        resources.forget_host(connection, host)
        forget_entries(connection, host)
    after = _totals(connection)
    totals = Totals(len(found.hosts), *(one - other for one, other in zip(before, after, strict=True)))
    # A case whose messages wait, or that no output has yet, was in no total.
    totals.cases += max(0, len(found.cases) - totals.cases - totals.withdrawn_cases)
    return totals


def _totals(connection: Connection) -> tuple[int, ...]:
    """Return the numbers of Totals after that of the hosts."""
    pages = list(upkeep.page_summaries(connection))
    sums = (sum(getattr(page, name) for page in pages) for name in ("files", "cases", "withdrawn"))
    return *upkeep.document_totals(connection), len(pages), *sums


def known_hosts(connection: Connection) -> Sequence[str]:
    """Return the hosts with documents or with entry pages of permits, sorted."""
    return sorted({*upkeep.known_hosts(connection), *upkeep.hosts_of_pages(connection)})
