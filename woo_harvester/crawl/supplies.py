"""Documents whose records lack content that a run wants: what is lacking, and what needs no request."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from woo_harvester.arguments import DocumentsMode
from woo_harvester.crawl.host import Visit
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.items import Fetched, WooItem
from woo_harvester.pipelines.store import StorePipeline, text_limits
from woo_harvester.record import Aanvulling, Oorzaak
from woo_harvester.responses import StreamedResponse
from woo_harvester.state.contents import Content, Depth, is_lacking, keep_wanted, wanted_content
from woo_harvester.state.delivery import Delivery
from woo_harvester.stores.opening import store_name

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from sqlalchemy import Connection

    from woo_harvester.state.resources import Resource

_DEPTHS: dict[DocumentsMode, Depth] = {"none": Depth.NONE, "head": Depth.HEADERS, "download": Depth.FILE}


def wanted_of(mode: DocumentsMode, settings: BaseSettings) -> Content:
    """Return what a run wants to know of the content of documents, by its settings."""
    if mode != "download":
        return wanted_content(_DEPTHS[mode])
    return wanted_content(
        _DEPTHS[mode],
        store=store_name(settings),
        limits=text_limits(settings) if settings.getbool("WOO_TEXT") else None,
        maxsize=settings.getint("WOO_DOCUMENT_MAXSIZE"),
    )


def is_supply(item: WooItem) -> bool:
    """Return whether an item is a known version that is delivered again, with content that it lacked."""
    return item.source is not None and item.source.content is not None


def is_again(item: WooItem) -> bool:
    """Return whether an item is a known version that is delivered again because the run delivers all."""
    return item.source is not None and item.source.again is not None


class Supplies:
    """The documents whose records lack content that this run wants."""

    def __init__(self, keeper: StateKeeper, crawler: Crawler) -> None:
        self._keeper = keeper
        self._crawler = crawler

    def are_due(self, connection: Connection, resource: Resource) -> bool:
        """Return whether a sitemap lists documents that lack content, so that it must be read.

        The state is asked once after each change of what runs want: its answer is kept with the sitemap.
        """
        wanted = self._keeper.wanted
        if wanted is None or wanted.sufficient is None or resource.wanted in wanted.sufficient:
            return False
        if is_lacking(connection, resource.id, wanted):
            return True
        keep_wanted(connection, resource.id, wanted)
        return False

    async def from_store(self, item: WooItem, visit: Visit) -> bool | None:
        """Return True if an item can be delivered with the document that the store has, without a request.

        Return False if nothing needs to be delivered, and None if the document must be requested.
        """
        source, delivery = item.source, item.delivery
        store = self._crawler.get_item_pipeline(StorePipeline)
        if source is None or source.content is None or store is None or not isinstance(delivery, Delivery):
            return None
        known, lacking = source.known, item.record.herkomst.aangevuld
        if known is None or known.sha256 is None or delivery.harvested is None:
            return None
        sha256 = known.sha256.hex()
        if not await store.has(sha256, known.size):
            return None
        if Aanvulling.TEKST in lacking and not await store.can_read_text(sha256):
            return None
        source.fetched = Fetched(StreamedResponse(item.record.document.weblocatie, 304), known)
        delivery.harvested.file = known
        if Aanvulling.BESTAND in lacking and source.content.store is not None:
            lacking.remove(Aanvulling.BESTAND)  # its record has the same path: the store was moved or copied
            self._crawler.stats.inc_value("woo/files/present")
        if lacking:
            return True
        self._keeper.note_nothing_added(item)
        visit.account.count_entries(0, 1)
        return False


def count_as_change(item: WooItem) -> None:
    """Make a record of a known version one of a new version, since the file itself has changed."""
    delivery = item.delivery
    if item.source is not None and isinstance(delivery, Delivery) and delivery.harvested is not None:
        item.source.content = item.source.again = None
        item.record.herkomst.aangevuld.clear()
        item.record.versies[-1].oorzaak = Oorzaak.WIJZIGING
        harvested = delivery.harvested
        delivery.harvested = replace(
            harvested,
            at=harvested.supplied_at or harvested.at,
            supplied_at=None,
            cause=Oorzaak.WIJZIGING.value,
        )
