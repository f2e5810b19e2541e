"""Crawlers and items for tests of single components: real ones, without a run."""

from __future__ import annotations

from hashlib import sha256
from io import BytesIO
from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.utils.test import get_crawler

from woo_harvester.diwoo.given import GivenMetadata
from woo_harvester.findings import Finding, Reporter
from woo_harvester.items import Fetched, Source, StreamedResponse, WooItem
from woo_harvester.record import Document, Oorzaak, Record, Versie
from woo_harvester.register.register import Match
from woo_harvester.running.default_settings import SETTINGS
from woo_harvester.tooi.lists import bundled
from woo_harvester.tooi.values import Concept
from woo_harvester.utils.urls import record_id


class Proef(Spider):
    """A spider that does nothing."""

    name = "proef"


LOC = "https://www.a.nl/besluit.pdf"


def crawler_of(**settings: Any) -> Crawler:
    """Return a crawler with the project's default settings and these; no reactor is installed for it."""
    defaults = {setting.name: setting.default for setting in SETTINGS}
    return get_crawler(Proef, {"TWISTED_REACTOR_ENABLED": False, **defaults, **settings})


def fetched_of(
    content: bytes | None = None,
    *,
    media_type: str | None = None,
    disposition: str | None = None,
    size: int | None = None,
    digest: str | None = None,
) -> Fetched:
    """An answer with these headers; with *content*, as it is after a download."""
    headers = {"Content-Type": media_type, "Content-Disposition": disposition, "Content-Length": size}
    given = {name: str(value) for name, value in headers.items() if value is not None}
    if content is None:
        return Fetched(StreamedResponse(LOC, headers=given))
    digest = digest or sha256(content).hexdigest()
    size = len(content) if size is None else size
    return Fetched(StreamedResponse(LOC, headers=given, file=BytesIO(content), size=size, sha256=digest))


def item_of(
    given: GivenMetadata | None = None,
    *,
    loc: str = LOC,
    version: Versie | None = None,
    category: Concept | None = None,
    match: Match | None = None,
    fetched: Fetched | None = None,
    findings: list[Finding] | None = None,
) -> WooItem:
    """Return an item as the spider makes it; its findings go to the list that is given."""
    found: list[Finding] = [] if findings is None else findings
    report = Reporter(found.append, url=loc)
    record = Record(record_id(loc), Document(loc), versies=[version or Versie(Oorzaak.AANLEVERING)])
    record.herkomst.bevindingen = report.codes
    return WooItem(
        record, Source(given or GivenMetadata(), category, match or Match(), bundled(), fetched), report
    )
