"""Read a ``diwoo:Document`` and map it to a record, for the tests of DiWoo."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from woo_harvester.diwoo.given import GivenMetadata, given_metadata
from woo_harvester.diwoo.metadata import (
    default_category,
    default_dates,
    default_organisations,
    default_title,
    map_metadata,
)
from woo_harvester.findings import Finding, Reporter, Severity
from woo_harvester.record import Document, Oorzaak, Record, Versie, json_value
from woo_harvester.register.register import Match
from woo_harvester.sitemaps.reader import SitemapReader
from woo_harvester.tooi.lists import bundled, organisaties
from woo_harvester.tooi.values import Concept

NAMESPACE = "https://standaarden.overheid.nl/diwoo/metadata/"
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
THESAURUS = "https://identifier.overheid.nl/tooi/def/thes/kern/"
#: The moment of the harvest: in Dutch time it is 2 April 2024 already.
NOW = datetime(2024, 4, 1, 22, 30, tzinfo=UTC)
LOC = "https://www.gemeente.nl/documenten/besluit.pdf"


def read(document: str | bytes) -> GivenMetadata:
    """Return the metadata of an entry with *document* after its loc, read as the harvester does."""
    text = document.encode() if isinstance(document, str) else document
    head = f'<urlset xmlns="{SITEMAP}" xmlns:diwoo="{NAMESPACE}"><url><loc>{LOC}</loc>'.encode()
    reader = SitemapReader([head + text + b"</url></urlset>"], "urlset", 10_000_000)
    [given] = [given_metadata(entry) for batch in reader for entry in batch]
    return given


def read_diwoo(elements: str) -> GivenMetadata:
    """Return the metadata of a ``diwoo:DiWoo`` with these child elements."""
    return read(f"<diwoo:Document><diwoo:DiWoo>{elements}</diwoo:DiWoo></diwoo:Document>")


@dataclass
class Outcome:
    """A record, and the findings about it."""

    record: Record
    findings: list[Finding] = field(default_factory=list)

    @property
    def document(self) -> dict[str, Any]:
        """The record's ``document`` without its location."""
        document: dict[str, Any] = json_value(self.record)["document"]
        return {key: value for key, value in document.items() if key != "weblocatie"}

    @property
    def defaults(self) -> dict[str, str]:
        return self.record.herkomst.standaardwaarden

    @property
    def noted(self) -> list[tuple[str, str | None]]:
        """Code and ``seen`` of each finding, without those of severity info about absent values."""
        return [(f.code, f.seen) for f in self.findings if not f.code.endswith(".ontbreekt")]

    @property
    def codes(self) -> list[str]:
        return [finding.code for finding in self.findings]

    @property
    def faults(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity is not Severity.INFO]


def blank(loc: str = LOC) -> tuple[Outcome, Reporter]:
    """Return a record without metadata, and the reporter of its findings."""
    version = Versie(Oorzaak.AANLEVERING, date(2024, 4, 2), datetime(2024, 4, 2, 8, tzinfo=UTC))
    outcome = Outcome(Record(id="…", document=Document(weblocatie=loc), versies=[version]))
    report = Reporter(outcome.findings.append, url=loc)
    outcome.record.herkomst.bevindingen = report.codes
    return outcome, report


def mapped(given: GivenMetadata) -> Outcome:
    """Return the record of given metadata, without defaults."""
    outcome, report = blank()
    given.has_diwoo = True
    map_metadata(given, outcome.record, bundled(), report, NOW)
    return outcome


def completed(
    given: GivenMetadata, *, loc: str = LOC, index: Concept | None = None, match: Match | None = None
) -> Outcome:
    """Return the record with its defaults; it was first seen on 2 April 2024."""
    outcome, report = blank(loc)
    given.has_diwoo = True
    map_metadata(given, outcome.record, bundled(), report, NOW)
    default_organisations(outcome.record, match or Match(), organisaties(), report)
    default_title(outcome.record, report)
    default_category(outcome.record, index, report)
    default_dates(outcome.record, date(2024, 4, 2))
    return outcome
