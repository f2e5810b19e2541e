"""The day after: documents that are known already.

::

    python -m benchmarks.rescan

First a re-scan of 200,000 unchanged entries in four sitemaps that must be read, because each has one more
line end than the day before, against a stock ``SitemapSpider`` with the original DeltaFetch made to run, and
against a bare ``iterparse`` of the same bytes. Then a million entries whose sitemaps answer 304, and the
memory of a first harvest and a re-scan of a million entries against that of 50,000.
"""

from __future__ import annotations

import dbm
import ssl
import sys
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from time import perf_counter
from urllib.request import urlopen

from lxml import etree
from scrapy import Request
from scrapy.utils.request import RequestFingerprinter
from scrapy.utils.test import get_crawler

from benchmarks.publisher import Publisher, publisher
from benchmarks.runs import Run, stock, woo

PER_SITEMAP = 50_000
NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def sitemaps(site: Publisher, entries: int) -> Iterator[bytes]:
    """The bodies, for the peer that only parses."""
    context = ssl.create_default_context(cafile=str(site.authority))
    for start in range(0, entries, PER_SITEMAP):
        with urlopen(f"https://{site.host}/sitemaps/{start}.xml", context=context) as answer:
            yield answer.read()


def locs(body: bytes) -> Iterator[str]:
    """Bare ``iterparse``: loc and lastmod of each url."""
    for _, element in etree.iterparse(BytesIO(body), tag=f"{NAMESPACE}url"):
        loc = element.findtext(f"{NAMESPACE}loc")
        element.findtext(f"{NAMESPACE}lastmod")
        element.clear()
        yield str(loc)


def fill_deltafetch(folder: Path, bodies: list[bytes]) -> None:
    """What a first run of the peer, of a few minutes, would leave."""
    fingerprint = RequestFingerprinter(get_crawler()).fingerprint
    folder.mkdir()
    with dbm.open(str(folder / "stock.db"), "n") as known:
        for body in bodies:
            for loc in locs(body):
                known[fingerprint(Request(loc))] = "0"


def peers(site: Publisher, folder: Path, entries: int) -> tuple[Run, float]:
    """The stock spider with DeltaFetch, and the seconds of a bare ``iterparse``."""
    bodies = list(sitemaps(site, entries))
    fill_deltafetch(folder / "deltafetch", bodies)
    settings = {
        "DELTAFETCH_ENABLED": "1",
        "DELTAFETCH_DIR": str(folder / "deltafetch"),
        "SPIDER_MIDDLEWARES": '{"benchmarks.stock.AsyncDeltaFetch": 1050}',
    }
    options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    run = stock(folder, site, *options)
    started = perf_counter()
    for body in bodies:
        for _ in locs(body):
            pass
    return run, perf_counter() - started


def print_rescan(entries: int) -> None:
    """Unchanged entries in sitemaps that must be read."""
    with tempfile.TemporaryDirectory() as name, publisher(Path(name), entries, PER_SITEMAP) as site:
        woo(Path(name), site)
        again = woo(Path(name), site)
        (Path(name) / "peer").mkdir()
        peer, bare = peers(site, Path(name), entries)
    if again.items or peer.items:
        raise SystemExit(f"expected no items, got {again.items} and {peer.items}")
    print(f"{f're-scan of {entries:,} unchanged entries':44}{'seconds':>9}{'a second':>11}{'woo is':>8}")
    rows = {"stock with DeltaFetch": peer.crawling, "bare iterparse": bare, "woo": again.crawling}
    for label, seconds in rows.items():
        print(f"{label:44}{seconds:9.2f}{entries / seconds:11,.0f}{seconds / again.crawling:7.1f}x")


def print_memory(entries: int, small: int) -> None:
    """A first harvest, a re-scan that reads everything, and a day on which nothing has changed."""
    print(f"{'documents=none':44}{'entries':>10}{'seconds':>9}{'peak MB':>9}")
    for count in (small, entries):
        with (
            tempfile.TemporaryDirectory() as name,
            publisher(Path(name), count, PER_SITEMAP, "--etag") as site,
        ):
            runs = {
                "first harvest": woo(Path(name), site),
                "re-scan, all sitemaps read": woo(Path(name), site, WOO_FULL_READ_DAYS=0),
                "all sitemaps answer 304": woo(Path(name), site),
            }
            state = (Path(name) / "data" / "woo-state.sqlite").stat().st_size / 1e6
        for label, run in runs.items():
            print(f"{label:44}{count:10,}{run.crawling:9.1f}{run.peak:9.0f}")
        print(f"{'state on disk, MB':44}{count:10,}{state:18.0f}")


if __name__ == "__main__":
    print_memory(int(sys.argv[1]) if sys.argv[1:] else 1_000_000, 50_000)
    print_rescan(200_000)
