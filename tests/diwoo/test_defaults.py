"""Default values for metadata that a publisher did not give."""

from __future__ import annotations

from datetime import date

import pytest

from tests.diwoo.documents import THESAURUS, Outcome, completed
from woo_harvester.diwoo.given import GivenMetadata, Value
from woo_harvester.record import json_value
from woo_harvester.register.register import Match, Organisation
from woo_harvester.tooi import category_of_index

UNKNOWN = "https://identifier.overheid.nl/tooi/id/"
AMSTERDAM = "https://identifier.overheid.nl/tooi/id/gemeente/gm0363"
ADVIEZEN = {"id": f"{THESAURUS}c_99a836c7", "label": "adviezen"}
CONVENANTEN = {"id": f"{THESAURUS}c_8fc2335c", "label": "convenanten"}
ONBEKEND = {"id": f"{UNKNOWN}informatiecategorie_onbekend", "label": "onbekend"}
OF_ADVIEZEN = category_of_index(10)

REGISTERED = Organisation("25000001", "Gemeente Amsterdam (register)", AMSTERDAM)


def categories(outcome: Outcome) -> list[dict[str, str]]:
    found: list[dict[str, str]] = outcome.document["classificatiecollectie"]["informatiecategorieen"]
    return found


def with_categories(*labels: str) -> GivenMetadata:
    return GivenMetadata(informatiecategorieen=[Value(label, None) for label in labels])


def about_categories(outcome: Outcome) -> list[tuple[str, str | None]]:
    """Return code and ``seen`` of each finding about the category."""
    return [(f.code, f.seen) for f in outcome.findings if f.code.startswith("informatiecategorie.")]


def test_a_document_without_metadata_gets_every_default_and_each_is_named() -> None:
    outcome = completed(GivenMetadata(), index=OF_ADVIEZEN, match=Match(REGISTERED))
    amsterdam = {"type": "gemeente", "id": AMSTERDAM, "label": "gemeente Amsterdam"}
    assert outcome.document == {
        "creatiedatum": "2024-04-02",
        "publisher": amsterdam,
        "verantwoordelijke": amsterdam,
        "titelcollectie": {"officieleTitel": "besluit"},
        "classificatiecollectie": {"informatiecategorieen": [ADVIEZEN]},
    }
    assert json_value(outcome.record)["herkomst"] == {
        "standaardwaarden": {
            "document.publisher": "register",
            "document.verantwoordelijke": "publisher",
            "document.titelcollectie.officieleTitel": "bestandsnaam",
            "document.classificatiecollectie.informatiecategorieen": "index",
            "document.creatiedatum": "openbaarmakingsdatum",
        },
        "bevindingen": [
            "creatiedatum.ontbreekt",
            "documenthandeling.ontbreekt",
            "publisher.ontbreekt",
            "verantwoordelijke.ontbreekt",
            "titel.ontbreekt",
        ],
    }


def test_without_any_metadata_all_defaults_are_unknown() -> None:
    outcome = completed(GivenMetadata(), loc="https://www.a.nl/download/1234")
    unknown = {"id": f"{UNKNOWN}organisatie_onbekend", "label": "Onbekend"}
    assert outcome.document == {
        "creatiedatum": "2024-04-02",
        "publisher": unknown,
        "verantwoordelijke": unknown,
        "titelcollectie": {"officieleTitel": "Onbekend"},
        "classificatiecollectie": {"informatiecategorieen": [ONBEKEND]},
    }
    assert outcome.defaults == {
        "document.publisher": "onbekend",
        "document.verantwoordelijke": "publisher",
        "document.titelcollectie.officieleTitel": "onbekend",
        "document.classificatiecollectie.informatiecategorieen": "onbekend",
        "document.creatiedatum": "openbaarmakingsdatum",
    }
    assert outcome.codes == [
        "creatiedatum.ontbreekt",
        "documenthandeling.ontbreekt",
        "publisher.ontbreekt",
        "verantwoordelijke.ontbreekt",
        "titel.onbekend",
        "informatiecategorie.ontbreekt",
    ]


