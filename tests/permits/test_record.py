from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from msgspec.structs import replace

from tests.permits.reading import valid
from woo_harvester.findings import Reporter
from woo_harvester.permits.demo_messages import (
    CASE_URL,
    DOCUMENT_URL,
    delete_message,
    document_message,
    message,
)
from woo_harvester.permits.mutations import Mutation
from woo_harvester.permits.record import feature
from woo_harvester.permits.rights import Rights
from woo_harvester.permits.transactions import apply_mutations, permit_record
from woo_harvester.record import json_value
from woo_harvester.register import Register
from woo_harvester.utils.urls import record_id

ENTRY = "https://www.voorbeeldstad.nl/xml/"
MOMENT = datetime(2026, 4, 1, 10, 0, tzinfo=UTC)
NOW = datetime(2026, 4, 2, 6, 0, tzinfo=UTC)
NOBODYS = Rights(Register([], []), {})
STAD = "https://identifier.overheid.nl/tooi/id/gemeente/gm9999"


def offered(content: bytes, name: str, *codes: str) -> Mutation:
    return Mutation(valid(content), STAD, ENTRY, ENTRY + name, MOMENT, codes)


def record(*places: dict[str, Any]) -> dict[str, Any]:
    case = {"identifier": "https://www.voorbeeldstad.nl/zaken/1", "object": {"coordinaten": list(places)}}
    return {"id": "1-2-3", "vergunning": case, "versies": [{"oorzaak": "aanlevering"}]}


TODAY = date(2026, 11, 22)

PLACE = {"x-waarde": 155000.0, "wgs84": {"lat": 52.1, "lon": 5.3}}
OTHER = {"wgs84": {"lat": 53.1, "lon": 6.3}}


def test_the_record_of_a_case_has_the_documented_form() -> None:
    mutations = [
        offered(message(), "zaak.xml", "ipm.datum-nu"),
        offered(document_message(), "document.xml", "ipm.kop"),
    ]
    (outcome,) = apply_mutations([], mutations, NOBODYS, Reporter(lambda finding: None), NOW).outcomes
    assert json_value(permit_record(outcome)) == {
        "id": record_id(CASE_URL),
        "vergunning": {
            "identifier": CASE_URL,
            "title": "Kappen van twee eiken",
            "language": "nl",
            "type": {"scheme": "overheid:Informatietype", "label": "vergunning"},
            "creator": {"scheme": "overheid:Gemeente", "label": "Voorbeeldstad"},
            "modified": "2026-04-01",
            "product": {"producttype": {"scheme": "overheidvg:Product", "label": "kapvergunning"}},
        },
        "documenten": [
            {
                "identifier": DOCUMENT_URL,
                "title": "Besluit",
                "language": "nl",
                "type": {"scheme": "overheid:Informatietype", "label": "vergunning"},
                "creator": {"scheme": "overheid:Gemeente", "label": "Voorbeeldstad"},
                "modified": "2026-04-01",
                "format": "application/pdf",
                "isPartOf": {"id": CASE_URL},
                "documenttype": {"scheme": "overheidvg:Documenttype", "label": "besluit"},
            }
        ],
        "versies": [
            {
                "oorzaak": "aanlevering",
                "transactie": "C",
                "transactieID": "1",
                "volgnummer": 0,
                "aanmaakdatum": "2026-04-01",
                "mutatiedatumtijd": "2026-04-01T12:00:00+02:00",
            }
        ],
        "herkomst": {
            "ingang": ENTRY,
            "bestand": ENTRY + "zaak.xml",
            "opgehaald": "2026-04-02T08:00:00+02:00",
            "organisatie": STAD,
            "bevindingen": ["ipm.datum-nu", "ipm.kop"],
        },
    }


def test_the_record_of_a_withdrawn_case_has_only_its_url() -> None:
    first = apply_mutations(
        [], [offered(message(), "zaak.xml")], NOBODYS, Reporter(lambda finding: None), NOW
    )
    late = replace(offered(delete_message(aanmaakdatum="2026-05-01"), "weg.xml"), datum=None)
    (outcome,) = apply_mutations(first.rows, [late], NOBODYS, Reporter(lambda finding: None), NOW).outcomes
    assert json_value(permit_record(outcome)) == {
        "id": record_id(CASE_URL),
        "vergunning": {"identifier": CASE_URL},
        "versies": [
            {
                "oorzaak": "intrekking",
                "transactie": "D",
                "transactieID": "1",
                "volgnummer": 0,
                "aanmaakdatum": "2026-05-01",
            }
        ],
        "herkomst": {
            "ingang": ENTRY,
            "bestand": ENTRY + "weg.xml",
            "opgehaald": "2026-04-02T08:00:01+02:00",
            "organisatie": STAD,
        },
    }
    assert outcome.mutatie.message.aanmaakdatum == date(2026, 5, 1)


def test_a_case_has_its_places_with_the_longitude_first() -> None:
    given = record(PLACE)
    assert feature(given, TODAY) == {
        "type": "Feature",
        "id": "1-2-3",
        "geometry": {"type": "Point", "coordinates": [5.3, 52.1]},
        "properties": {"vergunning": given["vergunning"], "versies": [{"oorzaak": "aanlevering"}]},
    }
    several = feature(record(PLACE, {"x-waarde": 0.0}, OTHER), TODAY)["geometry"]
    assert several == {"type": "MultiPoint", "coordinates": [[5.3, 52.1], [6.3, 53.1]]}
    for none in (record(), {"id": "1", "vergunning": {"identifier": "x"}}):
        assert feature(none, TODAY)["geometry"] is None, none


def test_whether_a_permit_runs_is_seen_from_its_period() -> None:
    for temporal, added in [
        ({"start": "2026-11-22", "end": "2026-11-22"}, {"lopend": True, "einddatum": "2026-11-22"}),
        ({"start": "2026-11-23", "end": "2027-01-01"}, {"lopend": False, "einddatum": "2027-01-01"}),
        ({"start": "2025-11-23", "end": "2026-11-21"}, {"lopend": False, "einddatum": "2026-11-21"}),
        ({"start": "2026-11-22"}, {"lopend": True}),
        ({"start": "2026-11-23"}, {"lopend": False}),
        ({"end": "2026-11-22"}, {"lopend": True, "einddatum": "2026-11-22"}),
        ({}, {}),
    ]:
        properties = feature({"id": "1", "vergunning": {"temporal": temporal}}, TODAY)["properties"]
        assert {key: value for key, value in properties.items() if key != "vergunning"} == added, temporal
