"""The fields of the embedded index, and what it keeps beside its records.

Each searched field of a kind has a number (its place in ``text_fields``) and three index fields: for the
words as they stand, for their stems, and for what the parts of compounds add to these. They get tokens with
spaces between them, so that the index splits them and needs no Dutch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b, sha256
from importlib.resources import files
from typing import Any, Self

from msgspec import json
from tantivy import DocAddress, Document, Query, Schema, SchemaBuilder, Searcher, SearchResult

import woo_portal
from woo_harvester import outputs
from woo_harvester.kinds import Kind
from woo_harvester.outputs.definition import FacetValue, facets, metadata_of, values_at
from woo_portal.engine import PERIOD_FIELDS, text_fields

#: Goes up when the meaning of an index field changes; the index is then filled anew.
LAYOUT = 9
#: The kind of the document that keeps the positions in the files, and of a point of a record with several.
POSITIONS, POINT = "posities", "punt"


def digest() -> str:
    """Return a digest of all that the content of the index depends on."""
    content = sha256(f"{LAYOUT}".encode())
    for file in (files(outputs).joinpath("analysis.json"), files(woo_portal).joinpath("stopwords.txt")):
        content.update(file.read_bytes())
    content.update(repr([(metadata_of(kind), text_fields(kind), facets(kind)) for kind in Kind]).encode())
    return content.hexdigest()[:16]


def schema() -> Schema:
    """Return the fields of the index."""
    builder = SchemaBuilder()
    for name in ("kind", "id", "status"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("title", tokenizer_name="raw", index_option="basic", fast=True)
    for number in range(max(len(text_fields(kind)) for kind in Kind)):
        builder.add_text_field(f"exact{number}", tokenizer_name="whitespace", index_option="position")
        builder.add_text_field(f"stam{number}", tokenizer_name="whitespace", index_option="freq")
        builder.add_text_field(f"delen{number}", tokenizer_name="whitespace", index_option="basic")
    for name in dict.fromkeys(facet.name for kind in Kind for facet in facets(kind)):
        builder.add_text_field(f"value_{name}", tokenizer_name="raw", index_option="basic")
        builder.add_text_field(f"pair_{name}", tokenizer_name="raw", index_option="basic")
        builder.add_unsigned_field(f"count_{name}", fast=True, indexed=False)
    for name in ("key", "version", "newest", "oldest", "changed", "harvested", "number"):
        builder.add_unsigned_field(name, fast=True, indexed=name == "key")
    for name in (*PERIOD_FIELDS, "begin", "end"):
        builder.add_integer_field(name, fast=True)
    for name in ("lat", "lon"):
        builder.add_float_field(name, fast=True)
    builder.add_bytes_field("document", stored=True)
    builder.add_bytes_field("tekst", stored=True)
    return builder.build()


def key_of(record_id: str) -> int:
    """Return a number of 60 bits for an id, in the order of the ids: the beginning of the UUID."""
    try:
        return int(record_id.replace("-", "")[:15].ljust(15, "0"), 16)
    except ValueError:  # the id of something else
        return int.from_bytes(record_id.encode()[:7].ljust(7, b"\0")) << 4


@lru_cache(10_000)
def number_of_pair(pair: str) -> int:
    """Return a number of 48 bits for label and value of a facet, by which they are counted.

    An index counts numbers without a look at the texts, and answers with them as floats of 53 bits.
    """
    return int.from_bytes(blake2b(pair.encode(), digest_size=6).digest())


def values_by_number(searcher: Searcher, name: str) -> dict[int, FacetValue]:
    """Return the values of a facet that the index has, by the numbers by which they are counted."""
    pairs = searcher.terms_with_prefix(f"pair_{name}", "")
    return {number_of_pair(pair): FacetValue.of_pair(pair) for pair, _ in pairs}


def texts_at(document: Mapping[str, Any], path: str) -> list[str]:
    """Return the texts at a path."""
    return [value for value in values_at(document, path) if isinstance(value, str)]


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
        kept.add_bytes("document", json.encode({"fills": self.fills, "positions": self.positions}))
        return kept


def _json(stored: Any) -> Any:
    return json.decode(stored)
