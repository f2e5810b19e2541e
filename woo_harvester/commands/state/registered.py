"""What ``scrapy state hosts`` shows: the registered locations of organisations, and what is known of each."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from woo_harvester.commands.state.output import day, number, write_note
from woo_harvester.findings import Finding, Reporter
from woo_harvester.register import Register, RegisterError
from woo_harvester.register.fetch import obtain_register
from woo_harvester.register.names import find_organisations
from woo_harvester.register.register import Location, Organisation
from woo_harvester.register.stored_copy import read_stored
from woo_harvester.tooi.values import ValueList
from woo_harvester.utils.dates import day_of
from woo_harvester.utils.program import program
from woo_harvester.utils.urls import host_of, is_web_url

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from woo_harvester.state.upkeep import HostSummary, PageSummary

#: How the register names a location that is for no single category.
_ANY_CATEGORY = "Andere documenten"


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
            yield f"    {_label(location, categories)}: {location.url}"
    if not hosts:
        yield "  no registered location in the Woo-index"


def page_lines(organisation: Organisation, register: Register, pages: Iterable[PageSummary]) -> Iterator[str]:
    """Yield a line about each entry page of permits of an organisation."""
    for page in pages:
        if _is_of(page, organisation, register):
            counts = f"{number(page.files, 'file')}, {number(page.cases, 'case')}, {page.withdrawn} withdrawn"
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
    pending = f", {number(host.pending, 'pending withdrawal')}" if host.pending else ""
    return (
        f"{number(host.documents, 'document')}, {host.withdrawn} withdrawn{pending}, "
        f"complete read: {day(host.complete_at)}"
    )


def _label(location: Location, categories: ValueList) -> str:
    concept = categories.by_uri(location.category) if location.category else None
    return concept.label if concept is not None else location.category or _ANY_CATEGORY


def _note(finding: Finding) -> None:
    write_note(f"{program()} state: {finding.code}: {finding.url}: {finding.seen or ''}")
