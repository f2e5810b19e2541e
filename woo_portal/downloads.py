"""What feeds, lists and maps show of a record, whichever kind it is of."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import partial
from io import StringIO
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from lxml import etree
from lxml.builder import ElementMaker
from starlette.exceptions import HTTPException
from starlette.requests import Request

from woo_harvester.kinds import PERMITS, WOO, Kind
from woo_harvester.outputs.columns import cells, columns_of
from woo_harvester.outputs.definition import Status, values_at
from woo_harvester.permits.record import BEGIN, END, feature_line
from woo_harvester.report.csv_file import TextWriter
from woo_harvester.utils.dates import AMSTERDAM, day_of, iso_datetime, parse_datetime
from woo_harvester.utils.templates import is_web
from woo_portal.details import first, location_of, organisation_of, title_of
from woo_portal.permit_details import PERMITS_PATH, permit_path, permit_title
from woo_portal.wording import day, document_path


@dataclass(frozen=True, slots=True)
class Summary:
    """A record in a few values. A text that the record does not have is empty."""

    title: str
    description: str
    source: str
    """The URL at the publisher."""
    path: str
    """The path of its page in the portal."""
    organisation: str
    changed: datetime | None
    """The moment of its version."""
    published: str
    """The day on which it was made public, as YYYY-MM-DD."""
    terms: tuple[tuple[str, str], ...]
    """What it is about: URI, or label of a value that has none, and label."""


def summary_of(kind: Kind, record: Mapping[str, Any]) -> Summary:
    """Return the summary of a record or of its search document."""
    return _SUMMARIES[kind.name](record)


def changed_at(record: Mapping[str, Any]) -> datetime | None:
    """Return the moment of the version of a record; of a withdrawn one, of its withdrawal."""
    return _moment_at(record, "versies.mutatiedatumtijd") or harvested_at(record)


def harvested_at(record: Mapping[str, Any]) -> datetime | None:
    """Return the moment of harvest of a record."""
    return _moment_at(record, "herkomst.opgehaald")


def _moment_at(record: Mapping[str, Any], path: str) -> datetime | None:
    """Return the first moment at a path: a file that the operator gave may be of other software."""
    for text in values_at(record, path):
        with suppress(AttributeError, TypeError, ValueError):
            return parse_datetime(text)
    return None


def _document(record: Mapping[str, Any]) -> Summary:
    return Summary(
        title=title_of(record),
        description=first(record, "document.omschrijvingen"),
        source=location_of(record),
        path=document_path(record["id"]),
        organisation=organisation_of(record),
        changed=changed_at(record),
        published=first(record, "versies.openbaarmakingsdatum"),
        terms=_terms(values_at(record, "document.classificatiecollectie.informatiecategorieen")),
    )


def _permit(record: Mapping[str, Any]) -> Summary:
    return Summary(
        title=permit_title(record),
        description=first(record, "vergunning.description"),
        source=first(record, "vergunning.identifier"),
        path=permit_path(record["id"]),
        organisation=first(record, "vergunning.creator.label"),
        changed=changed_at(record),
        published="",
        terms=_terms(values_at(record, "vergunning.product.producttype")),
    )


def _terms(values: Iterable[Any]) -> tuple[tuple[str, str], ...]:
    given = (value for value in values if isinstance(value, Mapping))  # a file may be of other software
    found = ((value.get("id") or value.get("label"), value.get("label")) for value in given)
    return tuple((str(term or label), str(label or term)) for term, label in found if term or label)


_SUMMARIES: Mapping[str, Callable[[Mapping[str, Any]], Summary]] = {
    WOO.name: _document,
    PERMITS.name: _permit,
}


#: What a record is called, by the name of its kind.
NOUNS: Mapping[str, str] = {WOO.name: "Dit document", PERMITS.name: "Deze vergunning"}
#: The page of a search, by the name of the kind.
SEARCHES: Mapping[str, str] = {WOO.name: "/", PERMITS.name: PERMITS_PATH}


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """When a record was withdrawn, and a sentence about it."""

    since: str
    """The moment, as the record has it; empty if it has none."""
    text: str


async def document_by_id(request: Request, kind: Kind) -> Mapping[str, Any]:
    """Return the search document whose id is in the path. Raises HTTPException 404 if there is none."""
    engine, record_id = request.app.state.engine, str(request.path_params["id"])
    found: Mapping[str, Any] | None = await request.app.state.asking(engine.get, kind, record_id)
    if found is None:
        raise HTTPException(404, f"{NOUNS[kind.name]} is hier niet bekend.")
    return found


def withdrawal_of(kind: Kind, document: Mapping[str, Any]) -> Withdrawal | None:
    """Return the withdrawal of a record, or None if the record is published."""
    if document.get("status") != Status.INGETROKKEN:
        return None
    moment = changed_at(document)
    since = iso_datetime(moment) if moment else ""
    when = f" sinds {day(since)}" if since else ""
    return Withdrawal(since, f"{NOUNS[kind.name]} is{when} ingetrokken.")


ATOM = "http://www.w3.org/2005/Atom"
MEDIA_TYPE = "application/atom+xml"

_E = ElementMaker(namespace=ATOM, nsmap={None: ATOM})
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_BEFORE_ALL = datetime(1970, 1, 1, tzinfo=UTC)
#: Characters that XML cannot have.
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Entry:
    """A record in the feed."""

    record_id: str
    summary: Summary
    label: str = ""
    """What happened to the record, in a feed of changes."""


def atom(
    title: str, root: str, links: Mapping[str, str], entries: Sequence[Entry], changed: datetime | None
) -> bytes:
    """Return a page of a feed as XML.

    *root* is the address of the portal, without a slash at its end. *links* are addresses by relation: the
    ``alternate`` for people, ``self``, ``first``, and if there are such pages ``next`` and ``previous``.
    *changed* is the moment of the last harvest, for a feed without entries.
    """
    moments = [entry.summary.changed for entry in entries if entry.summary.changed]
    feed = _E.feed(
        _E.id(uuid5(NAMESPACE_URL, links["first"]).urn),
        _E.title(_text(title)),
        _E.updated(iso_datetime(max(moments, default=changed or _BEFORE_ALL))),
        _E.author(_E.name("woo-harvester")),
    )
    feed.set(_LANG, "nl")
    for relation, address in links.items():
        media_type = "text/html" if relation == "alternate" else MEDIA_TYPE
        feed.append(_E.link(rel=relation, type=media_type, href=_text(address)))
    feed.extend(_entry(entry, root) for entry in entries)
    return etree.tostring(feed, xml_declaration=True, encoding="utf-8", pretty_print=True)


def _entry(entry: Entry, root: str) -> etree._Element:
    about = entry.summary
    title = ": ".join(filter(None, (entry.label, about.title)))
    made = _E.entry(
        _E.id(_urn(entry.record_id)),
        _E.title(_text(title)),
        _E.updated(iso_datetime(about.changed or _BEFORE_ALL)),
        _E.link(rel="alternate", type="text/html", href=_text(root + about.path)),
    )
    if published := _midnight(about.published):
        made.append(_E.published(published))
    if about.organisation:
        made.append(_E.author(_E.name(_text(about.organisation))))
    if about.description:
        made.append(_E.summary(_text(about.description), type="text"))
    if is_web(about.source):
        made.append(_E.link(rel="via", href=_text(about.source)))
    made.extend(_E.category(term=_text(term), label=_text(label)) for term, label in about.terms)
    return made


def _urn(record_id: str) -> str:
    """Return the id of an entry, which does not depend on the address of the portal."""
    try:
        return UUID(record_id).urn
    except ValueError:
        return uuid5(NAMESPACE_URL, record_id).urn


def _midnight(day: str) -> str | None:
    try:
        return iso_datetime(datetime.combine(date.fromisoformat(day), time(), AMSTERDAM))
    except ValueError:
        return None


def _text(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)


_Records = Iterable[Mapping[str, Any]]

#: Spreadsheets guess the encoding of a CSV file without it.
_BYTE_ORDER_MARK = "\ufeff"
#: Columns without a value for a visitor: the index has no record with its text, and the operator's folder is
#: not the visitor's.
_NOT_HERE = frozenset({"tekst", "pad"})


@dataclass(frozen=True, slots=True)
class Form:
    """A form in which all hits of a search can be downloaded."""

    suffix: str
    media_type: str
    pieces: Callable[[Kind, _Records], Iterator[str]]
    """A function that yields the text of the file in pieces, at most one for each record and two more."""
    depends_on_day: bool = False
    """Whether the same records give another file on another day."""


def _csv(kind: Kind, records: _Records, delimiter: str = ",") -> Iterator[str]:
    columns = {name: path for name, path in columns_of(kind).items() if name not in _NOT_HERE}
    yield _BYTE_ORDER_MARK + _row(columns, delimiter)
    for record in records:
        yield _row(cells(record, columns.values()), delimiter)


def _row(values: Iterable[object], delimiter: str) -> str:
    file = StringIO()
    TextWriter(file, delimiter=delimiter).writerow(values)
    return file.getvalue()


def _json_lines(kind: Kind, records: _Records) -> Iterator[str]:
    for record in records:
        yield json.dumps(record, ensure_ascii=False) + "\n"


def _geojson(kind: Kind, records: _Records) -> Iterator[str]:
    today = day_of(datetime.now(UTC))
    yield BEGIN
    for number, record in enumerate(records):
        yield feature_line(record, today, is_first=number == 0)
    yield END


_BOTH = (
    Form("csv", "text/csv; charset=utf-8", _csv),
    # Excel in Dutch splits a line at semicolons only.
    Form("nl.csv", "text/csv; charset=utf-8", partial(_csv, delimiter=";")),
    Form("jsonl", "application/jsonl; charset=utf-8", _json_lines),
)

#: The forms by the name of the kind of records.
FORMS: Mapping[str, tuple[Form, ...]] = {
    WOO.name: _BOTH,
    PERMITS.name: (*_BOTH, Form("geojson", "application/geo+json", _geojson, depends_on_day=True)),
}
