"""A model of publishers: what each host serves on each day, mistakes and malice included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from random import Random
from typing import Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from woo_harvester.demo.site import Location, RooEntry, register_xml
from woo_harvester.demo.sitemaps import PDF, DiWoo, robots_txt, sitemap, sitemapindex
from woo_harvester.demo.sitemaps import Entry as Written

#: What each host is registered for, by folder: the first two are of one organisation, the last one is of
#: two, and one of these is that of the third host too.
FOLDERS = {"a": {"d": "A"}, "aa": {"d": "A"}, "b": {"d": "B"}, "c": {"d": "C"}, "e": {"d": "E", "x": "B"}}
ROBOTS = "/robots.txt"
INDEXES = ("/sitemapindex-diwoo.xml", "/sitemapindex-diwoo-infocat014.xml")
#: Day 0 of all histories.
BEGIN = datetime(2026, 7, 1, 6, tzinfo=UTC)
DAY = 86_400.0
#: How a file is served when it is not served as it should be.
Fault = Literal[
    "503", "404", "reset", "truncated", "dropped", "empty", "stale", "disallowed", "renamed", "capitals",
    "html", "moved", "moved away", "moved to another host",
]  # fmt: skip
FAULTS: tuple[Fault, ...] = (
    "503", "503", "404", "reset", "truncated", "truncated", "dropped", "empty", "stale", "disallowed",
    "renamed", "capitals", "html", "moved", "moved away", "moved to another host",
)  # fmt: skip
#: The ETag of a server that says of everything that it did not change.
FIXED = '"fixed"'
HTML = b"<!DOCTYPE html><html><body>Een ogenblik</body></html>"

Owners = Mapping[tuple[str, str], str]
"""The organisation that registered each folder of a host; a host without any is not registered."""


def day_of(now: float) -> int:
    """Return the number of the day of a history."""
    return (datetime.fromtimestamp(now, UTC) - BEGIN).days


def host_of(loc: str) -> str:
    return urlsplit(loc).netloc


def organisation_of(loc: str, owners: Owners) -> str | None:
    """Whose document it is, by its folder, or by its host if that is of one organisation."""
    host, folder = host_of(loc), urlsplit(loc).path.split("/")[1]
    of_host = {name for (other, _), name in owners.items() if other == host}
    return owners.get((host, folder)) or (of_host.pop() if len(of_host) == 1 else None)


def is_own(loc: str, host: str, owners: Owners) -> bool:
    """Whether an entry of *host* is the owner's."""
    if host_of(loc) == host:
        return True
    return organisation_of(loc, owners) in {name for (other, _), name in owners.items() if other == host}


def write_register(owners: Owners) -> str:
    """The register, with these hosts in it."""
    locations: dict[str, list[Location]] = {}
    for (host, folder), name in sorted(owners.items()):
        locations.setdefault(name, []).append(Location(f"https://{host}/{folder}"))
    return register_xml(
        RooEntry(naam=f"gemeente {name}", systeem_id=f"9000{ord(name)}", locations=found)
        for name, found in locations.items()
    )


def moment_of(text: str) -> float | None:
    """The moment that a lastmod says; a day is its midnight in Dutch time."""
    if not text:
        return None
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo("Europe/Amsterdam"))).timestamp()


def lastmod_of(day: int, form: str) -> str:
    """The lastmod of a day of a history, in one of the forms that publishers write."""
    moment = BEGIN + timedelta(days=day)
    match form:
        case "none":
            return ""
        case "day":
            return f"{moment:%Y-%m-%d}"
        case "zone":
            return moment.astimezone(ZoneInfo("America/New_York")).isoformat()
        case "Z":
            return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
    return moment.isoformat()


@dataclass(frozen=True)
class Entry:
    """An entry of a sitemap; no other one ever has its title."""

    loc: str
    lastmod: str
    title: str
    described: bool = False

    @property
    def moment(self) -> float | None:
        return moment_of(self.lastmod)

    def write(self) -> Written:
        descriptions = ["Omschreven"] if self.described else []
        diwoo = DiWoo(titel=self.title, omschrijvingen=descriptions, format=PDF)
        return Written(loc=self.loc, lastmod=self.lastmod or None, diwoo=diwoo)


