"""Entry pages of permits: how they are given, which ones a run reads, and whose each is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field

from woo_harvester.crawl.hosts import Backlog
from woo_harvester.findings import Finding, Reporter
from woo_harvester.permits.history import (
    GoneFile,
    PageHistory,
    ended_cases,
    missing_files,
    note_complete_read,
)
from woo_harvester.register import Register
from woo_harvester.register.register import shard_of
from woo_harvester.running.arguments import Arguments
from woo_harvester.running.causes import ArgumentError
from woo_harvester.utils.dates import day_of, iso_seconds
from woo_harvester.utils.document_set import DocumentSet
from woo_harvester.utils.inputs import read_columns
from woo_harvester.utils.program import counted
from woo_harvester.utils.urls import host_of, is_web_url, loc_problem, secured

if TYPE_CHECKING:
    from scrapy import Request
    from sqlalchemy import Connection

    from woo_harvester.permits.account import PermitAccount


#: The values of the argument ``entries``, for help and error messages.
_ENTRIES = "URLs of entry pages with commas between, or a CSV file with the columns organisatie,url"


def _entries(value: Any) -> Any:
    """Return the URLs in a text of URLs with commas between, or the path of a file."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if not is_web_url(text):
        with suppress(OSError):  # no file can have such a name
            if text and Path(text).is_file():
                return Path(text)
        raise ValueError(f"expected {_ENTRIES}; there is no file {text!r}")
    urls = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for url in urls:
        if problem := page_problem(url):
            raise ValueError(f"{problem} (a URL with a comma must be in a CSV file)")
    return urls


def page_problem(url: str) -> str | None:
    """Return an error if *url* is no absolute http or https URL, or has a password; None if it is good."""
    return f"expected the URL of an entry page, got {url!r}" if loc_problem(secured(url)) else None


class PermitArguments(Arguments):
    """The arguments of the spider ``vergunningen``."""

    entries: Annotated[tuple[str, ...] | Path, BeforeValidator(_entries)] = Field(description=_ENTRIES)
    """URLs of entry pages, or the path of a CSV file with them."""


#: Largest CSV file of entry pages, in bytes: some 50,000 pages.
_CSV_MAXSIZE = 10_000_000

_COLUMNS = ("organisatie", "url")


@dataclass(frozen=True, slots=True)
class EntryPage:
    """An entry page, and the organisation that it belongs to."""

    url: str
    organisation: str
    """TOOI URI or systeemId. If the register has none: the name as given, else the host."""
    hosts: frozenset[str]
    """The hosts on which its files may be."""
    is_named: bool = False
    """True if the operator named the organisation; else the register or the host did."""

    @property
    def host(self) -> str:
        """The host of the page itself."""
        return host_of(self.url)


class EntryPageVisit(Backlog):
    """The reading of one entry page in one run, and of the files that it lists."""

    def __init__(
        self,
        page: EntryPage,
        number: int,
        backlog: int,
        report: Reporter,
        account: PermitAccount,
        when_done: Callable[[EntryPageVisit], None] = lambda visit: None,
    ) -> None:
        super().__init__(backlog)
        self._when_done = when_done
        self.page = page
        self.account = account
        """The figures of the page's host."""
        account.pages += 1
        self.number = number
        """The number of the entry page in the state."""
        self.requested_at = datetime.now(UTC)
        """Moment of the request for the page, by the clock of its server if the response has a Date."""
        self.has_xml = False
        """True if one of its links leads to XML."""
        self.page_done = False
        """True if all its files that may be new have been requested."""
        self.is_sample = False
        """True if only a sample of its files is read (``WOO_MESSAGE_SAMPLE``)."""
        self.complete = False
        """True if the page was read to its end."""
        self.listed = DocumentSet()
        """The numbers, in the state, of the files that the page lists."""
        self.files = 0
        """How many files it lists, as far as their links or the state show that they are XML."""
        self.fruitless = 0
        """How many links led to no message, or to no answer."""
        self.passed_over = 0
        """How many links that may lead to messages could not be read."""
        self.not_asked = 0
        """How many links that may lead to messages were not requested."""
        self.example = ""
        """The first link that was passed over, or that waits for the next run, and why."""
        self.undated = 0
        """How many files were fetched completely without any date or ETag."""
        self._run_report = report
        self.report = Reporter(self._send, host=page.host, organisation=page.organisation)

    def _send(self, finding: Finding) -> None:
        """Send a finding; one about a file names the page, as one about a document names its sitemap."""
        is_about_page = finding.url in (None, self.page.url)
        self._run_report.send(finding if is_about_page else replace(finding, sitemap=self.page.url))

    def about_error(self, request: Request) -> dict[str, str | None]:
        """Return what a finding says of an error of the harvester itself on the page or a file of it.

        A link that only its answer shows to be a message is not part of the listed files yet.
        """
        link, file = request.cb_kwargs.get("link"), request.cb_kwargs.get("file")
        is_listed = link is not None and (link.is_xml or file is not None)
        about: dict[str, str | None] = {"url": request.url, "host": self.page.host}
        return {
            **about,
            "organisation": self.page.organisation,
            "sitemap": self.page.url if is_listed else None,
        }

    def pass_over(self, example: str) -> None:
        """Count a link that may lead to a message and could not be read."""
        self.passed_over += 1
        self.example = self.example or example

    def finish(self) -> None:
        """Count the entry page as done, unless a request for one of its files is active."""
        if not self.page_done or self.under_way:
            return
        if self.complete and not self.has_xml and not self.not_asked:
            self.report("ipm.ingang-zonder-links", url=self.page.url)
        if self.example:
            seen = f"{counted(self.passed_over + self.not_asked, 'link')}, zoals {self.example}"
            self.report("ipm.link-overgeslagen", url=self.page.url, seen=seen, action="niet gelezen")
        self.account.passed_over += self.passed_over
        self.account.not_asked += self.not_asked
        self.account.count_entry_page(complete=self.complete)
        self._when_done(self)


