"""The informatiecategorie that the name of an index stands for, and the article of the Woo about each."""

from __future__ import annotations

from woo_harvester.tooi.lists import informatiecategorieen
from woo_harvester.tooi.values import Concept, ValueList

_THESAURUS = "https://identifier.overheid.nl/tooi/def/thes/kern/"
#: Code of each of the 17 informatiecategorieën, 001 first, and its article, paragraph and part in the Woo, as
#: the guide writes them: the table in seed "Sitemapindex en Sitemaps", section "Naamgeving van
#: informatiecategorieën".
_CATEGORIES = (
    ("c_139c6280", "3.3, 1, a"),
    ("c_aab6bfc7", "3.3, 1, b"),
    ("c_759721e2", "3.3, 1, c"),
    ("c_40a05794", "3.3, 1, d"),
    ("c_89ee6784", "3.3, 1, e"),
    ("c_8c840238", "3.3, 2, a"),
    ("c_c76862ab", "3.3, 2, b"),
    ("c_db4862c3", "3.3, 2, c"),
    ("c_3a248e3a", "3.3, 2, d"),
    ("c_99a836c7", "3.3, 2, e"),
    ("c_8fc2335c", "3.3, 2, f"),
    ("c_c6cd1213", "3.3, 2, g"),
    ("c_cf268088", "3.3, 2, h"),
    ("c_3baef532", "3.3, 2, i"),
    ("c_fdaee95e", "3.3, 2, j"),
    ("c_46a81018", "3.3, 2, k & 3.3a"),
    ("c_a870c43d", "3.3, 2, l & 3.3a"),
)
#: Number of informatiecategorieën that an index can be named after.
CATEGORY_COUNT = len(_CATEGORIES)
_ARTICLES = {f"{_THESAURUS}{code}": article for code, article in _CATEGORIES}
#: The inspanningsverplichting, which no index is named after: its own label names the article.
_ARTICLES[f"{_THESAURUS}c_816e508d"] = "3.1"


def category_of_index(number: int, categories: ValueList | None = None) -> Concept:
    """Return the category of the index ``sitemapindex-diwoo-infocat<number>.xml``.

    *categories* is the list of a run; without it, the label is that of the list that ships with the project.

    Raises ValueError unless *number* is 1 to 17.
    """
    if not 1 <= number <= CATEGORY_COUNT:
        raise ValueError(f"Expected an infocat from 1 to {CATEGORY_COUNT}, got {number}")
    known = informatiecategorieen() if categories is None else categories
    return known[f"{_THESAURUS}{_CATEGORIES[number - 1][0]}"]


def category_by_number(number: int | None, categories: ValueList) -> Concept | None:
    """Return the category of an index, or None if its name has no *number*."""
    return None if number is None else category_of_index(number, categories)


def article_of_category(uri: str) -> str | None:
    """Return the article of the Woo about the category with this URI, such as ``3.3, 2, e``, or None.

    The numbers are article and paragraph, the letter is the part of the paragraph.
    """
    return _ARTICLES.get(uri)
