"""Entry pages of permits: which ones a run reads, and whose they are."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from woo_harvester.arguments import ArgumentError, PermitArguments, page_problem
from woo_harvester.crawl.capacity import Room
from woo_harvester.findings import Reporter
from woo_harvester.register import Register
from woo_harvester.register.shards import shard_of
from woo_harvester.urls import host_of

#: Bytes of a CSV file of entry pages: some 50,000 of them.
CSV_MAXSIZE = 10_000_000

COLUMNS = ("organisatie", "url")


@dataclass(frozen=True, slots=True)
class Ingang:
    """One entry page."""

    url: str
    organisation: str
    """TOOI URI or systeemId; the name as given of a body that the register does not have; else the host."""
    hosts: frozenset[str]
    """On which its files may stand."""

    @property
    def host(self) -> str:
        """The page's own host."""
        return host_of(self.url)


class IngangVisit(Room):
    """An entry page in one run, and the files that are under way."""

    def __init__(self, ingang: Ingang, number: int, backlog: int, report: Reporter) -> None:
        super().__init__(backlog)
        self.ingang = ingang
        self.number = number
        """Of the entry page in the state."""
        self.asked = datetime.now(UTC)
        """When the page was asked for."""
        self.has_xml = False
        """Whether one of its links was to XML."""
        self.page_done = False
        """Whether all that the page lists was asked for."""
        self.complete = False
        """Whether the page was read to its end."""
        self.report = report.about(host=ingang.host, organisation=ingang.organisation)


def read_csv(data: bytes, source: str) -> list[tuple[str, str]]:
    """Body and URL of each row of a CSV file. Raises :class:`ArgumentError`, with *source* and the line."""
    if len(data) > CSV_MAXSIZE:
        raise ArgumentError(f"argument entries: {source} is larger than {CSV_MAXSIZE} bytes")
    try:
        reader = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
        if missing := set(COLUMNS) - set(reader.fieldnames or ()):
            raise ValueError(
                f"expected the columns {','.join(COLUMNS)}; {' and '.join(sorted(missing))} is missing"
            )
        found = []
        for row in reader:
            url = (row["url"] or "").strip()
            if problem := page_problem(url):
                raise ValueError(f"line {reader.line_num}: {problem}")
            found.append(((row["organisatie"] or "").strip(), url))
    except (ValueError, csv.Error) as error:
        raise ArgumentError(f"argument entries: {source}: {error}") from None
    if not found:
        raise ArgumentError(f"argument entries: {source} names no entry page")
    return found


def given_entries(entries: Sequence[str] | Path) -> list[tuple[str, str]]:
    """Body and URL of what the argument ``entries`` names. Raises :class:`ArgumentError`."""
    if not isinstance(entries, Path):
        return [("", url) for url in entries]
    try:
        with entries.open("rb") as file:
            return read_csv(file.read(CSV_MAXSIZE + 1), str(entries))
    except OSError as error:
        raise ArgumentError(f"argument entries: {entries}: {error.strerror or error}") from None


def entry_pages(given: Iterable[tuple[str, str]], register: Register) -> list[Ingang]:
    """Return the entry pages that were given, each once, with whose they are.

    Raises :class:`ArgumentError` for a name that several bodies have.
    """
    return list({url: _ingang(name, url, register) for name, url in given}.values())


def select_entries(entries: Sequence[Ingang], arguments: PermitArguments) -> list[Ingang]:
    """Return the entry pages that this run reads: those of the hosts and the shard in the arguments.

    Raises :class:`ArgumentError` where no entry page is on the hosts of ``domains``.
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


def _ingang(name: str, url: str, register: Register) -> Ingang:
    host = host_of(url)
    if name:
        try:
            body = register.find(name)
        except ValueError as error:
            raise ArgumentError(f"argument entries: {error}") from None
    else:
        bodies = register.organisations_of_host(host)
        body = bodies[0] if len(bodies) == 1 else None
    own = register.hosts_of(body) if body is not None else ()
    return Ingang(url, body.identifier if body else name or host, frozenset({host, *own}))
