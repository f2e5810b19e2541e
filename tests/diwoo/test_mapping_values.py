from __future__ import annotations

import pytest

from tests.diwoo.documents import mapped
from tests.diwoo.test_mapping import AGENDAS, AMSTERDAM, DOCX, PDF, UNKNOWN, publisher
from woo_harvester.diwoo.given import GivenMetadata, Relation, Value
from woo_harvester.record import json_value


def test_where_nothing_was_given_nothing_is_filled_in() -> None:
    outcome = mapped(GivenMetadata())
    assert outcome.document == {}
    assert outcome.codes == ["creatiedatum.ontbreekt", "documenthandeling.ontbreekt"]


@pytest.mark.parametrize(
    "given",
    [
        publisher("gemeente Amsterdam"),
        publisher(" Gemeente  AMSTERDAM"),
        publisher(None, AMSTERDAM),
        publisher("gemeente amsterdam", AMSTERDAM),
    ],
)
def test_an_organisation_known_by_label_or_uri_has_kind_uri_and_label(given: GivenMetadata) -> None:
    outcome = mapped(given)
    assert outcome.document == {
        "publisher": {"type": "gemeente", "id": AMSTERDAM, "label": "gemeente Amsterdam"}
    }
    assert outcome.noted == []


def test_a_known_uri_counts_and_a_label_that_differs_is_kept() -> None:
    outcome = mapped(publisher("Stopera", AMSTERDAM))
    assert outcome.document == {
        "publisher": {
            "type": "gemeente",
            "id": AMSTERDAM,
            "label": "gemeente Amsterdam",
            "bronwaarde": "Stopera",
        }
    }
    assert outcome.noted == [("waarde.strijdig", f"Stopera ({AMSTERDAM})")]


@pytest.mark.parametrize(
    "label",
    ["agenda's en besluitenlijsten bestuurscolleges", "AGENDA’S EN  BESLUITENLIJSTEN BESTUURSCOLLEGES"],
)
def test_a_label_that_differs_only_by_case_space_or_apostrophe_is_no_difference(label: str) -> None:
    outcome = mapped(GivenMetadata(informatiecategorieen=[Value(label, AGENDAS)]))
    assert outcome.document["classificatiecollectie"] == {
        "informatiecategorieen": [{"id": AGENDAS, "label": "agenda’s en besluitenlijsten bestuurscolleges"}]
    }
    assert outcome.noted == []


def test_a_known_label_decides_for_an_unknown_uri_which_is_kept() -> None:
    outcome = mapped(GivenMetadata(themas=[Value("Afval", "https://voorbeeld.nl/afval")]))
    assert outcome.document["classificatiecollectie"] == {
        "themas": [
            {
                "id": "https://identifier.overheid.nl/tooi/def/thes/top/c_d96f9cd3",
                "label": "afval",
                "bronwaarde": "https://voorbeeld.nl/afval",
            }
        ]
    }
    assert outcome.noted == [("waarde.uri-onbekend", "Afval (https://voorbeeld.nl/afval)")]


@pytest.mark.parametrize(
    ("label", "uri", "bronwaarde"),
    [
        ("Waterloket", "urn:x", "Waterloket (urn:x)"),
        ("PLACEHOLDER_publisher", None, "PLACEHOLDER_publisher"),
        (None, "urn:x", "urn:x"),
    ],
)
def test_a_value_that_is_not_known_at_all_is_unknown_and_kept(
    label: str | None, uri: str | None, bronwaarde: str
) -> None:
    value = Value(label, uri)
    outcome = mapped(GivenMetadata(publisher=value, documentsoorten=[value], themas=[value]))
    unknown = {"label": "Onbekend", "bronwaarde": bronwaarde}
    assert outcome.document == {
        "publisher": {"id": f"{UNKNOWN}organisatie_onbekend", **unknown},
        "classificatiecollectie": {
            "documentsoorten": [{"id": f"{UNKNOWN}documentsoort_onbekend", **unknown}],
            "themas": [{"id": f"{UNKNOWN}thema_onbekend", **unknown}],
        },
    }
    assert outcome.noted == [("waarde.label-onbekend", bronwaarde)] * 3