def test_what_was_given_is_never_replaced() -> None:
    given = GivenMetadata(
        publisher=Value("gemeente Utrecht", None),
        verantwoordelijke=Value("provincie Utrecht", None),
        officiele_titel="Advies",
        informatiecategorieen=[Value("convenanten", None)],
        creatiedatum="2001-02-03",
    )
    outcome = completed(given, match=Match(REGISTERED))
    assert outcome.defaults == {}
    assert outcome.codes == ["documenthandeling.ontbreekt"]
    assert outcome.document["publisher"]["label"] == "gemeente Utrecht"
    assert outcome.document["verantwoordelijke"]["label"] == "provincie Utrecht"
    assert outcome.document["titelcollectie"] == {"officieleTitel": "Advies"}
    assert outcome.document["creatiedatum"] == "2001-02-03"
    assert categories(outcome) == [CONVENANTEN]


# The title


@pytest.mark.parametrize(
    ("loc", "title"),
    [
        ("https://a.nl/x/Besluit%20op_Woo-verzoek.pdf", "Besluit op Woo verzoek"),
        ("https://a.nl/6fa459ea-ee8a-3ca4-894e-db77e160355e/Jaarverslag.docx?download=1", "Jaarverslag"),
    ],
)
def test_the_title_comes_from_the_file_name_in_loc(loc: str, title: str) -> None:
    outcome = completed(GivenMetadata(), loc=loc)
    assert outcome.document["titelcollectie"] == {"officieleTitel": title}
    assert outcome.defaults["document.titelcollectie.officieleTitel"] == "bestandsnaam"
    assert [f.action for f in outcome.findings if f.code == "titel.ontbreekt"] == [
        f"standaardwaarde gebruikt: {title}"
    ]


@pytest.mark.parametrize(
    "name", ["6fa459ea-ee8a-3ca4-894e-db77e160355e", "download", "document.pdf", "2024", ""]
)
def test_a_meaningless_file_name_gives_the_title_onbekend(name: str) -> None:
    outcome = completed(GivenMetadata(), loc=f"https://a.nl/{name}")
    assert outcome.document["titelcollectie"] == {"officieleTitel": "Onbekend"}
    assert "titel.onbekend" in outcome.codes


def test_other_titles_do_not_stand_in_for_the_official_one() -> None:
    outcome = completed(GivenMetadata(verkorte_titels=["Kort"]))
    assert outcome.document["titelcollectie"] == {"officieleTitel": "besluit", "verkorteTitels": ["Kort"]}


# The informatiecategorie


def test_a_known_category_in_the_metadata_counts() -> None:
    for index in (None, OF_ADVIEZEN):
        outcome = completed(with_categories("Adviezen"), index=index)
        assert categories(outcome) == [ADVIEZEN]
        assert about_categories(outcome) == []


def test_without_a_category_that_of_the_index_counts_without_a_finding() -> None:
    outcome = completed(GivenMetadata(), index=OF_ADVIEZEN)
    assert categories(outcome) == [ADVIEZEN]
    assert about_categories(outcome) == []


def test_a_category_that_differs_from_the_index_counts_with_a_finding() -> None:
    outcome = completed(with_categories("convenanten"), index=OF_ADVIEZEN)
    assert categories(outcome) == [CONVENANTEN]
    assert about_categories(outcome) == [("informatiecategorie.strijdig", "convenanten; index: adviezen")]
    assert "document.classificatiecollectie.informatiecategorieen" not in outcome.defaults


def test_of_several_categories_one_needs_to_be_that_of_the_index() -> None:
    outcome = completed(with_categories("convenanten", "adviezen"), index=OF_ADVIEZEN)
    assert categories(outcome) == [CONVENANTEN, ADVIEZEN]
    assert about_categories(outcome) == []