@dataclass(frozen=True)
class File:
    """One file as it is served, and what a reader can know of it."""

    entries: tuple[Entry, ...] = ()
    wrong: int = 0
    """Entries with an http loc that is no document's."""
    insecure: tuple[Entry, ...] = ()
    """Entries that are written with http, and are otherwise right."""
    names: tuple[str, ...] = ()
    """Paths: the indexes that a robots.txt names, or the sitemaps that an index lists."""
    disallows: frozenset[str] = frozenset()
    is_whole: bool = True
    code: str = ""
    """Of the finding that there must be about it."""
    body: bytes = b""
    etag: str = ""
    is_dropped: bool = False
    """The connection ends before the whole body was sent."""


@cache
def _write_sitemap(host: str, entries: tuple[Entry, ...], insecure: tuple[Entry, ...], wrong: int) -> bytes:
    written = [entry.write() for entry in entries]
    written += [replace(entry.write(), loc=f"http{entry.loc[5:]}") for entry in insecure]
    return sitemap(
        *written, *(Written(loc=f"http://{host}/{n}.pdf", lastmod=BEGIN.isoformat()) for n in range(wrong))
    )


@dataclass
class Sitemap:
    """A sitemap: its entries in their order, and the indexes that list it."""

    entries: list[Entry] = field(default_factory=list)
    indexes: set[int] = field(default_factory=lambda: {0})
    wrong: int = 0


@dataclass
class Publisher:
    """What is on a host today."""

    host: str
    name: str
    sitemaps: dict[str, Sitemap] = field(default_factory=dict)
    """By path."""
    insecure: set[str] = field(default_factory=set)
    """Documents whose entries are written with http."""
    left_out: set[str] = field(default_factory=set)
    """Documents that have no entry although they are in a sitemap."""
    hidden_indexes: set[int] = field(default_factory=set)
    """Indexes that robots.txt does not name today."""
    faults: dict[str, Fault] = field(default_factory=dict)
    """By path: what is wrong with a file today."""
    fixed_etags: bool = False
    """The server's ETag never changes, whatever it serves: it answers 304 wrongly."""
    versions: dict[str, int] = field(default_factory=dict)
    """By loc: how often the bytes of a document have changed."""
    serial: int = 0
    pages: int = 0
    """How often its sitemaps got new names."""
    previous: dict[str, File] = field(default_factory=dict)
    """What each file was before its last change, as a stale node still has it."""
    _last: dict[str, File] = field(default_factory=dict)

    def make(self, loc: str, lastmod: str, described: bool = False) -> Entry:
        """Make a new entry for a document."""
        self.serial += 1
        return Entry(loc, lastmod, f"{self.name} {self.serial}", described)

    def put(self, path: str, entry: Entry, *, beside: bool = False) -> None:
        """Have a sitemap list a document, in place of its own entries for it or *beside* these."""
        entries = self.sitemaps[path].entries
        if not beside:
            entries[:] = [each for each in entries if each.loc != entry.loc]
        entries.append(entry)

    def drop(self, loc: str, path: str | None = None) -> None:
        """Have a sitemap list a document no longer, or all of them."""
        for each in [path] if path else list(self.sitemaps):
            entries = self.sitemaps[each].entries
            entries[:] = [entry for entry in entries if entry.loc != loc]

    def listed(self) -> list[tuple[str, Entry]]:
        """All entries, each with the path of its sitemap."""
        return [(path, entry) for path, each in self.sitemaps.items() for entry in each.entries]

    def rename(self, path: str) -> None:
        """Give a sitemap a new name."""
        self.pages += 1
        self.sitemaps = {
            (f"/n{self.pages}.xml" if each == path else each): one for each, one in self.sitemaps.items()
        }

    def page(self, size: int) -> None:
        """Distribute all entries over new sitemaps, each of *size*."""
        entries = [entry for _, entry in self.listed()]
        self.sitemaps = {}
        for start in range(0, max(1, len(entries)), size):
            self.pages += 1
            self.sitemaps[f"/n{self.pages}.xml"] = Sitemap(entries[start : start + size])

    def mend(self) -> None:
        """Serve all files and entries as they should be."""
        self.faults.clear()
        self.hidden_indexes.clear()
        self.insecure.clear()
        self.left_out.clear()
        self.fixed_etags = False

    def file(self, path: str) -> File:
        """Return a file as it should be today; remembers what it was before."""
        of = f"https://{self.host}"
        in_index = [[path for path, one in self.sitemaps.items() if n in one.indexes] for n in (0, 1)]
        if path == ROBOTS:
            names = tuple(INDEXES[n] for n in (0, 1) if in_index[n] and n not in self.hidden_indexes)
            disallows = frozenset(path for path, fault in self.faults.items() if fault == "disallowed")
            text = robots_txt(*(of + name for name in names), disallow=sorted(disallows))
            made = File(names=names, disallows=disallows, body=text.encode())
        elif path in INDEXES:
            names = tuple(in_index[INDEXES.index(path)])
            made = File(names=names, body=sitemapindex([of + name for name in names]).encode())
        else:
            found = [entry for entry in self.sitemaps[path].entries if entry.loc not in self.left_out]
            entries = tuple(entry for entry in found if entry.loc not in self.insecure)
            insecure = tuple(entry for entry in found if entry.loc in self.insecure)
            wrong = self.sitemaps[path].wrong
            body = _write_sitemap(self.host, entries, insecure, wrong)
            made = File(entries, wrong, insecure, body=body)
        made = replace(made, etag=self._etag(made.body))
        last = self._last.get(path)
        if last is not None and last.body != made.body:
            self.previous[path] = last
        self._last[path] = made
        return made

    def document(self, loc: str) -> File:
        """The document itself, as its server has it today."""
        body = f"%PDF-1.7 {loc} {self.versions.get(loc, 0)}".encode()
        return File(body=body, etag=self._etag(body))

    def _etag(self, body: bytes) -> str:
        return FIXED if self.fixed_etags else f'"{sha256(body).hexdigest()[:16]}"'

    def _with_etag(self, file: File) -> File:
        return replace(file, etag=self._etag(file.body))

    def target(self, path: str, hosts: Sequence[str]) -> str | None:
        """Where a file is that redirects, with the same content; nobody may follow it to ``elders.nl``."""
        match self.faults.get(path):
            case "moved":
                return f"https://{self.host}/verhuisd{path}"
            case "moved away":
                return f"https://elders.nl{path}"
            case "moved to another host" if path != ROBOTS and path not in INDEXES:
                return f"https://{hosts[hosts.index(self.host) - 1]}/van/{hosts.index(self.host)}{path}"
        return None

    def serve(self, path: str) -> tuple[int, File]:
        """Return status and content of a file as it is served today; status 0 for no answer."""
        fault, is_sitemap = self.faults.get(path), path in self.sitemaps
        if not is_sitemap and path != ROBOTS and path not in INDEXES:
            return 404, File()
        file = self.file(path)
        match fault:
            case "stale":
                file = self.previous.get(path, file)
            case "503" | "404":
                return int(fault), File()
            case "reset":
                return 0, File()
            case "html" if path != ROBOTS:
                file = File(is_whole=False, body=HTML)
            case "truncated" | "dropped" if path != ROBOTS:
                file = cut(file, is_dropped=fault == "dropped")
            case "renamed" | "capitals" if file.names or file.entries or file.insecure or file.wrong:
                file = file if path == ROBOTS else renamed(file, is_readable=fault == "capitals")
            case "empty" if is_sitemap:
                file = File(body=_write_sitemap(self.host, (), (), 0))
        return 200, self._with_etag(file)


