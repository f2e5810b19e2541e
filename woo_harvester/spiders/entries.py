"""From an entry of a sitemap to an item: the rules on loc and lastmod.

Source: seed "Sitemapindex en Sitemaps", fields loc and lastmod; seed "Technische implementatie", sections
"Doellocatie van de <loc> verwijzing" and "Protocol indicatie".
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from woo_harvester.dates import day_of, parse_datetime
from woo_harvester.diwoo.given import read_given
from woo_harvester.findings import Report
from woo_harvester.findings.notes import Notes
from woo_harvester.items import Source, WooItem
from woo_harvester.record import Document, Herkomst, Oorzaak, Record, Versie
from woo_harvester.register import Register
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.selection import Sitemap
from woo_harvester.tooi.categories import category_of_index
from woo_harvester.urls import host_of, loc_problem, record_id

SKIPPED = "overgeslagen"

#: Clocks of servers differ; a lastmod this much ahead says nothing about its publisher.
CLOCK_SLACK = timedelta(minutes=5)


class Entries:
    """Makes items of entries, for the hosts and bodies of one register."""

    def __init__(self, register: Register, report: Report) -> None:
        self._register = register
        self._report = report
        self._seen: set[int] = set()

    def item(self, entry: Entry, sitemap: Sitemap, host: str) -> WooItem | None:
        """The item for *entry*, which *host* lists; None, with a finding, where it is not harvested."""
        notes = Notes(self._report, url=entry.loc, host=host, sitemap=sitemap.url, line=entry.line)
        if not self._may_be_harvested(entry.loc, notes):
            return None
        match = self._register.organisation_of(entry.loc, host)
        notes.organisation = match.organisation.identifier if match.organisation else None
        identifier = record_id(entry.loc)
        if self._is_repeated(identifier, notes):
            return None
        now = datetime.now(UTC).replace(microsecond=0)
        moment = _lastmod(entry.lastmod, now, notes)
        record = Record(
            id=identifier,
            document=Document(weblocatie=entry.loc),
            versies=[Versie(Oorzaak.AANLEVERING, day_of(moment or now), moment)],
            herkomst=Herkomst(
                index=sitemap.index.url,
                sitemap=sitemap.url,
                lastmod=entry.lastmod,
                opgehaald=now,
                organisatie=notes.organisation,
                bevindingen=notes.codes,
            ),
        )
        number = sitemap.index.name.number
        category = category_of_index(number) if number else None
        return WooItem(record, Source(read_given(entry.document), category, match), notes)

    def _may_be_harvested(self, loc: str, notes: Notes) -> bool:
        if not loc:
            notes("loc.ontbreekt", element="loc", action=SKIPPED)
            return False
        if code := loc_problem(loc):
            notes(code, element="loc", seen=loc, action=SKIPPED)
            return False
        if not self._register.is_registered(host_of(loc)):
            notes("loc.niet-geregistreerd", element="loc", seen=host_of(loc), action=SKIPPED)
            return False
        return True

    def _is_repeated(self, identifier: str, notes: Notes) -> bool:
        """The same loc twice is one document; which of its entries is read does not matter to the guide."""
        number = UUID(identifier).int
        if number in self._seen:
            notes("loc.dubbel", element="loc", action=SKIPPED)
            return True
        self._seen.add(number)
        return False


def _lastmod(text: str | None, now: datetime, notes: Notes) -> datetime | None:
    """The moment of a lastmod; one that cannot be read counts as absent."""
    if text is None:
        notes("lastmod.ontbreekt", element="lastmod")
        return None
    try:
        moment = parse_datetime(text)
    except ValueError:
        notes("lastmod.ongeldig", element="lastmod", seen=text, action="telt als afwezig")
        return None
    if moment > now + CLOCK_SLACK:
        notes("lastmod.toekomst", element="lastmod", seen=text)
    return moment
