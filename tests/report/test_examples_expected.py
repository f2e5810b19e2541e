from __future__ import annotations

from typing import Any

import pytest

from woo_harvester.report.examples import expected

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
        (
            {"code": "ipm.periode"},
            "een einde op of na het begin",
            "an end on or after the beginning",
        ),
    ],
)
def test_what_was_expected_is_said_in_the_language_of_the_report(
    finding: dict[str, Any], dutch: str, english: str
) -> None:
    assert (expected(finding, "nl"), expected(finding, "en")) == (dutch, english)


def test_other_findings_say_nothing() -> None:
    assert expected({"code": "loc.dubbel", "action": "overgeslagen"}, "nl") is None
    assert (
        expected({"code": "ipm.schema", "action": "bericht niet verwerkt; niet in het schema"}, "nl") is None
    )
