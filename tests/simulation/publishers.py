"""A model of publishers: what each host serves on each day, mistakes and malice included."""

from __future__ import annotations

from collections.abc import Mapping
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
#: The sitemaps that a host may have, and those whose entries have a description.
NUMBERS, DESCRIBED = (0, 1, 2), {2}
ROBOTS = "/robots.txt"
INDEXES = ("/sitemapindex-diwoo.xml", "/sitemapindex-diwoo-infocat014.xml")
PATHS = (ROBOTS, *INDEXES, *(f"/s{number}.xml" for number in NUMBERS))
#: The first day is a hundred days ago, so that the days of a history are around today.
BEGIN = datetime.now(UTC).replace(hour=6, minute=0, second=0, microsecond=0) - timedelta(days=100)
TODAY = 100
#: How a file is served when it is not served as it should be.
Fault = Literal[
    "503", "404", "reset", "truncated", "empty", "stale", "disallowed", "renamed", "capitals",
    "moved", "moved away", "moved to another host",
]  # fmt: skip
FAULTS: tuple[Fault, ...] = (
    "503", "404", "reset", "truncated", "truncated", "empty", "stale", "disallowed", "renamed", "capitals",
    "moved", "moved away", "moved to another host",
)  # fmt: skip

Owners = Mapping[str, str]
"""The organisation that registered each host; a host that is not registered is not in it."""


def loc_of(host: str, name: int) -> str:
    """The loc of one of the host's documents."""
    return f"https://{host}/d/{name}.pdf"


def host_of_loc(loc: str) -> str:
    return loc.split("/")[2]


def is_own(loc: str, host: str, owners: Owners) -> bool:
    """Whether an entry of *host* is the owner's."""
    of = host_of_loc(loc)
    return of == host or (of in owners and owners[of] == owners.get(host))


def moment_of(version: int) -> datetime:
    """The moment of the lastmod of a version, which is the number of its day."""
    return BEGIN + timedelta(days=version)


def version_of(lastmod: str) -> int:
    return (datetime.fromisoformat(lastmod) - BEGIN).days


def register_of(owners: Owners) -> Register:
    """The register, with these hosts in it."""
    organisations = {name: Organisation(name, f"gemeente {name}") for name in sorted(set(owners.values()))}
    locations = [Location(organisations[of], f"https://{host}/d") for host, of in sorted(owners.items())]
    return Register(organisations.values(), locations)


Documents = tuple[tuple[str, int], ...]
"""The entries of a sitemap: loc and version."""


@dataclass(frozen=True)
class File:
    """One file as it is served, and what a reader can know of it."""

    documents: Documents = ()
    wrong: int = 0
    """Entries with an http loc that is no document's."""
    insecure: Documents = ()
    """Entries whose loc has http, and is otherwise right."""
    names: tuple[str, ...] = ()
    """Paths: the indexes that a robots.txt names, or the sitemaps that an index lists."""
    disallows: frozenset[str] = frozenset()
    is_whole: bool = True
    code: str = ""
    """Of the finding that there must be about it."""
    body: bytes = b""
    etag: str = ""

    def listed(self) -> dict[str, set[int]]:
        """The versions of each document."""
        found: dict[str, set[int]] = {}
        for loc, version in self.documents:
            found.setdefault(loc, set()).add(version)
        return found


@cache
def sitemap_body(
    host: str, documents: Documents, wrong: int, insecure: Documents = (), *, described: bool = False
) -> bytes:
    """A sitemap; the titles say whose entry it is and of which version. Some sitemaps give descriptions."""
    descriptions = ["Omschreven"] if described else []
    entries = [
        Entry(
            loc=loc,
            lastmod=moment_of(version).isoformat(),
            diwoo=DiWoo(titel=f"{host} {version}", omschrijvingen=descriptions),
        )
        for loc, version in (*documents, *((f"http{loc[5:]}", version) for loc, version in insecure))
    ]
    wrongs = [Entry(loc=f"http://{host}/{n}.pdf", lastmod=BEGIN.isoformat()) for n in range(wrong)]
    return sitemap(*entries, *wrongs)


