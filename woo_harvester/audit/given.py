"""Files on disk that answer in the place of hosts: which URL leads to which file, and what reports call it.

A folder with a robots.txt is a host. Of other files, a robots.txt and an index are made up, which name the
indexes and sitemaps among them. Messages get a page that lists them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from os import fsencode
from os.path import commonpath
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote, unquote, urlsplit

from woo_harvester.findings import Finding
from woo_harvester.kinds import Kind, others
from woo_harvester.sitemaps.glance import glance
from woo_harvester.sitemaps.robots import ROBOTS_MAXSIZE, NameMatch, index_name, read_robots_lines
from woo_harvester.sitemaps.xml_stream import CHUNK_SIZE, DecompressError, decompress
from woo_harvester.utils.urls import host_of, last_segment

#: The host of files that name none.
NO_HOST = "bestanden.invalid"

_SITEMAP_ROOT = re.compile(rb"<(?:\w+:)?(?:urlset|sitemapindex)\b")
_SITEMAP = "<sitemap><loc>{}</loc></sitemap>"
_INDEX = '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</sitemapindex>'


def shown(path: Path | str) -> str:
    """Return a path or name as text; bytes that are not UTF-8 become question marks."""
    return str(path).encode(errors="replace").decode()


def chunks_of(path: Path) -> Callable[[], Iterator[bytes]]:
    """Return a function that yields the bytes of a file in pieces, from the first on. It raises OSError."""

    def chunks() -> Iterator[bytes]:
        with path.open("rb") as file:
            yield from iter(partial(file.read, CHUNK_SIZE), b"")

    return chunks


def is_robots(path: Path) -> bool:
    """Return whether a file is a robots.txt, by its name."""
    return path.name.lower() == "robots.txt"


def _is_sitemap_name(name: str) -> bool:
    """Return whether a file name is that of an index or a sitemap; a query may follow it."""
    return name.lower().partition("?")[0].endswith((".xml", ".xml.gz"))


def _address(url: str) -> tuple[str, str]:
    """Return host and path of a URL, and its query."""
    address, _, query = url.partition("#")[0].partition("://")[2].partition("?")
    return unquote(address), query


class FolderFiles:
    """The files in a folder, of which each belongs to one URL at most.

    The file of a URL stands at its path, else it has the same name, with or without the query, and packed or
    not. Of several with that name, it is the one least deep that no URL has led to yet.
    """

    def __init__(self, root: Path, paths: Iterable[Path]) -> None:
        self._root = root
        self._found: dict[str, Path | None] = {}
        self.paths = list(paths)
        self.left = dict.fromkeys(self.paths)
        """The files that no URL led to."""
        self._by_name: dict[str, list[Path]] = defaultdict(list)
        for path in self.left:
            self._by_name[path.name].append(path)

    def find(self, url: str) -> Path | None:
        """Return the file that a URL leads to, or None if the folder does not have it."""
        if url not in self._found:
            self._found[url] = path = self._find(url)
            if path is not None:
                del self.left[path]
        return self._found[url]

    def _find(self, url: str) -> Path | None:
        address, query = _address(url)
        host, _, inside = address.partition("/")
        for place in (self._root / inside, self._root / host / inside):
            if not query and place in self.left:
                return place
        name = last_segment(url)
        for each in (f"{name}?{query}", name, f"{name}.gz", name.removesuffix(".gz")):
            if left := [path for path in self._by_name[each] if path in self.left]:
                return min(left, key=lambda path: len(path.parts))
        return None


class GivenHost:
    """Files that answer in the place of one host."""

    kind = Kind.woo
    not_judged: ClassVar[Sequence[str]] = ("register", "connection", "documents", "withdrawal")
    """What files cannot show: keys of :data:`~woo_harvester.report.score.NOT_JUDGED`."""

    def __init__(self, name: str, host: str) -> None:
        self.name = name
        """The name of the host in reports: a path."""
        self.host = host
        """The host of its URLs."""
        self._shown: dict[str, str] = {}
        """The paths that reports have in the place of URLs."""
        self._made_up: set[str] = set()
        """The URLs of made-up files, and of those that only these have named so far."""

    @property
    def url(self) -> str:
        """The URL that its audit begins with."""
        return f"https://{self.host}/"

    def answer(self, url: str) -> Path | bytes | None:
        """Return the file for a URL; None if it was not given."""
        raise NotImplementedError

    def unnamed(self) -> Iterator[Path]:
        """Yield the files for the Woo that nothing leads to."""
        yield from ()

    def as_given(self, finding: Finding) -> Finding:
        """Return a finding with paths in the place of URLs."""
        get = self._shown.get
        return replace(
            finding,
            host=self.name,
            organisation=None if finding.organisation == self.host else finding.organisation,
            url=get(finding.url or "", finding.url),
            sitemap=get(finding.sitemap or "", finding.sitemap),
            seen=get(finding.seen or "", finding.seen),
            line=None if finding.url in self._made_up else finding.line,
        )


class GivenSite(GivenHost):
    """A folder with a robots.txt: what that leads to counts."""

    def __init__(self, name: str, host: str, body: bytes, robots: str, files: FolderFiles) -> None:
        super().__init__(name, host)
        self._body = body
        self._files = files
        self._read: set[Path] = set()
        self._shown[f"{self.url}robots.txt"] = robots

    def answer(self, url: str) -> Path | bytes | None:
        """Return the file for a URL. The rules of other hosts are not in the folder."""
        if urlsplit(url).path == "/robots.txt":
            is_own = host_of(url) == self.host or self.host.endswith(NO_HOST)
            return self._body if is_own else None
        path = self._files.find(url)
        if path is not None:
            self._shown[url] = shown(path)
            self._read.add(path)
        return path

    def unnamed(self) -> Iterator[Path]:
        """Yield the indexes and sitemaps for the Woo that neither robots.txt nor an index names."""
        for line in read_robots_lines(self._body, f"{self.url}robots.txt").sitemaps:
            self._files.find(line.url)
        glances = {path: glance(chunks_of(path)) for path in self._files.paths if path not in self._read}
        for found in glances.values():
            for loc in found.sitemaps:
                self._files.find(loc)
        for path in self._files.left:
            is_index = glances[path].sitemaps and index_name(path.name).match is not NameMatch.OTHER
            if is_index or glances[path].has_documents:
                yield path


class LooseFiles(GivenSite):
    """Indexes and sitemaps without a robots.txt: all of them count, and nothing is forbidden."""

    not_judged = (*GivenSite.not_judged, "robots")

    def __init__(self, name: str, files: FolderFiles) -> None:
        super().__init__(name, NO_HOST, b"", name, files)
        urls = {path: f"{self.url}{quote(fsencode(path).strip(b'/'))}" for path in files.left}
        glances = {path: glance(chunks_of(path)) for path in urls}
        indexes = [path for path in urls if index_name(path.name).match is NameMatch.INDEX]
        for path in indexes:
            for loc in glances[path].sitemaps:
                files.find(loc)
        indexes += [path for path in files.left if path not in indexes and glances[path].sitemaps]
        sitemaps = [path for path in files.left if path not in indexes]
        self._index = f"{self.url}-/sitemapindex-diwoo.xml"
        named = [urls[path] for path in indexes] + ([self._index] if sitemaps else [])
        self._body = "".join(f"Sitemap: {url}\n" for url in named).encode()
        self._listing = _INDEX.format("".join(_SITEMAP.format(urls[path]) for path in sitemaps)).encode()
        self._paths = {urls[path]: path for path in (*indexes, *sitemaps)}
        self._shown |= {self._index: name, **{url: shown(path) for url, path in self._paths.items()}}
        self._made_up.update(self._shown)

    def answer(self, url: str) -> Path | bytes | None:
        """Return the file for a URL, or what was made up."""
        if url == self._index:
            return self._listing
        if url in self._paths:
            self._made_up.discard(url)
            return self._paths[url]
        return super().answer(url)

    def unnamed(self) -> Iterator[Path]:
        """Yield nothing: all files are named."""
        yield from ()


def hosts_among(given: Iterable[Path]) -> Iterator[Sequence[GivenHost]]:
    """Yield the hosts in each folder that was given, and in the other files together.

    Those of one folder are of one kind, and are audited together. Raises OSError, and ValueError for a folder
    without any file for an audit.
    """
    given = list(dict.fromkeys(given))
    files = [path for path in given if not path.is_dir()]
    if len(files) == 1:
        yield from _hosts_in(shown(files[0]), files[0].parent, files)
    elif files:
        common = commonpath(files)
        yield from _hosts_in(shown(common or Path.cwd().name), Path(common), files)
    for folder in (path for path in given if path.is_dir()):
        paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        found = [path for path in paths if _is_sitemap_name(path.name) or is_robots(path)]
        if not found:
            raise ValueError(f"{folder} has no sitemap, index, robots.txt or message")
        yield from _hosts_in(shown(folder), folder, found)


def _hosts_in(name: str, root: Path, paths: Sequence[Path]) -> Iterator[Sequence[GivenHost]]:
    rest, found = list(paths), list[tuple[Any, Sequence[Path]]]()
    for host in others("given_host"):
        found.append((host, host.among(rest)))
        rest = [path for path in rest if path not in found[-1][1]]
    if rest:
        yield list(_sites_in(name, root, rest))
    yield from ([host(f"{name} ({host.kind})" if rest else name, own)] for host, own in found if own)


def _sites_in(name: str, root: Path, paths: Sequence[Path]) -> Iterator[GivenHost]:
    """Yield the host of each robots.txt that is in no folder of another one, and then the rest as one."""
    hosts: set[str] = set()
    rest = list(paths)
    for robots in sorted(filter(is_robots, paths), key=lambda path: (len(path.parts), path)):
        if robots not in rest:
            continue
        inside = [path for path in rest if robots.parent in path.parents]
        rest = [path for path in rest if path not in inside]
        with robots.open("rb") as file:
            body = file.read(ROBOTS_MAXSIZE + 1)
        host = _host_named_in(body, robots.absolute().parent.name)
        host = host if host not in hosts else f"{len(hosts)}.{NO_HOST}"
        hosts.add(host)
        files = FolderFiles(robots.parent, (path for path in inside if path != robots))
        own_name = name if robots.parent == root else shown(robots.parent)
        yield GivenSite(own_name, host, body, shown(robots), files)
    if rest:
        yield LooseFiles(name, FolderFiles(root, rest))


def _host_named_in(body: bytes, folder: str) -> str:
    """Return the host of a robots.txt: the name of its folder if it names that, else what it names most."""
    hosts: Counter[str] = Counter()
    for line in read_robots_lines(body, f"https://{NO_HOST}/robots.txt").sitemaps:
        if not line.relative:
            with suppress(ValueError):  # a finding of its own
                hosts[host_of(line.url)] += 1
    return folder.lower() if folder.lower() in hosts else max(hosts, key=hosts.__getitem__, default=NO_HOST)


def is_sitemap(path: Path) -> bool:
    """Return whether a file begins as a sitemap or an index."""
    with suppress(DecompressError):
        return _SITEMAP_ROOT.search(next(decompress(chunks_of(path)(), CHUNK_SIZE), b"")) is not None
    return False
