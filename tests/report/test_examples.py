# ruff: noqa: E501  -- a case a line
from __future__ import annotations

from typing import Any

import pytest

from woo_harvester.permits.expected import expected
from woo_harvester.report.examples import meant_value, suggestion

SCHEMA = "bericht niet verwerkt; verwacht: title, type (naamruimte http://purl.org/dc/terms/)"


@pytest.mark.parametrize(
    ("finding", "dutch", "english"),
    [
        (
            {"code": "ipm.datum", "action": "bericht niet verwerkt; verwacht: een datum als 2009-09-01"},
            "een datum als 2009-09-01",
            "a date such as 2009-09-01",
        ),
        (
            {"code": "ipm.schema", "action": SCHEMA},
            "<title>, <type> (naamruimte http://purl.org/dc/terms/)",
            "<title>, <type> (namespace http://purl.org/dc/terms/)",
        ),
        (
            {
                "code": "ipm.schema",
                "action": "bericht niet verwerkt; verwacht: één <message> in naamruimte x",
            },
            "één <message> in naamruimte x",
            "one <message> in namespace x",
        ),
        (
            {"code": "ipm.schema", "seen": "ontbreekt", "element": "owmskern/title"},
            "<title>, verplicht bij C en U",
            "<title>, required for C and U",
        ),
    ],
)
def test_what_was_expected_is_said_in_each_language(
    finding: dict[str, Any], dutch: str, english: str
) -> None:
    assert (expected(finding, "nl"), expected(finding, "en")) == (dutch, english)


def test_other_findings_say_nothing() -> None:
    assert expected({"code": "loc.dubbel", "action": "overgeslagen"}, "nl") is None
    assert (
        expected({"code": "ipm.schema", "action": "bericht niet verwerkt; niet in het schema"}, "nl") is None
    )


CATEGORY = "classificatiecollectie/informatiecategorieen/informatiecategorie"


@pytest.mark.parametrize(
    ("code", "element", "seen", "meant"),
    [
        ("metadata.element-onbekend", None, "creatieDatum", "creatiedatum"),
        ("metadata.element-onbekend", None, "wijk, officieletitel, Publisher", "officieleTitel, publisher"),
        ("metadata.element-onbekend", None, "wijk", None),
        ("informatiecategorie.onbekend", CATEGORY, "WOO verzoek", "Woo-verzoeken en -besluiten"),
        ("informatiecategorie.onbekend", CATEGORY, "WOO verzoek (https://x.nl/1)", "Woo-verzoeken en -besluiten"),
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
