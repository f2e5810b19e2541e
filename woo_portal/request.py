"""The types of parameters, and of the request in JSON that a POST asks with, and the question in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import date
from functools import cache
from typing import Annotated, Any, Literal

from msgspec import UNSET, DecodeError, Meta, Struct, UnsetType, convert, defstruct, to_builtins
from msgspec.json import Decoder

from woo_harvester.kinds import PERMITS, WOO, Kind
from woo_portal.parse import (
    BEGIN,
    BOX,
    DATES,
    DISTANCE,
    END,
    GENERAL,
    MAX_DISTANCE,
    PLACE,
    SIZE,
    names_of,
    question_of_pairs,
    sorts_of,
)
from woo_portal.question import MAX_CHOSEN, MAX_SIZE, MAX_START, MAX_TEXT, Question, QuestionError

Json = dict[str, Any]

#: What a record is called in the names of types, by the name of the kind.
NAMES: Mapping[str, str] = {WOO.name: "Document", PERMITS.name: "Vergunning"}

#: A text without control characters but those that are a space.
_READABLE = r"^[^\u0000-\u0008\u000e-\u001b\u007f-\u0084\u0086-\u009f\ufffd]*$"
# Not checked by msgspec itself (0.22), which ends the process when it drops a union with two patterns.
_Text = Annotated[str, Meta(max_length=MAX_TEXT, extra_json_schema={"pattern": _READABLE})]


def _number(least: int, most: int, text: str, default: int) -> Any:
    return Annotated[int, Meta(ge=least, le=most, description=text, extra_json_schema={"default": default})]


def _place(pattern: str, text: str) -> Any:
    return Annotated[str, Meta(description=text, extra_json_schema={"pattern": f"^({pattern})?$"})]


#: The types of parameters, but for days and for those that may have several values.
_PARAMETERS: Mapping[str, Any] = {
    "zoektekst": Annotated[
        _Text,
        Meta(description="De woorden; tussen aanhalingstekens precies zo, met een min ervoor juist niet."),
    ],
    "start": _number(0, MAX_START, "Het eerste resultaat.", 0),
    "aantal": _number(1, MAX_SIZE, "Het aantal resultaten in het antwoord.", SIZE),
    "plaats": _place(PLACE, "Breedtegraad en lengtegraad (WGS84), zoals 52.3731,4.8926."),
    "afstand": _number(1, MAX_DISTANCE, "De afstand tot de plaats in meter.", DISTANCE),
    "kader": _place(BOX, "Zuid, west, noord en oost (WGS84), zoals 52.06,5.05,52.12,5.18."),
    "lopend": Annotated[
        Literal["ja", "nee"], Meta(description="ja: de vergunning geldt vandaag; nee: zij is afgelopen.")
    ],
}


def type_of(kind: Kind, name: str) -> Any:
    """Return the type of a parameter of questions about records of *kind*."""
    if name.endswith((BEGIN, END)):
        return date
    if name == "sorteer":
        return Literal[tuple(map(str, sorts_of(kind)))]
    several = "Een URI of een naam. Meer waarden mogen; één is genoeg."
    return _PARAMETERS.get(name, Annotated[list[_Text], Meta(max_length=MAX_CHOSEN, description=several)])


#: The filters whose name differs from that of the parameter.
_NAMES: Mapping[str, str] = {
    "verantwoordelijke": "organisatie",
    "classificatiecollectie.documentsoorten": "documentsoort",
    "classificatiecollectie.themas": "thema",
    "classificatiecollectie.informatiecategorieen": "informatiecategorie",
}


def filters_of(kind: Kind) -> dict[str, str]:
    """Return the parameter of each filter of a request, by its path (``classificatiecollectie.themas``)."""
    periods = {
        f"{name}.{word}": name + end
        for name in DATES[kind.name]
        for word, end in (("van", BEGIN), ("tot", END))
    }
    known = {name: name for name in names_of(kind) if name not in GENERAL and name not in periods.values()}
    koop = {path: name for path, name in _NAMES.items() if name in known}
    return {**known, **koop, **periods}


@cache
def request_of(kind: Kind) -> type[Struct]:
    """Return the type of the request; filters whose path has a dot stand in a group.

    A null counts as absent, and a filter may have one value in the place of a list.
    """
    name = f"{NAMES[kind.name]}Vraag"
    groups: dict[str, Json] = {}
    for path, parameter in filters_of(kind).items():
        group, _, last = path.rpartition(".")
        given = type_of(kind, parameter)
        is_list = parameter not in _PARAMETERS and given is not date
        groups.setdefault(group, {})[last] = (given | _Text if is_list else given) | None
    filters = groups.pop("") | {
        group: struct(f"{name}{group.capitalize()}", each) | None for group, each in groups.items()
    }
    general = {each: type_of(kind, each) | None for each in GENERAL}
    return struct(name, {**general, "filters": struct(f"{name}Filters", filters) | None})


def struct(name: str, types: Json, required: Collection[str] = ()) -> type[Struct]:
    """Return a type with these fields and no others."""
    fields: list[Any] = [
        (each, given) if each in required else (each, given | UnsetType, UNSET)
        for each, given in types.items()
    ]
    return defstruct(name, fields, forbid_unknown_fields=True)


def question_of_request(kind: Kind, body: bytes) -> Question:
    """Return the question in the body of a POST request. Raises QuestionError."""
    try:
        request = to_builtins(convert(_READER.decode(body), request_of(kind)))
    except (DecodeError, RecursionError) as error:
        raise QuestionError(f"Het verzoek is niet zoals openapi.json het beschrijft: {error}") from None
    known = {f"filters.{path}": name for path, name in filters_of(kind).items()}
    return question_of_pairs(
        kind, _pairs(known | dict(zip(GENERAL, GENERAL, strict=True)), request), most=2 * MAX_CHOSEN
    )


def _whole(text: str) -> float:
    """Return a number of JSON, in which 82.0 is a whole one (JSON Schema, 4.2.3)."""
    number = float(text)
    return int(number) if number.is_integer() else number


_READER = Decoder(float_hook=_whole)


def _pairs(known: Mapping[str, str], given: Json, before: str = "") -> Iterator[tuple[str, str]]:
    """Yield a parameter for each value; a null is absent."""
    for name, value in given.items():
        if isinstance(value, dict):
            yield from _pairs(known, value, f"{before}{name}.")
        else:
            values = value if isinstance(value, list) else [value]
            yield from ((known[before + name], str(each)) for each in values if each is not None)
