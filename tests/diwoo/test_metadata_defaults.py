"""Default values for metadata that a publisher did not give."""

from __future__ import annotations

from datetime import date

from tests.diwoo.documents import THESAURUS, Outcome, completed
from woo_harvester.diwoo.given import GivenMetadata, Value
from woo_harvester.record import json_value
from woo_harvester.register.register import Match, Organisation
from woo_harvester.tooi.lists import category_of_index

UNKNOWN = "https://identifier.overheid.nl/tooi/id/"
AMSTERDAM = "https://identifier.overheid.nl/tooi/id/gemeente/gm0363"
ADVIEZEN = {"id": f"{THESAURUS}c_99a836c7", "label": "adviezen"}
CONVENANTEN = {"id": f"{THESAURUS}c_8fc2335c", "label": "convenanten"}
ONBEKEND = {"id": f"{UNKNOWN}informatiecategorie_onbekend", "label": "onbekend"}
OF_ADVIEZEN = category_of_index(10)

REGISTERED = Organisation("25000001", "Gemeente Amsterdam (register)", AMSTERDAM)
TITLE, USED = "titelcollectie/officieleTitel", "standaardwaarde gebruikt: "


def categories(outcome: Outcome) -> list[dict[str, str]]:
    found: list[dict[str, str]] = outcome.document["classificatiecollectie"]["informatiecategorieen"]
    return found


def with_categories(*labels: str) -> GivenMetadata:
    return GivenMetadata(informatiecategorieen=[Value(label, None) for label in labels])


CATEGORY = "classificatiecollectie/informatiecategorieen/informatiecategorie"


