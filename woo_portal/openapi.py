"""The description of the API as OpenAPI, with JSON schemas (2020-12) of the classes of records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.json import schema_components

from woo_harvester.kinds import PERMITS, WOO, Kind
from woo_harvester.outputs.definition import facets
from woo_harvester.permits.record import PermitRecord
from woo_harvester.record import Record
from woo_harvester.utils.program import VERSION
from woo_portal import open_overheid
from woo_portal.downloads import FORMS
from woo_portal.parse import BEGIN, DISTANCE, END, GENERAL, MAX_DISTANCE, SIZE, filters_of, names_of, sorts_of
from woo_portal.question import MAX_CHOSEN, MAX_DEPTH, MAX_SIZE, MAX_TEXT, Sort

Schema = dict[str, Any]


def object_schema(properties: Schema, required: tuple[str, ...] = ()) -> Schema:
    """Return the schema of an object with these properties and no others."""
    made: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**made, "required": list(required)} if required else made


#: The path of a search in the API, and of the same search as a feed or file, by the name of the kind.
API: Mapping[str, str] = {WOO.name: "/api/v0/zoek", PERMITS.name: "/api/v0/vergunningen"}
FILES: Mapping[str, str] = {WOO.name: "/zoek", PERMITS.name: "/vergunningen"}
#: The path of what is new, changed and withdrawn, and the most changes in an answer.
CHANGES: Mapping[str, str] = {WOO.name: "/wijzigingen", PERMITS.name: "/vergunningen/wijzigingen"}
MAX_CHANGES = 500

_NOUNS = {WOO.name: "documenten", PERMITS.name: "vergunningen"}
_RECORDS: Mapping[str, type[Any]] = {WOO.name: Record, PERMITS.name: PermitRecord}
_SCHEMAS = {WOO.name: "Document", PERMITS.name: "Vergunning"}
_TEXTS: Mapping[str, str] = {
    "zoektekst": "De woorden; tussen aanhalingstekens precies zo, met een min ervoor juist niet.",
    "sorteer": "De volgorde. Afstand kan alleen met een plaats.",
    "start": f"Het eerste resultaat, vanaf 0; start en aantal samen zijn hoogstens {MAX_DEPTH}.",
    "aantal": "Het aantal resultaten in het antwoord.",
    "id": "Het kenmerk van een record.",
    "plaats": "Breedtegraad en lengtegraad (WGS84), zoals 52.3731,4.8926.",
    "afstand": "De afstand tot de plaats in meter.",
    "kader": "Zuid, west, noord en oost (WGS84), zoals 52.06,5.05,52.12,5.18.",
    "lopend": "ja: de vergunning geldt vandaag; nee: zij is afgelopen.",
}


def description(root: str) -> Schema:
    """Return the description; *root* is the path of the portal, with a slash at its end."""
    paths: Schema = {}
    for kind in Kind:
        path = API[kind.name]
        paths[path] = {"get": _get(kind), "post": _post(kind)}
        paths[path + "/{id}"] = {"get": _record(kind)}
        media = {"atom": "application/atom+xml"} | {
            form.suffix: form.media_type.partition(";")[0] for form in FORMS[kind.name]
        }
        for suffix, media_type in media.items():
            paths[f"{FILES[kind.name]}.{suffix}"] = {"get": _file(kind, suffix, media_type)}
        for suffix in ("atom", "jsonl"):
            paths[f"{CHANGES[kind.name]}.{suffix}"] = {"get": _changes(kind, suffix, media[suffix])}
    paths |= _of_open_overheid()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "woo-harvester",
            "version": VERSION,
            "description": "Zoeken in documenten die overheden openbaar maakten, en in vergunningen.",
            "license": {"name": "EUPL-1.2", "identifier": "EUPL-1.2"},
        },
        "servers": [{"url": root.rstrip("/") or "/"}],
        "paths": paths,
        "components": {"schemas": _schemas()},
    }


def _get(kind: Kind) -> Schema:
    return {
        "operationId": f"zoek_{kind.name}",
        "summary": f"Zoek {_NOUNS[kind.name]}",
        "parameters": _parameters(kind),
        "responses": _responses(_json(_ref(f"{_SCHEMAS[kind.name]}Antwoord"))),
    }


def _post(kind: Kind) -> Schema:
    return {
        "operationId": f"zoek_{kind.name}_verzoek",
        "summary": f"Zoek {_NOUNS[kind.name]} met een verzoek in JSON",
        "requestBody": {"required": True, "content": _json(_ref(f"{_SCHEMAS[kind.name]}Vraag"))},
        "responses": _responses(_json(_ref(f"{_SCHEMAS[kind.name]}Antwoord"))),
    }


def _record(kind: Kind) -> Schema:
    problem = _json(_ref("Fout"))
    return {
        "operationId": f"lees_{kind.name}",
        "summary": f"Lees een van de {_NOUNS[kind.name]}",
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string", "format": "uuid"}}
        ],
        "responses": {
            **_responses(_json(_ref(_RECORDS[kind.name].__name__))),
            "404": {"description": "Dit kenmerk is hier niet bekend.", "content": problem},
            "410": {"description": "Dit is ingetrokken.", "content": problem},
        },
    }


def _file(kind: Kind, suffix: str, media_type: str) -> Schema:
    what = "als feed, nieuwste eerst" if suffix == "atom" else f"als {suffix}, alle resultaten"
    return {
        "operationId": f"{suffix.replace('.', '_')}_{kind.name}",
        "summary": f"Zoek {_NOUNS[kind.name]} {what}",
        "parameters": _parameters(kind),
        "responses": {
            "200": {
                "description": "De resultaten.",
                "content": {media_type: {"schema": {"type": "string"}}},
            },
            "400": {"description": "De vraag klopt niet."},
            "503": {"description": "Het is te druk, of de zoekmachine antwoordt niet."},
        },
    }


def _changes(kind: Kind, suffix: str, media_type: str) -> Schema:
    """Return the description of the changes, which has the same answers as a file."""
    number = {"type": "integer", "minimum": 1, "maximum": MAX_CHANGES}
    parameters: dict[str, tuple[str, Schema]] = {
        "sinds": ("Een dag of moment: wat sindsdien is geoogst.", {"type": "string"}),
        "na": ("De plaats uit een eerder antwoord, om daar verder te gaan.", {"type": "string"}),
        "aantal": ("Het aantal wijzigingen in het antwoord.", number),
    }
    return {
        **_file(kind, suffix, media_type),
        "operationId": f"wijzigingen_{suffix}_{kind.name}",
        "summary": f"Volg welke {_NOUNS[kind.name]} nieuw, gewijzigd of ingetrokken zijn, als {suffix}",
        "parameters": [
            {"name": name, "in": "query", "description": text, "schema": schema}
            for name, (text, schema) in parameters.items()
        ],
    }


def _of_open_overheid() -> Schema:
    """Return the paths that answer in the shape of open.overheid.nl, whose own description holds for them."""
    base = open_overheid.BASE
    answer = _json({"type": "object", "additionalProperties": True})
    search = {
        "operationId": "zoek_als_open_overheid",
        "summary": "Zoek documenten met de parameters en in de vorm van open.overheid.nl",
        "parameters": [*_parameters(WOO), *map(_own_parameter, open_overheid.NAMES)],
        "responses": _responses(answer),
    }
    found: Schema = {f"{base}/zoek": {"get": search}}
    paths = (f"{base}/zoek/{{id}}", f"{base}/zoek/{{id}}_{{versie}}", f"{API[WOO.name]}/{{id}}_{{versie}}")
    for number, path in enumerate(paths):
        one = _record(WOO)
        version = {"name": "versie", "in": "path", "required": True, "schema": {"type": "integer"}}
        one["operationId"] = f"lees_als_open_overheid_{number}"
        one["summary"] = "Lees een document in de vorm van open.overheid.nl"
        one["parameters"] += [version] if "{versie}" in path else []
        one["responses"] |= {"200": {"description": "Het antwoord.", "content": answer}}
        found[path] = {"get": one}
    return found


def _own_parameter(name: str) -> Schema:
    """Return a parameter that only open.overheid.nl has."""
    known: dict[str, Schema] = {
        "aantalResultaten": _value(WOO, "aantal"),
        "sort": {"type": "string", "enum": [*open_overheid.SORTS]},
        "order": {"type": "string", "enum": [*open_overheid.ORDERS]},
    }
    day = {"type": "string", "pattern": "^[0-9]{2}-[0-9]{2}-[0-9]{4}$"}
    return {"name": name, "in": "query", "schema": known.get(name, day)}


def _responses(content: Schema) -> Schema:
    problem = _json(_ref("Fout"))
    return {
        "200": {"description": "Het antwoord.", "content": content},
        "304": {"description": "Het antwoord is niet veranderd."},
        "400": {"description": "De vraag klopt niet.", "content": problem},
        "503": {"description": "Het is te druk, of de zoekmachine antwoordt niet.", "content": problem},
    }


def _parameters(kind: Kind) -> list[Schema]:
    return [
        {
            "name": name,
            "in": "query",
            "description": _text(kind, name),
            "schema": _value(kind, name),
            **({"style": "form", "explode": True} if _is_list(kind, name) else {}),
        }
        for name in names_of(kind)
    ]


def _text(kind: Kind, name: str) -> str:
    for facet in facets(kind):
        if facet.name == name:
            return f"{facet.label}: een URI of een naam. Meer waarden mogen; één is genoeg."
    if name.endswith((BEGIN, END)):
        return f"De {'eerste' if name.endswith(BEGIN) else 'laatste'} dag van de periode."
    return _TEXTS[name]


def _is_list(kind: Kind, name: str) -> bool:
    return name == "id" or name in {facet.name for facet in facets(kind)}


def _value(kind: Kind, name: str) -> Schema:
    """Return the schema of a parameter."""
    if _is_list(kind, name):
        return {"type": "array", "items": {"type": "string", "maxLength": MAX_TEXT}, "maxItems": MAX_CHOSEN}
    if name.endswith((BEGIN, END)):
        return {"type": "string", "format": "date"}
    known: dict[str, Schema] = {
        "zoektekst": {"type": "string", "maxLength": MAX_TEXT},
        "sorteer": {"type": "string", "enum": [*map(str, sorts_of(kind))], "default": str(Sort.RELEVANCE)},
        "start": {"type": "integer", "minimum": 0, "maximum": MAX_DEPTH - 1, "default": 0},
        "aantal": {"type": "integer", "minimum": 1, "maximum": MAX_SIZE, "default": SIZE},
        "afstand": {"type": "integer", "minimum": 1, "maximum": MAX_DISTANCE, "default": DISTANCE},
        "lopend": {"type": "string", "enum": ["ja", "nee"]},
    }
    return known.get(name, {"type": "string"})


def _schemas() -> Schema:
    found: Schema = {
        "Fout": object_schema(
            {
                "status": {"type": "integer"},
                "fout": {"type": "string", "description": "Een regel die zegt wat er mis is."},
                "detail": {
                    "type": "string",
                    "description": "Dezelfde regel, zoals open.overheid.nl hem noemt.",
                },
                "ingetrokken": {"type": "string", "format": "date-time"},
            },
            required=("status", "fout"),
        ),
        "Telling": object_schema(
            {
                "waarde": {"type": "string", "description": "De waarde voor het filter."},
                "label": {"type": "string"},
                "aantal": {"type": "integer", "minimum": 0},
            },
            required=("waarde", "label", "aantal"),
        ),
    }
    _, records = schema_components(_RECORDS.values(), ref_template="#/components/schemas/{name}")
    found |= records
    for kind in Kind:
        name = _SCHEMAS[kind.name]
        found[f"{name}Antwoord"] = _answer(kind)
        found[f"{name}Vraag"] = _request(kind)
    return found


def _answer(kind: Kind) -> Schema:
    counts = {facet.name: {"type": "array", "items": _ref("Telling")} for facet in facets(kind)}
    number = {"type": "integer", "minimum": 0}
    properties = {
        "totaal": number,
        "start": number,
        "aantal": {**number, "description": "Het aantal resultaten in dit antwoord."},
        "resultaten": {"type": "array", "items": _ref(_RECORDS[kind.name].__name__)},
        "tellingen": object_schema(counts),
    }
    if kind == PERMITS:
        properties["afstanden"] = {
            "type": "object",
            "description": "De afstand tot de plaats in meter, per kenmerk.",
            "additionalProperties": number,
        }
    return object_schema(properties, required=("totaal", "start", "aantal", "resultaten", "tellingen"))


def _request(kind: Kind) -> Schema:
    """Return the schema of the request in JSON; filters whose path has a dot stand in a group."""
    filters: Schema = {}
    for path, name in filters_of(kind).items():
        group, _, last = path.rpartition(".")
        level = filters.setdefault(group, object_schema({}))["properties"] if group else filters
        level[last] = _value(kind, name)
    general = {name: _value(kind, name) for name in GENERAL}
    return object_schema({**general, "filters": object_schema(filters)})


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _json(schema: Schema) -> Schema:
    return {"application/json": {"schema": schema}}
