"""The description of the API as OpenAPI, with JSON schemas (2020-12) of what it takes and answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from types import GenericAlias
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.json import schema, schema_components

from woo_harvester.kinds import PERMITS, WOO, Kind
from woo_harvester.outputs.definition import facets
from woo_harvester.permits.record import PermitRecord
from woo_harvester.record import Record
from woo_portal.downloads import FORMS
from woo_portal.downloads import MEDIA_TYPE as ATOM
from woo_portal.parse import names_of
from woo_portal.question import MAX_SIZE
from woo_portal.request import NAMES, Json, request_of, struct, type_of

#: The full version of the API, whose first number is in its addresses.
VERSION = "0.1.0"
BASE = "/api/v0"
#: The path of a search in the API, and of the same search as a feed or file, by the name of the kind.
API: Mapping[str, str] = {WOO.name: f"{BASE}/zoek", PERMITS.name: f"{BASE}/vergunningen"}
FILES: Mapping[str, str] = {WOO.name: "/zoek", PERMITS.name: "/vergunningen"}
#: The path of what is new, changed and withdrawn, and the most changes in an answer.
CHANGES: Mapping[str, str] = {WOO.name: "/wijzigingen", PERMITS.name: "/vergunningen/wijzigingen"}
MAX_CHANGES = 500
#: The number of entries on a page of a feed, unless the address has another.
ENTRIES = 50

_ABOUT = """Zoeken in documenten die overheden openbaar maakten, en in vergunningen.

