"""A publisher on loopback in a separate process, so that a benchmark measures only its client.

::

    python -m benchmarks.utils.publisher FOLDER ENTRIES ENTRIES_PER_SITEMAP [--etag] [--hosts=N]

The program writes ``ca.pem``, ``register.xml`` and, last, ``host`` into FOLDER, and serves until its standard
input closes. With ``--etag``, a client that has a file already gets a 304. Without it, a sitemap has one more
line end on each request, so that it must be read although none of its entries has changed; a file ``still``
in FOLDER stops that. With ``--hosts`` there are N hosts with ENTRIES each, half of them in each of two
shards; ``host`` is the first.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import sleep

from woo_harvester.demo import publishers
from woo_harvester.demo.server import Authority, Page, Request
from woo_harvester.demo.site import Site, register_xml
from woo_harvester.register.register import shard_of

_START_TIMEOUT = 60
_PIECE = 256 * 1024


@dataclass(frozen=True)
class Publisher:
    """The host of a publisher, and the files that a client needs."""

    host: str
    authority: Path
    register: Path


@contextmanager
def publisher(folder: Path, entries: int, per_sitemap: int, *options: str) -> Iterator[Publisher]:
    """Run the publisher in another process."""
    with serving("benchmarks.utils.publisher", folder, str(entries), str(per_sitemap), *options) as site:
        yield site


@contextmanager
def serving(module: str, folder: Path, *arguments: str) -> Iterator[Publisher]:
    """Run a module of this package that serves in the same way, in another process."""
    command = [sys.executable, "-m", module, str(folder), *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        host = folder / "host"
        for _ in range(_START_TIMEOUT * 10):
            if host.exists() or process.poll() is not None:
                break
            sleep(0.1)
        try:
            yield Publisher(host.read_text(encoding="ascii"), folder / "ca.pem", folder / "register.xml")
        finally:
            process.communicate()


class _GrowingPage:
    """A page with one more line end on each request, unless there is a file *still*."""

    def __init__(self, body: bytes, still: Path) -> None:
        self._body = body
        self._still = still
        self._requests = 0

    def __call__(self, request: Request) -> Page:
        """Return the page for one more request."""
        self._requests += not self._still.exists()
        return _in_pieces(self._body + b"\n" * self._requests)


def _in_pieces(body: bytes, headers: Mapping[str, str] | None = None) -> Page:
    """Return a page that is sent in pieces, as servers do, and so is not encrypted as a whole first."""

    def pieces() -> Iterator[bytes]:
        view = memoryview(body)
        for start in range(0, len(body), _PIECE):
            yield view[start : start + _PIECE]  # type: ignore[misc]  # the server sends it like bytes

    return Page(
        pieces, content_type="application/xml", headers={"Content-Length": str(len(body)), **(headers or {})}
    )


def main(folder: Path, entries: int, per_sitemap: int, options: Sequence[str]) -> None:
    """Serve until standard input closes."""
    publishers.SITEMAP_SIZE = per_sitemap
    authority = Authority()
    given = [int(option.partition("=")[2]) for option in options if option.startswith("--hosts=")]
    with ExitStack() as stack:
        sites = _sites(authority, given[0] if given else 1, stack)
        for site in sites:
            _publish(site, folder, entries, options)
        authority.write_bundle(folder / "ca.pem")
        (folder / "register.xml").write_text(
            register_xml(map(publishers.huge_registered, sites)), encoding="utf-8"
        )
        (folder / "host.part").write_text(sites[0].host, encoding="ascii")
        (folder / "host.part").rename(folder / "host")
        sys.stdin.read()


def _sites(authority: Authority, count: int, stack: ExitStack) -> list[Site]:
    """Return *count* sites, half of them in each of two shards."""
    sites: list[Site] = []
    while len(sites) < count:
        site = stack.enter_context(Site(authority))
        if count == 1 or shard_of(site.host, 2) == len(sites) % 2 + 1:
            sites.append(site)
    return sites


def _publish(site: Site, folder: Path, entries: int, options: Sequence[str]) -> None:
    headers = {"ETag": '"1"'} if "--etag" in options else {}
    for path, page in publishers.huge_pages(site, entries).items():
        if not isinstance(page, Page) or not callable(page.body):
            site.pages[path] = page
            continue
        # Made before the measurement, so that a client does not wait for it.
        body = b"".join(page.body())
        site.pages[path] = _in_pieces(body, headers) if headers else _GrowingPage(body, folder / "still")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