def test_an_unknown_category_in_an_index_that_names_one_is_that_of_the_index() -> None:
    outcome = completed(
        GivenMetadata(informatiecategorieen=[Value("Advies", "urn:advies")]), index=OF_ADVIEZEN
    )
    assert categories(outcome) == [{**ADVIEZEN, "bronwaarde": "Advies (urn:advies)"}]
    assert about_categories(outcome) == [("informatiecategorie.onbekend", "Advies (urn:advies)")]
    assert outcome.findings[-1].action == f"gelezen als adviezen ({ADVIEZEN['id']})"
    assert outcome.defaults["document.classificatiecollectie.informatiecategorieen"] == "index"


def test_an_unknown_category_elsewhere_is_onbekend() -> None:
    outcome = completed(with_categories("PLACEHOLDER_categorie"))
    assert categories(outcome) == [{**ONBEKEND, "bronwaarde": "PLACEHOLDER_categorie"}]
    assert about_categories(outcome) == [("informatiecategorie.onbekend", "PLACEHOLDER_categorie")]
    assert outcome.findings[-1].action == f"gelezen als onbekend ({ONBEKEND['id']})"
    assert "document.classificatiecollectie.informatiecategorieen" not in outcome.defaults


def test_a_known_category_beside_an_unknown_one_counts_and_neither_is_lost() -> None:
    given = with_categories("convenanten", "Advies")
    assert categories(completed(given)) == [CONVENANTEN, {**ONBEKEND, "bronwaarde": "Advies"}]
    outcome = completed(given, index=OF_ADVIEZEN)
    assert categories(outcome) == [CONVENANTEN, {**ADVIEZEN, "bronwaarde": "Advies"}]
    assert about_categories(outcome) == [
        ("informatiecategorie.strijdig", "convenanten; index: adviezen"),
        ("informatiecategorie.onbekend", "Advies"),
    ]


def test_an_unknown_category_that_becomes_a_known_one_beside_it_does_not_repeat_it() -> None:
    outcome = completed(with_categories("adviezen", "Advies"), index=OF_ADVIEZEN)
    assert categories(outcome) == [{**ADVIEZEN, "bronwaarde": "Advies"}]
    assert about_categories(outcome) == [("informatiecategorie.onbekend", "Advies")]


def test_a_category_that_is_given_twice_counts_once() -> None:
    given = GivenMetadata(
        informatiecategorieen=[
            Value("adviezen", None),
            Value("convenanten", None),
            Value(None, ADVIEZEN["id"]),
            Value("Adviezen", ADVIEZEN["id"]),
        ]
    )
    assert categories(completed(given)) == [ADVIEZEN, CONVENANTEN]


def test_two_unknown_categories_are_both_kept() -> None:
    given = with_categories("x", "y", "x")
    assert categories(completed(given)) == [{**ONBEKEND, "bronwaarde": "x"}, {**ONBEKEND, "bronwaarde": "y"}]
    assert categories(completed(given, index=OF_ADVIEZEN)) == [
        {**ADVIEZEN, "bronwaarde": "x"},
        {**ADVIEZEN, "bronwaarde": "y"},
    ]


def test_the_inspanningsverplichting_is_a_category_though_no_index_has_it() -> None:
    outcome = completed(with_categories("inspanningsverplichting art 3.1 Woo"), index=OF_ADVIEZEN)
    assert [category["id"] for category in categories(outcome)] == [f"{THESAURUS}c_816e508d"]
    assert [code for code, _ in about_categories(outcome)] == ["informatiecategorie.strijdig"]


# The publisher and the verantwoordelijke


def test_the_publisher_comes_from_the_register_with_the_label_of_the_list() -> None:
    outcome = completed(GivenMetadata(), match=Match(REGISTERED))
    assert outcome.document["publisher"] == {
        "type": "gemeente",
        "id": AMSTERDAM,
        "label": "gemeente Amsterdam",
    }
    assert [f.action for f in outcome.findings if f.code == "publisher.ontbreekt"] == [
        "standaardwaarde gebruikt: gemeente Amsterdam"
    ]


