"""Mapping given metadata to the record: coded values, dates, handelingen, references, own metadata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from msgspec import Struct, structs

from tests.diwoo.documents import NAMESPACE, NOW, THESAURUS, Outcome, blank, completed, mapped, read
from tests.diwoo.schema import MDTO, TEXT, DiwooSchema, Drawn
from tests.samples import DIWOO
from woo_harvester.diwoo.given import Extra, ExtraField, GivenMetadata, Handling, Relation, Value
from woo_harvester.diwoo.metadata import map_metadata
from woo_harvester.record import json_value
from woo_harvester.tooi.lists import ValueLists, bundled, category_of_index
from woo_harvester.tooi.values import ValueList, normal_label, one_line
from woo_harvester.utils.dates import parse_date

AMSTERDAM = "https://identifier.overheid.nl/tooi/id/gemeente/gm0363"
UTRECHT = "https://identifier.overheid.nl/tooi/id/gemeente/gm0344"
ADVIEZEN = f"{THESAURUS}c_99a836c7"
AGENDAS = f"{THESAURUS}c_3a248e3a"
VASTSTELLING = f"{THESAURUS}c_641ecd76"
PDF = "http://publications.europa.eu/resource/authority/file-type/PDF"
DOCX = "http://publications.europa.eu/resource/authority/file-type/DOCX"
UNKNOWN = "https://identifier.overheid.nl/tooi/id/"


def publisher(label: str | None, uri: str | None = None) -> GivenMetadata:
    return GivenMetadata(publisher=Value(label, uri))


def test_everything_that_was_given_is_in_the_record_and_nothing_else() -> None:
    given = GivenMetadata(
        identifiers=["Z-1"],
        publisher=Value("gemeente Amsterdam", AMSTERDAM),
        verantwoordelijke=Value(None, UTRECHT),
        medeverantwoordelijken=[Value("gemeente Utrecht", None)],
        opsteller=Value("gemeente Amsterdam", None),
        naam_opsteller="A. Opsteller",
        officiele_titel="Besluit",
        verkorte_titels=["Kort"],
        alternatieve_titels=["Anders"],
        omschrijvingen=["Over water"],
        informatiecategorieen=[Value("adviezen", None)],
        documentsoorten=[Value("Gemeenteblad", None)],
        themas=[Value("afval", None)],
        trefwoorden=["water"],
        creatiedatum="2024-04-01",
        begindatum="2024-04-01T00:00:00",
        einddatum="2024-12-31T22:00:00Z",
        language=Value("Engels", None),
        format=Value("PDF", None),
        aggregatiekenmerk="dossier 1",
        is_part_of=Value("geheel", "urn:geheel"),
        has_parts=[Value(None, "urn:deel")],
        handelingen=[Handling(Value("vaststelling", None), "2024-04-01", Value(None, AMSTERDAM))],
        relaties=[Relation(Value("verwijst naar", None), Value("ander", "urn:ander"))],
        reden=Value("correctie procedurele fout", None),
        extra=[Extra("urn:gem", "gem", [ExtraField("wijk", ["Noord", "Oost"])])],
    )
    outcome = mapped(given)
    amsterdam = {"type": "gemeente", "id": AMSTERDAM, "label": "gemeente Amsterdam"}
    utrecht = {"type": "gemeente", "id": UTRECHT, "label": "gemeente Utrecht"}
    assert outcome.findings == []
    assert json_value(outcome.record) == {
        "id": "…",
        "document": {
            "weblocatie": "https://www.gemeente.nl/documenten/besluit.pdf",
            "creatiedatum": "2024-04-01",
            "geldigheid": {
                "begindatum": "2024-04-01T00:00:00+02:00",
                "einddatum": "2024-12-31T23:00:00+01:00",
            },
            "identifiers": ["Z-1"],
            "publisher": amsterdam,
            "verantwoordelijke": utrecht,
            "medeverantwoordelijken": [utrecht],
            "opsteller": amsterdam,
            "naamOpsteller": "A. Opsteller",
            "language": {
                "id": "http://publications.europa.eu/resource/authority/language/ENG",
                "label": "Engels",
            },
            "format": {"id": PDF, "label": "PDF"},
            "omschrijvingen": ["Over water"],
            "titelcollectie": {
                "officieleTitel": "Besluit",
                "verkorteTitels": ["Kort"],
                "alternatieveTitels": ["Anders"],
            },
            "classificatiecollectie": {
                "documentsoorten": [{"id": f"{THESAURUS}c_81cc2eb5", "label": "Gemeenteblad"}],
                "themas": [
                    {"id": "https://identifier.overheid.nl/tooi/def/thes/top/c_d96f9cd3", "label": "afval"}
                ],
                "informatiecategorieen": [{"id": ADVIEZEN, "label": "adviezen"}],
                "trefwoorden": ["water"],
            },
            "aggregatiekenmerk": "dossier 1",
            "isPartOf": {"id": "urn:geheel", "label": "geheel"},
            "hasParts": [{"id": "urn:deel"}],
            "documenthandelingen": [
                {
                    "soortHandeling": {"id": VASTSTELLING, "label": "vaststelling"},
                    "atTime": "2024-04-01T00:00:00+02:00",
                    "wasAssociatedWith": amsterdam,
                }
            ],
            "extraMetadata": [
                {
                    "namespace": "urn:gem",
                    "prefix": "gem",
                    "velden": [{"key": "wijk", "values": ["Noord", "Oost"]}],
                }
            ],
        },
        "documentrelaties": [
            {"relation": "urn:ander", "role": f"{THESAURUS}c_75fac459", "titel": "ander"},
        ],
        "versies": [
            {
                "oorzaak": "aanlevering",
                "openbaarmakingsdatum": "2024-04-02",
                "mutatiedatumtijd": "2024-04-02T10:00:00+02:00",
                "redenVerwijderingVervanging": "correctie procedurele fout",
            }
        ],
        "herkomst": {
            "documentrelaties": [
                {
                    "relation": "urn:ander",
                    "role": {"id": f"{THESAURUS}c_75fac459", "label": "verwijst naar"},
                }
            ],
            "redenVerwijderingVervanging": {
                "id": f"{THESAURUS}c_c77c86e0",
                "label": "correctie procedurele fout",
            },
        },
    }


def test_an_unknown_handeling_is_omitted_and_the_finding_shows_all_of_it() -> None:
    other = Handling(Value("publicatie", "urn:p"), "2024-04-01", Value("gemeente Amsterdam", None))
    nameless = Handling(None, "2024-04-03", None)
    known = Handling(Value("ontvangst", None), None, None)
    outcome = mapped(GivenMetadata(handelingen=[other, known, nameless]))
    assert outcome.document == {
        "documenthandelingen": [{"soortHandeling": {"id": f"{THESAURUS}c_dfcee535", "label": "ontvangst"}}]
    }
    assert [(f.code, f.element, f.seen, f.action) for f in outcome.findings if f.seen] == [
        ("documenthandeling.onbekend", f"{HANDLING}/soortHandeling", seen, "weggelaten")
        for seen in ("publicatie (urn:p); 2024-04-01; gemeente Amsterdam", "geen soortHandeling; 2024-04-03")
    ]


def test_who_did_a_handeling_is_a_coded_value_too() -> None:
    handling = Handling(Value("vaststelling", None), None, Value("de raad", None))
    outcome = mapped(GivenMetadata(handelingen=[handling]))
    assert outcome.document["documenthandelingen"][0]["wasAssociatedWith"] == {
        "id": f"{UNKNOWN}organisatie_onbekend",
        "label": "Onbekend",
        "bronwaarde": "de raad",
    }
    assert outcome.noted == [("waarde.label-onbekend", "de raad")]


def test_white_space_in_titles_and_labels_is_one_space_and_other_texts_stay_as_they_are() -> None:
    text, line = "Besluit\n      over\u00a0\u00a0water", "Besluit over water"
    given = GivenMetadata(
        officiele_titel=text,
        verkorte_titels=[text],
        alternatieve_titels=[text, "Kort"],
        is_part_of=Value(text, "urn:geheel"),
        has_parts=[Value(text, None)],
        themas=[Value(text, "urn:t")],
        format=Value("PDF \n document", "PDF"),
        handelingen=[Handling(Value(text, None), None, Value(text, None))],
        omschrijvingen=[text],
    )
    outcome = mapped(given)
    assert outcome.document == {
        "format": {"id": PDF, "label": "PDF", "bronwaarde": "PDF document (PDF)"},
        "omschrijvingen": [text],
        "titelcollectie": {
            "officieleTitel": line,
            "verkorteTitels": [line],
            "alternatieveTitels": [line, "Kort"],
        },
        "classificatiecollectie": {
            "themas": [
                {"id": f"{UNKNOWN}thema_onbekend", "label": "Onbekend", "bronwaarde": f"{line} (urn:t)"}
            ]
        },
        "isPartOf": {"id": "urn:geheel", "label": line},
        "hasParts": [{"label": line}],
    }
    assert outcome.noted == [
        ("waarde.label-onbekend", f"{line} (urn:t)"),
        ("documenthandeling.onbekend", f"{line}; {line}"),
    ]


def test_a_document_without_any_metadata_is_a_finding_unless_it_has_own_metadata() -> None:
    fields = [ExtraField("a", ["1"])]
    for metadata, codes in (
        (GivenMetadata(), ["metadata.ontbreekt"]),
        (GivenMetadata(extra=[Extra(fields=fields)]), []),
    ):
        outcome, report = blank()
        map_metadata(metadata, outcome.record, bundled(), report, NOW)
        assert outcome.codes == [*codes, "creatiedatum.ontbreekt", "documenthandeling.ontbreekt"]


def test_a_known_uri_counts_and_a_label_that_differs_is_kept() -> None:
    outcome = mapped(GivenMetadata(opsteller=Value("Stopera", AMSTERDAM)))
    known = {"type": "gemeente", "id": AMSTERDAM, "label": "gemeente Amsterdam"}
    assert outcome.document == {"opsteller": {**known, "bronwaarde": "Stopera"}}
    [finding] = [f for f in outcome.findings if f.seen]
    assert (finding.code, finding.element) == ("waarde.strijdig", "opsteller")
    assert finding.seen == f"Stopera ({AMSTERDAM})"
    assert finding.action == f"gelezen als gemeente Amsterdam ({AMSTERDAM})"


def test_a_value_that_is_not_known_at_all_is_unknown_and_kept() -> None:
    for label, uri, bronwaarde in [
        ("Waterloket", "urn:x", "Waterloket (urn:x)"),
        ("PLACEHOLDER_publisher", None, "PLACEHOLDER_publisher"),
        (None, "urn:x", "urn:x"),
    ]:
        value = Value(label, uri)
        outcome = mapped(GivenMetadata(publisher=value, documentsoorten=[value], themas=[value]))
        unknown = {"label": "Onbekend", "bronwaarde": bronwaarde}
        assert outcome.document == {
            "publisher": {"id": f"{UNKNOWN}organisatie_onbekend", **unknown},
            "classificatiecollectie": {
                "documentsoorten": [{"id": f"{UNKNOWN}documentsoort_onbekend", **unknown}],
                "themas": [{"id": f"{UNKNOWN}thema_onbekend", **unknown}],
            },
        }, label
        assert outcome.noted == [("waarde.label-onbekend", bronwaarde)] * 3, label


def test_where_the_list_has_nothing_for_unknown_only_what_was_given_is_kept() -> None:
    relation = Relation(ODD, None)
    outcome = mapped(GivenMetadata(language=ODD, format=ODD, relaties=[relation], reden=ODD))
    kept = {"bronwaarde": "? (urn:x)"}
    record = json_value(outcome.record)
    assert outcome.document == {"language": kept, "format": kept}
    assert record["documentrelaties"] == [{"role": "urn:x"}]
    assert record["versies"][0]["redenVerwijderingVervanging"] == "?"
    assert record["herkomst"]["documentrelaties"] == [{"role": kept}]
    assert record["herkomst"]["redenVerwijderingVervanging"] == kept


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


def test_only_organisations_have_a_type() -> None:
    value = Value(None, AMSTERDAM)
    outcome = mapped(GivenMetadata(is_part_of=value, has_parts=[value], themas=[value]))
    assert outcome.document["isPartOf"] == {"id": AMSTERDAM}
    assert outcome.document["hasParts"] == [{"id": AMSTERDAM}]
    assert [set(theme) for theme in outcome.document["classificatiecollectie"]["themas"]] == [
        {"id", "label", "bronwaarde"}
    ]


def test_a_format_keeps_what_its_identifier_and_label_do_not_say() -> None:
    for label, uri, bronwaarde in [
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
    ]:
        expected = {"id": PDF, "label": "PDF", "bronwaarde": bronwaarde}
        assert mapped(GivenMetadata(format=Value(label, uri))).document == {
            "format": {key: value for key, value in expected.items() if value}
        }, (label, uri)


def test_the_uri_of_a_format_in_another_notation_is_known_with_a_finding() -> None:
    for label in [None, "PDF", "pdf"]:
        for uri in [f"{PDF}/", PDF.replace("europa", "Europa"), f"{PDF.replace('http:', 'HTTPS:')}//"]:
            outcome = mapped(GivenMetadata(format=Value(label, uri)))
            assert outcome.document["format"] == {"id": PDF, "label": "PDF", "bronwaarde": uri}, (label, uri)
            assert outcome.noted == [("waarde.uri-onbekend", f"{label} ({uri})" if label else uri)]


# Mapping the dates of a document, and its references to other documents.


def test_a_geldigheid_that_ends_first_is_kept() -> None:
    for begin, end, kept in [
        ("2024-12-31", "2024-05-01", ("2024-12-31T00:00:00+01:00", "2024-05-01T23:59:59+02:00")),
        (
            "2024-05-01T12:00:00+02:00",
            "2024-05-01T09:59:59Z",
            ("2024-05-01T12:00:00+02:00", "2024-05-01T11:59:59+02:00"),
        ),
    ]:
        outcome = mapped(GivenMetadata(begindatum=begin, einddatum=end))
        assert outcome.document == {"geldigheid": {"begindatum": kept[0], "einddatum": kept[1]}}, begin
        [finding] = [f for f in outcome.findings if f.code == "geldigheid.omgekeerd"]
        assert (finding.element, finding.seen, finding.action) == (
            "geldigheid",
            f"{begin} – {end}",
            "bewaard zoals gegeven",
        ), begin


def test_any_other_geldigheid_has_no_such_finding() -> None:
    for begin, end in [
        ("2024-05-01T12:00:00+02:00", "2024-05-01T10:00:00Z"),
        ("2024-05-01T12:00:00", "2024-05-01"),
        ("2024-05-01", None),
        (None, "2024-05-01"),
        ("gisteren", "2024-05-01"),
    ]:
        assert "geldigheid.omgekeerd" not in mapped(GivenMetadata(begindatum=begin, einddatum=end)).codes


def test_a_creatiedatum_in_the_future_is_kept_with_a_finding() -> None:
    for text in ["2024-04-03", "2042-04-01", "2024-04-02T23:00:00Z"]:
        outcome = mapped(GivenMetadata(creatiedatum=text))
        assert outcome.document == {"creatiedatum": parse_date(text).isoformat()}, text
        assert [(f.code, f.element, f.seen, f.action) for f in outcome.findings if f.seen] == [
            ("creatiedatum.toekomst", "creatiedatum", text, "bewaard zoals gegeven")
        ], text


def test_a_creatiedatum_of_today_in_dutch_time_is_not_the_future() -> None:
    for text in ["2024-04-02", "2024-04-02T23:59:59", "2024-04-02T21:59:59Z", "2024-04-01"]:
        assert mapped(GivenMetadata(creatiedatum=text)).noted == [], text


def test_a_creatiedatum_before_1990_is_a_placeholder_and_kept_as_given() -> None:
    for text in ["0001-01-01", "1899-12-30", "1900-01-01", "1970-01-01T00:00:00Z", "1989-12-31"]:
        outcome = mapped(GivenMetadata(creatiedatum=text))
        assert outcome.document == {}, text
        assert outcome.record.herkomst.creatiedatum == text
        found = [(each.code, each.seen, each.action) for each in outcome.findings]
        assert ("datum.onwaarschijnlijk", text, "openbaarmakingsdatum overgenomen") in found, text
    assert mapped(GivenMetadata(creatiedatum="1990-01-01")).document == {"creatiedatum": "1990-01-01"}


def test_a_date_that_stands_for_none_is_left_out_and_an_old_one_is_kept() -> None:
    for text in ["0001-01-01", "1899-12-30T00:00:00", "1900-01-01", "1970-01-01T00:00:00Z", "1970-01-01"]:
        outcome = mapped(GivenMetadata(creatiedatum="2024-01-01", begindatum=text, einddatum=text))
        found = [(each.code, each.element) for each in outcome.findings if each.seen == text]
        elements = ("geldigheid/begindatum", "geldigheid/einddatum")
        assert found == [("datum.onwaarschijnlijk", element) for element in elements], text
        assert outcome.document == {"creatiedatum": "2024-01-01"}, text
    assert mapped(GivenMetadata(begindatum="1985-01-01")).document["geldigheid"]


#: A title as given, and as it is read.
TITLES = [
    ("Agenda&#8217;s van het college", "Agenda’s van het college"),
    ("Caf&eacute; De Boom", "Café De Boom"),
    ("Boa &amp; handhaving", "Boa & handhaving"),
    ("&amp;eacute;", "&eacute;"),
    ("&#X41;&#x2019;&hellip;", "A’…"),
    ("AT&T; en R&D", "AT&T; en R&D"),
    ("a &amp b &lt c", "a &amp b &lt c"),
    ("&#99999999;", "&#99999999;"),
]


def test_a_title_that_was_escaped_twice_is_read_with_a_finding() -> None:
    for text, right in TITLES:
        outcome = mapped(GivenMetadata(officiele_titel=text, verkorte_titels=[text]))
        assert outcome.document["titelcollectie"] == {"officieleTitel": right, "verkorteTitels": [right]}
        assert ("titel.entiteiten" in outcome.codes) == (text != right), text
        assert outcome.record.herkomst.titelBronwaarde == (text if text != right else None)


def test_a_title_is_found_by_its_words_however_they_are_composed() -> None:
    for text, right in (
        ("Terrasje Cafe\u0301", "Terrasje Café"),
        ("omgevings\xadvergunning", "omgevingsvergunning"),
    ):
        outcome = mapped(GivenMetadata(officiele_titel=text))
        assert outcome.document["titelcollectie"]["officieleTitel"] == right
        assert "titel.entiteiten" not in outcome.codes


def test_an_unreadable_date_is_a_finding_with_its_text() -> None:
    handling = Handling(Value("vaststelling", None), "gisteren", None)
    outcome = mapped(
        GivenMetadata(
            creatiedatum="1 april 2024",
            begindatum="PLACEHOLDER",
            einddatum="2024-02-30",
            handelingen=[handling],
        )
    )
    assert outcome.document == {
        "documenthandelingen": [{"soortHandeling": {"id": VASTSTELLING, "label": "vaststelling"}}]
    }
    assert [(f.element, f.seen, f.action) for f in outcome.findings if f.code == "datum.ongeldig"] == [
        ("creatiedatum", "1 april 2024", "openbaarmakingsdatum overgenomen"),
        ("geldigheid/begindatum", "PLACEHOLDER", "weggelaten"),
        ("geldigheid/einddatum", "2024-02-30", "weggelaten"),
        ("documenthandelingen/documenthandeling/atTime", "gisteren", "weggelaten"),
    ]
    assert set(outcome.codes) == {"datum.ongeldig"}


def test_a_reference_to_a_document_is_kept_as_it_is() -> None:
    given = GivenMetadata(
        is_part_of=Value("PLACEHOLDER", "javascript:x"),
        has_parts=[Value("deel", None), Value(None, "deel 2")],
        relaties=[Relation(None, Value("ander", "urn:ander"))],
    )
    outcome = mapped(given)
    assert outcome.document == {
        "isPartOf": {"id": "javascript:x", "label": "PLACEHOLDER"},
        "hasParts": [{"label": "deel"}, {"id": "deel 2"}],
    }
    record = json_value(outcome.record)
    assert record["documentrelaties"] == [{"relation": "urn:ander", "titel": "ander"}]
    assert "documentrelaties" not in record["herkomst"]  # nothing of the relation is left out
    assert outcome.noted == []


def test_a_reference_with_http_is_kept_with_a_finding() -> None:
    for value in [Value("geheel", "http://www.a.nl/1.pdf"), Value("HTTP://www.a.nl/1.pdf", None)]:
        relation = Relation(Value("verwijst naar", None), value)
        outcome = mapped(GivenMetadata(is_part_of=value, has_parts=[value, value], relaties=[relation]))
        seen = "geheel (http://www.a.nl/1.pdf)" if value.uri else "HTTP://www.a.nl/1.pdf"
        assert [(f.code, f.element, f.seen, f.action) for f in outcome.findings if f.seen] == [
            ("verwijzing.geen-https", "isPartOf", seen, "bewaard zoals gegeven"),
            ("verwijzing.geen-https", "hasParts/hasPart", seen, "2 verwijzingen bewaard zoals gegeven"),
            (
                "verwijzing.geen-https",
                "documentrelaties/documentrelatie/relation",
                seen,
                "bewaard zoals gegeven",
            ),
        ], value
        kept = {"label": value.label, **({"id": value.uri} if value.uri else {})}
        assert outcome.document == {"isPartOf": kept, "hasParts": [kept, kept]}, value


def test_ten_thousand_references_with_http_are_one_finding() -> None:
    parts = [Value(None, f"http://www.a.nl/{number}.pdf") for number in range(10_000)]
    outcome = mapped(GivenMetadata(has_parts=[Value("deel 0", None), *parts]))
    assert outcome.noted == [("verwijzing.geen-https", "http://www.a.nl/0.pdf")]
    assert len(outcome.document["hasParts"]) == 10_001


def test_a_reference_with_https_or_the_uri_of_a_value_list_has_no_finding() -> None:
    for uri in [
        "https://www.a.nl/1.pdf",
        "http://publications.europa.eu/resource/authority/language/NLD",
        "http://Publications.Europa.eu:80/resource/authority/language/NLD",
        "http://standaarden.overheid.nl/owms/terms/Amsterdam",
        "http://identifier.overheid.nl/tooi/id/gemeente/gm0363",
        "urn:http://www.a.nl/1.pdf",
        "dossier http://www.a.nl/1.pdf",
    ]:
        value = Value(uri, uri)
        outcome = mapped(GivenMetadata(is_part_of=value, has_parts=[value], relaties=[Relation(None, value)]))
        assert outcome.noted == [], uri


def test_a_host_that_only_resembles_that_of_a_value_list_is_any_other() -> None:
    for host in ["publications.europa.eu.a.nl", "a.nl/publications.europa.eu/", "overheid.nl"]:
        outcome = mapped(GivenMetadata(is_part_of=Value(None, f"http://{host}/1")))
        assert outcome.noted == [("verwijzing.geen-https", f"http://{host}/1")], host


# What a finding about metadata names: the element, what was there, and what the record has instead.


ODD = Value("?", "urn:x")
KEPT = "bewaard als bronwaarde"
CLASSES = "classificatiecollectie/"
HANDLING = "documenthandelingen/documenthandeling"


def handling(kind: Value | None, who: Value | None = None) -> GivenMetadata:
    return GivenMetadata(handelingen=[Handling(kind, None, who)])


def test_an_unknown_value_is_reported_at_its_element() -> None:
    known = "gelezen als Onbekend ("
    for metadata, element, action in [
        (GivenMetadata(publisher=ODD), "publisher", f"{known}{UNKNOWN}organisatie_onbekend)"),
        (GivenMetadata(verantwoordelijke=ODD), "verantwoordelijke", known),
        (GivenMetadata(opsteller=ODD), "opsteller", known),
        (GivenMetadata(medeverantwoordelijken=[ODD]), "medeverantwoordelijken/medeverantwoordelijke", known),
        (GivenMetadata(documentsoorten=[ODD]), f"{CLASSES}documentsoorten/documentsoort", known),
        (GivenMetadata(themas=[ODD]), f"{CLASSES}themas/thema", known),
        (GivenMetadata(language=ODD), "language", KEPT),
        (GivenMetadata(format=ODD), "format", KEPT),
        (GivenMetadata(reden=ODD), "redenVerwijderingVervanging", KEPT),
        (GivenMetadata(relaties=[Relation(ODD, None)]), "documentrelaties/documentrelatie/role", KEPT),
        (handling(Value("ontvangst", None), ODD), f"{HANDLING}/wasAssociatedWith", known),
    ]:
        [found] = [f for f in mapped(metadata).findings if f.code == "waarde.label-onbekend"]
        assert (found.element, found.seen) == (element, "? (urn:x)"), metadata
        assert str(found.action).startswith(action), metadata


def test_an_unknown_category_is_left_to_the_defaults() -> None:
    assert mapped(GivenMetadata(informatiecategorieen=[ODD])).noted == []


def test_a_category_with_another_label_is_reported_at_its_element() -> None:
    value = Value("?", f"{THESAURUS}c_99a836c7")
    [found] = [f for f in mapped(GivenMetadata(informatiecategorieen=[value])).findings if f.seen]
    assert (found.code, found.element) == (
        "waarde.strijdig",
        "classificatiecollectie/informatiecategorieen/informatiecategorie",
    )


def test_a_made_up_uri_is_reported_with_what_the_label_is_read_as() -> None:
    kind = handling(Value("vaststelling", "urn:v"))
    file_format = GivenMetadata(format=Value(".pdf", "urn:x"))
    found = [f for given in (kind, file_format) for f in mapped(given).findings if f.seen]
    assert [(f.code, f.element, f.seen, f.action) for f in found] == [
        (
            "waarde.uri-onbekend",
            f"{HANDLING}/soortHandeling",
            "vaststelling (urn:v)",
            f"gelezen als vaststelling ({THESAURUS}c_641ecd76)",
        ),
        ("waarde.uri-onbekend", "format", ".pdf (urn:x)", f"gelezen als PDF ({PDF})"),
    ]


def test_where_nothing_was_given_nothing_is_filled_in_and_its_absence_is_reported() -> None:
    outcome = mapped(GivenMetadata())
    assert outcome.document == {}
    assert [(f.code, f.element, f.action) for f in outcome.findings] == [
        ("creatiedatum.ontbreekt", "creatiedatum", "openbaarmakingsdatum overgenomen"),
        ("documenthandeling.ontbreekt", HANDLING, None),
    ]


def test_the_shape_of_the_metadata_is_reported_with_what_was_done_about_it() -> None:
    for namespace, seen in (("urn:y", "urn:y"), ("", "geen naamruimte")):
        outcome, report = blank()
        given = GivenMetadata(has_mdto=True, namespace=namespace, unread=["uitgever", "naam"])
        map_metadata(given, outcome.record, bundled(), report, NOW)
        assert [(f.code, f.element, f.seen, f.action) for f in outcome.findings[:4]] == [
            ("metadata.mdto", "MDTO", None, "genegeerd"),
            ("metadata.ontbreekt", None, None, "standaardwaarden gebruikt"),
            ("metadata.naamruimte", "DiWoo", seen, "toch gelezen"),
            ("metadata.element-onbekend", None, "uitgever, naam", "niet gelezen"),
        ], namespace


def test_metadata_in_another_place_are_reported_with_what_was_done_about_them() -> None:
    given = GivenMetadata(
        has_diwoo=True,
        outside=["DiWoo", "extraMetadata"],
        doubled=["Document"],
        resource_elements=["publisher", "format"],
    )
    assert [(f.code, f.element, f.seen, f.action) for f in mapped(given).findings[:3]] == [
        ("metadata.plaats", None, "DiWoo, extraMetadata", "toch gelezen"),
        ("metadata.dubbel", None, "Document, Document", "de eerste telt"),
        ("metadata.resource-element", None, "publisher, format", "gelezen als het attribuut resource"),
    ]


# Valid documents of the official schema are read completely; of other documents no text is lost.


LISTS = [
    values for field in fields(ValueLists) if isinstance(values := getattr(bundled(), field.name), ValueList)
]


@pytest.fixture(scope="module")
def schema() -> DiwooSchema:
    return DiwooSchema(DIWOO)


def expected(drawn: Drawn) -> dict[str, Any]:
    """Return the record of a drawn document, with some values moved to their place in the record."""
    record: dict[str, Any] = json_value(blank()[0].record)
    document: dict[str, Any] = drawn.value.pop("DiWoo")
    origin: dict[str, Any] = {}
    if groups := drawn.value.pop("extraMetadata", None):
        names = {"extraMetadatavelden": "velden"}
        document["extraMetadata"] = [{names.get(k, k): v for k, v in group.items()} for group in groups]
    if relations := document.pop("documentrelaties", None):
        record["documentrelaties"] = [*map(texts_of, relations)]
        roles = [(each.get("relation", {}), each["role"]) for each in relations if "role" in each]
        origin["documentrelaties"] = [
            {**({"relation": other.get("id") or other["label"]} if other else {}), "role": role}
            for other, role in roles
        ]
    if reason := document.pop("redenVerwijderingVervanging", None):
        record["versies"][0]["redenVerwijderingVervanging"] = reason["label"]
        origin["redenVerwijderingVervanging"] = reason
    assert drawn.value == {}
    record["document"].update(document)
    return record | ({"herkomst": origin} if any(origin.values()) else {})


def texts_of(relation: dict[str, Any]) -> dict[str, str]:
    """Return the texts that a record has for a relation whose parts are coded values."""
    other, role = relation.get("relation", {}), relation.get("role", {})
    given = {"relation": other.get("id"), "role": role.get("id"), "titel": other.get("label")}
    return {key: text for key, text in given.items() if text}


def test_no_value_of_a_valid_document_is_missing_from_its_record(schema: DiwooSchema) -> None:
    used: set[tuple[str, str]] = set()

    @settings(derandomize=True)
    @given(schema.documents(used))
    def check(drawn: Drawn) -> None:
        assert schema.faults(drawn.element) == []
        outcome = mapped(read(etree.tostring(drawn.element, encoding="utf-8")))
        outcome.record.herkomst.bevindingen = []
        assert json_value(outcome.record) == expected(drawn)
        # A date in the future, and a period that ends before it begins, are valid by the schema.
        assert {fault.code for fault in outcome.faults} <= {"creatiedatum.toekomst", "geldigheid.omgekeerd"}

    check()
    assert used == schema.declared  # together they use each element that the schema has
    assert len(used) > 50


def test_every_value_of_the_lists_in_the_schema_is_known_by_its_label(schema: DiwooSchema) -> None:
    ours = {concept.uri: concept.label for source in LISTS for concept in source}
    theirs = {concept.uri: concept.label for _, concepts in schema.lists() for concept in concepts}
    assert theirs == {uri: ours.get(uri) for uri in theirs}
    assert len(theirs) > 300


def test_a_valid_mdto_document_is_a_finding_and_ignored(schema: DiwooSchema) -> None:
    text = f'<Document xmlns="{NAMESPACE}"><MDTO xmlns="{MDTO}"><naam>x</naam></MDTO></Document>'
    assert schema.faults(etree.fromstring(text)) == []
    outcome = mapped(read(text))
    assert outcome.document == {}
    assert outcome.noted == [("metadata.mdto", None)]


# Anything at all: known values, values that are known elsewhere, placeholders, other texts.

CONCEPTS = [concept for source in LISTS for concept in list(source)[:4]]
TEXTS = st.one_of(
    TEXT.map(str.strip).filter(bool),
    st.sampled_from(
        ["PLACEHOLDER_label", "Onbekend", "onbekend", "https://voorbeeld.nl/x", "application/pdf", ".pdf"]
    ),
    st.sampled_from([text for concept in CONCEPTS for text in (concept.uri, concept.label)]),
    st.sampled_from([concept.label.upper() for concept in CONCEPTS]),
)
VALUES = st.builds(Value, st.none() | TEXTS, TEXTS) | st.builds(Value, TEXTS, st.none())
DAYS = st.sampled_from(["2024-04-01", "2024", "gisteren", "PLACEHOLDER_datum"])
MOMENTS = DAYS | st.just("2024-07-01T10:00:00+02:00") | TEXTS
HANDLINGS = st.builds(Handling, st.none() | VALUES, MOMENTS, st.none() | VALUES)
EXTRAS = st.builds(
    Extra,
    st.none() | TEXTS,
    st.none() | TEXTS,
    st.lists(st.builds(ExtraField, TEXTS, st.lists(TEXTS, max_size=2)), min_size=1, max_size=2),
)
BY_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "bool": st.just(True),
    "str | None": st.none() | TEXTS,
    "list[str]": st.lists(TEXTS, max_size=2),
    "Value | None": st.none() | VALUES,
    "list[Value]": st.lists(VALUES, max_size=3),
    "list[Handling]": st.lists(HANDLINGS, max_size=3),
    "list[Relation]": st.lists(st.builds(Relation, st.none() | VALUES, VALUES), max_size=2),
    "list[Extra]": st.lists(EXTRAS, max_size=2),
}
BY_NAME = {"creatiedatum": DAYS, "begindatum": MOMENTS, "einddatum": MOMENTS}
GIVEN = st.builds(
    GivenMetadata,
    **{name: BY_NAME.get(name, BY_TYPE[kind]) for name, kind in GivenMetadata.__annotations__.items()},
)


def texts(value: object) -> Iterator[str]:
    """Yield all texts in a value, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from texts(list(value.values()))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts(part)
    elif isinstance(value, Struct):
        yield from texts(structs.astuple(value))


def told(outcome: Outcome) -> list[str]:
    """Return all texts of the record and of the findings."""
    record = json_value(outcome.record)
    for name in ("standaardwaarden", "bevindingen"):
        record["herkomst"].pop(name, None)
    return [*texts(record), *(finding.seen for finding in outcome.findings if finding.seen)]


def is_part_of_one(text: str, said: Sequence[str]) -> bool:
    """Return whether one of *said* has the text, as given or on one line."""
    collapsed = one_line(text)
    return any(text in one or collapsed in one for one in said)


@given(GIVEN, st.none() | st.integers(1, 17).map(category_of_index))
def test_whatever_is_given_is_in_the_record_or_in_a_finding(given: GivenMetadata, index: Any) -> None:
    before = list(texts(given))
    outcome = completed(given, index=index)
    said = told(outcome)
    known = {normal_label(text) for text in said}
    lost = [text for text in before if normal_label(text) not in known and not is_part_of_one(text, said)]
    assert lost == []
