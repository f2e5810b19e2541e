"""Fixes of values, dates and references, as a publisher reads them."""

from __future__ import annotations

import pytest

from tests.report.test_snippets_text import described, made
from woo_harvester.report.model import Snippet

GEMEENTE = "https://identifier.overheid.nl/tooi/id/gemeente/gm0363"
READ_AS = f"gelezen als gemeente Amsterdam ({GEMEENTE})"
RIGHT = described(f'<diwoo:publisher resource="{GEMEENTE}">gemeente Amsterdam</diwoo:publisher>')


@pytest.mark.parametrize(
    ("seen", "given"),
    [
        ("Amsterdam (gm0363)", '<diwoo:publisher resource="gm0363">Amsterdam</diwoo:publisher>'),
        ("gm0363", "<diwoo:publisher>gm0363</diwoo:publisher>"),
        (
            "Amsterdam (HTTP://Identifier.overheid.nl/tooi/id/gemeente/gm0363/)",
            '<diwoo:publisher resource="HTTP://Identifier.overheid.nl/tooi/id/gemeente/gm0363/">'
            "Amsterdam</diwoo:publisher>",
        ),
        ("Amsterdam (gm0344)", "<diwoo:publisher>Amsterdam (gm0344)</diwoo:publisher>"),
    ],
)
def test_a_value_known_by_its_code_or_another_notation_gets_the_uri_and_label_of_the_list(
    seen: str, given: str
) -> None:
    found = made("waarde.uri-onbekend", element="publisher", seen=seen, action=READ_AS)
    assert found == Snippet(before=described(given), after=RIGHT)


def test_a_creatiedatum_in_the_future_is_at_most_the_day_of_the_harvest() -> None:
    found = made("creatiedatum.toekomst", element="creatiedatum", seen="2062-04-01")
    assert found == Snippet(
        before=described("<diwoo:creatiedatum>2062-04-01</diwoo:creatiedatum>"),
        after=described("<diwoo:creatiedatum>2026-11-21</diwoo:creatiedatum>"),
    )


def test_the_dates_of_a_geldigheid_are_swapped() -> None:
    begin, end = "2024-12-31", "2024-05-01T00:00:00+02:00"
    period = (
        "<diwoo:geldigheid>\n  <diwoo:begindatum>{}</diwoo:begindatum>\n"
        "  <diwoo:einddatum>{}</diwoo:einddatum>\n</diwoo:geldigheid>"
    )
    found = made("geldigheid.omgekeerd", element="geldigheid", seen=f"{begin} – {end}")
    assert found == Snippet(
        before=described(period.format(begin, end)), after=described(period.format(end, begin))
    )


def test_a_reference_with_http_gets_https() -> None:
    part = '<diwoo:hasParts>\n  <diwoo:hasPart resource="{}">Bijlage</diwoo:hasPart>\n</diwoo:hasParts>'
    found = made(
        "verwijzing.geen-https", element="hasParts/hasPart", seen="Bijlage (HTTP://www.a.nl/2.pdf?a)"
    )
    assert found == Snippet(
        before=described(part.format("HTTP://www.a.nl/2.pdf?a")),
        after=described(part.format("https://www.a.nl/2.pdf?a")),
    )
