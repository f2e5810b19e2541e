"""Measure the daily run in which nearly all documents are known already.

::

    python -m benchmarks.rescan

The first table has the peak memory of a first harvest and of a re-scan of a million entries, against 50,000
entries, and the time of a run in which all sitemaps answer 304. The second table has a re-scan of 200,000
unchanged entries in four sitemaps. Its peers are a stock ``SitemapSpider`` with the original DeltaFetch,
adapted to current Scrapy, and a bare ``iterparse`` of the same bytes, which fetches nothing. The harvester
has three rows: sitemaps with the same bytes as the day before, but without an ETag; sitemaps with one more
line end each, so that all entries must be compared; and reading with look-ups in the state, without fetching.
"""

from __future__ import annotations

import dbm
import ssl
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from pathlib import Path
from time import perf_counter
from urllib.request import urlopen

from lxml import etree
from scrapy import Request
from scrapy.utils.request import RequestFingerprinter
from scrapy.utils.test import get_crawler

from benchmarks.utils.publisher import Publisher, publisher
from benchmarks.utils.readers import MAXSIZE, chunks
from benchmarks.utils.runs import Run, stock, woo
from benchmarks.utils.target import target
from woo_harvester.crawl.entries import Entries
from woo_harvester.crawl.hosts import Visit
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Reporter
from woo_harvester.register.names import Vocabulary
from woo_harvester.register.stored_copy import read_file
from woo_harvester.report.funnel import Account
from woo_harvester.sitemaps.robots import index_name
from woo_harvester.sitemaps.scanner import UrlsetReader
from woo_harvester.sitemaps.selection import Index, Sitemap
from woo_harvester.state.deliveries import PendingRead
from woo_harvester.state.resources import host_of_state, sitemaps_of_host
from woo_harvester.tooi.lists import bundled

PER_SITEMAP = 50_000
NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def sitemaps(site: Publisher, entries: int) -> Iterator[bytes]:
    """Yield the bodies of the sitemaps, for the peer that only parses."""
    context = ssl.create_default_context(cafile=str(site.authority))
    for start in range(0, entries, PER_SITEMAP):
        with urlopen(f"https://{site.host}/sitemaps/{start}.xml", context=context) as answer:
            yield answer.read()


def locs(body: bytes) -> Iterator[str]:
    """Yield the locs by a bare ``iterparse``, which also reads the lastmod of each url."""
    for _, element in etree.iterparse(BytesIO(body), tag=f"{NAMESPACE}url"):
        loc = element.findtext(f"{NAMESPACE}loc")
        element.findtext(f"{NAMESPACE}lastmod")
        element.clear()
        yield str(loc)


def fill_deltafetch(folder: Path, bodies: list[bytes]) -> None:
    """Write the file that a first run of the peer, which would take minutes, leaves."""
    fingerprint = RequestFingerprinter(get_crawler()).fingerprint
    folder.mkdir()
    with dbm.open(str(folder / "stock.db"), "n") as known:
        for body in bodies:
            for loc in locs(body):
                known[fingerprint(Request(loc))] = "0"


def peers(site: Publisher, folder: Path, entries: int) -> tuple[Run, float]:
    """Run the stock spider with DeltaFetch and a bare ``iterparse``; return the run, and the seconds."""
    bodies = list(sitemaps(site, entries))
    fill_deltafetch(folder / "deltafetch", bodies)
    settings = {
        "DELTAFETCH_ENABLED": "1",
        "DELTAFETCH_DIR": str(folder / "deltafetch"),
        "SPIDER_MIDDLEWARES": '{"benchmarks.utils.stock_spider.AsyncDeltaFetch": 1050}',
    }
    options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    run = stock(folder, site, *options)
    started = perf_counter()
    for body in bodies:
        for _ in locs(body):
            pass
    return run, perf_counter() - started