def about_categories(outcome: Outcome) -> list[tuple[str, str | None]]:
    """Return code and ``seen`` of each finding about the category."""
    found = [f for f in outcome.findings if f.code.startswith("informatiecategorie.")]
    assert {f.element for f in found} <= {CATEGORY}
    return [(f.code.partition(".")[2], f.seen) for f in found]


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
    several = Match(None, (REGISTERED, Organisation("25000002", "Stadsdeel Noord")))
    outcome = completed(GivenMetadata(), loc="https://www.a.nl/download/1234", match=several)
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
    handling, names = (
        "documenthandelingen/documenthandeling",
        "Gemeente Amsterdam (register), Stadsdeel Noord",
    )
    assert [(f.code, f.element, f.seen, f.action) for f in outcome.findings] == [
        ("creatiedatum.ontbreekt", "creatiedatum", None, "openbaarmakingsdatum overgenomen"),
        ("documenthandeling.ontbreekt", handling, None, None),
        ("publisher.ontbreekt", "publisher", None, f"{USED}Onbekend"),
        ("register.meerdere-organisaties", None, names, f"{USED}Onbekend"),
        ("verantwoordelijke.ontbreekt", "verantwoordelijke", None, "publisher overgenomen"),
        ("titel.onbekend", TITLE, None, f"{USED}Onbekend"),
        ("informatiecategorie.ontbreekt", CATEGORY, None, f"{USED}onbekend"),
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


def test_other_titles_do_not_stand_in_for_the_official_one() -> None:
    outcome = completed(GivenMetadata(verkorte_titels=["Kort"]))
    assert outcome.document["titelcollectie"] == {"officieleTitel": "besluit", "verkorteTitels": ["Kort"]}


# The informatiecategorie


def read_as(category: dict[str, str], *given: str) -> list[dict[str, str]]:
    return [{**category, "bronwaarde": one} for one in given]


def test_the_categories_are_those_in_the_metadata_and_else_that_of_the_index() -> None:
    effort = {"id": f"{THESAURUS}c_816e508d", "label": "inspanningsverplichting art 3.1 Woo"}
    unknown = ("onbekend", "Advies")
    for labels, index, expected, findings in (
        (["Adviezen"], None, [ADVIEZEN], []),
        (["Adviezen"], OF_ADVIEZEN, [ADVIEZEN], []),
        ([], OF_ADVIEZEN, [ADVIEZEN], []),
        (["convenanten", "adviezen"], OF_ADVIEZEN, [CONVENANTEN, ADVIEZEN], []),
        (["convenanten", "Advies"], None, [CONVENANTEN, *read_as(ONBEKEND, "Advies")], [unknown]),
        (
            ["convenanten", "Advies"],
            OF_ADVIEZEN,
            [CONVENANTEN, *read_as(ADVIEZEN, "Advies")],
            [("strijdig", "convenanten; index: adviezen"), unknown],
        ),
        # A known category beside an unknown one that becomes the same is not repeated.
        (["adviezen", "Advies"], OF_ADVIEZEN, read_as(ADVIEZEN, "Advies"), [unknown]),
        (["x", "y", "x"], None, read_as(ONBEKEND, "x", "y"), [("onbekend", name) for name in "xyx"]),
        (["x", "y", "x"], OF_ADVIEZEN, read_as(ADVIEZEN, "x", "y"), [("onbekend", name) for name in "xyx"]),
        ([effort["label"]], OF_ADVIEZEN, [effort], [("strijdig", f"{effort['label']}; index: adviezen")]),
    ):
        outcome = completed(with_categories(*labels), index=index)
        assert categories(outcome) == expected, (labels, index)
        assert about_categories(outcome) == findings, (labels, index)


def test_categories_that_differ_from_the_index_count_with_a_finding() -> None:
    labels = ("convenanten", "jaarplannen en jaarverslagen")
    outcome = completed(with_categories(*labels), index=OF_ADVIEZEN)
    assert [category["label"] for category in categories(outcome)] == [*labels]
    assert about_categories(outcome) == [("strijdig", f"{', '.join(labels)}; index: adviezen")]
    assert outcome.findings[-1].action == "metadata gebruikt"
    assert "document.classificatiecollectie.informatiecategorieen" not in outcome.defaults


def test_an_unknown_category_in_an_index_that_names_one_is_that_of_the_index() -> None:
    given = GivenMetadata(informatiecategorieen=[Value("Advies", "urn:advies")])
    outcome = completed(given, index=OF_ADVIEZEN)
    assert categories(outcome) == read_as(ADVIEZEN, "Advies (urn:advies)")
    assert about_categories(outcome) == [("onbekend", "Advies (urn:advies)")]
    assert outcome.findings[-1].action == f"gelezen als adviezen ({ADVIEZEN['id']})"
    assert outcome.defaults["document.classificatiecollectie.informatiecategorieen"] == "index"


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


def test_a_category_that_is_given_twice_keeps_its_first_place() -> None:
    given = GivenMetadata(
        informatiecategorieen=[
            Value(None, ADVIEZEN["id"]),
            Value("convenanten", None),
            Value("Adviesstukken", ADVIEZEN["id"]),
        ]
    )
    assert categories(completed(given)) == [{**ADVIEZEN, "bronwaarde": "Adviesstukken"}, CONVENANTEN]


# The publisher and the verantwoordelijke


def test_the_publisher_comes_from_the_register_with_the_label_of_the_list() -> None:
    uri = "https://identifier.overheid.nl/tooi/id/gemeente/gm9999"
    for organisation, expected in (
        (REGISTERED, {"type": "gemeente", "id": AMSTERDAM, "label": "gemeente Amsterdam"}),
        # The lists do not have it.
        (
            Organisation("1", "Gemeente Nieuwstad", uri),
            {"type": "gemeente", "id": uri, "label": "Gemeente Nieuwstad"},
        ),
        (Organisation("1", "Stichting Water"), {"label": "Stichting Water"}),
    ):
        outcome = completed(GivenMetadata(), match=Match(organisation))
        assert outcome.document["publisher"] == expected, organisation
        assert outcome.defaults["document.publisher"] == "register", organisation
        actions = [f.action for f in outcome.findings if f.code == "publisher.ontbreekt"]
        assert actions == [USED + expected["label"]], organisation


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


def test_the_creatiedatum_comes_from_the_openbaarmakingsdatum() -> None:
    for text in [None, "1 april"]:
        outcome = completed(GivenMetadata(creatiedatum=text))
        assert outcome.record.document.creatiedatum == date(2024, 4, 2), text
        assert outcome.defaults["document.creatiedatum"] == "openbaarmakingsdatum", text
        assert outcome.findings[0].code == ("creatiedatum.ontbreekt" if text is None else "datum.ongeldig")
        assert outcome.findings[0].action == "openbaarmakingsdatum overgenomen", text


def test_an_element_that_is_only_misspelt_is_not_reported_as_absent_too() -> None:
    for name in ["creatieDatum", "Publisher", "officieletitel", "Titelcollectie"]:
        everything = set(completed(GivenMetadata()).codes)
        codes = set(completed(GivenMetadata(unread=[name])).codes)
        (absent,) = everything - codes
        assert absent.partition(".")[0] in ("creatiedatum", "publisher", "titel"), name
        assert codes - everything == {"metadata.element-onbekend"}, name
