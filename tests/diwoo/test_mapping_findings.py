"""What a finding about metadata names: the element, what was there, and what the record has instead."""

from __future__ import annotations

import pytest

from tests.diwoo.documents import NOW, THESAURUS, blank, mapped
from woo_harvester.diwoo.given import GivenMetadata, Handling, Relation, Value
from woo_harvester.diwoo.mapping import map_metadata
from woo_harvester.tooi import bundled

PDF = "http://publications.europa.eu/resource/authority/file-type/PDF"
ODD = Value("?", "urn:x")
KEPT = "bewaard als bronwaarde"
CLASSES = "classificatiecollectie/"
HANDLING = "documenthandelingen/documenthandeling"


def handling(kind: Value | None, who: Value | None = None) -> GivenMetadata:
    return GivenMetadata(handelingen=[Handling(kind, None, who)])


@pytest.mark.parametrize(
    ("given", "element", "action"),
    [
        (GivenMetadata(publisher=ODD), "publisher", None),
        (GivenMetadata(verantwoordelijke=ODD), "verantwoordelijke", None),
        (GivenMetadata(opsteller=ODD), "opsteller", None),
        (GivenMetadata(medeverantwoordelijken=[ODD]), "medeverantwoordelijken/medeverantwoordelijke", None),
        (GivenMetadata(documentsoorten=[ODD]), f"{CLASSES}documentsoorten/documentsoort", None),
        (GivenMetadata(themas=[ODD]), f"{CLASSES}themas/thema", None),
        (GivenMetadata(language=ODD), "language", KEPT),
        (GivenMetadata(format=ODD), "format", KEPT),
        (GivenMetadata(reden=ODD), "redenVerwijderingVervanging", KEPT),
        (GivenMetadata(relaties=[Relation(ODD, None)]), "documentrelaties/documentrelatie/role", KEPT),
        (handling(Value("ontvangst", None), ODD), f"{HANDLING}/wasAssociatedWith", None),
    ],
)
def test_an_unknown_value_is_reported_at_its_element(
    given: GivenMetadata, element: str, action: str | None
) -> None:
    found = [f for f in mapped(given).findings if f.code == "waarde.label-onbekend"]
    assert [(f.element, f.seen) for f in found] == [(element, "? (urn:x)")]
    assert action in {None, found[0].action}


def test_an_unknown_value_that_the_list_has_a_term_for_is_read_as_that() -> None:
    [found] = [f for f in mapped(GivenMetadata(publisher=ODD)).findings if f.seen]
    assert found.action == (
        "gelezen als Onbekend (https://identifier.overheid.nl/tooi/id/organisatie_onbekend)"
    )


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


def test_an_unknown_handeling_is_reported_with_only_what_was_given_of_it() -> None:
    given = handling(Value("publicatie", None))
    assert [(f.code, f.element, f.seen, f.action) for f in mapped(given).findings if f.seen] == [
        ("documenthandeling.onbekend", f"{HANDLING}/soortHandeling", "publicatie", "weggelaten")
    ]


def test_what_is_absent_is_reported_at_its_element() -> None:
    assert [(f.code, f.element, f.action) for f in mapped(GivenMetadata()).findings] == [
        ("creatiedatum.ontbreekt", "creatiedatum", "openbaarmakingsdatum overgenomen"),
        ("documenthandeling.ontbreekt", HANDLING, None),
    ]


def test_the_shape_of_the_metadata_is_reported_with_what_was_done_about_it() -> None:
    outcome, report = blank()
    given = GivenMetadata(has_mdto=True, namespace="urn:y", unread=["uitgever", "naam"])
    map_metadata(given, outcome.record, bundled(), report, NOW)
    assert [(f.code, f.element, f.seen, f.action) for f in outcome.findings[:4]] == [
        ("metadata.mdto", "MDTO", None, "genegeerd"),
        ("metadata.ontbreekt", None, None, "standaardwaarden gebruikt"),
        ("metadata.naamruimte", "DiWoo", "urn:y", "toch gelezen"),
        ("metadata.element-onbekend", None, "uitgever, naam", "niet gelezen"),
    ]


def test_metadata_in_another_place_are_reported_with_what_was_done_about_them() -> None:
    given = GivenMetadata(
        has_diwoo=True,
        outside=["DiWoo", "extraMetadata"],
        doubled=["Document"],
        resource_elements=["publisher", "format"],
    )
    assert [(f.code, f.element, f.seen, f.action) for f in mapped(given).findings[:3]] == [
        ("metadata.plaats", None, "DiWoo, extraMetadata", "toch gelezen"),
        ("metadata.dubbel", None, "Document", "de eerste telt"),
        ("metadata.resource-element", None, "publisher, format", "gelezen als het attribuut resource"),
    ]