Deze API volgt de NL API Design Rules. Met opzet anders is wat programma's van open.overheid.nl nodig hebben:
de adressen onder /overheid/openbaarmakingen/api/v0, en /api/v0/zoek met een van hun parameters
(aantalResultaten, sort, order, publicatiedatumVan, publicatiedatumTot). Die volgen de beschrijving van
open.overheid.nl, en staan niet in deze."""
_JSON = "application/json"
_NOUNS = {WOO.name: "documenten", PERMITS.name: "vergunningen"}
_RECORDS: Mapping[str, type[Any]] = {WOO.name: Record, PERMITS.name: PermitRecord}

_Number = Annotated[int, Meta(ge=0)]


def _text(description: str, **schema: Any) -> Any:
    return Annotated[str, Meta(description=description, extra_json_schema=schema)]


_DAY = _text("Een dag, zoals 2026-04-02.", format="date")
_MOMENT = {"format": "date-time", "pattern": "(?:Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9])$"}
_SINCE = _text("Wat sindsdien is geoogst.", anyOf=[{"format": "date"}, _MOMENT])
_AFTER = _text("De plaats uit een eerder antwoord.", pattern=r"^[0-9a-z]{0,16}(\.[0-9]{1,18}){4}$")
_OF_CHANGES = {"sinds": _SINCE, "na": _AFTER, "aantal": Annotated[int, Meta(ge=1, le=MAX_CHANGES)]}


class Fout(Struct, forbid_unknown_fields=True):
    """Wat er mis is (RFC 9457)."""

    status: int
    title: str
    detail: Annotated[str, Meta(description="Een regel die zegt wat er mis is.")]
    ingetrokken: Annotated[datetime, Meta(tz=True)] | UnsetType = UNSET


class Telling(Struct, forbid_unknown_fields=True):
    """Een waarde van een filter, en hoeveel resultaten die hebben."""

    waarde: str
    label: str
    aantal: _Number


class VergunningOpKaart(Struct):
    """Een vergunning, en haar plaats als die bekend is: een Point of MultiPoint, lengtegraad eerst."""

    type: Literal["Feature"]
    id: str
    geometry: dict[str, Any] | None
    properties: dict[str, Any]


class VergunningenOpKaart(Struct):
    """Alle vergunningen van een zoekvraag als GeoJSON (RFC 7946)."""

    type: Literal["FeatureCollection"]
    features: list[VergunningOpKaart]


def _answer(kind: Kind) -> type[Struct]:
    name = f"{NAMES[kind.name]}Antwoord"
    fields = {
        **dict.fromkeys(("totaal", "start", "aantal"), _Number),
        "resultaten": GenericAlias(list, (_RECORDS[kind.name],)),
        "tellingen": struct(f"{name}Tellingen", {facet.name: list[Telling] for facet in facets(kind)}),
    }
    distances = {"afstanden": dict[str, _Number]} if kind == PERMITS else {}
    return struct(name, fields | distances, required=fields)


def description(root: str, title: str, contact: str, *, with_toets: bool = False) -> Json:
    """Return the description of a portal at an address, which has no slash at its end.

    *contact* is the URL or e-mail address of its operator, or empty.
    """
    paths = {path.removeprefix(BASE): item for kind in Kind for path, item in _of_kind(kind)}
    types = [Fout, VergunningenOpKaart, *_RECORDS.values()]
    types += [make(kind) for kind in Kind for make in (_answer, request_of)]
    _, schemas = schema_components(types, ref_template="#/components/schemas/{name}")
    is_mail = "@" in contact and "/" not in contact
    reached = {"email": contact} if is_mail else {}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": title,
            "version": VERSION,
            "description": _ABOUT,
            "contact": {"name": title, "url": (not is_mail and contact) or f"{root}/over", **reached},
            "license": {"name": "EUPL-1.2", "identifier": "EUPL-1.2"},
        },
        "servers": [{"url": root + BASE}],
        "paths": paths | ({"/toets/{host}": {"get": _toets()}} if with_toets else {}),
        "components": {"schemas": schemas},
    }


def _of_kind(kind: Kind) -> Iterator[tuple[str, Json]]:
    """Yield the paths of a kind of records."""
    path, name, nouns = API[kind.name], kind.name, _NOUNS[kind.name]
    # The values of a facet that is added have links, and are no question of a program.
    supplied = {facet.name for facet in facets(kind) if facet.is_supplied}
    types = {each: type_of(kind, each) for each in names_of(kind) if each not in supplied}
    types |= {each: _DAY for each, given in types.items() if given is date}
    answer = _content(_JSON, f"{NAMES[name]}Antwoord")
    post = _operation(f"zoek_{name}_verzoek", f"Zoek {nouns} met een verzoek in JSON", {}, answer)
    post["requestBody"] = {"required": True, "content": _content(_JSON, f"{NAMES[name]}Vraag")}
    yield path, {"get": _operation(f"zoek_{name}", f"Zoek {nouns}", types, answer), "post": post}
    yield path + "/{id}", {"get": _record(name, f"Lees een van de {nouns}")}
    feed = types | {"aantal": Annotated[int, Meta(ge=1, le=MAX_SIZE, extra_json_schema={"default": ENTRIES})]}
    whole = {each: types[each] for each in types if each not in ("start", "aantal")}
    media = {form.suffix: form.media_type.partition(";")[0] for form in FORMS[name]}
    found, new = f"Zoek {nouns}: alle resultaten", f"Volg welke {nouns} nieuw, gewijzigd of ingetrokken zijn"
    for file, media_type, summary, asked in (
        ("resultaten.atom", ATOM, found, feed),
        *((f"resultaten.{suffix}", each, found, whole) for suffix, each in media.items()),
        ("wijzigingen.atom", ATOM, new, _OF_CHANGES),
        ("wijzigingen.jsonl", media["jsonl"], new, _OF_CHANGES),
    ):
        operation = f"{file.replace('.', '_')}_{name}"
        yield (
            f"{path}/{file}",
            {"get": _operation(operation, f"{summary} ({media_type})", asked, _content(media_type))},
        )


def _record(name: str, summary: str) -> Json:
    made = _operation(f"lees_{name}", summary, {}, _content(_JSON, _RECORDS[name].__name__))
    made["parameters"] = [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "string", "format": "uuid"}}
    ]
    for status, text in (("404", "Dit kenmerk is hier niet bekend."), ("410", "Dit is ingetrokken.")):
        made["responses"][status] = _failure(text)
    return made


def _toets() -> Json:
    """Return the operation that reads the result of the test of a website."""
    content = {_JSON: {"schema": {"type": "object", "description": "Als report.json van woo-harvester."}}}
    made = _operation("lees_toets", "Lees het resultaat van de laatste toets van een website", {}, content)
    made["parameters"] = [{"name": "host", "in": "path", "required": True, "schema": {"type": "string"}}]
    made["responses"]["202"] = {"description": "De toets loopt nog, of wacht: plaats is die in de rij."}
    made["responses"]["404"] = _failure("Van deze website is geen resultaat.")
    return made


def _operation(operation: str, summary: str, parameters: Mapping[str, Any], content: Json) -> Json:
    """Return an operation; *content* is that of the answer 200."""
    headers = {"API-Version": {"description": "De versie van deze API.", "schema": {"type": "string"}}}
    return {
        "operationId": operation,
        "summary": summary,
        "parameters": [
            {"name": name, "in": "query", "schema": _or_empty(schema(each))}
            for name, each in parameters.items()
        ],
        "responses": {
            "200": {"description": "Het antwoord.", "headers": headers, "content": content},
            "304": {"description": "Het antwoord is niet veranderd.", "headers": headers},
            "400": _failure("De vraag klopt niet."),
            "503": _failure("Het is te druk, of de zoekmachine antwoordt niet."),
            # These are answers of the web server before the portal.
            "413": {"description": "Het verzoek is te groot."},
            "414": {"description": "Het adres is te lang: stel de vraag met POST."},
            "429": {"description": "Te veel vragen vanaf een adres: vraag later opnieuw."},
        },
    }


def _or_empty(given: Json) -> Json:
    """Return the schema of a parameter, which a form may leave empty; that of a list has texts."""
    return given if given.get("type") == "array" else {"anyOf": [given, {"const": ""}]}


def _failure(text: str) -> Json:
    return {"description": text, "content": _content("application/problem+json")}


#: The schema of each media type that always has the same one.
_SCHEMAS = {"application/problem+json": "Fout", "application/geo+json": "VergunningenOpKaart"}


def _content(media_type: str, name: str = "") -> Json:
    """Return the content of an answer; a text, unless a schema is named, or the media type has one."""
    name = name or _SCHEMAS.get(media_type, "")
    return {media_type: {"schema": {"$ref": f"#/components/schemas/{name}"} if name else {"type": "string"}}}
