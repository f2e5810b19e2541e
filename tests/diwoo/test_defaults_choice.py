from __future__ import annotations

from datetime import UTC, datetime

import pytest

from woo_harvester.demo.sitemaps import Coded, DiWoo, categorie, sitemap
from woo_harvester.demo.sitemaps import Entry as Listed
from woo_harvester.diwoo.defaults import Choice
from woo_harvester.sitemaps.facts import EntryFacts
from woo_harvester.sitemaps.scanner import Scan
from woo_harvester.tooi import UNKNOWN_CATEGORY, category_of_index, informatiecategorieen

WISHED = category_of_index(14)
INDEX = category_of_index(5)
UNKNOWN = Coded("Zelf bedacht", "https://www.a.nl/c1")


def has(choice: Choice, *given: Coded, index: int | None = None, lastmod: str | None = None) -> bool:
    listed = Listed(loc="https://a.nl/b.pdf", lastmod=lastmod, diwoo=DiWoo(informatiecategorieen=given))
    ((scanned,),) = Scan([sitemap(listed)], 100_000)
    category = category_of_index(index) if index else None
    return choice.has(EntryFacts(scanned.parse()), category, informatiecategorieen())


@pytest.mark.parametrize(
    ("given", "index", "chosen"),
    [
        ((categorie(14),), None, {WISHED.uri}),
        ((categorie(14),), 5, {WISHED.uri}),  # metadata come before the name of the index
        ((categorie(14), categorie(11)), None, {WISHED.uri, category_of_index(11).uri}),
        ((Coded("woo-verzoeken en -besluiten", ""),), None, {WISHED.uri}),
        ((), 5, {INDEX.uri}),
        ((UNKNOWN,), 5, {INDEX.uri}),
        ((UNKNOWN, categorie(14)), 5, {INDEX.uri, WISHED.uri}),
        ((UNKNOWN,), None, {UNKNOWN_CATEGORY.uri}),
        ((), None, {UNKNOWN_CATEGORY.uri}),
    ],
)
def test_the_categories_are_those_of_the_record(
    given: tuple[Coded, ...], index: int | None, chosen: set[str]
) -> None:
    every = {*(concept.uri for concept in informatiecategorieen()), UNKNOWN_CATEGORY.uri}
    assert {uri for uri in every if has(Choice(frozenset({uri})), *given, index=index)} == chosen


@pytest.mark.parametrize(
    ("lastmod", "chosen"),
    [
        ("2025-06-01", True),
        ("2025-06-01T00:00:00+02:00", True),
        ("2025-05-31T23:59:59+02:00", False),
        ("2042-01-01", True),
        (None, False),
        ("gisteren", False),
    ],
)
def test_since_compares_the_lastmod(lastmod: str | None, chosen: bool) -> None:
    assert has(Choice(since=datetime(2025, 5, 31, 22, tzinfo=UTC)), lastmod=lastmod) is chosen


def test_both_must_hold() -> None:
    choice = Choice(frozenset({WISHED.uri}), datetime(2025, 1, 1, tzinfo=UTC))
    assert has(choice, categorie(14), lastmod="2025-06-01")
    assert not has(choice, categorie(14), lastmod="2024-06-01")
    assert not has(choice, categorie(11), lastmod="2025-06-01")


def test_without_limits_all_are_chosen() -> None:
    assert has(Choice())
