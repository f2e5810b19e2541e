"""Supplements the metadata of an entry with those of other entries for the same document.

A field that the entry has is never changed. The parts of a geldigheid are one field: its beginning from one
entry and its end from another could make a period that nobody meant.
"""

from __future__ import annotations

import zlib

from msgspec import ValidationError, json
from msgspec.structs import replace

from woo_harvester.diwoo.given import GivenMetadata

#: The fields, each with the attributes of GivenMetadata that it consists of. The state keeps the place of a
#: field in this table: add new ones at the end.
_FIELDS: tuple[tuple[str, ...], ...] = (
    ("identifiers",),
    ("publisher",),
    ("verantwoordelijke",),
    ("medeverantwoordelijken",),
    ("opsteller",),
    ("naam_opsteller",),
    ("officiele_titel",),
    ("verkorte_titels",),
    ("alternatieve_titels",),
    ("omschrijvingen",),
    ("informatiecategorieen",),
    ("documentsoorten",),
    ("themas",),
    ("trefwoorden",),
    ("creatiedatum",),
    ("begindatum", "einddatum"),
    ("language",),
    ("format",),
    ("aggregatiekenmerk",),
    ("is_part_of",),
    ("has_parts",),
    ("handelingen",),
    ("relaties",),
    ("reden",),
    ("extra",),
)

#: The bit of the informatiecategorie, which the name of an index can give too.
CATEGORY = 1 << _FIELDS.index(("informatiecategorieen",))

#: Most bytes of metadata that are kept of an entry, after compression.
_PACKED_MAXSIZE = 64 * 1024


def fields_of(given: GivenMetadata) -> int:
    """Return the fields that are given, a bit for each."""
    return sum(
        1 << place
        for place, names in enumerate(_FIELDS)
        if any(getattr(given, name) not in (None, []) for name in names)
    )


def supplement(given: GivenMetadata, other: GivenMetadata) -> GivenMetadata:
    """Return the metadata with each field that is absent and that *other* has."""
    found = replace(given)
    missing = fields_of(other) & ~fields_of(given)
    for place, names in enumerate(_FIELDS):
        if missing & 1 << place:
            for name in names:
                setattr(found, name, getattr(other, name))
    if other.has_diwoo and not given.has_diwoo:
        found.has_diwoo, found.namespace = True, other.namespace
    return found


def pack(given: GivenMetadata) -> bytes | None:
    """Return the metadata as bytes that the state can keep, or None if they are too large."""
    packed = zlib.compress(json.encode(given))
    return packed if len(packed) <= _PACKED_MAXSIZE else None


def unpack(packed: bytes) -> GivenMetadata:
    """Return metadata that were packed; none of them if another version of the program packed them."""
    try:
        return json.decode(zlib.decompress(packed), type=GivenMetadata)
    except ValidationError:
        return GivenMetadata()