def cut(file: File, *, is_dropped: bool) -> File:
    """Return a file that ends halfway its last entry: what is before that can be read."""
    end = max(file.body.rfind(b"<url>"), file.body.rfind(b"<sitemap>"))
    body = file.body[: end + 20] if end > 0 else file.body[:-10]
    entries, insecure, wrong = file.entries, file.insecure, file.wrong
    if wrong:
        wrong -= 1
    elif insecure:
        insecure = insecure[:-1]
    else:
        entries = entries[:-1]
    names = file.names[:-1]
    return File(entries, wrong, insecure, names, is_whole=False, body=body, is_dropped=is_dropped)


def renamed(file: File, *, is_readable: bool) -> File:
    """Return a file whose entries have another name: in capitals, or one that they may not have."""
    body = file.body
    for name in ("url", "sitemap"):
        other = name.upper() if is_readable else "item"
        body = body.replace(f"<{name}>".encode(), f"<{other}>".encode())
        body = body.replace(f"</{name}>".encode(), f"</{other}>".encode())
    if is_readable:
        return replace(file, body=body, code="sitemap.hoofdletters")
    return File(is_whole=False, body=body, code="sitemap.element-onbekend")


def forms(random: Random) -> str:
    """Draw a form of a lastmod: mostly a moment in UTC."""
    return random.choice(("utc", "utc", "utc", "utc", "Z", "zone", "day", "none"))
