from __future__ import annotations

from datetime import UTC, date, datetime

from woo_harvester.demo.sitemaps import Coded, DiWoo, categorie, sitemap
from woo_harvester.demo.sitemaps import Entry as Listed
from woo_harvester.diwoo.choice import Choice
from woo_harvester.sitemaps.decide import EntryFacts, KnownDocument
from woo_harvester.sitemaps.scanner import Scan
from woo_harvester.tooi.lists import UNKNOWN_CATEGORY, category_of_index, informatiecategorieen

WISHED = category_of_index(14)
INDEX = category_of_index(5)
MADE_UP = Coded("Zelf bedacht", "https://www.a.nl/c1")


def has(choice: Choice, *given: Coded, index: int | None = None, lastmod: str | None = None) -> bool:
    listed = Listed(loc="https://a.nl/b.pdf", lastmod=lastmod, diwoo=DiWoo(informatiecategorieen=given))
    ((scanned,),) = Scan([sitemap(listed)], 100_000)
    category = category_of_index(index) if index else None
    return choice.has(EntryFacts(scanned.parse()), category, informatiecategorieen())


def test_the_categories_are_those_of_the_record() -> None:
    for coded, index, chosen in [
        ((categorie(14),), None, {WISHED.uri}),
        ((categorie(14),), 5, {WISHED.uri}),  # metadata come before the name of the index
        ((categorie(14), categorie(11)), None, {WISHED.uri, category_of_index(11).uri}),
        ((Coded("woo-verzoeken en -besluiten", ""),), None, {WISHED.uri}),
        ((), 5, {INDEX.uri}),
        ((MADE_UP,), 5, {INDEX.uri}),
        ((MADE_UP, categorie(14)), 5, {INDEX.uri, WISHED.uri}),
        ((MADE_UP,), None, {UNKNOWN_CATEGORY.uri}),
        ((), None, {UNKNOWN_CATEGORY.uri}),
    ]:
        every = {*(concept.uri for concept in informatiecategorieen()), UNKNOWN_CATEGORY.uri}
        assert {uri for uri in every if has(Choice(frozenset({uri})), *coded, index=index)} == chosen


def test_since_compares_the_lastmod() -> None:
    for lastmod, chosen in [
        ("2025-06-01", True),
        ("2025-06-01T00:00:00+02:00", True),
        ("2025-05-31T23:59:59+02:00", False),
        ("2042-01-01", True),
        (None, False),
        ("gisteren", False),
    ]:
        assert has(Choice(since=datetime(2025, 5, 31, 22, tzinfo=UTC)), lastmod=lastmod) is chosen, lastmod


def test_until_compares_the_lastmod() -> None:
    for lastmod, chosen in [
        ("2025-06-01", True),
        ("2025-06-30T23:59:59.5+02:00", True),
        ("2025-07-01T00:00:00+02:00", False),
        ("2024-06-01", True),
        (None, False),
    ]:
        until = datetime(2025, 6, 30, 21, 59, 59, 999_999, tzinfo=UTC)
        assert has(Choice(until=until), lastmod=lastmod) is chosen, lastmod


def test_published_compares_the_date_that_the_record_has() -> None:
    for creatiedatum, published, lastmod, chosen in [
        ("2025-03-14", None, "2026-01-01", True),
        ("2025-03-14+02:00", None, None, True),
        ("2024-12-31", "2025-02-01", "2025-02-01", False),
        ("in 2025", "2025-02-01", None, True),  # as in the record: a date that cannot be read is absent
        ("in 2025", "2026-02-01", None, False),
        (None, "2025-01-01", "2026-01-01", True),
        (None, None, "2025-12-31T23:59:59+01:00", True),
        (None, None, "2026-01-01T00:00:00+01:00", False),
        (None, None, "2042-01-01", False),  # counts as the day of the harvest
        (None, None, None, False),
    ]:
        choice = Choice(published=(date(2025, 1, 1), date(2025, 12, 31)))
        listed = Listed(loc="https://a.nl/b.pdf", lastmod=lastmod, diwoo=DiWoo(creatiedatum=creatiedatum))
        ((scanned,),) = Scan([sitemap(listed)], 100_000)
        known = KnownDocument("https://a.nl/b.pdf", 1, 1, None, published, None, None, None)
        facts = EntryFacts(scanned.parse(), known=known)
        assert choice.has(facts, None, informatiecategorieen()) is chosen, (creatiedatum, published, lastmod)


def test_both_must_hold() -> None:
    choice = Choice(frozenset({WISHED.uri}), datetime(2025, 1, 1, tzinfo=UTC))
    assert has(choice, categorie(14), lastmod="2025-06-01")
    assert not has(choice, categorie(14), lastmod="2024-06-01")
    assert not has(choice, categorie(11), lastmod="2025-06-01")


def test_without_limits_all_are_chosen() -> None:
    assert has(Choice())
