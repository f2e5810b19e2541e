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
from woo_portal.openapi import API, BASE, description
from woo_portal.parse import BEGIN, END, names_of
from woo_portal.routes import api, changes, feeds

WHOLE = description("https://woo.example.nl", "Zoeken", "woo@example.nl")
#: The values of this facet are those that were added; a page has links to them.
NO_QUESTION = "organisatie_aangevuld"
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


def test_it_describes_each_route_and_each_method_and_no_other() -> None:
    routes = [*api.ROUTES, *feeds.ROUTES, *changes.ROUTES]
    served = {
        (re.sub(":[a-z]+}", "}", route.path.removeprefix(BASE)), method.lower())
        for route in routes
        for method in route.methods or ()
        if method != "HEAD" and route.path.startswith(BASE)
    }
    described = {(path, method) for path, item in WHOLE["paths"].items() for method in item}
    # The description itself, and an address as open.overheid.nl has it.
    assert described | {("/openapi.json", "get"), ("/zoek/{id}_{versie}", "get")} == served


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
    parameters = WHOLE["paths"][API[kind.name].removeprefix(BASE)]["get"]["parameters"]
    assert [each["name"] for each in parameters] == [each for each in names_of(kind) if each != NO_QUESTION]
    client = client_of(RECORDS)
    for parameter in parameters:
        is_day = parameter["name"].endswith((BEGIN, END))
        value = given.get(parameter["name"], "2026-04-02" if is_day else "x")
        asked = f"{parameter['name']}={value}" + ("&plaats=52,5" if parameter["name"] == "afstand" else "")
        assert client.get(f"{API[kind.name]}?{asked}").status_code == 200, asked


def test_answers_are_as_described() -> None:
    client = client_of(RECORDS)
    for path, name in [("zoek", "DocumentAntwoord"), ("vergunningen", "VergunningAntwoord")]:
        valid(name, client.get(f"/api/v0/{path}").json())
        valid(name, client.request("POST", f"/api/v0/{path}", json={}).json())
    valid("VergunningenOpKaart", client.get("/api/v0/vergunningen/resultaten.geojson").json())


def test_records_and_errors_are_as_described() -> None:
    client = client_of(RECORDS)
    valid("Record", client.get(f"/api/v0/zoek/{RECORDS[0]['id']}").json())
    valid("PermitRecord", client.get(f"/api/v0/vergunningen/{RECORDS[2]['id']}").json())
    for path in ("zoek/x", f"zoek/{RECORDS[1]['id']}", "zoek?kleur=rood"):
        valid("Fout", client.get(f"/api/v0/{path}").json())


def test_what_the_description_refuses_the_route_refuses_too() -> None:
    client = client_of(RECORDS)
    schema = Draft202012Validator(
        {"$ref": "#/components/schemas/DocumentVraag", "components": WHOLE["components"]},
        format_checker=Draft202012Validator.FORMAT_CHECKER,
    )
    wrong: list[dict[str, Any]] = [
        {"kleur": 1},
        {"filters": {"kleur": []}},
        {"aantal": 0},
        {"aantal": 101},
        {"zoektekst": {}},
        {"start": "1"},
        {"filters": {"openbaarmakingsdatum": {"van": "gisteren"}}},
    ]
    for request in wrong:
        assert not schema.is_valid(request)
        assert client.request("POST", "/api/v0/zoek", json=request).status_code == 400


PROBLEM = "application/problem+json"


def test_it_keeps_the_design_rules_of_the_government() -> None:
    """Each rule as the public linter of the NL API Design Rules asks it."""
    info, paths, schemas = WHOLE["info"], WHOLE["paths"], WHOLE["components"]["schemas"]
    operations = [operation for item in paths.values() for operation in item.values()]
    names = [each["name"] for operation in operations for each in operation["parameters"]]
    answers = [each for operation in operations for each in operation["responses"].items()]
    broken = {
        "uri-version": [each for each in WHOLE["servers"] if "/v0" not in each["url"]],
        "tls": [each for each in WHOLE["servers"] if not each["url"].startswith("https://")],
        "semver": not re.fullmatch(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}", info["version"]),
        "doc-openapi-contact": {"email", "name", "url"} - info["contact"].keys(),
        "path-segments-kebab-case": [
            path for path in paths if not re.fullmatch("/([a-z-]+|{[a-z]+})(/([a-z.-]+|{[a-z]+}))*", path)
        ],
        "query-keys-camel-case": [each for each in names if not re.fullmatch("([a-z]+[A-Z]?)*", each)],
        "schema-camel-case": [each for each in schemas if not re.fullmatch("([A-Z][a-z0-9]*)+", each)],
        "invalid-input": [each for each in operations if "400" not in each["responses"]],
        "version-header": [
            (status, answer)
            for status, answer in answers
            if status[0] in "23" and "API-Version" not in answer["headers"]
        ],
        "problem-details": [
            (status, answer)
            for status, answer in answers
            if status[0] in "45" and answer.get("content", {PROBLEM: 1}).keys() != {PROBLEM}
        ],
        "problem-details-members": {"status", "title", "detail"} - schemas["Fout"]["properties"].keys(),
    }
    assert {rule: found for rule, found in broken.items() if found} == {}


def test_the_contact_of_the_operator_is_an_address_or_a_page() -> None:
    for contact, expected in [
        ("woo@example.nl", {"email": "woo@example.nl", "url": "https://a.nl/over"}),
        ("https://b.nl/contact", {"url": "https://b.nl/contact"}),
        ("", {"url": "https://a.nl/over"}),
    ]:
        assert description("https://a.nl", "Zoeken", contact)["info"]["contact"] == {
            "name": "Zoeken",
            **expected,
        }, contact
