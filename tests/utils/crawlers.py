"""Crawlers and items for tests of single components: real ones, without a run."""

from __future__ import annotations

from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.utils.test import get_crawler

from woo_harvester.default_settings import SETTINGS
from woo_harvester.diwoo.given_metadata import GivenMetadata
from woo_harvester.findings import Finding, Reporter
from woo_harvester.items import Fetched, Source, WooItem
from woo_harvester.record import Document, Oorzaak, Record, Versie
from woo_harvester.register.organisations import Match
from woo_harvester.tooi.values import Concept
from woo_harvester.urls import record_id


class Proef(Spider):
    """A spider that does nothing."""

    name = "proef"


LOC = "https://www.a.nl/besluit.pdf"


def crawler_of(**settings: Any) -> Crawler:
    """Return a crawler with the project's default settings and these; no reactor is installed for it."""
    defaults = {setting.name: setting.default for setting in SETTINGS}
    return get_crawler(Proef, {"TWISTED_REACTOR_ENABLED": False, **defaults, **settings})


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
    return WooItem(record, Source(given or GivenMetadata(), category, match or Match(), fetched), report)
