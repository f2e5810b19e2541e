"""What a finding about a default names: the element, what was there, and the value that was filled in."""

from __future__ import annotations

import pytest

from tests.diwoo.documents import THESAURUS, completed
from woo_harvester.diwoo.given import GivenMetadata, Value
from woo_harvester.register.register import Match, Organisation
from woo_harvester.tooi import category_of_index

AMSTERDAM = "https://identifier.overheid.nl/tooi/id/gemeente/gm0363"
REGISTERED = Organisation("25000001", "Gemeente Amsterdam (register)", AMSTERDAM)
OTHER = Organisation("25000002", "Stadsdeel Noord", None)
ADVIEZEN = category_of_index(10)
TITLE = "titelcollectie/officieleTitel"
CATEGORY = "classificatiecollectie/informatiecategorieen/informatiecategorie"
UNKNOWN_CATEGORY = "https://identifier.overheid.nl/tooi/id/informatiecategorie_onbekend"


def findings(
    given: GivenMetadata, area: str, **known: object
) -> list[tuple[str, str | None, str | None, str | None]]:
    outcome = completed(given, **known)  # type: ignore[arg-type]
    return [
        (f.code, f.element, f.seen, f.action)
        for f in outcome.findings
        if f.code.partition(".")[0] in area.split()
    ]


@pytest.mark.parametrize(
    ("loc", "expected"),
    [
        (
            "https://www.gemeente.nl/besluit-over-water.pdf",
            [("titel.ontbreekt", TITLE, None, "standaardwaarde gebruikt: besluit over water")],
        ),
        (
            "https://www.gemeente.nl/12.pdf",
            [
                ("titel.onbekend", TITLE, None, "standaardwaarde gebruikt: Onbekend"),
            ],
        ),
    ],
)
def test_a_missing_title_is_reported_with_the_title_that_is_used(loc: str, expected: object) -> None:
    assert findings(GivenMetadata(), "titel", loc=loc) == expected


def test_a_missing_category_is_reported_only_if_the_index_has_none() -> None:
    assert findings(GivenMetadata(), "informatiecategorie") == [
        ("informatiecategorie.ontbreekt", CATEGORY, None, "standaardwaarde gebruikt: onbekend")
    ]
    assert findings(GivenMetadata(), "informatiecategorie", index=ADVIEZEN) == []


def test_an_unknown_category_is_reported_with_the_category_that_is_used() -> None:
    given = GivenMetadata(informatiecategorieen=[Value("overig", None)])
    onbekend = f"gelezen als onbekend ({UNKNOWN_CATEGORY})"
    adviezen = f"gelezen als adviezen ({THESAURUS}c_99a836c7)"
    assert findings(given, "informatiecategorie") == [
        ("informatiecategorie.onbekend", CATEGORY, "overig", onbekend)
    ]
    assert findings(given, "informatiecategorie", index=ADVIEZEN) == [
        ("informatiecategorie.onbekend", CATEGORY, "overig", adviezen)
    ]


def test_a_category_that_differs_from_the_index_is_reported_with_both() -> None:
    labels = ("convenanten", "jaarplannen en jaarverslagen")
    given = GivenMetadata(informatiecategorieen=[Value(label, None) for label in labels])
    assert findings(given, "informatiecategorie", index=ADVIEZEN) == [
        (
            "informatiecategorie.strijdig",
            CATEGORY,
            "convenanten, jaarplannen en jaarverslagen; index: adviezen",
            "metadata gebruikt",
        )
    ]


def test_a_missing_publisher_is_reported_with_the_organisation_that_is_used() -> None:
    used = "standaardwaarde gebruikt: "
    overgenomen = ("verantwoordelijke.ontbreekt", "verantwoordelijke", None, "publisher overgenomen")
    areas = "publisher verantwoordelijke register"
    assert findings(GivenMetadata(), areas, match=Match(REGISTERED)) == [
        ("publisher.ontbreekt", "publisher", None, used + "gemeente Amsterdam"),
        overgenomen,
    ]
    assert findings(GivenMetadata(), areas, match=Match(None, (REGISTERED, OTHER))) == [
        ("publisher.ontbreekt", "publisher", None, used + "Onbekend"),
        (
            "register.meerdere-organisaties",
            None,
            "Gemeente Amsterdam (register), Stadsdeel Noord",
            used + "Onbekend",
        ),
        overgenomen,
    ]


@pytest.mark.parametrize("name", ["creatieDatum", "Publisher", "officieletitel", "Titelcollectie"])
def test_an_element_that_is_only_misspelt_is_not_reported_as_absent_too(name: str) -> None:
    everything = set(completed(GivenMetadata()).codes)
    codes = set(completed(GivenMetadata(unread=[name])).codes)
    (absent,) = everything - codes
    assert absent.partition(".")[0] in ("creatiedatum", "publisher", "titel")
    assert codes - everything == {"metadata.element-onbekend"}
