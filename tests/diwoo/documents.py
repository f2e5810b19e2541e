"""What the tests of DiWoo share: reading a ``diwoo:Document``, and mapping what it gave to a record."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from woo_harvester.diwoo.defaults import (
    default_category,
    default_dates,
    default_organisations,
    default_title,
)
from woo_harvester.diwoo.given_metadata import GivenMetadata, read_metadata
from woo_harvester.diwoo.mapping import map_metadata
from woo_harvester.findings import Finding, Reporter, Severity
from woo_harvester.record import Document, Oorzaak, Record, Versie, json_value
from woo_harvester.register.organisations import Match
from woo_harvester.sitemaps.reader import SitemapReader
from woo_harvester.tooi.values import Concept

NAMESPACE = "https://standaarden.overheid.nl/diwoo/metadata/"
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
THESAURUS = "https://identifier.overheid.nl/tooi/def/thes/kern/"
LOC = "https://www.gemeente.nl/documenten/besluit.pdf"


def read(document: str | bytes) -> GivenMetadata:
    """What a ``diwoo:Document`` gives, read from a sitemap as the harvester reads it."""
    text = document.encode() if isinstance(document, str) else document
    head = f'<urlset xmlns="{SITEMAP}" xmlns:diwoo="{NAMESPACE}"><url><loc>{LOC}</loc>'.encode()
    reader = SitemapReader([head + text + b"</url></urlset>"], "urlset", 10_000_000)
    [given] = [read_metadata(entry.document) for batch in reader for entry in batch]
    return given


def read_diwoo(elements: str) -> GivenMetadata:
    """What a ``diwoo:DiWoo`` with these child elements gives."""
    return read(f"<diwoo:Document><diwoo:DiWoo>{elements}</diwoo:DiWoo></diwoo:Document>")


@dataclass
class Outcome:
    """A record with the findings that were made on its way."""

    record: Record
    findings: list[Finding] = field(default_factory=list)

    @property
    def document(self) -> dict[str, Any]:
        """The record's ``document``, but for its location."""
        document: dict[str, Any] = json_value(self.record)["document"]
        return {key: value for key, value in document.items() if key != "weblocatie"}

    @property
    def defaults(self) -> dict[str, str]:
        return self.record.herkomst.standaardwaarden

    @property
    def noted(self) -> list[tuple[str, str | None]]:
        """Code and ``seen`` of each finding but those of kind info about what is absent."""
        return [(f.code, f.seen) for f in self.findings if not f.code.endswith(".ontbreekt")]

    @property
    def codes(self) -> list[str]:
        return [finding.code for finding in self.findings]

    @property
    def faults(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity is not Severity.INFO]


def blank(loc: str = LOC) -> tuple[Outcome, Reporter]:
    """A record without metadata, and the reporter of its findings."""
    version = Versie(Oorzaak.AANLEVERING, date(2024, 4, 2), datetime(2024, 4, 2, 8, tzinfo=UTC))
    outcome = Outcome(Record(id="…", document=Document(weblocatie=loc), versies=[version]))
    report = Reporter(outcome.findings.append, url=loc)
    outcome.record.herkomst.bevindingen = report.codes
    return outcome, report


def mapped(given: GivenMetadata) -> Outcome:
    """The record with what was given, before anything is filled in."""
    outcome, report = blank()
    given.has_diwoo = True
    map_metadata(given, outcome.record, report)
    return outcome


def completed(
    given: GivenMetadata, *, loc: str = LOC, index: Concept | None = None, match: Match | None = None
) -> Outcome:
    """The record with its defaults; first seen on 2 April 2024."""
    outcome, report = blank(loc)
    given.has_diwoo = True
    map_metadata(given, outcome.record, report)
    default_organisations(outcome.record, match or Match(), report)
    default_title(outcome.record, report)
    default_category(outcome.record, index, report)
    default_dates(outcome.record, date(2024, 4, 2))
    return outcome