def test_a_registered_organisation_that_the_lists_do_not_have_bears_the_name_of_the_register() -> None:
    uri = "https://identifier.overheid.nl/tooi/id/gemeente/gm9999"
    outcome = completed(GivenMetadata(), match=Match(Organisation("1", "Gemeente Nieuwstad", uri)))
    assert outcome.document["publisher"] == {"type": "gemeente", "id": uri, "label": "Gemeente Nieuwstad"}


def test_an_organisation_without_tooi_uri_is_a_publisher_with_a_label_only() -> None:
    outcome = completed(GivenMetadata(), match=Match(Organisation("1", "Stichting Water")))
    assert outcome.document["publisher"] == {"label": "Stichting Water"}
    assert outcome.defaults["document.publisher"] == "register"


def test_with_several_organisations_in_the_register_the_publisher_is_unknown_with_a_finding() -> None:
    organisations = (Organisation("1", "Gemeente A"), Organisation("2", "Gemeente B"))
    outcome = completed(GivenMetadata(), match=Match(None, organisations))
    assert outcome.document["publisher"] == {"id": f"{UNKNOWN}organisatie_onbekend", "label": "Onbekend"}
    assert outcome.defaults["document.publisher"] == "onbekend"
    assert ("register.meerdere-organisaties", "Gemeente A, Gemeente B") in outcome.noted


def test_a_publisher_that_was_given_needs_no_register() -> None:
    organisations = (Organisation("1", "Gemeente A"), Organisation("2", "Gemeente B"))
    outcome = completed(
        GivenMetadata(publisher=Value("gemeente Amsterdam", None)), match=Match(None, organisations)
    )
    assert outcome.document["publisher"] == {
        "type": "gemeente",
        "id": AMSTERDAM,
        "label": "gemeente Amsterdam",
    }
    assert outcome.noted == []


def test_an_unknown_publisher_stays_unknown_with_its_bronwaarde_also_as_verantwoordelijke() -> None:
    outcome = completed(GivenMetadata(publisher=Value("Waterloket", None)), match=Match(REGISTERED))
    unknown = {"id": f"{UNKNOWN}organisatie_onbekend", "label": "Onbekend", "bronwaarde": "Waterloket"}
    assert outcome.document["publisher"] == unknown
    assert outcome.document["verantwoordelijke"] == unknown
    assert outcome.defaults["document.verantwoordelijke"] == "publisher"
    assert "document.publisher" not in outcome.defaults
    assert "publisher.ontbreekt" not in outcome.codes


def test_the_verantwoordelijke_does_not_stand_in_for_the_publisher() -> None:
    outcome = completed(
        GivenMetadata(verantwoordelijke=Value("gemeente Utrecht", None)), match=Match(REGISTERED)
    )
    assert outcome.document["publisher"]["label"] == "gemeente Amsterdam"
    assert outcome.document["verantwoordelijke"]["label"] == "gemeente Utrecht"
    assert "document.verantwoordelijke" not in outcome.defaults


# The creatiedatum


@pytest.mark.parametrize("text", [None, "1 april"])
def test_the_creatiedatum_comes_from_the_openbaarmakingsdatum(text: str | None) -> None:
    outcome = completed(GivenMetadata(creatiedatum=text))
    assert outcome.record.document.creatiedatum == date(2024, 4, 2)
    assert outcome.defaults["document.creatiedatum"] == "openbaarmakingsdatum"
    assert outcome.findings[0].code == ("creatiedatum.ontbreekt" if text is None else "datum.ongeldig")
    assert outcome.findings[0].action == "openbaarmakingsdatum overgenomen"


def test_an_absent_theme_or_documentsoort_is_simply_absent() -> None:
    outcome = completed(GivenMetadata(), match=Match(REGISTERED))
    assert set(outcome.document["classificatiecollectie"]) == {"informatiecategorieen"}
