"""The search API of open.overheid.nl: questions with its parameters, and answers in its shape.

Public programs that read its API read a portal too, with another base address. What they ask and read was
taken from their sources.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import Any
from urllib.parse import unquote, urlsplit

from woo_harvester.kinds import WOO
from woo_harvester.outputs.definition import Status
from woo_harvester.outputs.document import record_of
from woo_portal.details import files_of, first, location_of, title_of, version_of, whole_number
from woo_portal.engine import Answer
from woo_portal.parse import Pairs, names_of, period_of, question_of_pairs
from woo_portal.question import Question, QuestionError, Sort

Json = Mapping[str, Any]

#: Where open.overheid.nl has its API.
BASE = "/overheid/openbaarmakingen/api/v0"

_SORT, _ORDER = "sort", "order"
#: Its orders, and their names here.
SORTS: Mapping[str, Sort] = {
    "relevantie": Sort.RELEVANCE,
    "publicatiedatum": Sort.NEWEST,
    "laatst-gewijzigd": Sort.CHANGED,
}
ORDERS = ("desc", "asc")
#: The days between which a document came: there its openbaarmakingsdatum, here the day of its harvest.
DAYS = ("publicatiedatumVan", "publicatiedatumTot")
_SIZE = "aantalResultaten"
#: Its parameters that have another name here.
NAMES = (_SIZE, _SORT, _ORDER, *DAYS)
#: Its filters, which programs encode twice, as its own website does.
FILTERS = ("documentsoort", "informatiecategorie", "thema", "organisatie")

_DAY = re.compile("([0-9]{2})-([0-9]{2})-([0-9]{4})")
_ENCODED = re.compile("%[0-9A-Fa-f]{2}")


def is_asked(pairs: Pairs) -> bool:
    """Return whether a question has a parameter that only open.overheid.nl has."""
    return any(name in NAMES for name, _ in pairs)


def question_of(pairs: Pairs, *, is_strict: bool) -> Question:
    """Return the question of parameters of open.overheid.nl and of our own. Raises QuestionError.

    Unless it is strict, a parameter that neither has is left out, as open.overheid.nl does.
    """
    known = (*NAMES, *names_of(WOO))
    given = [pair for pair in pairs if is_strict or pair[0] in known]
    question = question_of_pairs(WOO, _renamed(given))
    period = period_of(*(_day(name, given) for name in DAYS))
    came = {"opgehaald": period} if period else {}
    return replace(question, periods={**question.periods, **came})


def _renamed(pairs: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for name, value in pairs:
        if name == _SIZE:
            yield "aantal", value
        elif name in FILTERS:
            yield name, unquote(value) if _ENCODED.search(value) else value
        elif name not in NAMES:
            yield name, value
    if any(name in (_SORT, _ORDER) and value.strip() for name, value in pairs):
        yield "sorteer", _sort(pairs).value


def _day(name: str, pairs: list[tuple[str, str]]) -> date | None:
    """Return a day such as 02-04-2026 or 2026-04-02, or None if none is given."""
    value = _one(name, pairs)
    try:
        return date.fromisoformat(_DAY.sub(r"\3-\2-\1", value)) if value else None
    except ValueError:
        raise QuestionError(f"{name} is een dag, zoals 02-04-2026.") from None


def _sort(pairs: list[tuple[str, str]]) -> Sort:
    sort, order = _one(_SORT, pairs) or "relevantie", _one(_ORDER, pairs) or "desc"
    for name, value, known in ((_SORT, sort, tuple(SORTS)), (_ORDER, order, ORDERS)):
        if value not in known:
            raise QuestionError(f"{name} is een van: {', '.join(known)}.")
    if order != "asc":
        return SORTS[sort]
    if SORTS[sort] is not Sort.NEWEST:
        raise QuestionError("order=asc kan alleen met sort=publicatiedatum.")
    return Sort.OLDEST


def _one(name: str, pairs: list[tuple[str, str]]) -> str:
    """Return the only value of a parameter, or an empty text. Raises QuestionError if there are several."""
    values = [value.strip() for given, value in pairs if given == name and value.strip()]
    if len(values) > 1:
        raise QuestionError(f"Geef {name} maar één keer.")
    return next(iter(values), "")


def results(root: str, answer: Answer) -> dict[str, Any]:
    """Return a page of hits with the counts; *root* is the portal's address without a slash at its end."""
    filters = {
        name: [{"naam": each.value.label, "aantal": each.number} for each in answer.counts[name]]
        for name in FILTERS
    }
    found = [_hit(root, hit.document) for hit in answer.hits]
    return {"totaal": answer.total, "resultaten": found, "filters": filters}


