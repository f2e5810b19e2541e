"""The page ``docs/categories.md``: the informatiecategorieën and their articles. In Dutch, for publishers."""

from __future__ import annotations

from collections.abc import Iterator

from woo_harvester.reference.markdown import code, head, table
from woo_harvester.tooi import CATEGORY_COUNT, article_of_category, category_of_index, informatiecategorieen

_TEXT = """\
De 17 informatiecategorieën van artikel 3.3 van de Wet open overheid (Woo), en de inspanningsverplichting van
artikel 3.1. Het artikel staat er als artikel, lid, onderdeel. De artikelen en de namen van de
sitemapindexbestanden komen uit de handleiding voor aansluiten op de Woo-harvester: Sitemapindex en Sitemaps,
paragraaf Naamgeving van informatiecategorieën. Het verslag van een ronde noemt dezelfde artikelen.
"""


def render() -> str:
    """Return the page as Markdown."""
    heads = ("informatiecategorie", "artikel in de Woo", "sitemapindex", "URI")
    text = "\n".join(
        [head("woo_harvester/tooi/categories.py", "Informatiecategorieën"), _TEXT, *table(heads, _rows())]
    )
    return text.rstrip() + "\n"


def _rows() -> Iterator[tuple[str, ...]]:
    named = {category_of_index(number).uri: number for number in range(1, CATEGORY_COUNT + 1)}
    for concept in sorted(informatiecategorieen(), key=lambda each: named.get(each.uri, CATEGORY_COUNT + 1)):
        number = named.get(concept.uri)
        name = f"sitemapindex-diwoo-infocat{number:03}.xml" if number else ""
        article = article_of_category(concept.uri) or ""
        yield concept.label, article, code(name), code(concept.uri)
