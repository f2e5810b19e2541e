"""The pipelines that complete the record of an item: metadata, defaults, file type."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from scrapy.exceptions import DropItem

from woo_harvester.diwoo.filetype import TypeDecision, decide_filetype
from woo_harvester.diwoo.metadata import fill_in, map_metadata
from woo_harvester.documents.pages import ask_for_documents
from woo_harvester.items import Fetched, WooItem
from woo_harvester.record import Bestand, Record, Waarde

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class MetadataPipeline:
    """The pipeline that maps metadata to the record; values of lists get their identifier and label."""

    def process_item(self, item: Any) -> Any:
        """Map the item's given metadata."""
        if isinstance(item, WooItem) and item.source is not None:
            source, now = item.source, datetime.now(UTC)
            map_metadata(source.given, item.record, source.lists, item.report, now)
        return item


class DefaultsPipeline:
    """The pipeline that fills in publisher, title, informatiecategorie, verantwoordelijke and creatiedatum.

    It counts each default in the statistics, as ``woo/defaults/<field>``.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        """Fill in absent metadata."""
        if not isinstance(item, WooItem) or item.source is None:
            return item
        source = item.source
        fill_in(item.record, source.match, source.category, source.lists.organisaties, item.report)
        for path in item.record.herkomst.standaardwaarden:
            self._stats.inc_value(f"woo/defaults/{path}")
        return item


_AS_HTML = "geoogst als HTML"


class FileTypePipeline:
    """The pipeline that decides the file type and describes the file; it drops types that are not allowed.

    It reports a finding for each dropped item, and for a web page that leads to documents. Types that the
    publisher did not give are counted in the statistics, as ``woo/defaults/document.format``.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        """Add the format and the file to the record, or raise DropItem."""
        if not isinstance(item, WooItem) or item.source is None:
            return item
        loc, fetched = item.record.document.weblocatie, item.source.fetched
        claims, name = item.source.claims_and_name(loc)
        decision = decide_filetype(claims, item.report, fetched.content if fetched else None)
        if decision is None:
            raise DropItem(f"{loc}: {item.report.codes[-1]}", log_level="DEBUG")
        item.source.filetype = decision.actual
        _describe(item.record, fetched, decision, name)
        if fetched is not None and fetched.unchanged is not None:
            item.record.versies[-1].bestanden[0].paginas = fetched.unchanged.pages
        if fetched is not None and fetched.leads_to:
            item.report("document.landingspagina", seen=ask_for_documents(fetched.leads_to), action=_AS_HTML)
        if decision.source:
            self._stats.inc_value("woo/defaults/document.format")
        return item


def _describe(record: Record, fetched: Fetched | None, decision: TypeDecision, name: str | None) -> None:
    filetype = decision.filetype
    if decision.source:
        record.herkomst.standaardwaarden["document.format"] = decision.source
        given = record.document.format
        record.document.format = Waarde(
            None, filetype.uri, filetype.label, given.bronwaarde if given else None
        )
    record.versies[-1].bestanden = [
        Bestand(
            url=record.document.weblocatie,
            mime_type=decision.actual.media_type,
            bestandsnaam=name,
            grootte=fetched.size if fetched else None,
            hash=fetched.sha256 if fetched else None,
        )
    ]