def _hit(root: str, document: Json) -> dict[str, Any]:
    version = version_of(document)
    file = next(iter(files_of(version)), None)
    size, pages = (whole_number(file.get(name)) if file else None for name in ("grootte", "paginas"))
    about = {
        "id": f"{document['id']}_{whole_number(version.get('nummer')) or 1}",
        "pid": _pid(root, document),
        "titel": title_of(document),
        "omschrijving": first(document, "document.omschrijvingen"),
        "openbaarmakingsdatum": first(document, "versies.openbaarmakingsdatum"),
        "weblocatie": location_of(document),
        "publisher": first(document, "document.publisher.label") or "Onbekend",
        "aanbieder": _supplier(document),
        "mutatiedatumtijd": _changed(document),
    }
    found = {
        "document": _known(about),
        "bestandsgrootte": f"{size / 1024**2:.2f} MB" if size is not None else "",
        "aantalPaginas": pages,
        "bestandsType": (file.get("mime-type") or "application/octet-stream") if file else "",
    }
    return _known(found)


def _known(values: Json) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}


def detail(root: str, document: Json) -> dict[str, Any]:
    """Return one document: the record, with the keys that programs read and a record may lack.

    A list without members is empty. Of a file, a text that is not known is empty, and a number is 0.
    """
    record = record_of(document)
    about = _with_lists(record["document"], "identifiers", "medeverantwoordelijken", "omschrijvingen",
                        "hasParts", "documenthandelingen", "extraMetadata")  # fmt: skip
    titles = _with_lists(about.get("titelcollectie"), "verkorteTitels", "alternatieveTitels")
    classes = _with_lists(about.get("classificatiecollectie"), "documentsoorten", "themas",
                          "informatiecategorieen", "trefwoorden")  # fmt: skip
    unknown = {"label": "Onbekend"}
    publisher = about.get("publisher") or unknown
    about = {"publisher": publisher, "verantwoordelijke": publisher, "opsteller": unknown, **about}
    about |= {"pid": _pid(root, document), "titelcollectie": titles, "classificatiecollectie": classes}
    return {
        **record,
        "document": about,
        "documentrelaties": record.get("documentrelaties") or [],
        "versies": [_version(root, document, each) for each in record["versies"]],
        "plooiIntern": {
            "dcnId": document["id"],
            "extId": [document["id"]],
            "aanbieder": _supplier(document),
            "sourceLabel": "woo-harvester",
            "publicatiestatus": Status.GEPUBLICEERD.value,
        },
    }


def _version(root: str, document: Json, version: Json) -> dict[str, Any]:
    files = [
        {
            "id": f"{_pid(root, document)}/file",
            "label": "file",
            "gepubliceerd": True,
            "mime-type": "application/octet-stream",
            **dict.fromkeys(("bestandsnaam", "hash"), ""),
            **each,
            "grootte": whole_number(each.get("grootte")) or 0,
        }
        for each in files_of(version)
    ]
    number = whole_number(version.get("nummer")) or 1
    return {"mutatiedatumtijd": _changed(document), **version, "nummer": number, "bestanden": files}


def _with_lists(given: Any, *names: str) -> dict[str, Any]:
    return {**{name: [] for name in names}, **(given if isinstance(given, Mapping) else {})}


def _pid(root: str, document: Json) -> str:
    return f"{root}/documenten/{document['id']}"


def _supplier(document: Json) -> str:
    """Return the website that has the document: here there is no other supplier."""
    try:
        return urlsplit(location_of(document)).hostname or "onbekend"
    except ValueError:  # an address that is none
        return "onbekend"


def _changed(document: Json) -> str:
    """Return the moment of a version; that of its harvest if the publisher gave none."""
    return first(document, "versies.mutatiedatumtijd") or first(document, "herkomst.opgehaald")