def test_where_the_list_has_nothing_for_unknown_only_what_was_given_is_kept() -> None:
    value = Value("?", "urn:x")
    outcome = mapped(
        GivenMetadata(language=value, format=value, relaties=[Relation(value, None)], reden=value)
    )
    kept = {"bronwaarde": "? (urn:x)"}
    record = json_value(outcome.record)
    assert outcome.document == {"language": kept, "format": kept}
    assert record["documentrelaties"] == [{"role": "urn:x"}]
    assert record["versies"][0]["redenVerwijderingVervanging"] == "?"
    origin = record["herkomst"]
    assert origin["documentrelaties"] == [{"role": kept}]
    assert origin["redenVerwijderingVervanging"] == kept
    assert outcome.noted == [("waarde.label-onbekend", "? (urn:x)")] * 4
    assert {finding.action for finding in outcome.findings if finding.seen} == {"bewaard als bronwaarde"}


@pytest.mark.parametrize("label", ["gemeente Nieuwstad", "gemeente Amsterdam", None])
def test_a_tooi_uri_of_an_organisation_that_is_not_in_the_lists_is_kept_as_given(label: str | None) -> None:
    uri = "https://identifier.overheid.nl/tooi/id/gemeente/gm9999"
    outcome = mapped(publisher(label, uri))
    assert outcome.document["publisher"] == {
        "type": "gemeente",
        "id": uri,
        **({"label": label} if label else {}),
    }
    assert outcome.noted == [("waarde.uri-onbekend", f"{label} ({uri})" if label else uri)]


def test_an_organisation_in_another_notation_is_known_with_its_type_and_a_finding() -> None:
    for label, uri, bronwaarde in (
        (None, "gm0363", "gm0363"),
        ("gm0363", None, "gm0363"),
        ("gemeente Amsterdam", f"{AMSTERDAM}/", f"{AMSTERDAM}/"),
    ):
        outcome = mapped(publisher(label, uri))
        assert outcome.document["publisher"] == {
            "type": "gemeente",
            "id": AMSTERDAM,
            "label": "gemeente Amsterdam",
            "bronwaarde": bronwaarde,
        }
        [finding] = [f for f in outcome.findings if f.seen]
        assert (finding.code, finding.action) == (
            "waarde.uri-onbekend",
            f"gelezen als gemeente Amsterdam ({AMSTERDAM})",
        )


def test_a_code_of_another_list_is_unknown_in_this_field() -> None:
    code = Value(None, AGENDAS.rpartition("/")[2])
    given = GivenMetadata(informatiecategorieen=[code], themas=[code], documentsoorten=[code])
    classes = mapped(given).document["classificatiecollectie"]
    assert {field: value["id"] for field, [value] in classes.items()} == {
        "informatiecategorieen": AGENDAS,
        "themas": f"{UNKNOWN}thema_onbekend",
        "documentsoorten": f"{UNKNOWN}documentsoort_onbekend",
    }


def test_a_corrected_uri_with_another_label_has_both_findings() -> None:
    seen = "gemeente Utrecht (gm0363)"
    assert mapped(publisher("gemeente Utrecht", "gm0363")).noted == [
        ("waarde.uri-onbekend", seen),
        ("waarde.strijdig", seen),
    ]


def test_only_organisations_have_a_type() -> None:
    value = Value(None, AMSTERDAM)
    outcome = mapped(GivenMetadata(is_part_of=value, has_parts=[value], themas=[value]))
    assert outcome.document["isPartOf"] == {"id": AMSTERDAM}
    assert outcome.document["hasParts"] == [{"id": AMSTERDAM}]
    assert [set(theme) for theme in outcome.document["classificatiecollectie"]["themas"]] == [
        {"id", "label", "bronwaarde"}
    ]


def test_a_finding_names_the_element_what_was_there_and_what_became_of_it() -> None:
    [finding] = [f for f in mapped(GivenMetadata(opsteller=Value("Stopera", AMSTERDAM))).findings if f.seen]
    assert (finding.element, finding.seen, finding.action) == (
        "opsteller",
        f"Stopera ({AMSTERDAM})",
        f"gelezen als gemeente Amsterdam ({AMSTERDAM})",
    )