@dataclass
class Publisher:
    """One host. A sitemap is known by its number, and stands in the index of the same number modulo two."""

    host: str
    sitemaps: dict[int, dict[str, int]] = field(default_factory=dict)
    """By number: the version of each document that it lists, by loc."""
    twice: dict[int, dict[str, int]] = field(default_factory=dict)
    """By number: the version that a second entry for a document gives."""
    wrong: dict[int, int] = field(default_factory=dict)
    """By number: how many of its entries have an http loc."""
    insecure: set[str] = field(default_factory=set)
    """Documents whose entries have http today."""
    left_out: set[str] = field(default_factory=set)
    """Documents without an entry today, though they are in a sitemap."""
    in_both: set[int] = field(default_factory=set)
    """Sitemaps that both indexes list."""
    hidden_indexes: set[int] = field(default_factory=set)
    """Indexes that robots.txt does not name today."""
    faults: dict[str, Fault] = field(default_factory=dict)
    """By path: what is wrong with a file today."""
    fixed_etags: bool = False
    """The server's ETag never changes, whatever it serves: it answers 304 wrongly."""
    contents: dict[str, int] = field(default_factory=dict)
    """By loc: how often the bytes of a document have changed."""
    previous: dict[str, File] = field(default_factory=dict)
    """What each file was before its last change, as a stale node still has it."""
    _last: dict[str, File] = field(default_factory=dict)

    def list(self, loc: str, number: int, version: int) -> None:
        """Have a sitemap list a document."""
        self.sitemaps.setdefault(number, {})[loc] = version

    def drop(self, loc: str, number: int) -> None:
        """Have a sitemap list a document no longer."""
        self.sitemaps.get(number, {}).pop(loc, None)
        self.twice.get(number, {}).pop(loc, None)

    def entries(self, number: int) -> Documents:
        """What a sitemap lists, with the second entries last."""
        once, twice = self.sitemaps[number], self.twice.get(number, {})
        entries = (*sorted(once.items()), *((loc, twice[loc]) for loc in sorted(twice) if loc in once))
        return tuple(entry for entry in entries if entry[0] not in self.left_out)

    def lists(self, loc: str) -> bool:
        return any(loc in locs for locs in self.sitemaps.values())

    def mend(self) -> None:
        """Serve all files and entries as they should be."""
        self.faults.clear()
        self.hidden_indexes.clear()
        self.insecure.clear()
        self.left_out.clear()

    def file(self, path: str) -> File:
        """Return a file as it should be today; remembers what it was before."""
        number, of = number_of(path), f"https://{self.host}"
        in_index = {which: [n for n in sorted(self.sitemaps) if self._is_in(n, which)] for which in (0, 1)}
        if path == ROBOTS:
            named = [i for i in (0, 1) if in_index[i] and i not in self.hidden_indexes]
            names = tuple(INDEXES[i] for i in named)
            disallows = frozenset(path for path, fault in self.faults.items() if fault == "disallowed")
            text = robots_txt(*(of + name for name in names), disallow=sorted(disallows))
            made = File(names=names, disallows=disallows, body=text.encode())
        elif number is None:
            names = tuple(f"/s{n}.xml" for n in in_index[INDEXES.index(path)])
            made = File(names=names, body=sitemapindex([of + name for name in names]).encode())
        else:
            entries, wrong = self.entries(number), self.wrong.get(number, 0)
            documents = tuple(entry for entry in entries if entry[0] not in self.insecure)
            insecure = tuple(entry for entry in entries if entry[0] in self.insecure)
            body = sitemap_body(self.host, documents, wrong, insecure, described=number in DESCRIBED)
            made = File(documents, wrong, insecure, body=body)
        made = replace(made, etag=self._etag(made.body))
        last = self._last.get(path)
        if last is not None and last.body != made.body:
            self.previous[path] = last
        self._last[path] = made
        return made

    def document(self, loc: str) -> File:
        """The document itself, as its server has it today."""
        body = f"%PDF-1.7 {loc} {self.contents.get(loc, 0)}".encode()
        return File(body=body, etag=self._etag(body))

    def _etag(self, body: bytes) -> str:
        return '"fixed"' if self.fixed_etags else f'"{sha256(body).hexdigest()[:16]}"'

    def _is_in(self, number: int, index: int) -> bool:
        return number % 2 == index or number in self.in_both

    def target(self, path: str) -> str | None:
        """Where a file is that redirects, with the same content; nobody may follow it to ``elders.nl``."""
        match self.faults.get(path):
            case "moved":
                return f"https://{self.host}/verhuisd{path}"
            case "moved away":
                return f"https://elders.nl{path}"
            case "moved to another host" if number_of(path) is not None:
                return f"https://{HOSTS[HOSTS.index(self.host) - 1]}/{self.host}{path}"
        return None

    def serve(self, path: str) -> tuple[int, File]:
        """Return status and content of a file as it is served today; status 0 for no answer."""
        fault, number = self.faults.get(path), number_of(path)
        if number is not None and number not in self.sitemaps:
            return 404, File()
        file = self.file(path)
        match fault:
            case "stale":
                return 200, self.previous.get(path, file)
            case "503" | "404":
                return int(fault), File()
            case "reset":
                return 0, File()
            case "truncated" if path != ROBOTS:
                return 200, cut(file)
            case "renamed" | "capitals" if file.names or file.documents or file.insecure or file.wrong:
                return 200, file if path == ROBOTS else renamed(file, is_readable=fault == "capitals")
            case "empty" if number is not None:
                return 200, File(body=sitemap_body(self.host, (), 0), etag='"empty"')
        return 200, file


def cut(file: File) -> File:
    """Return a file that ends halfway its last entry: what is before that can be read."""
    end = max(file.body.rfind(b"<url>"), file.body.rfind(b"<sitemap>"))
    body = file.body[: end + 20] if end > 0 else file.body[:-10]
    documents, insecure, wrong = file.documents, file.insecure, file.wrong
    if wrong:
        wrong -= 1
    elif insecure:
        insecure = insecure[:-1]
    else:
        documents = documents[:-1]
    return File(documents, wrong, insecure, file.names[:-1], is_whole=False, body=body, etag='"cut"')


def renamed(file: File, *, is_readable: bool) -> File:
    """Return a file whose entries have another name: in capitals, or one that they may not have."""
    body = file.body
    for name in ("url", "sitemap"):
        other = name.upper() if is_readable else "item"
        body = body.replace(f"<{name}>".encode(), f"<{other}>".encode())
        body = body.replace(f"</{name}>".encode(), f"</{other}>".encode())
    if is_readable:
        return replace(file, body=body, etag='"capitals"', code="sitemap.hoofdletters")
    return File(is_whole=False, body=body, etag='"renamed"', code="sitemap.element-onbekend")


def number_of(path: str) -> int | None:
    """The number of a sitemap; None for robots.txt and indexes."""
    name = path.removeprefix("/s").removesuffix(".xml")
    return int(name) if name.isdigit() else None


def is_in_index(path: str, index: str) -> bool:
    """Whether an index is the one that a sitemap stands in, if not in both."""
    return (number_of(path) or 0) % 2 == INDEXES.index(index)
