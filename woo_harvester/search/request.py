"""The request that KOOP's search service has, as a question: a JSON object instead of parameters.

Its filters stand in groups; each has a name of its own among the parameters of an address.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from woo_harvester.search.parse import BEGIN, DATES, END, GENERAL, names_of, question_of_pairs
from woo_harvester.search.question import Question, QuestionError
from woo_harvester.search.record_kind import RecordKind

#: The filters whose name differs from that of the parameter.
_NAMES: Mapping[str, str] = {
    "verantwoordelijke": "organisatie",
    "classificatiecollectie.documentsoorten": "documentsoort",
    "classificatiecollectie.themas": "thema",
    "classificatiecollectie.informatiecategorieen": "informatiecategorie",
}
_FILTERS = "filters"


def question_of_request(kind: RecordKind, body: bytes) -> Question:
    """Return the question in the body of a POST request. Raises QuestionError."""
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        raise QuestionError("De vraag is geen geldige JSON.") from None
    if not isinstance(request, Mapping):
        raise QuestionError('De vraag is een JSON-object, zoals {"zoektekst": "stikstof"}.')
    return question_of_pairs(kind, _pairs(kind, request))


def filters_of(kind: RecordKind) -> dict[str, str]:
    """Return the parameter of each filter of a request, by its path (``classificatiecollectie.themas``)."""
    periods = {
        f"{name}.{word}": name + end
        for name in DATES[kind.name]
        for word, end in (("van", BEGIN), ("tot", END))
    }
    known = {name: name for name in names_of(kind) if name not in GENERAL and name not in periods.values()}
    koop = {path: name for path, name in _NAMES.items() if name in known}
    return {**known, **koop, **periods}


def _pairs(kind: RecordKind, request: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in request.items():
        if name != _FILTERS:
            yield from _values(name, value, name)
        elif isinstance(value, Mapping):
            yield from _filters(filters_of(kind), value)
        elif value is not None:
            raise QuestionError("filters is een JSON-object.")


def _filters(
    known: Mapping[str, str], given: Mapping[str, Any], before: str = ""
) -> Iterator[tuple[str, str]]:
    for name, value in given.items():
        path = before + name
        if path in known:
            yield from _values(known[path], value, path)
        elif isinstance(value, Mapping) and any(each.startswith(path + ".") for each in known):
            yield from _filters(known, value, path + ".")
        else:
            raise QuestionError(f"Onbekend filter: {path[:50]!r}. Mogelijk zijn: {', '.join(known)}.")


def _values(name: str, value: Any, shown: str) -> Iterator[tuple[str, str]]:
    """Yield a parameter for each value; a null is absent."""
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str) or (isinstance(each, int) and not isinstance(each, bool)):
            yield name, str(each)
        elif each is not None:
            raise QuestionError(f"{shown[:50]} is een tekst of een getal, of een lijst daarvan.")
