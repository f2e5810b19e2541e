"""The description of the API as OpenAPI, with JSON schemas (2020-12) of what it takes and answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, datetime
from types import GenericAlias
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct
from msgspec.json import schema, schema_components

from woo_harvester.kinds import PERMITS, WOO, Kind
from woo_harvester.outputs.definition import facets
from woo_harvester.permits.record import PermitRecord
from woo_harvester.record import Record
from woo_harvester.utils.program import VERSION
from woo_portal import open_overheid
from woo_portal.downloads import FORMS
from woo_portal.downloads import MEDIA_TYPE as ATOM
from woo_portal.parse import BEGIN, DISTANCE, END, GENERAL, MAX_DISTANCE, SIZE, filters_of, names_of, sorts_of
from woo_portal.question import MAX_CHOSEN, MAX_DEPTH, MAX_SIZE, MAX_TEXT

Json = dict[str, Any]

#: The path of a search in the API, and of the same search as a feed or file, by the name of the kind.
API: Mapping[str, str] = {WOO.name: "/api/v0/zoek", PERMITS.name: "/api/v0/vergunningen"}
FILES: Mapping[str, str] = {WOO.name: "/zoek", PERMITS.name: "/vergunningen"}
#: The path of what is new, changed and withdrawn, and the most changes in an answer.
CHANGES: Mapping[str, str] = {WOO.name: "/wijzigingen", PERMITS.name: "/vergunningen/wijzigingen"}
MAX_CHANGES = 500

_NOUNS = {WOO.name: "documenten", PERMITS.name: "vergunningen"}
_RECORDS: Mapping[str, type[Any]] = {WOO.name: Record, PERMITS.name: PermitRecord}
_NAMES = {WOO.name: "Document", PERMITS.name: "Vergunning"}

_Number = Annotated[int, Meta(ge=0)]
_Text = Annotated[str, Meta(max_length=MAX_TEXT)]


def _number(least: int, most: int, text: str, default: int) -> Any:
    return Annotated[int, Meta(ge=least, le=most, description=text, extra_json_schema={"default": default})]


#: The types of parameters, but for days and for those that may have several values.
_PARAMETERS: Mapping[str, Any] = {
    "zoektekst": Annotated[
        _Text,
        Meta(description="De woorden; tussen aanhalingstekens precies zo, met een min ervoor juist niet."),
    ],
    "start": _number(
        0, MAX_DEPTH - 1, f"Het eerste resultaat; start en aantal samen zijn hoogstens {MAX_DEPTH}.", 0
    ),
    "aantal": _number(1, MAX_SIZE, "Het aantal resultaten in het antwoord.", SIZE),
    "plaats": Annotated[str, Meta(description="Breedtegraad en lengtegraad (WGS84), zoals 52.3731,4.8926.")],
    "afstand": _number(1, MAX_DISTANCE, "De afstand tot de plaats in meter.", DISTANCE),
    "kader": Annotated[
        str, Meta(description="Zuid, west, noord en oost (WGS84), zoals 52.06,5.05,52.12,5.18.")
    ],
    "lopend": Annotated[
        Literal["ja", "nee"], Meta(description="ja: de vergunning geldt vandaag; nee: zij is afgelopen.")
    ],
}
_OF_CHANGES: Mapping[str, Any] = {
    "sinds": Annotated[str, Meta(description="Een dag of moment: wat sindsdien is geoogst.")],
    "na": Annotated[str, Meta(description="De plaats uit een eerder antwoord, om daar verder te gaan.")],
    "aantal": Annotated[int, Meta(ge=1, le=MAX_CHANGES)],
}
_Day = Annotated[
    str,
    Meta(pattern="^[0-9]{2}-[0-9]{2}-[0-9]{4}$", description="Een dag waarop het document hier is geoogst."),
]
_OF_OPEN_OVERHEID: Mapping[str, Any] = {
    "aantalResultaten": _PARAMETERS["aantal"],
    "sort": Literal[tuple(open_overheid.SORTS)],
    "order": Literal[open_overheid.ORDERS],
    **dict.fromkeys(open_overheid.DAYS, _Day),
}


class Fout(Struct, forbid_unknown_fields=True):
    """Wat er mis is."""

    status: int
    fout: Annotated[str, Meta(description="Een regel die zegt wat er mis is.")]
    detail: (
        Annotated[str, Meta(description="Dezelfde regel, zoals open.overheid.nl hem noemt.")] | UnsetType
    ) = UNSET
    ingetrokken: Annotated[datetime, Meta(tz=True)] | UnsetType = UNSET


class Filterwaarde(Struct, forbid_unknown_fields=True):
    """Een waarde van een filter van open.overheid.nl, en hoeveel resultaten die hebben."""

    naam: str
    aantal: _Number


class Telling(Struct, forbid_unknown_fields=True):
    """Een waarde van een filter, en hoeveel resultaten die hebben."""

    waarde: str
    label: str
    aantal: _Number


def _answer(kind: Kind) -> type[Struct]:
    name = f"{_NAMES[kind.name]}Antwoord"
    fields = {
        **dict.fromkeys(("totaal", "start", "aantal"), _Number),
        "resultaten": GenericAlias(list, (_RECORDS[kind.name],)),
        "tellingen": _struct(f"{name}Tellingen", {facet.name: list[Telling] for facet in facets(kind)}),
    }
    distances = {"afstanden": dict[str, _Number]} if kind == PERMITS else {}
    return _struct(name, fields | distances, required=fields)


def _answer_of_open_overheid() -> type[Struct]:
    name, names = "OpenOverheidAntwoord", open_overheid.FILTERS
    filters = _struct(f"{name}Filters", dict.fromkeys(names, list[Filterwaarde]), required=names)
    fields: Json = {"totaal": _Number, "resultaten": list[dict[str, Any]], "filters": filters}
    return _struct(name, fields, required=fields)


def _request(kind: Kind) -> type[Struct]:
    """Return the type of the request in JSON; filters whose path has a dot stand in a group."""
    name = f"{_NAMES[kind.name]}Vraag"
    groups: dict[str, Json] = {}
    for path, parameter in filters_of(kind).items():
        group, _, last = path.rpartition(".")
        groups.setdefault(group, {})[last] = _type(kind, parameter)
    filters = groups.pop("") | {group: _struct(f"{name}_{group}", each) for group, each in groups.items()}
    general = {each: _type(kind, each) for each in GENERAL}
    return _struct(name, {**general, "filters": _struct(f"{name}Filters", filters)})


def _struct(name: str, types: Json, required: Collection[str] = ()) -> type[Struct]:
    """Return a type with these fields and no others."""
    fields: list[Any] = [
        (each, given) if each in required else (each, given | UnsetType, UNSET)
        for each, given in types.items()
    ]
    return defstruct(name, fields, forbid_unknown_fields=True)


def _type(kind: Kind, name: str) -> Any:
    """Return the type of a parameter."""
    if name.endswith((BEGIN, END)):
        return date
    if name == "sorteer":
        return Literal[tuple(map(str, sorts_of(kind)))]
    several = "Een URI of een naam. Meer waarden mogen; één is genoeg."
    return _PARAMETERS.get(name, Annotated[list[_Text], Meta(max_length=MAX_CHOSEN, description=several)])


def description(root: str) -> Json:
    """Return the description; *root* is the path of the portal, with a slash at its end."""
    types = [Fout, *_RECORDS.values(), *(make(kind) for kind in Kind for make in (_answer, _request))]
    types.append(_answer_of_open_overheid())
    _, schemas = schema_components(types, ref_template="#/components/schemas/{name}")
    paths: Json = {}
    for kind in Kind:
        paths |= _of_kind(kind)
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
        "components": {"schemas": schemas},
    }


def _of_kind(kind: Kind) -> Json:
    """Return the paths of a kind of records."""
    path, name, nouns = API[kind.name], kind.name, _NOUNS[kind.name]
    parameters = _parameters({each: _type(kind, each) for each in names_of(kind)})
    answer = _json(f"{_NAMES[name]}Antwoord")
    asked = {"requestBody": {"required": True, "content": _json(f"{_NAMES[name]}Vraag")}}
    post = _operation(f"zoek_{name}_verzoek", f"Zoek {nouns} met een verzoek in JSON", [], answer)
    found: Json = {
        path: {"get": _operation(f"zoek_{name}", f"Zoek {nouns}", parameters, answer), "post": post | asked},
        path + "/{id}": {"get": _record(f"lees_{name}", f"Lees een van de {nouns}", _RECORDS[name].__name__)},
    }
    media = {form.suffix: form.media_type.partition(";")[0] for form in FORMS[name]}
    for suffix, media_type in {"atom": ATOM, **media}.items():
        what = "als feed, nieuwste eerst" if suffix == "atom" else f"als {suffix}, alle resultaten"
        found[f"{FILES[name]}.{suffix}"] = {
            "get": _operation(
                f"{suffix.replace('.', '_')}_{name}", f"Zoek {nouns} {what}", parameters, _file(media_type)
            )
        }
    for suffix, media_type in {"atom": ATOM, "jsonl": media["jsonl"]}.items():
        what = f"Volg welke {nouns} nieuw, gewijzigd of ingetrokken zijn, als {suffix}"
        found[f"{CHANGES[name]}.{suffix}"] = {
            "get": _operation(
                f"wijzigingen_{suffix}_{name}", what, _parameters(_OF_CHANGES), _file(media_type)
            )
        }
    return found


def _of_open_overheid() -> Json:
    """Return the paths in the shape of open.overheid.nl, whose own description holds for documents."""
    base = open_overheid.BASE
    own = {each: _type(WOO, each) for each in names_of(WOO)}
    search = _operation(
        "zoek_als_open_overheid",
        "Zoek documenten met de parameters en in de vorm van open.overheid.nl",
        _parameters({**own, **_OF_OPEN_OVERHEID}),
        _json("OpenOverheidAntwoord"),
    )
    found: Json = {f"{base}/zoek": {"get": search}}
    paths = (f"{base}/zoek/{{id}}", f"{base}/zoek/{{id}}_{{versie}}", f"{API[WOO.name]}/{{id}}_{{versie}}")
    for number, path in enumerate(paths):
        one = _record(f"lees_als_open_overheid_{number}", "Lees een document in de vorm van open.overheid.nl")
        if "{versie}" in path:
            one["parameters"] += _parameters({"versie": int}, "path")
        found[path] = {"get": one}
    return found


def _record(operation: str, summary: str, name: str = "") -> Json:
    made = _operation(operation, summary, [], _json(name))
    made["parameters"] = [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "string", "format": "uuid"}}
    ]
    made["responses"] |= {
        "404": {"description": "Dit kenmerk is hier niet bekend.", "content": _json("Fout")},
        "410": {"description": "Dit is ingetrokken.", "content": _json("Fout")},
    }
    return made


def _operation(operation: str, summary: str, parameters: list[Json], content: Json) -> Json:
    """Return an operation; *content* is that of the answer 200."""
    return {
        "operationId": operation,
        "summary": summary,
        "parameters": parameters,
        "responses": {
            "200": {"description": "Het antwoord.", "content": content},
            "304": {"description": "Het antwoord is niet veranderd."},
            "400": {"description": "De vraag klopt niet.", "content": _json("Fout")},
            "503": {
                "description": "Het is te druk, of de zoekmachine antwoordt niet.",
                "content": _json("Fout"),
            },
        },
    }


def _parameters(types: Mapping[str, Any], place: str = "query") -> list[Json]:
    required = {"required": True} if place == "path" else {}
    return [{"name": name, "in": place, "schema": schema(each), **required} for name, each in types.items()]


def _json(name: str = "") -> Json:
    """Return the content in JSON of a schema, or of any object."""
    return {
        "application/json": {
            "schema": {"$ref": f"#/components/schemas/{name}"} if name else {"type": "object"}
        }
    }


def _file(media_type: str) -> Json:
    return {media_type: {"schema": {"type": "string"}}}
