"""The informatiecategorie that the name of an index stands for."""

from __future__ import annotations

from woo_harvester.tooi.lists import informatiecategorieen
from woo_harvester.tooi.values import Concept

_THESAURUS = "https://identifier.overheid.nl/tooi/def/thes/kern/"
#: Codes of the 17 informatiecategorieën, 001 first: the table in seed "Sitemapindex en Sitemaps", section
#: "Naamgeving van informatiecategorieën".
_CODES = (
    "c_139c6280",
    "c_aab6bfc7",
    "c_759721e2",
    "c_40a05794",
    "c_89ee6784",
    "c_8c840238",
    "c_c76862ab",
    "c_db4862c3",
    "c_3a248e3a",
    "c_99a836c7",
    "c_8fc2335c",
    "c_c6cd1213",
    "c_cf268088",
    "c_3baef532",
    "c_fdaee95e",
    "c_46a81018",
    "c_a870c43d",
)


def category_of_index(number: int) -> Concept:
    """Return the category of the index ``sitemapindex-diwoo-infocat<number>.xml``.

    Raises ValueError unless *number* is 1 to 17.
    """
    if not 1 <= number <= len(_CODES):
        raise ValueError(f"Expected an infocat from 1 to {len(_CODES)}, got {number}")
    return informatiecategorieen()[f"{_THESAURUS}{_CODES[number - 1]}"]