def read_and_look_up(site: Publisher, folder: Path, bodies: list[bytes]) -> float:
    """Return the seconds for reading sitemaps in memory, with the state of the first run."""
    register = read_file(site.register, Reporter(print), datetime.now(UTC).date())
    keeper = StateKeeper(get_crawler(settings_dict={"WOO_STATE_URL": f"sqlite:///{folder}/woo-state.sqlite"}))
    keeper.open(register.hosts, reset=False)
    entries = Entries(register, Vocabulary(bundled(), register), Reporter(print), keeper)
    with keeper.begin() as connection:
        host = host_of_state(connection, site.host)
        sitemap_keys = sorted(sitemaps_of_host(connection, host.id))
    url = f"https://{site.host}/sitemapindex-diwoo.xml"
    index = Index(url, index_name(url))
    account = Account(site.host)
    visit = Visit(site.host, None, host, 1, Reporter(print), register.is_registered, account)
    started = perf_counter()
    for key, body in zip(sitemap_keys, bodies, strict=True):
        with keeper.begin() as connection:
            reading = entries.start_reading(connection, visit, Sitemap("", index), PendingRead(key))
        reader = UrlsetReader(partial(chunks, body), MAXSIZE)
        for batch in reader:
            reader.processed(entries.select(batch, reading)[1])
        with keeper.begin() as connection:
            keeper.read_completely(connection, reading.pending, entries.lacking(connection, reading))
    seconds = perf_counter() - started
    keeper.engine_stopped()
    if entries.skipped != sum(body.count(b"<loc>") for body in bodies):
        raise SystemExit(f"expected that all entries are known, got {entries.counts}")
    return seconds


def print_rescan(entries: int) -> None:
    """Print the table of unchanged entries, in changed sitemaps and in sitemaps of the same bytes."""
    with tempfile.TemporaryDirectory() as name, publisher(Path(name), entries, PER_SITEMAP) as site:
        folder = Path(name)
        woo(folder, site)
        again = woo(folder, site)
        (folder / "still").touch()
        same = woo(folder, site)
        (folder / "peer").mkdir()
        peer, bare = peers(site, folder, entries)
        alone = read_and_look_up(site, folder / "data", list(sitemaps(site, entries)))
    if again.items or same.items or peer.items:
        raise SystemExit(f"expected no items, got {again.items}, {same.items} and {peer.items}")
    title = f"re-scan of {entries:,} unchanged entries"
    print(f"{title:44}{'seconds':>9}{'a second':>11}{'of stock':>10}{'of iterparse':>14}   target")
    rows = {
        "stock with DeltaFetch": peer.crawling,
        "bare iterparse, nothing fetched": bare,
        "woo, sitemaps of the same bytes": same.crawling,
        "woo, each sitemap has another byte": again.crawling,
        "woo, reading and look-ups, nothing fetched": alone,
    }
    for label, seconds in rows.items():
        stock_ratio, bare_ratio = peer.crawling / seconds, bare / seconds
        aim = ""
        if "same bytes" in label:
            aim = target("10 times stock", stock_ratio >= 10)
        elif "another byte" in label:
            aim = target("2 times iterparse", bare_ratio >= 2)
        elif "look-ups" in label:  # like iterparse, this fetches nothing
            aim = target("1.5 times iterparse", bare_ratio >= 1.5)
        print(
            f"{label:44}{seconds:9.2f}{entries / seconds:11,.0f}{stock_ratio:9.1f}x{bare_ratio:13.1f}x{aim}"
        )


def print_memory(entries: int, small: int) -> None:
    """Print the table of a first harvest, a re-scan that reads everything, and a run without changes."""
    least: dict[str, float] = {}

    def aim(label: str, run: Run) -> str:
        if "304" in label:
            return target("< 10 s", run.crawling < 10)
        return target("< 300 MB, <= 20% above the first", run.peak_memory < min(300, 1.2 * least[label]))

    print(f"{'documents=none':44}{'entries':>10}{'seconds':>9}{'max MB':>9}   target")
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
            least.setdefault(label, run.peak_memory)
            print(f"{label:44}{count:10,}{run.crawling:9.1f}{run.peak_memory:9.0f}{aim(label, run)}")
        print(f"{'state on disk, MB':44}{count:10,}{state:18.0f}{target('< 400 MB', state < 400)}")


if __name__ == "__main__":
    print_memory(int(sys.argv[1]) if sys.argv[1:] else 1_000_000, 50_000)
    print_rescan(200_000)
