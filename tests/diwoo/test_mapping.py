"""Mapping given metadata to the record: coded values, dates, handelingen, references, own metadata."""

from __future__ import annotations

import pytest

from tests.diwoo.documents import NOW, THESAURUS, blank, mapped
from woo_harvester.diwoo.given import Extra, ExtraField, GivenMetadata, Handling, Relation, Value
from woo_harvester.diwoo.mapping import map_metadata
from woo_harvester.record import json_value
from woo_harvester.tooi import bundled

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


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (Value("ondertekening", None), "ondertekening"),
        (Value("Ontvangst", f"{THESAURUS}c_dfcee535"), "ontvangst"),
        (Value(None, VASTSTELLING), "vaststelling"),
    ],
)
def test_the_three_known_handelingen_are_kept(value: Value, label: str) -> None:
    outcome = mapped(GivenMetadata(handelingen=[Handling(value, None, None)]))
    [handling] = outcome.document["documenthandelingen"]
    assert handling["soortHandeling"]["label"] == label
    assert outcome.noted == []


def test_an_unknown_handeling_is_omitted_and_the_finding_shows_all_of_it() -> None:
    other = Handling(Value("publicatie", "urn:p"), "2024-04-01", Value("gemeente Amsterdam", None))
    nameless = Handling(None, "2024-04-03", None)
    known = Handling(Value("ontvangst", None), None, None)
    outcome = mapped(GivenMetadata(handelingen=[other, known, nameless]))
    assert outcome.document == {
        "documenthandelingen": [{"soortHandeling": {"id": f"{THESAURUS}c_dfcee535", "label": "ontvangst"}}]
    }
    assert outcome.noted == [
        ("documenthandeling.onbekend", "publicatie (urn:p); 2024-04-01; gemeente Amsterdam"),
        ("documenthandeling.onbekend", "geen soortHandeling; 2024-04-03"),
    ]
    assert {finding.action for finding in outcome.findings if finding.seen} == {"weggelaten"}


def test_a_known_handeling_with_a_made_up_uri_is_kept_with_its_bronwaarde() -> None:
    outcome = mapped(GivenMetadata(handelingen=[Handling(Value("vaststelling", "urn:v"), None, None)]))
    assert outcome.document == {
        "documenthandelingen": [
            {"soortHandeling": {"id": VASTSTELLING, "label": "vaststelling", "bronwaarde": "urn:v"}}
        ]
    }
    assert outcome.noted == [("waarde.uri-onbekend", "vaststelling (urn:v)")]


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


def test_own_metadata_is_kept_in_its_groups() -> None:
    given = GivenMetadata(
        extra=[Extra(fields=[ExtraField("a", ["1"]), ExtraField("a", ["2"])]), Extra(prefix="b")]
    )
    assert mapped(given).document == {
        "extraMetadata": [
            {"velden": [{"key": "a", "values": ["1"]}, {"key": "a", "values": ["2"]}]},
            {"prefix": "b"},
        ]
    }


def test_a_document_without_any_metadata_is_a_finding_unless_it_has_own_metadata() -> None:
    fields = [ExtraField("a", ["1"])]
    for given, codes in (
        (GivenMetadata(), ["metadata.ontbreekt"]),
        (GivenMetadata(extra=[Extra(fields=fields)]), []),
    ):
        outcome, report = blank()
        map_metadata(given, outcome.record, bundled(), report, NOW)
        assert outcome.codes == [*codes, "creatiedatum.ontbreekt", "documenthandeling.ontbreekt"]


def test_mdto_and_unread_elements_are_findings() -> None:
    outcome = mapped(GivenMetadata(has_mdto=True, unread=["uitgever", "naam"]))
    assert outcome.noted == [("metadata.mdto", None), ("metadata.element-onbekend", "uitgever, naam")]


@pytest.mark.parametrize(
    ("namespace", "seen"), [("http://misspelt.example/", "http://misspelt.example/"), ("", "geen naamruimte")]
)
def test_another_namespace_is_a_finding(namespace: str, seen: str) -> None:
    assert mapped(GivenMetadata(namespace=namespace)).noted == [("metadata.naamruimte", seen)]


def test_a_long_value_is_mapped_as_any_other() -> None:
    label = "x" * 100_000
    outcome = mapped(GivenMetadata(themas=[Value(label, None)], format=Value(label, None)))
    assert outcome.document == {
        "format": {"bronwaarde": label},
        "classificatiecollectie": {
            "themas": [{"id": f"{UNKNOWN}thema_onbekend", "label": "Onbekend", "bronwaarde": label}]
        },
    }
