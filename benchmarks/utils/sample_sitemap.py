"""Sitemaps as good publishing software writes them, the same ones each time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache

from woo_harvester.demo.sitemaps import (
    GEMEENTE,
    NEDERLANDS,
    ONDERTEKENING,
    PDF,
    Coded,
    DiWoo,
    Entry,
    Handeling,
    urlset,
)
from woo_harvester.tooi.lists import informatiecategorieen

HOST = "www.gemeente.nl"
_FIRST = datetime(2020, 1, 6, 8, tzinfo=UTC)
_SUBJECTS = ("parkeren", "de haven", "jeugdzorg", "windmolens", "het sluisje", "afval", "de bibliotheek")


def sitemap(count: int, host: str = HOST) -> Iterator[bytes]:
    """Yield a sitemap of *count* entries of about 1.5 KB each, in chunks."""
    return urlset(_entry(number, host) for number in range(count))


def _entry(number: int, host: str = HOST) -> Entry:
    """Return the entry with this number, from 0, with all mandatory metadata and some more."""
    moment = _FIRST + timedelta(hours=number, seconds=number % 3600)
    return Entry(
        loc=f"https://{host}/woo/{moment.year}/besluit-{number:06}.pdf",
        lastmod=moment.isoformat(),
        diwoo=DiWoo(
            publisher=GEMEENTE,
            verantwoordelijke=GEMEENTE,
            titel=f"Besluit {number} over {_SUBJECTS[number % len(_SUBJECTS)]} & bijlagen",
            informatiecategorieen=[_category(number)],
            creatiedatum=moment.date().isoformat(),
            language=NEDERLANDS,
            format=PDF,
            handelingen=[Handeling(ONDERTEKENING, f"{moment.date()}T00:00:00", GEMEENTE)],
        ),
    )


def _category(number: int) -> Coded:
    return _categories()[number % len(_categories())]


@cache
def _categories() -> list[Coded]:
    return [Coded(concept.label, concept.uri) for concept in informatiecategorieen()]