def read_csv(data: bytes, source: str) -> list[tuple[str, str]]:
    """Return the organisation and URL in each row of a CSV file.

    Raises :class:`ArgumentError`, which names *source* and the line.
    """
    if len(data) > _CSV_MAXSIZE:
        raise ArgumentError(f"argument entries: {source} is larger than {_CSV_MAXSIZE} bytes")
    try:
        found = []
        for line, (organisation, url) in read_columns(data, _COLUMNS):
            if problem := page_problem(url):
                raise ValueError(f"line {line}: {problem}")
            found.append((organisation, url))
    except ValueError as error:
        raise ArgumentError(f"argument entries: {source}: {error}") from None
    if not found:
        raise ArgumentError(f"argument entries: {source} names no entry page")
    return found


def given_entries(entries: Sequence[str] | Path) -> list[tuple[str, str]]:
    """Return the organisation and URL of the entry pages that the argument ``entries`` names.

    Raises :class:`ArgumentError`.
    """
    if not isinstance(entries, Path):
        return [("", url) for url in entries]
    try:
        with entries.open("rb") as file:
            return read_csv(file.read(_CSV_MAXSIZE + 1), str(entries))
    except OSError as error:
        raise ArgumentError(f"argument entries: {entries}: {error.strerror or error}") from None


def entry_pages(given: Iterable[tuple[str, str]], register: Register) -> list[EntryPage]:
    """Return the entry pages that were given, each once, with their organisations.

    Raises :class:`ArgumentError` for a name that several organisations have.
    """
    return list({url: _entry_page(name, url, register) for name, url in given}.values())


def select_entries(entries: Sequence[EntryPage], arguments: PermitArguments) -> list[EntryPage]:
    """Return the entry pages that this run reads: those of the hosts and the shard in the arguments.

    Raises :class:`ArgumentError` if no entry page is on the hosts in ``domains``.
    """
    entries = list(entries)
    if arguments.domains:
        entries = [entry for entry in entries if entry.host in arguments.domains]
        if not entries:
            raise ArgumentError("no entry page is left: none of entries is on a host of domains")
    if arguments.shard:
        number, total = arguments.shard
        entries = [entry for entry in entries if shard_of(entry.host, total) == number]
    return entries


def _entry_page(name: str, url: str, register: Register) -> EntryPage:
    host = host_of(url)
    if name:
        try:
            organisation = register.find(name)
        except ValueError as error:
            raise ArgumentError(f"argument entries: {error}") from None
    else:
        owners = register.organisations_of_host(host)
        organisation = owners[0] if len(owners) == 1 else None
    own = register.hosts_of(organisation) if organisation is not None else ()
    identifier = organisation.identifier if organisation else name or host
    return EntryPage(url, identifier, frozenset({host, *own}), is_named=bool(name))


_DAY = 86_400  # seconds

#: A file is offered for so long at least. Source: seed "Vergunningen op Internet IPM 4.0", section "Hoe lang
#: moet u de bestanden blijven aanbieden?".
_OFFERED = 7 * _DAY
#: A listing with more files than this grows for ever if none has gone for so long.
_MANY_FILES = 1000
_GROWING = 365 * _DAY


def report_undated(visit: EntryPageVisit) -> None:
    """Report once that files of a page have no date at all, and are fetched completely in each run."""
    if visit.undated:
        seen = f"{_files(visit.undated)} zonder datum, Last-Modified en ETag"
        visit.report("ipm.zonder-datum", url=visit.page.url, seen=seen, action="de inhoud is vergeleken")


def note_files(connection: Connection, visit: EntryPageVisit, now: datetime) -> None:
    """Note which files a page lists after a complete read, and report those that went too soon or never."""
    moment = int(now.timestamp())
    gone = missing_files(connection, visit.number, visit.listed)
    history = note_complete_read(connection, visit.number, [file.number for file in gone], moment)
    _report_short(visit, gone, moment)
    _report_growing(visit, history, moment)


def report_ended(connection: Connection, visit: EntryPageVisit, now: datetime) -> None:
    """Report the cases of a page whose period ended more than a year ago, if the page was read."""
    if not visit.complete:
        return
    ended = ended_cases(connection, visit.number, day_of(now) - timedelta(days=365))
    if ended is not None:
        count, identifier, ends = ended
        seen = f"{counted(count, 'zaak', 'zaken')}; het eerst afgelopen: {identifier}, op {ends}"
        visit.report("ipm.verlopen", url=visit.page.url, seen=seen, action="de zaken blijven staan")


def _report_short(visit: EntryPageVisit, gone: Sequence[GoneFile], now: int) -> None:
    """Report the files that a page listed for less than a week.

    A file that is invalid, or about another organisation's case, may go at any time: that fixes it.
    """
    short = [
        file.url
        for file in gone
        if file.is_message and file.first_seen is not None and 0 <= now - file.first_seen < _OFFERED
    ]
    if short:
        seen = f"{_files(len(short))}, zoals {short[0]}"
        visit.report("ipm.te-kort", url=visit.page.url, seen=seen, action="de zaken blijven staan")


def _report_growing(visit: EntryPageVisit, history: PageHistory, now: int) -> None:
    since = max(history.complete_since, history.gone_at or 0)
    if visit.files > _MANY_FILES and now - since >= _GROWING:
        seen = f"{_files(visit.files)}; sinds {iso_seconds(since)[:10]} is er geen verdwenen"
        visit.report("ipm.groeiend", url=visit.page.url, seen=seen)


def _files(count: int) -> str:
    return counted(count, "bestand", "bestanden")
