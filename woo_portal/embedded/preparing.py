"""The documents of the index for lines with records; other processes make them if there are many lines."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from multiprocessing.connection import Connection
from threading import local
from typing import Any, NamedTuple, Self

from msgspec import json

from woo_harvester.kinds import PERMITS, Kind, record_kind_of
from woo_harvester.outputs.definition import facet_values, facets
from woo_harvester.outputs.document import document_of, milliseconds_of, version_number
from woo_harvester.utils.dates import AMSTERDAM, parse_datetime
from woo_harvester.utils.inputs import parse_object
from woo_portal.dutch import normalized, tokens_of
from woo_portal.embedded.layout import POINT, key_of, number_of_pair, texts_at
from woo_portal.embedded.lines import Batch
from woo_portal.engine import CHANGE_DATES, PERIOD_FIELDS, SORT_DATES, EngineError, text_fields, title_field
from woo_portal.question import PART_BITS

#: The fields of one document of the index, by name; a field may have several values.
Fields = dict[str, Any]

#: What Python raises for a record whose values have other types than a record's.
MISTAKES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
#: The longest id or value of a facet, with its label, as in Elasticsearch.
_LONGEST_VALUE = 8191
#: A longer title counts as missing for sorting, as in Elasticsearch.
_LONGEST_SORTED = 512
#: Stands between the values of a list, so that no phrase goes across two of them.
_BREAK = "\x00"
#: What is not kept with the document: the text is kept apart, and the metadata are only searched.
_APART = frozenset({"tekst", "metadata"})
_FIRST_DAY, _LAST_DAY = date.min.toordinal(), date.max.toordinal()
_ORDER_BITS, _DAY_BITS, _MILLISECOND_BITS = 63, 22, 43


@dataclass(slots=True)
class Prepared:
    """A record, ready for the index."""

    id: str
    version: int
    documents: Sequence[Fields]
    """Its document, and one for each of its points if it has several; without the number of the change."""


class Found(NamedTuple):
    """The records in some lines, the newest of each; and why each other line is no record."""

    records: Sequence[Prepared]
    mistakes: Sequence[str]


@dataclass(slots=True)
class _Entry:
    kind: Kind
    document: dict[str, Any]
    version: int


def prepared(lines: Iterable[bytes | None]) -> Found:
    """Return what is in lines; None is a line that is too long."""
    newest: dict[str, _Entry] = {}
    mistakes: list[str] = []
    for line in lines:
        if line is not None and not line.strip():
            continue
        try:
            entry = _entry(line)
        except ValueError as error:
            mistakes.append(str(error))
            continue
        name = entry.document["id"]
        if name not in newest or entry.version >= newest[name].version:
            newest[name] = entry
    made: list[Prepared] = []
    for name, entry in newest.items():
        try:
            documents = [*_documents_of(entry.kind, entry.document, entry.version)]
        except MISTAKES as error:
            mistakes.append(odd_field(name, error))
        else:
            made.append(Prepared(name, entry.version, documents))
    return Found(made, mistakes)


def odd_field(name: str, error: Exception) -> str:
    """Return what is wrong with a record with a field that cannot be indexed."""
    return f"a field of the record {name} is not what a record has: {error!r}"


def _entry(line: bytes | None) -> _Entry:
    """Return the record in a line. Raises ValueError if it has none."""
    if line is None:
        raise ValueError("a line is too long")
    record = parse_object(line)
    name = record.get("id")
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_VALUE or not record.get("versies"):
        raise ValueError("expected a record, with an id and a version")
    kind = record_kind_of(record)
    try:
        return _Entry(kind, document_of(kind, record), version_number(record))
    except MISTAKES as error:
        raise ValueError(f"expected a record of the kind {kind.name}: {error!r}") from error


def _documents_of(kind: Kind, document: dict[str, Any], version: int) -> Iterator[Fields]:
    key = key_of(document["id"])
    made: Fields = {
        "kind": kind.name,
        "id": document["id"],
        "status": document["status"],
        "key": key,
        "version": version,
        "harvested": _order(version, key, _MILLISECOND_BITS, is_latest_first=True),
        "changed": _order(_last_change(kind, document), key, _MILLISECOND_BITS, is_latest_first=True),
        "title": _order_of_title(kind, document),
        **_texts(kind, document),
        **_facets(kind, document),
        **_dates(kind, document, key),
        "document": json.encode({name: each for name, each in document.items() if name not in _APART}),
        "tekst": [text.encode() for text in texts_at(document, "tekst")],
    }
    points = [
        {"lat": float(place["lat"]), "lon": float(place["lon"])} for place in document.get("locatie", ())
    ]
    if len(points) == 1:
        made |= points[0]
    yield made
    if len(points) > 1:
        # They go with the record, by the id.
        about = {"kind": f"{POINT} {kind.name}", "id": document["id"], "key": key}
        yield from (about | point for point in points)


def _texts(kind: Kind, document: Mapping[str, Any]) -> Fields:
    made: Fields = {}
    for number, field in enumerate(text_fields(kind)):
        if texts := texts_at(document, field.path):
            exact, stems, parts = zip(*map(tokens_of, texts), strict=True)
            made[f"exact{number}"] = f" {_BREAK} ".join(exact)
            made[f"stam{number}"] = " ".join(stems)
            made[f"delen{number}"] = " ".join(parts)
    return made


def _facets(kind: Kind, document: Mapping[str, Any]) -> Fields:
    made: Fields = {}
    for facet in facets(kind):
        # A longer one is not among the terms of the index, so that it could be counted, but not named.
        if found := [each for each in facet_values(facet, document) if len(each.pair) <= _LONGEST_VALUE]:
            made[f"value_{facet.name}"] = [each.value for each in found]
            pairs = made[f"pair_{facet.name}"] = [each.pair for each in found]
            made[f"count_{facet.name}"] = [*map(number_of_pair, pairs)]
    return made


def _dates(kind: Kind, document: Mapping[str, Any], key: int) -> Fields:
    made: Fields = {name: days for name, path in PERIOD_FIELDS.items() if (days := _days_of(document, path))}
    texts = texts_at(document, SORT_DATES[kind.name])
    moments = [moment for text in texts if (moment := _moment(kind, text))]
    bits = _MILLISECOND_BITS if kind == PERMITS else _DAY_BITS
    made["oldest"] = _order(min(moments, default=None), key, bits)
    made["newest"] = _order(max(moments, default=None), key, bits, is_latest_first=True)
    if isinstance(period := document.get("temporal"), dict):
        begin, end = (day_of(period.get(name)) for name in ("gte", "lte"))
        made["begin"] = _FIRST_DAY if begin is None else begin
        made["end"] = _LAST_DAY + 1 if end is None else end
    return made


def _days_of(document: Mapping[str, Any], path: str) -> list[int]:
    """Return the days of the dates at a path; of a date-time the day in the Netherlands."""
    return [day for text in texts_at(document, path) if (day := day_of(text)) is not None]


@lru_cache(10_000)  # many records have the same
def day_of(value: object) -> int | None:
    """Return the number of a day, or None for what is no date."""
    with suppress(ValueError, OverflowError):
        text = str(value)
        if len(text) == len("2024-01-01"):
            return date.fromisoformat(text).toordinal()
        return parse_datetime(text).astimezone(AMSTERDAM).date().toordinal()
    return None


def _moment(kind: Kind, text: str) -> int | None:
    """Return a date as a number to sort by: the day, or for permits the milliseconds since 1970."""
    return milliseconds_of(text) or None if kind == PERMITS else day_of(text)


def _order(moment: int | None, key: int, bits: int, *, is_latest_first: bool = False) -> int:
    """Return a number of 63 bits in the order of moments (None is last); for the same one, of the ids."""
    last, free = int(2**bits) - 1, _ORDER_BITS - bits
    value = last if moment is None else min(moment, last - 1)
    if is_latest_first and moment is not None:
        value = last - 1 - value
    return value << free | key >> max(0, PART_BITS - free)


def _last_change(kind: Kind, document: Mapping[str, Any]) -> int:
    """Return the last change in milliseconds since 1970, 0 if there is none; a day begins in UTC."""
    found = texts_at(document, CHANGE_DATES[kind.name])
    return max((milliseconds_of(text if "T" in text else f"{text}T00:00:00Z") for text in found), default=0)


def _order_of_title(kind: Kind, document: Mapping[str, Any]) -> str:
    title = next(iter(texts_at(document, title_field(kind).path)), "")
    is_sorted = 0 < len(title) <= _LONGEST_SORTED
    order = f"0{normalized(title)}" if is_sorted else "1"
    return f"{order}{_BREAK}{document['id']}"


#: The bytes of a file that are worth starting processes for, which takes each of them a second or two.
_MANY_BYTES = 64 * 1024 * 1024
#: More processes than this wait for the one thread that writes the index.
_MOST_PROCESSES = 4


class Preparer:
    """Makes the documents of batches of lines; use it as a context, which ends its processes.

    Each process has a pipe of its own, and a thread that waits for it: one that is killed while it writes is
    then the end of its pipe. In the one pipe of a ProcessPoolExecutor, the rest of it is waited for.
    """

    def __init__(self) -> None:
        self._count = min(os.cpu_count() or 1, _MOST_PROCESSES)
        self._threads = ThreadPoolExecutor(self._count)
        self._of_thread = local()
        self._pipes: list[Connection] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(cancel_futures=True)
        for pipe in self._pipes:
            pipe.close()  # with which its process ends

    def in_order(self, batches: Iterable[Batch], size: int) -> Iterator[tuple[Batch, Found]]:
        """Yield each batch with what is in it; all of them have *size* bytes. Raises EngineError."""
        if size < _MANY_BYTES or self._count < 2:
            yield from ((batch, prepared(batch.lines)) for batch in batches)
            return
        waiting: deque[tuple[Batch, Future[Found]]] = deque()
        for batch in batches:
            waiting.append((batch, self._threads.submit(self._asked, batch.lines)))
            if len(waiting) > self._count + 1:
                first, found = waiting.popleft()
                yield first, found.result()
        yield from ((batch, found.result()) for batch, found in waiting)

    def _asked(self, lines: Sequence[bytes | None]) -> Found:
        """Have the process of this thread prepare lines."""
        try:
            if not hasattr(self._of_thread, "pipe"):
                self._of_thread.pipe = self._started()
            self._of_thread.pipe.send(lines)
            found: Found = self._of_thread.pipe.recv()
        except (EOFError, OSError) as error:
            raise EngineError(
                "a process that prepares records for the index was ended, or could not start"
            ) from error
        return found

    def _started(self) -> Connection:
        context = multiprocessing.get_context("spawn")  # this process has threads
        pipe, other_end = context.Pipe()
        self._pipes.append(pipe)
        with other_end:
            context.Process(target=_prepare, args=(other_end,), daemon=True).start()
        return pipe


def _prepare(pipe: Connection) -> None:
    """Prepare what comes from a pipe, until the process at its other end closes it or ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    gc.set_threshold(100_000, 50, 100)  # what is made here has no circles
    with suppress(EOFError, OSError):
        while True:
            pipe.send(prepared(pipe.recv()))
