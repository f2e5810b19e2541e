"""The spider that harvests what Dutch public bodies publish under the Woo."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.spiders import SitemapSpider
from scrapy.utils.project import project_data_dir

from woo_harvester.arguments import ArgumentError, read_arguments
from woo_harvester.dates import day_of
from woo_harvester.extensions.findings import Findings
from woo_harvester.handlers.response import StreamedResponse
from woo_harvester.items import WooItem
from woo_harvester.middlewares.robotstxt import WooRobotsTxtMiddleware
from woo_harvester.register import RegisterError
from woo_harvester.register_fetch import obtain_register
from woo_harvester.sitemaps.reader import (
    GUIDE_MAXENTRIES,
    GUIDE_MAXSIZE,
    SITEMAP_NAMESPACE,
    Entry,
    Fault,
    Kind,
    OtherKindError,
    SitemapError,
    SitemapReader,
)
from woo_harvester.sitemaps.robots import ROBOTS_MAXSIZE
from woo_harvester.sitemaps.selection import NOT_READ, Index, Sitemap
from woo_harvester.spiders.documents import Documents
from woo_harvester.spiders.entries import Entries
from woo_harvester.spiders.failures import RequestKind, failure_code, failure_seen
from woo_harvester.spiders.hosts import select_hosts
from woo_harvester.spiders.visit import Visit

if TYPE_CHECKING:
    from twisted.python.failure import Failure

Output = AsyncIterator[Request | WooItem]

#: A publisher's error page comes to the callback: it is told, not dropped.
ERRORS = range(400, 600)

#: Seconds between two looks at whether the run is being closed, while waiting for room.
PATIENCE = 1.0


class WooSpider(SitemapSpider):
    """Visits hosts, reads their robots.txt, indexes and sitemaps, and makes an item of each document.

    What is read is decided by the naming convention of the guide, not by ``sitemap_follow``. The arguments
    are those of :class:`~woo_harvester.arguments.WooArguments`.
    """

    name = "woo"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.arguments = read_arguments(kwargs)
        super().__init__(*args, **{key: value for key, value in kwargs.items() if key.startswith("_")})
        self.start_failure: tuple[int, str] | None = None
        """Exit status and line of a run that could not start."""

    @classmethod
    def check_arguments(cls, given: Mapping[str, Any]) -> None:
        """Raise :class:`ArgumentError` for an argument that makes no sense."""
        read_arguments(given)

    async def start(self) -> AsyncIterator[Request]:
        """The robots.txt of each host."""
        findings = self.crawler.get_extension(Findings)
        if findings is None:
            raise NotConfigured("The spider needs the extension woo_harvester.extensions.findings.Findings")
        self.report = findings.report
        try:
            hosts = await self._prepare()
        except (ArgumentError, RegisterError) as error:
            bad_argument = isinstance(error, ArgumentError)
            self.start_failure = (2 if bad_argument else 1, str(error))
            raise CloseSpider("argument" if bad_argument else "register") from error
        self.crawler.stats.set_value("woo/hosts/selected", len(hosts))
        for host in hosts:
            yield self._robots_request(host)

    async def _prepare(self) -> tuple[str, ...]:
        """Read the register and choose the hosts."""
        register = await obtain_register(
            self.arguments.register_source or self.settings["WOO_REGISTER"],
            Path(self.settings["WOO_DATA_DIR"] or _data_dir()),
            self.report,
            day_of(datetime.now(UTC)),
            user_agent=self.settings["USER_AGENT"],
        )
        self.register, hosts = select_hosts(register, self.arguments, self.report)
        self.entries = Entries(self.register, self.report)
        mode = self.arguments.documents or ("download" if self.settings["FILES_STORE"] else "head")
        self.documents = Documents(mode, self.settings, self.finish)
        return hosts

    def is_registered(self, host: str) -> bool:
        """Whether requests may go to *host*."""
        return self.register.is_registered(host)

    def request(
        self, url: str, kind: RequestKind, visit: Visit, callback: Any, *, maxsize: int, **kwargs: Any
    ) -> Request:
        """A streamed request for a part of *visit*'s host; *kwargs* go to the callback."""
        return Request(
            url,
            callback=callback,
            errback=self.on_failure,
            dont_filter=True,
            headers={"Accept-Encoding": "gzip"},
            meta={
                "download_slot": visit.host,
                "download_maxsize": maxsize + 1,  # so that the reader sees that there is more
                "dont_obey_robotstxt": kind == "robots",
                "handle_httpstatus_list": ERRORS,
                "woo_kind": kind,
                "woo_stream": True,
            },
            cb_kwargs={"visit": visit, **kwargs},
        )

    async def on_failure(self, failure: Failure) -> Output:
        """Tell why nothing came of a robots.txt, index or sitemap, and go on with the host."""
        request: Request = failure.request  # type: ignore[attr-defined]
        visit: Visit = request.cb_kwargs["visit"]
        code = failure_code(failure.value, request.meta["woo_kind"])
        visit.note(code, request.url, seen=failure_seen(failure.value))
        for following in self._next(visit):
            yield following

    def _next(self, visit: Visit) -> Iterator[Request]:
        """What is to be read next of a host."""
        if visit.indexes:
            index = visit.indexes.popleft()
            maxsize = self.settings.getint("WOO_INDEX_MAXSIZE")
            yield self.request(index.url, "index", visit, self.parse_index, maxsize=maxsize, index=index)
        elif visit.sitemaps:
            sitemap = visit.sitemaps.popleft()
            maxsize = self.settings.getint("WOO_SITEMAP_MAXSIZE")
            yield self.request(
                sitemap.url, "sitemap", visit, self.parse_sitemap, maxsize=maxsize, sitemap=sitemap
            )
        else:
            visit.reading_done = True
            self.finish(visit)

    def finish(self, visit: Visit) -> None:
        """Count a host as done, once nothing of it is under way."""
        if visit.finished:
            self.crawler.stats.inc_value("woo/hosts/done")
            self.crawler.stats.inc_value("woo/hosts/incomplete" if visit.incomplete else "woo/hosts/complete")

    # robots.txt

    def _robots_request(self, host: str) -> Request:
        bodies = self.register.organisations_of_host(host)
        visit = Visit(
            host,
            bodies[0].identifier if len(bodies) == 1 else None,
            self.settings.getint("WOO_HOST_BACKLOG"),
            self.report,
            self.is_registered,
        )
        url = f"https://{host}/robots.txt"
        return self.request(url, "robots", visit, self.parse_robots, maxsize=ROBOTS_MAXSIZE - 1)

    async def parse_robots(self, response: StreamedResponse, visit: Visit) -> Output:
        """Take the indexes by the convention from a robots.txt, and tell what is not."""
        with closing(response):
            body = b"".join(response.chunks())
        readable = response.status == 200 and "dataloss" not in response.flags
        if readable:
            visit.indexes.extend(visit.selection.indexes(body, response.url))
            if "maxsize" in response.flags:
                visit.note("robots.te-groot", response.url, action="gelezen tot 500 KiB")
                visit.incomplete.append("robots.te-groot")
            if not visit.indexes:
                visit.note("robots.geen-diwoo-index", response.url)
        elif response.status in (404, 410):
            visit.note("robots.ontbreekt", response.url, seen=f"HTTP {response.status}")
        else:
            seen = "afgebroken" if response.status == 200 else f"HTTP {response.status}"
            visit.note("robots.onbereikbaar", response.url, seen=seen)
        if readable or response.status in range(400, 500):
            await self._obey(response, body if readable else b"")
        for request in self._next(visit):
            yield request

    async def _obey(self, response: StreamedResponse, rules: bytes) -> None:
        """RFC 9309: the rules hold for the host that was asked, and none hold where it has no robots.txt."""
        middleware = self.crawler.get_downloader_middleware(WooRobotsTxtMiddleware)
        if middleware is not None and response.request is not None:
            asked = (response.request.meta.get("redirect_urls") or [response.url])[0]
            await middleware.learn(response.request.replace(url=asked), rules)

    # Indexes and sitemaps

    async def parse_index(self, response: StreamedResponse, visit: Visit, index: Index) -> Output:
        """Take the sitemaps that an index lists."""
        with closing(response):
            if response.status == 200:
                reader = self._reader(response, "sitemapindex", "WOO_INDEX_MAXSIZE")
                try:
                    for batch in reader:
                        found = (visit.selection.sitemap(entry, index) for entry in batch)
                        visit.sitemaps.extend(filter(None, found))
                except OtherKindError as error:
                    code = "index.is-urlset" if error.root == "urlset" else "index.ongeldig"
                    visit.note(code, index.url, line=error.line, seen=f"<{error.root}>")
                except SitemapError as error:
                    visit.note(INDEX_CODES[error.fault], index.url, line=error.line, seen=error.seen)
                self._check_reading(reader, response, visit, index.url)
            else:
                visit.note("index.onbereikbaar", index.url, seen=f"HTTP {response.status}")
        for request in self._next(visit):
            yield request

    async def parse_sitemap(self, response: StreamedResponse, visit: Visit, sitemap: Sitemap) -> Output:
        """Make items of the entries of a sitemap, and requests for their documents where there is room."""
        with closing(response):
            if response.status == 200:
                reader = self._reader(response, "urlset", "WOO_SITEMAP_MAXSIZE")
                try:
                    for batch in reader:
                        async for made in self._documents(batch, visit, sitemap):
                            yield made
                        if self._is_closing():
                            visit.incomplete.append("closed")
                            return
                except OtherKindError as error:
                    self._note_other_kind(error, response, visit, sitemap)
                except SitemapError as error:
                    visit.note(f"sitemap.{error.fault}", sitemap.url, line=error.line, seen=error.seen)
                self._check_reading(reader, response, visit, sitemap.url)
                self.crawler.stats.inc_value("woo/entries", reader.entries)
            else:
                visit.note("sitemap.onbereikbaar", sitemap.url, seen=f"HTTP {response.status}")
        for request in self._next(visit):
            yield request

    async def _documents(self, batch: list[Entry], visit: Visit, sitemap: Sitemap) -> Output:
        for entry in batch:
            item = self.entries.item(entry, sitemap, visit.host)
            if item is None:
                continue
            if self.documents.mode == "none":
                yield item
                continue
            while not await visit.has_room(PATIENCE):
                if self._is_closing():
                    return
            yield self.documents.request(item, visit)
        await asyncio.sleep(0)  # the other hosts' turn

    def _reader(self, response: StreamedResponse, kind: Kind, bound: str) -> SitemapReader:
        return SitemapReader(response.chunks(), kind, self.settings.getint(bound))

    def _check_reading(
        self, reader: SitemapReader, response: StreamedResponse, visit: Visit, url: str
    ) -> None:
        """Tell what is to be said of a file as a whole, whether or not it could be read to its end."""
        kind = response.meta["woo_kind"]
        if reader.entries > GUIDE_MAXENTRIES or reader.size > GUIDE_MAXSIZE:
            seen = f"{reader.entries} verwijzingen, {reader.size} bytes"
            visit.note(f"{kind}.boven-norm", url, seen=seen)
        if reader.root_seen and reader.namespace != SITEMAP_NAMESPACE:
            visit.note("sitemap.naamruimte", url, seen=reader.namespace or "geen naamruimte")
        if reader.complete and not reader.entries:
            visit.note("sitemap.leeg", url)
        if reader.complete and "dataloss" in response.flags:
            visit.note("sitemap.afgebroken" if kind == "sitemap" else "index.ongeldig", url)

    def _note_other_kind(
        self, error: OtherKindError, response: StreamedResponse, visit: Visit, sitemap: Sitemap
    ) -> None:
        """Tell what is served as a sitemap; of ``diwoo:Documents``, how many documents are lost by it."""
        if error.root == "sitemapindex":
            visit.note("index.genest", sitemap.url, line=error.line, seen="<sitemapindex>", action=NOT_READ)
            return
        seen = f"<{error.root}>"
        if error.root == "Documents":
            reader = self._reader(response, "Documents", "WOO_SITEMAP_MAXSIZE")
            with suppress(SitemapError):  # the count goes as far as the file can be read
                for _ in reader:
                    pass
            seen = f"<Documents> met {reader.entries} documenten"
        visit.note("sitemap.wortelelement", sitemap.url, line=error.line, seen=seen, action=NOT_READ)

    def _is_closing(self) -> bool:
        """Whether the run is being ended. Scrapy has no signal for that; it starts no request any more."""
        engine = self.crawler.engine
        slot = engine._slot
        return not engine.running or slot is None or slot.closing is not None


INDEX_CODES: dict[Fault, str] = {
    "ongeldig": "index.ongeldig",
    "afgebroken": "index.ongeldig",
    "wortelelement": "index.ongeldig",
    "te-groot": "index.te-groot",
    "doctype": "sitemap.doctype",
}


def _data_dir() -> str:
    """Scrapy's data directory of the project, else ``.scrapy`` in the working folder."""
    try:
        return project_data_dir()
    except NotConfigured:
        return ".scrapy"
