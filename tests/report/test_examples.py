# ruff: noqa: E501  -- a case a line
from __future__ import annotations

import pytest

from woo_harvester.report.examples import meant_value, suggestion

CATEGORY = "classificatiecollectie/informatiecategorieen/informatiecategorie"


@pytest.mark.parametrize(
    ("code", "element", "seen", "meant"),
    [
        ("metadata.element-onbekend", None, "creatieDatum", "creatiedatum"),
        ("metadata.element-onbekend", None, "wijk, officieletitel, Publisher", "officieleTitel, publisher"),
        ("metadata.element-onbekend", None, "wijk", None),
        ("informatiecategorie.onbekend", CATEGORY, "Woo-verzoek en -besluiten", "Woo-verzoeken en -besluiten"),
        ("informatiecategorie.onbekend", CATEGORY, "Woo-verzoek en besluit (https://x.nl/1)", "Woo-verzoeken en -besluiten"),
        ("waarde.label-onbekend", "publisher", "Gemeente Amsterdm", "gemeente Amsterdam"),
        ("waarde.label-onbekend", "documentrelaties/documentrelatie/relation", "Gemeente Amsterdm", None),
        ("documenthandeling.onbekend", "documenthandelingen/documenthandeling/soortHandeling",
         "ontvangts; 2024-01-01", "ontvangst"),
        ("sitemap.element-onbekend", "urlset/item", "<item>", "<url>"),
        ("sitemap.element-onbekend", "sitemapindex/map", "3 × <map>", "<sitemap>"),
        ("index.naam", None, "https://www.a.nl/sitemapindex.xml", "https://www.a.nl/sitemapindex-diwoo.xml"),
        ("titel.ontbreekt", "publisher", "Gemeente Amsterdm", None),
    ],
)  # fmt: skip
def test_a_near_miss_has_a_suggestion(code: str, element: str | None, seen: str, meant: str | None) -> None:
    finding = {"code": code, "seen": seen} | ({} if element is None else {"element": element})
    assert suggestion(finding) == meant


def test_a_finding_without_what_was_seen_has_no_suggestion() -> None:
    assert suggestion({"code": "waarde.label-onbekend", "element": "publisher"}) is None
    assert meant_value({"code": "waarde.label-onbekend"}) is None
