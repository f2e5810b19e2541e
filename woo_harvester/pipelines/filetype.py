"""Third pipeline: the file type. Only the 19 types of the value list are harvested."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy.exceptions import DropItem

from woo_harvester.diwoo.filetype import Decision, decide_filetype
from woo_harvester.formats import detect_format, detected_before, file_name
from woo_harvester.items import Fetched, WooItem
from woo_harvester.record import Bestand, Record, Waarde

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class FileTypePipeline:
    """The pipeline that decides the file type and describes the file; it drops types that are not allowed.

    It reports a finding for each dropped item. Types that the publisher did not give are counted in the
    statistics, as ``woo/defaults/document.format``.
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
        media_type = fetched.media_type if fetched else None
        known = fetched.unchanged if fetched else None
        if known is not None:
            # The same bytes have the same type as when it was detected.
            name, content = known.file_name, detected_before(media_type)
        else:
            name = file_name(fetched.disposition if fetched else None, loc)
            content = detect_format(fetched.file) if fetched and fetched.file else None
        decision = decide_filetype(item.source.given.format, media_type, loc, name, item.report, content)
        if decision is None:
            raise DropItem(f"{loc}: {item.report.codes[-1]}", log_level="DEBUG")
        item.source.filetype = decision.content
        _describe(item.record, fetched, decision, name)
        if known is not None:
            item.record.versies[-1].bestanden[0].paginas = known.pages
        if decision.source:
            self._stats.inc_value("woo/defaults/document.format")
        return item


def _describe(record: Record, fetched: Fetched | None, decision: Decision, name: str | None) -> None:
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
            mime_type=decision.content.media_type,
            bestandsnaam=name,
            grootte=fetched.size if fetched else None,
            hash=fetched.sha256 if fetched else None,
        )
    ]
