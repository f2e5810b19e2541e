"""The description of the API, compared with what the routes answer and accept."""

from __future__ import annotations

import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.conftest import skip_or_fail
from tests.portal.client import client_of
from tests.portal.short_records import DAM, THEMA, document, permit
from woo_harvester.kinds import Kind
from woo_portal.openapi import API, description
from woo_portal.parse import names_of
from woo_portal.routes import api, changes, feeds

WHOLE = description("/")
RECORDS = [
    document(
        "a", creatiedatum="2026-01-01", classificatiecollectie={"themas": [{"id": THEMA, "label": "x"}]}
    ),
    document("weg", is_withdrawn=True),
    permit("b", DAM, termijn={"fase": "aanvraag"}, product={"producttype": {"label": "kap"}}),
]


def valid(name: str, value: Any) -> None:
    """Check a value against a schema of the description."""
    schema = {"$ref": f"#/components/schemas/{name}", "components": WHOLE["components"]}
    Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(value)


def test_the_description_is_valid_openapi() -> None:
    try:
        from openapi_spec_validator import validate
    except ImportError:
        skip_or_fail("needs openapi-spec-validator")
    validate(WHOLE)


def test_every_schema_is_valid() -> None:
    for schema in WHOLE["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_it_describes_each_route_and_each_method_and_no_other() -> None:
    routes = [*api.ROUTES, *feeds.ROUTES, *(each for each in changes.ROUTES if "." in each.path)]
    served = {
        (re.sub(":[a-z]+}", "}", route.path), method.lower())
        for route in routes
        for method in route.methods or ()
        if method not in ("HEAD", "OPTIONS")
    }
    described = {(path, method) for path, item in WHOLE["paths"].items() for method in item}
    assert described | {("/openapi.json", "get")} == served


def test_each_operation_has_a_name_of_its_own() -> None:
    names = [operation["operationId"] for item in WHOLE["paths"].values() for operation in item.values()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("kind", Kind, ids=lambda kind: kind.name)
def test_it_describes_each_parameter_and_the_route_accepts_each(kind: Any) -> None:
    given = {
        "zoektekst": "a",
        "sorteer": "titel",
        "plaats": "52.3,4.8",
        "afstand": "100000",
        "kader": "50,3,54,7",
        "lopend": "nee",
        "start": "1",
        "aantal": "100",
    }
    parameters = WHOLE["paths"][API[kind.name]]["get"]["parameters"]
    assert [parameter["name"] for parameter in parameters] == list(names_of(kind))
    client = client_of(RECORDS)
    for parameter in parameters:
        is_day = parameter["schema"].get("format") == "date"
        value = given.get(parameter["name"], "2026-04-02" if is_day else "x")
        asked = f"{parameter['name']}={value}" + ("&plaats=52,5" if parameter["name"] == "afstand" else "")
        assert client.get(f"{API[kind.name]}?{asked}").status_code == 200, asked


def test_answers_are_as_described() -> None:
    client = client_of(RECORDS)
    valid("OpenOverheidAntwoord", client.get("/api/v0/zoek?aantalResultaten=10").json())
    for path, name in [("zoek", "DocumentAntwoord"), ("vergunningen", "VergunningAntwoord")]:
        valid(name, client.get(f"/api/v0/{path}").json())
        valid(name, client.request("POST", f"/api/v0/{path}", json={}).json())


def test_records_and_errors_are_as_described() -> None:
    client = client_of(RECORDS)
    valid("Record", client.get(f"/api/v0/zoek/{RECORDS[0]['id']}").json())
    valid("PermitRecord", client.get(f"/api/v0/vergunningen/{RECORDS[2]['id']}").json())
    for path in ("zoek/x", f"zoek/{RECORDS[1]['id']}", "zoek?kleur=rood"):
        valid("Fout", client.get(f"/api/v0/{path}").json())


def test_a_request_as_described_is_accepted() -> None:
    request = {
        "zoektekst": "besluit",
        "sorteer": "nieuwste",
        "start": 0,
        "aantal": 5,
        "filters": {
            "verantwoordelijke": ["x"],
            "publisher": ["x"],
            "classificatiecollectie": {
                "documentsoorten": ["x"],
                "themas": ["x"],
                "informatiecategorieen": ["x"],
            },
            "openbaarmakingsdatum": {"van": "2024-01-01", "tot": "2024-12-31"},
            "mutatiedatumtijd": {"van": "2024-01-01", "tot": "2024-12-31"},
            "id": ["x"],
        },
    }
    valid("DocumentVraag", request)
    assert client_of(RECORDS).request("POST", "/api/v0/zoek", json=request).status_code == 200


def test_what_the_description_refuses_the_route_refuses_too() -> None:
    client = client_of(RECORDS)
    schema = Draft202012Validator(
        {"$ref": "#/components/schemas/DocumentVraag", "components": WHOLE["components"]}
    )
    wrong: list[dict[str, Any]] = [
        {"kleur": 1},
        {"filters": {"kleur": []}},
        {"aantal": 0},
        {"aantal": 101},
        {"zoektekst": {}},
    ]
    for request in wrong:
        assert not schema.is_valid(request)
        assert client.request("POST", "/api/v0/zoek", json=request).status_code == 400
