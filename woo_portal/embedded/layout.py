"""The fields of the embedded index, and the index document of a search document.

Each searched field of a kind has a number (its place in ``text_fields``) and three index fields, one for each
analyzer. They get tokens with spaces between them, so that the index splits them and needs no Dutch.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from importlib.resources import files
from typing import Any, Self

from tantivy import DocAddress, Document, Query, Schema, SchemaBuilder, Searcher, SearchResult

import woo_portal
from woo_harvester import outputs
from woo_harvester.outputs.definition import (
    FACETS,
    KINDS,
    METADATA,
    PERMITS,
    RecordKind,
    facet_values,
    facets,
    values_at,
)
from woo_harvester.outputs.document import milliseconds_of
from woo_harvester.utils.dates import AMSTERDAM, parse_datetime
from woo_portal.dutch import normalized, piece_cache, pieces
from woo_portal.engine import PERIOD_FIELDS, SORT_DATES, text_fields, title_field
from woo_portal.question import PART_BITS

#: Goes up when the meaning of an index field changes; the index is then filled anew.
LAYOUT = 4
#: The kind of the document that keeps the positions in the files, and of a point of a record with several.
POSITIONS, POINT = "posities", "punt"
#: A longer title counts as missing for sorting, as in Elasticsearch.
_LONGEST_SORTED = 512
#: Stands between the values of a list, so that no phrase goes across two of them.
_BREAK = "\x00"
_FIRST_DAY, _LAST_DAY = date.min.toordinal(), date.max.toordinal()
_ORDER_BITS, _DAY_BITS, _MILLISECOND_BITS = 63, 22, 43


def digest() -> str:
    """Return a digest of all that the content of the index depends on."""
    content = sha256(f"{LAYOUT}".encode())
    for file in (files(outputs).joinpath("analysis.json"), files(woo_portal).joinpath("lucene.json")):
        content.update(file.read_bytes())
    content.update(repr([(METADATA[kind.name], text_fields(kind), facets(kind)) for kind in KINDS]).encode())
    return content.hexdigest()[:16]


def schema() -> Schema:
    """Return the fields of the index."""
    builder = SchemaBuilder()
    for name in ("kind", "id", "status"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("title", tokenizer_name="raw", index_option="basic", fast=True)
    for number in range(max(len(text_fields(kind)) for kind in KINDS)):
        builder.add_text_field(f"exact{number}", tokenizer_name="whitespace", index_option="position")
        builder.add_text_field(f"stam{number}", tokenizer_name="whitespace", index_option="freq")
        builder.add_text_field(f"delen{number}", tokenizer_name="whitespace", index_option="basic")
    for name in _facet_names():
        builder.add_text_field(f"value_{name}", tokenizer_name="raw", index_option="basic")
        builder.add_text_field(f"pair_{name}", tokenizer_name="raw", index_option="basic", fast=True)
    for name in ("key", "version", "newest", "oldest", "changed", "number"):
        builder.add_unsigned_field(name, fast=True, indexed=name == "key")
    for name in (*PERIOD_FIELDS, "begin", "end"):
        builder.add_integer_field(name, fast=True)
    for name in ("lat", "lon"):
        builder.add_float_field(name, fast=True)
    builder.add_bytes_field("document", stored=True)
    builder.add_bytes_field("tekst", stored=True)
    return builder.build()


def _facet_names() -> list[str]:
    return list(dict.fromkeys(facet.name for each in FACETS.values() for facet in each))


def key_of(record_id: str) -> int:
    """Return a number of 60 bits for an id, in the order of the ids: the beginning of the UUID."""
    try:
        return int(record_id.replace("-", "")[:15].ljust(15, "0"), 16)
    except ValueError:  # the id of something else
        return int.from_bytes(record_id.encode()[:7].ljust(7, b"\0")) << 4


def days_of(document: Mapping[str, Any], path: str) -> list[int]:
    """Return the days of the dates at a path; of a date-time the day in the Netherlands."""
    return [day for value in values_at(document, path) if (day := day_of(value)) is not None]


def day_of(value: object) -> int | None:
    """Return the number of a day, or None for what is no date."""
    if not isinstance(value, str):
        return None
    with suppress(ValueError, OverflowError):
        if len(value) == len("2024-01-01"):
            return date.fromisoformat(value).toordinal()
        return parse_datetime(value).astimezone(AMSTERDAM).date().toordinal()
    return None


class DocumentMaker:
    """Makes index documents; keeps the tokens of words that come often."""

    def __init__(self) -> None:
        self._exact, self._stems, self._parts = map(piece_cache, ("exact", "stam", "delen"))

    def documents(
        self, kind: RecordKind, document: dict[str, Any], version: int, number: int
    ) -> Iterable[Document]:
        """Yield the index document of a search document, and one for each of its points if it has several.

        *number* is that of the change.
        """
        made, key = Document(), key_of(document["id"])
        made.add_text("kind", kind.name)
        made.add_text("id", document["id"])
        made.add_text("status", document["status"])
        made.add_unsigned("key", key)
        made.add_unsigned("version", version)
        made.add_unsigned("changed", _latest_first(version, key))
        made.add_unsigned("number", number)
        self._add_texts(made, kind, document)
        _add_facets(made, kind, document)
        _add_dates(made, kind, document, key)
        _add_order_of_title(made, kind, document)
        stored = {name: value for name, value in document.items() if name not in ("tekst", "metadata")}
        made.add_bytes("document", json.dumps(stored, ensure_ascii=False, separators=(",", ":")).encode())
        for text in texts_at(document, "tekst"):
            made.add_bytes("tekst", text.encode())
        points = [(float(place["lat"]), float(place["lon"])) for place in document.get("locatie", ())]
        if len(points) == 1:
            _add_point(made, points[0])
        yield made
        if len(points) > 1:
            for point in points:
                yield _point_document(kind, document, key, point)

    def _add_texts(self, made: Document, kind: RecordKind, document: Mapping[str, Any]) -> None:
        for number, field in enumerate(text_fields(kind)):
            values = [self._tokens(text) for text in texts_at(document, field.path)]
            if values:
                exact, stems, parts = zip(*values, strict=True)
                made.add_text(f"exact{number}", f" {_BREAK} ".join(exact))
                made.add_text(f"stam{number}", " ".join(stems))
                made.add_text(f"delen{number}", " ".join(parts))

    def _tokens(self, text: str) -> tuple[str, str, str]:
        """Return the tokens of the analyzers exact, stam and delen; of the last each once."""
        given = pieces(text)
        return (
            " ".join(map(self._exact.__getitem__, given)),
            " ".join(map(self._stems.__getitem__, given)),
            " ".join(map(self._parts.__getitem__, set(given))),
        )


def texts_at(document: Mapping[str, Any], path: str) -> list[str]:
    """Return the texts at a path."""
    return [value for value in values_at(document, path) if isinstance(value, str)]


def _add_facets(made: Document, kind: RecordKind, document: Mapping[str, Any]) -> None:
    for facet in facets(kind):
        for each in facet_values(facet, document):
            made.add_text(f"value_{facet.name}", each.value)
            made.add_text(f"pair_{facet.name}", each.pair)


def _add_dates(made: Document, kind: RecordKind, document: Mapping[str, Any], key: int) -> None:
    for name, path in PERIOD_FIELDS.items():
        for day in days_of(document, path):
            made.add_integer(name, day)
    moments = [
        moment for text in texts_at(document, SORT_DATES[kind.name]) if (moment := _moment(kind, text))
    ]
    made.add_unsigned("oldest", _order(kind, min(moments, default=None), key))
    newest = max(moments, default=None)
    made.add_unsigned("newest", _order(kind, None if newest is None else _most(kind) - newest, key))
    if isinstance(period := document.get("temporal"), dict):
        begin, end = day_of(period.get("gte")), day_of(period.get("lte"))
        made.add_integer("begin", _FIRST_DAY if begin is None else begin)
        made.add_integer("end", _LAST_DAY + 1 if end is None else end)


def _moment(kind: RecordKind, text: str) -> int | None:
    """Return a date as a number to sort by: the day, or for permits the milliseconds since 1970."""
    if kind == PERMITS:
        return min(milliseconds, _most(kind) - 1) if (milliseconds := milliseconds_of(text)) else None
    return day_of(text)


def _most(kind: RecordKind) -> int:
    return int(2 ** (_MILLISECOND_BITS if kind == PERMITS else _DAY_BITS)) - 1


def _order(kind: RecordKind, moment: int | None, key: int) -> int:
    """Return a number of 63 bits in the order of a moment (None is last); for the same one, of the ids."""
    free = _ORDER_BITS - _most(kind).bit_length()
    value = _most(kind) if moment is None else moment
    return value << free | key >> max(0, PART_BITS - free)


def _latest_first(version: int, key: int) -> int:
    """Return a number of 63 bits in the order of versions, the latest first; for the same one, of the ids."""
    free = _ORDER_BITS - _MILLISECOND_BITS
    return max(0, int(2**_MILLISECOND_BITS) - 1 - version) << free | key >> max(0, PART_BITS - free)


def _add_order_of_title(made: Document, kind: RecordKind, document: Mapping[str, Any]) -> None:
    title = next(iter(texts_at(document, title_field(kind).path)), "")
    is_sorted = 0 < len(title) <= _LONGEST_SORTED
    order = f"0{normalized(title)}" if is_sorted else "1"
    made.add_text("title", f"{order}{_BREAK}{document['id']}")


def _add_point(made: Document, point: tuple[float, float]) -> None:
    made.add_float("lat", point[0])
    made.add_float("lon", point[1])


def _point_document(
    kind: RecordKind, document: Mapping[str, Any], key: int, point: tuple[float, float]
) -> Document:
    """Return a document that has one point of a record; it goes with the record, by the id."""
    made = Document()
    made.add_text("kind", f"{POINT} {kind.name}")
    made.add_text("id", document["id"])
    made.add_unsigned("key", key)
    _add_point(made, point)
    return made


def total_of(found: SearchResult) -> int:
    """Return the number of all that a search found, beyond its limit too."""
    return int(found.count)  # type: ignore[attr-defined]  # the type hints of tantivy lack it


def count_of(searcher: Searcher, query: Query) -> int:
    """Return how many documents of the index a query finds."""
    return total_of(searcher.search(query, 1))


def addresses_of(searcher: Searcher, query: Query) -> list[DocAddress]:
    """Return all that a query finds, in no order."""
    limit = max(1, count_of(searcher, query))
    return [address for _, address in searcher.search(query, limit, count=False).hits]


def stored_json(searcher: Searcher, address: DocAddress) -> Any:
    """Return the JSON of a document of the index."""
    return _json(searcher.doc(address).get_first("document"))


def stored_texts(searcher: Searcher, address: DocAddress) -> tuple[Mapping[str, Any], list[str]]:
    """Return a search document without its text, and the text."""
    found = searcher.doc(address)
    document: Mapping[str, Any] = _json(found.get_first("document"))
    return document, [text.decode() for text in found.get_all("tekst")]


@dataclass(frozen=True, slots=True)
class Marks:
    """What an index keeps beside its records: how far each file was read, and how far its numbers go."""

    fills: Sequence[Sequence[int]]
    """When each process that filled it began, in milliseconds since 1970, with the last number before that.

    An index that was put back from a backup is filled by another process than the numbers that it lost.
    """
    last: int
    """The number of its last change."""
    positions: Mapping[str, Any]

    @property
    def numbers(self) -> Mapping[str, int]:
        """The last number that each process gave, by a name of the process."""
        ends = [*(before for _, before in self.fills[1:]), self.last]
        return {f"{begun:x}": end for (begun, _), end in zip(self.fills, ends, strict=True)}

    @classmethod
    def read(cls, searcher: Searcher, query: Query) -> Self | None:
        """Return what the index keeps, or None before its first commit; *query* finds it."""
        found = searcher.search(query, 1, count=False).hits
        if not found:
            return None
        address = found[0][1]
        (last,) = searcher.fast_field_values("number", [address])
        return cls(last=int(last or 0), **stored_json(searcher, address))

    def document(self) -> Document:
        """Return the document that keeps these."""
        kept = Document()
        kept.add_text("kind", POSITIONS)
        kept.add_text("id", POSITIONS)
        kept.add_unsigned("number", self.last)
        kept.add_bytes("document", json.dumps({"fills": self.fills, "positions": self.positions}).encode())
        return kept


def _json(stored: Any) -> Any:
    return json.loads(stored)
