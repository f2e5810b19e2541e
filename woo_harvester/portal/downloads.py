"""All hits of a search as a file: CSV, JSON Lines, and GeoJSON of permits."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from io import StringIO
from typing import Any

from woo_harvester.columns import cells, columns_of
from woo_harvester.dates import day_of
from woo_harvester.permits.geojson import BEGIN, END, feature_line
from woo_harvester.permits.record import PermitRecord
from woo_harvester.record import Record
from woo_harvester.report.csv_file import TextWriter
from woo_harvester.search.permits import PERMITS
from woo_harvester.search.record_kind import RecordKind
from woo_harvester.search.woo import WOO

_Records = Iterable[Mapping[str, Any]]

#: Spreadsheets guess the encoding of a CSV file without it.
_BYTE_ORDER_MARK = "\ufeff"
_RECORD_TYPES: Mapping[str, type[Any]] = {WOO.name: Record, PERMITS.name: PermitRecord}


@dataclass(frozen=True, slots=True)
class Form:
    """A form in which all hits of a search can be downloaded."""

    suffix: str
    media_type: str
    pieces: Callable[[RecordKind, _Records], Iterator[str]]
    """A function that yields the text of the file in pieces, at most one for each record and two more."""
    depends_on_day: bool = False
    """Whether the same records give another file on another day."""


def _csv(kind: RecordKind, records: _Records) -> Iterator[str]:
    columns = columns_of(_RECORD_TYPES[kind.name])
    yield _BYTE_ORDER_MARK + _row(columns)
    for record in records:
        yield _row(cells(record, columns))


def _row(values: Iterable[object]) -> str:
    file = StringIO()
    TextWriter(file).writerow(values)
    return file.getvalue()


def _json_lines(kind: RecordKind, records: _Records) -> Iterator[str]:
    for record in records:
        yield json.dumps(record, ensure_ascii=False) + "\n"


def _geojson(kind: RecordKind, records: _Records) -> Iterator[str]:
    today = day_of(datetime.now(UTC))
    yield BEGIN
    for number, record in enumerate(records):
        yield feature_line(record, today, is_first=number == 0)
    yield END


_BOTH = (
    Form("csv", "text/csv; charset=utf-8", _csv),
    Form("jsonl", "application/jsonl; charset=utf-8", _json_lines),
)

#: The forms by the name of the kind of records.
FORMS: Mapping[str, tuple[Form, ...]] = {
    WOO.name: _BOTH,
    PERMITS.name: (*_BOTH, Form("geojson", "application/geo+json", _geojson, depends_on_day=True)),
}
