"""A model of publishers: what each host serves on each day, mistakes and malice included."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import Literal

from woo_harvester.demo.sitemaps import DiWoo, Entry, robots_txt, sitemap, sitemapindex
from woo_harvester.register import Location, Organisation, Register

#: Hosts, and the organisation that registered each: the first two are of one.
OWNERS = {"a.nl": "A", "aa.nl": "A", "b.nl": "B", "c.nl": "C"}
HOSTS = tuple(OWNERS)
#: The sitemaps whose entries have a description, and those whose index names a category.
DESCRIBED, CATEGORISED = {2}, {1}
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
#: How a file is served when it is not served as it should be.
Fault = Literal["503", "404", "truncated", "empty", "stale"]
FAULTS: tuple[Fault, ...] = ("503", "404", "truncated", "empty", "stale")


def loc_of(host: str, name: int) -> str:
    """The loc of one of the host's documents."""
    return f"https://{host}/d/{name}.pdf"


def host_of_loc(loc: str) -> str:
    return loc.split("/")[2]


def is_own(loc: str, host: str) -> bool:
    """Whether an entry of *host* is the owner's."""
    return OWNERS[host_of_loc(loc)] == OWNERS[host]


def version_moment(version: int) -> datetime:
    """The moment of the lastmod of a version."""
    return BEGIN + timedelta(days=version)


def moment(version: int) -> str:
    """The lastmod of a version."""
    return version_moment(version).isoformat()


def register_of(hosts: frozenset[str]) -> Register:
    """The register, with these hosts in it."""
    organisations = {name: Organisation(name, f"gemeente {name}") for name in sorted(set(OWNERS.values()))}
    locations = [Location(organisations[OWNERS[host]], f"https://{host}/d") for host in sorted(hosts)]
    return Register(organisations.values(), locations)


@dataclass(frozen=True)
class File:
    """One file as it is served: a sitemap has the version of each document that it lists."""

    documents: tuple[tuple[str, int], ...] = ()
    wrong: int = 0
    """Entries with an http loc."""
    body: bytes = b""
    etag: str = ""


def as_bytes(body: str | bytes) -> bytes:
    return body.encode() if isinstance(body, str) else body


@cache
def sitemap_body(
    host: str, documents: tuple[tuple[str, int], ...], wrong: int, *, described: bool = False
) -> bytes:
    """A sitemap; the titles say whose entry it is and of which version. Some sitemaps give descriptions."""
    descriptions = ["Omschreven"] if described else []
    entries = [
        Entry(
            loc=loc,
            lastmod=moment(version),
            diwoo=DiWoo(titel=f"{host} {version}", omschrijvingen=descriptions),
        )
        for loc, version in documents
    ]
    entries += [Entry(loc=f"http://{host}/{number}.pdf", lastmod=moment(0)) for number in range(wrong)]
    return as_bytes(sitemap(*entries))


@dataclass
class Publisher:
    """One host. A sitemap is known by its number, and stands in the index of the same number modulo two."""

    host: str
    sitemaps: dict[int, dict[str, int]] = field(default_factory=dict)
    """By number: the version of each document that it lists, by loc."""
    wrong: dict[int, int] = field(default_factory=dict)
    """By number: how many of its entries have an http loc."""
    hidden_indexes: set[int] = field(default_factory=set)
    """Indexes that robots.txt does not name today."""
    faults: dict[str, Fault] = field(default_factory=dict)
    """By path: what is wrong with a file today."""
    fixed_etags: bool = False
    """The server's ETag never changes, whatever it serves: it answers 304 wrongly."""
    previous: dict[str, File] = field(default_factory=dict)
    """What each file was before its last change, as a stale node still has it."""
    _last: dict[str, File] = field(default_factory=dict)

    def list(self, loc: str, number: int, version: int) -> None:
        """Have a sitemap list a document."""
        self.sitemaps.setdefault(number, {})[loc] = version

    def drop(self, loc: str, number: int) -> None:
        """Have a sitemap list a document no longer."""
        self.sitemaps.get(number, {}).pop(loc, None)

    def file(self, path: str) -> File:
        """Return a file as it should be today; remembers what it was before."""
        documents: tuple[tuple[str, int], ...] = ()
        wrong = 0
        indexes = sorted({number % 2 for number in self.sitemaps} - self.hidden_indexes)
        if path == "/robots.txt":
            body = as_bytes(robots_txt(*(f"https://{self.host}{index_path(number)}" for number in indexes)))
        elif path.startswith("/sitemapindex"):
            which = 0 if path == index_path(0) else 1
            listed = [number for number in sorted(self.sitemaps) if number % 2 == which]
            body = as_bytes(sitemapindex([f"https://{self.host}{sitemap_path(number)}" for number in listed]))
        else:
            number = number_of(path) or 0
            documents = tuple(sorted(self.sitemaps[number].items()))
            wrong = self.wrong.get(number, 0)
            body = sitemap_body(self.host, documents, wrong, described=number in DESCRIBED)
        etag = '"fixed"' if self.fixed_etags else f'"{sha256(body).hexdigest()[:16]}"'
        made = File(documents, wrong, body, etag)
        last = self._last.get(path)
        if last is not None and last.body != made.body:
            self.previous[path] = last
        self._last[path] = made
        return made

    def serve(self, path: str) -> tuple[int, File]:
        """Return status and content of a file as it is served today."""
        fault = self.faults.get(path)
        if (number := number_of(path)) is not None and number not in self.sitemaps:
            return 404, File()
        file = self.file(path)
        if fault == "stale":
            return 200, self.previous.get(path, file)
        if fault in ("503", "404"):
            return int(fault), File()
        if fault == "truncated":
            cut = len(file.body) - 30
            return 200, replace(file, documents=(), body=file.body[:cut], etag='"cut"')
        if fault == "empty" and number is not None:
            return 200, File(body=sitemap_body(self.host, (), 0), etag='"empty"')
        return 200, file


def number_of(path: str) -> int | None:
    """The number of a sitemap; None for robots.txt and indexes."""
    name = path.removeprefix("/s").removesuffix(".xml")
    return int(name) if name.isdigit() else None


def index_path(number: int) -> str:
    return "/sitemapindex-diwoo.xml" if number == 0 else "/sitemapindex-diwoo-infocat014.xml"


def sitemap_path(number: int) -> str:
    return f"/s{number}.xml"