@pytest.mark.parametrize(
    "text",
    [
        "PDF",
        "pdf",
        " .pdf",
        "application/pdf",
        "Application/PDF",
        "PDF/A",
        "PDF/A-1b",
        f"{PDF.removesuffix('PDF')}pdf",
        PDF.replace("http:", "https:"),
    ],
)
def test_a_format_may_be_given_in_any_notation_without_a_finding(text: str) -> None:
    for value in (Value(text, None), Value(None, text)):
        outcome = mapped(GivenMetadata(format=value))
        found = outcome.document["format"]
        assert (found["id"], found["label"]) == (PDF, "PDF")
        assert outcome.noted == []


@pytest.mark.parametrize(
    ("label", "uri", "bronwaarde"),
    [
        ("pdf", None, None),
        ("pdf", PDF, None),
        (".pdf", None, ".pdf"),
        ("application/pdf", None, "application/pdf"),
        (None, "application/pdf", "application/pdf"),
        (
            "application/pdf",
            "https://www.iana.org/assignments/media-types/application/pdf",
            "application/pdf (https://www.iana.org/assignments/media-types/application/pdf)",
        ),
        ("PDF", "PLACEHOLDER_URI", "PLACEHOLDER_URI"),
        (".pdf", "PLACEHOLDER_URI", ".pdf (PLACEHOLDER_URI)"),
        ("Word", PDF, "Word"),
    ],
)
def test_a_format_keeps_what_its_identifier_and_label_do_not_say(
    label: str | None, uri: str | None, bronwaarde: str | None
) -> None:
    expected = {"id": PDF, "label": "PDF", "bronwaarde": bronwaarde}
    assert mapped(GivenMetadata(format=Value(label, uri))).document == {
        "format": {key: value for key, value in expected.items() if value}
    }


@pytest.mark.parametrize("label", ["PDF", ".pdf", "application/pdf"])
def test_a_made_up_uri_of_a_format_is_a_finding_with_any_notation_of_the_label(label: str) -> None:
    assert mapped(GivenMetadata(format=Value(label, "urn:x"))).noted == [
        ("waarde.uri-onbekend", f"{label} (urn:x)")
    ]


def test_the_uri_of_a_format_wins_in_any_notation() -> None:
    outcome = mapped(GivenMetadata(format=Value("PDF", DOCX.lower())))
    assert outcome.document["format"] == {
        "id": DOCX,
        "label": "Word DOCX",
        "bronwaarde": f"PDF ({DOCX.lower()})",
    }


@pytest.mark.parametrize("label", [None, "PDF", "pdf"])
@pytest.mark.parametrize(
    "uri", [f"{PDF}/", PDF.replace("europa", "Europa"), f"{PDF.replace('http:', 'HTTPS:')}//"]
)
def test_the_uri_of_a_format_in_another_notation_is_known_with_a_finding(label: str | None, uri: str) -> None:
    outcome = mapped(GivenMetadata(format=Value(label, uri)))
    assert outcome.document["format"] == {"id": PDF, "label": "PDF", "bronwaarde": uri}
    assert outcome.noted == [("waarde.uri-onbekend", f"{label} ({uri})" if label else uri)]


@pytest.mark.parametrize("text", ["DOCX", "docx", DOCX, f"{DOCX}/"])
def test_a_format_is_known_by_the_text_of_its_element_in_any_notation_without_a_finding(text: str) -> None:
    outcome = mapped(GivenMetadata(format=Value(text, None)))
    assert outcome.document["format"] == {"id": DOCX, "label": "Word DOCX", "bronwaarde": text}
    assert outcome.noted == []


def test_a_language_given_as_the_seldom_https_uri_is_known() -> None:
    uri = "https://publications.europa.eu/resource/authority/language/ENG"
    assert mapped(GivenMetadata(language=Value(None, uri))).document["language"] == {
        "id": uri.replace("https", "http"),
        "label": "Engels",
    }
