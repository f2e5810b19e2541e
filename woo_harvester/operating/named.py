"""What the arguments of ``scrapy state`` name: hosts, documents, entry pages, cases and organisations."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from woo_harvester.findings import Finding, Reporter
from woo_harvester.operating.output import Totals, day, write_note
from woo_harvester.register import Register, RegisterError
from woo_harvester.register.fetch import obtain_register
from woo_harvester.register.names import find_organisations
from woo_harvester.register.register import Location, Organisation
from woo_harvester.register.stored_copy import read_stored
from woo_harvester.state import resources, upkeep
from woo_harvester.state.permits import forget_entries
from woo_harvester.tooi.values import ValueList
from woo_harvester.utils.dates import day_of
from woo_harvester.utils.program import counted, program
from woo_harvester.utils.terminal import printable
from woo_harvester.utils.urls import host_of, is_web_url

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings
    from sqlalchemy import Connection

    from woo_harvester.state.upkeep import HostSummary, PageSummary

#: How the register names a location that is for no single category.
_ANY_CATEGORY = "Andere documenten"


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


def read_register(settings: BaseSettings, folder: Path) -> Register:
    """Return the register of the last run; without one, fetch it as a run does. Raises RegisterError."""
    source, today = settings["WOO_REGISTER"], day_of(datetime.now(UTC))
    report = Reporter(_note)
    try:
        return read_stored(source, folder, Reporter(lambda finding: None), today)
    except RegisterError:
        if not is_web_url(source):
            raise
    return asyncio.run(obtain_register(source, folder, report, today, user_agent=settings["USER_AGENT"]))


def find_given(register: Register, args: Sequence[str]) -> tuple[Organisation, ...]:
    """Return the organisations that are typed: a name of several words, or several names.

    Raises ValueError.
    """
    try:
        return find_organisations(register, " ".join(args))
    except ValueError:
        if len(args) == 1:
            raise
    return find_organisations(register, ",".join(args))


def host_lines(
    organisation: Organisation,
    register: Register,
    known: Mapping[str, HostSummary],
    categories: ValueList,
) -> Iterator[str]:
    """Yield the lines about an organisation: each of its hosts, and the locations on it."""
    kind = f"{organisation.kind}, " if organisation.kind else ""
    yield f"{organisation.name} ({kind}{organisation.identifier})"
    hosts: dict[str, list[Location]] = {host: [] for host in register.hosts_of(organisation)}
    for location in register.locations:
        if location.organisation == organisation:
            hosts[host_of(location.url)].append(location)
    for host, locations in hosts.items():
        yield f"  {host}: {_known(known.get(host))}"
        for location in sorted(locations, key=lambda each: (each.url, each.category or "")):
            remark = f" ({location.remark})" if location.remark else ""
            yield f"    {_label(location, categories)}: {location.url}{remark}"
    if not hosts:
        yield "  no registered location in the Woo-index"


def page_lines(organisation: Organisation, register: Register, pages: Iterable[PageSummary]) -> Iterator[str]:
    """Yield a line about each entry page of permits of an organisation."""
    for page in pages:
        if _is_of(page, organisation, register):
            counts = (
                f"{counted(page.files, 'file')}, {counted(page.cases, 'case')}, {page.withdrawn} withdrawn"
            )
            yield f"  entry page {page.url}: {counts}, complete read: {day(page.complete_at)}"


def _is_of(page: PageSummary, organisation: Organisation, register: Register) -> bool:
    """Return whether an entry page is that of an organisation: by the name given for it, else by its host."""
    if page.organisation is None:
        return register.organisations_of_host(page.host) == (organisation,)
    with suppress(ValueError):  # several organisations have that name
        return register.find(page.organisation) == organisation
    return False


def _known(host: HostSummary | None) -> str:
    """Return what the state knows of a host."""
    if host is None:
        return "not harvested yet"
    pending = f", {counted(host.pending, 'pending withdrawal')}" if host.pending else ""
    return (
        f"{counted(host.documents, 'document')}, {host.withdrawn} withdrawn{pending}, "
        f"complete read: {day(host.complete_at)}"
    )


def _label(location: Location, categories: ValueList) -> str:
    concept = categories.by_uri(location.category) if location.category else None
    return concept.label if concept is not None else location.category or _ANY_CATEGORY


def _note(finding: Finding) -> None:
    write_note(f"{program()} state: {finding.code}: {finding.url}: {finding.seen or ''}")
