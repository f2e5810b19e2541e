"""The JSON of a record: its keys, its line in a file, and its plain values.

A class of a record is a :class:`msgspec.Struct` or a dataclass. Values that are None or empty are absent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import StrEnum
from functools import lru_cache
from operator import attrgetter
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from msgspec import Struct, field, json, structs

from woo_harvester.kinds import Kind
from woo_harvester.utils.dates import iso_datetime, with_dutch_offset
from woo_harvester.utils.urls import record_id


def has_fields(kind: Any) -> bool:
    """Return whether a type is a class of a record, with fields that are the keys of a JSON object."""
    return is_dataclass(kind) or (isinstance(kind, type) and issubclass(kind, Struct) and kind is not Struct)


def json_keys(cls: type[Any]) -> tuple[tuple[str, str], ...]:
    """Return the attribute and the JSON key of each field of a class of a record."""
    if is_dataclass(cls):
        return tuple((part.name, part.metadata.get("key", part.name)) for part in fields(cls))
    return tuple((part.name, part.encode_name) for part in structs.fields(cls))


class RecordField(NamedTuple):
    """A field of a class of a record."""

    name: str
    """The attribute."""
    key: str
    """The key in the JSON object."""
    type: Any
    """The type of the value, or of each value in the list."""
    is_list: bool


def record_fields(cls: type[Any]) -> Iterator[RecordField]:
    """Yield the fields of a class of a record. The type of ``X | None`` and of ``list[X]`` is ``X``."""
    hints = get_type_hints(cls)
    for name, key in json_keys(cls):
        kind = hints[name]
        is_list = get_origin(kind) is list
        if is_list:
            kind = get_args(kind)[0]
        elif get_origin(kind) in (UnionType, Union):  # Union of an annotated type
            kind = next(part for part in get_args(kind) if part is not type(None))
        yield RecordField(name, key, kind, is_list)


_encode = json.Encoder().encode

#: A key with an empty text, list or object: only a record without any is written by its defaults alone.
_EMPTY = re.compile(rb':(?:""|\[\]|\{\})')


def json_line(record: Any) -> bytes:
    """Return a record as a line of JSON in UTF-8, without empty values, as Python's ``json`` writes it.

    A complete record takes a short way. Its moments have their Dutch offset since it was made.
    """
    line = _encode(record if isinstance(record, Struct) else json_value(record))
    if _EMPTY.search(line):  # also in a text, which changes nothing
        line = _encode(json_value(record))
    return json.format(line, indent=0) + b"\n"


def json_value(value: Any) -> Any:
    """Return a value of a record as dict, list, str or number, ready for JSON, without empty values."""
    write = _WRITERS.get(type(value)) or _writer(type(value))
    return write(value)


def _writer(kind: type[Any]) -> Callable[[Any], Any]:
    """Return the function that writes values of a type, and add it to the table."""
    writer: Callable[[Any], Any] = _same
    if has_fields(kind):
        writer = _fields_writer(kind)
    elif issubclass(kind, StrEnum):
        writer = str
    _WRITERS[kind] = writer
    return writer


def _fields_writer(kind: type[Any]) -> Callable[[Any], dict[str, Any]]:
    """Return a function that writes the fields of a class that are not empty; the number 0 is not empty.

    Most fields are a text or empty, so texts are written without a call.
    """
    names, keys = zip(*json_keys(kind), strict=True)
    # For a single name attrgetter returns the value itself, not a tuple.
    parts_of = attrgetter(*names) if len(names) > 1 else lambda value: (getattr(value, names[0]),)

    def write(value: Any) -> dict[str, Any]:
        output = {}
        for key, part in zip(keys, parts_of(value)):  # noqa: B905 -- strict would take a quarter of the time
            if part is not None and (part or part == 0):
                written = part if type(part) is str else json_value(part)
                if written or written == 0:
                    output[key] = written
        return output

    return write


def _list(values: list[Any]) -> list[Any]:
    return [json_value(value) for value in values]


def _same(value: Any) -> Any:
    return value


_WRITERS: dict[type[Any], Callable[[Any], Any]] = {
    list: _list,
    dict: dict,
    date: date.isoformat,
    # Cached: many records share the moment of a harvest, or a day on which many documents were signed.
    datetime: lru_cache(maxsize=4096)(iso_datetime),
}


# ruff: noqa: N815  -- fields bear the names of the keys of the record


class Oorzaak(StrEnum):
    """The cause of a version."""

    AANLEVERING = "aanlevering"
    WIJZIGING = "wijziging"
    INTREKKING = "intrekking"
    HERPUBLICATIE = "herpublicatie"


class Part(Struct, omit_defaults=True):
    """A part of a record. A field that has its default value, None or an empty list, is absent in JSON."""


# Frozen, since many records share one.
class Waarde(Struct, frozen=True, omit_defaults=True):
    """A value of a list, or a reference to a document."""

    type: str | None = None
    """Type of organisation in its TOOI URI, such as ``gemeente``; only for organisations."""
    id: str | None = None
    """URI of the value in its list, of the organisation, or of the related document."""
    label: str | None = None
    """Label in the list. A value that is not in it has that of "onbekend", if the list has one; else none."""
    bronwaarde: str | None = None
    """Text that the publisher gave, if it differs from `id` and `label`."""


class Geldigheid(Part):
    """The period in which a document is valid."""

    begindatum: datetime | None = None
    """Begin of the period."""
    einddatum: datetime | None = None
    """End of the period. If the publisher gave only a day, 23:59:59 of that day."""

    def __post_init__(self) -> None:
        if self.begindatum is not None:
            self.begindatum = with_dutch_offset(self.begindatum)
        if self.einddatum is not None:
            self.einddatum = with_dutch_offset(self.einddatum)


class Titelcollectie(Part):
    """The titles of a document."""

    officieleTitel: str | None = None
    """Title to show."""
    verkorteTitels: list[str] = field(default_factory=list)
    """Shorter titles."""
    alternatieveTitels: list[str] = field(default_factory=list)
    """Other titles."""


class Classificatiecollectie(Part):
    """The subject and kind of a document."""

    documentsoorten: list[Waarde] = field(default_factory=list)
    """Kinds of document, such as brief."""
    themas: list[Waarde] = field(default_factory=list)
    """Themes of the TOP-lijst."""
    informatiecategorieen: list[Waarde] = field(default_factory=list)
    """Woo-informatiecategorieën; at least one."""
    trefwoorden: list[str] = field(default_factory=list)
    """Keywords."""


class Documenthandeling(Part):
    """An action on a document, such as its signing."""

    soortHandeling: Waarde | None = None
    """Kind of action: ondertekening, ontvangst or vaststelling."""
    atTime: datetime | None = None
    """Moment of the action."""
    wasAssociatedWith: Waarde | None = None
    """Organisation that did it."""

    def __post_init__(self) -> None:
        if self.atTime is not None:
            self.atTime = with_dutch_offset(self.atTime)


class Veld(Part):
    """One field of the publisher's own metadata: a name with its values."""

    key: str | None = None
    """Name of the field, as given."""
    values: list[str] = field(default_factory=list)
    """Values, as given."""


class ExtraMetadata(Part):
    """A group of the publisher's own metadata."""

    namespace: str | None = None
    """URI of the publisher's own namespace."""
    prefix: str | None = None
    """Short name of that namespace."""
    velden: list[Veld] = field(default_factory=list)


class Document(Part):
    """The metadata of a document."""

    weblocatie: str
    """URL of the document, the `loc` in the sitemap. It identifies the document."""
    creatiedatum: date | None = None
    """Day on which the document was made."""
    geldigheid: Geldigheid | None = None
    identifiers: list[str] = field(default_factory=list)
    """The publisher's own numbers and codes of the document."""
    publisher: Waarde | None = None
    """Organisation that published the document."""
    verantwoordelijke: Waarde | None = None
    """Organisation that is responsible for the document; open.overheid.nl shows this one."""
    medeverantwoordelijken: list[Waarde] = field(default_factory=list)
    """Other organisations that are responsible for it."""
    opsteller: Waarde | None = None
    """Organisation that wrote the document."""
    naamOpsteller: str | None = None
    """Name of the author, as a text."""
    language: Waarde | None = None
    """Language of the document, also if given by a code such as `nl`. Absent if the publisher gave none."""
    format: Waarde | None = None
    """File type, one of the 19 that may be harvested."""
    omschrijvingen: list[str] = field(default_factory=list)
    """Descriptions."""
    titelcollectie: Titelcollectie = field(default_factory=Titelcollectie)
    classificatiecollectie: Classificatiecollectie = field(default_factory=Classificatiecollectie)
    aggregatiekenmerk: str | None = None
    """Code that the publisher gives to documents that belong together."""
    isPartOf: Waarde | None = None
    """Document that this one is a part of."""
    hasParts: list[Waarde] = field(default_factory=list)
    """Parts of the document, such as bijlagen."""
    documenthandelingen: list[Documenthandeling] = field(default_factory=list)
    extraMetadata: list[ExtraMetadata] = field(default_factory=list)


class Documentrelatie(Part):
    """A relation to another document."""

    relation: str | None = None
    """URI of the other document."""
    role: str | None = None
    """URI of the kind of relation; `herkomst` has its label, such as heeft bijlage."""
    titel: str | None = None
    """Title of the other document, as given."""


class Bestand(Part):
    """A file of a document."""

    url: str
    """URL of the file."""
    mime_type: str | None = field(default=None, name="mime-type")
    """Media type of the file, detected from its content if it was fetched; else that of `document.format`."""
    bestandsnaam: str | None = None
    """Name of the file: from the response (`Content-Disposition`), else from the `loc`."""
    grootte: int | None = None
    """Size in bytes."""
    hash: str | None = None
    """SHA-256 of the content, in lower-case hexadecimal digits."""
    paginas: int | None = None
    """Number of pages or slides, if the file has it."""
    tekst: str | None = None
    """Text of the document, if ``WOO_TEXT`` is on; for an archive the names of its members."""
    taal: str | None = None
    """Language of the text: a code of ISO 639-1."""
    pad: str | None = None
    """Path of the file in `FILES_STORE`, if documents are kept."""


class Versie(Part):
    """The version of a document that a record reports."""

    oorzaak: Oorzaak
    openbaarmakingsdatum: date | None = None
    """Day, in Dutch time, of the first `lastmod` of the document. If it was absent, in the future or before
    1990, of the first harvest.
    """
    mutatiedatumtijd: datetime | None = None
    """The `lastmod`; the moment of the harvest if that was in the future. For an intrekking the moment at
    which it was noticed.
    """
    nummer: int | None = None
    """Number of the version: 1 for the first one of the document. An intrekking has none."""
    redenVerwijderingVervanging: str | None = None
    """Reason why an earlier version was withdrawn or replaced: its label, or as given if it is not known."""
    bestanden: list[Bestand] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.mutatiedatumtijd is not None:
            self.mutatiedatumtijd = with_dutch_offset(self.mutatiedatumtijd)


class Relatierol(Part):
    """The role of one of the `documentrelaties`."""

    relation: str | None = None
    """URI of the other document, else its title."""
    role: Waarde | None = None
    """Kind of relation, with its label and what the publisher gave."""


class Herkomst(Part):
    """The origin of a record, and its default values."""

    index: str | None = None
    """URL of the sitemap index, which robots.txt names."""
    sitemap: str | None = None
    """URL of the sitemap that lists the document."""
    lastmod: str | None = None
    """The `lastmod` as given."""
    opgehaald: datetime | None = None
    """Moment at which this harvest read the entry. A newer version always has a later moment."""
    organisatie: str | None = None
    """TOOI URI of the registered organisation, else its systeemId."""
    standaardwaarden: dict[str, str] = field(default_factory=dict)
    """Path of each field with a default value, and the origin of that value."""
    bevindingen: list[str] = field(default_factory=list)
    """Codes of the findings about this document, each once."""
    titelVoorstel: str | None = None
    """Title in the document's own properties, if neither publisher nor file name gave a title."""
    documentrelaties: list[Relatierol] = field(default_factory=list)
    redenVerwijderingVervanging: Waarde | None = None
    """The reason in the version, with its URI and what the publisher gave."""
    creatiedatum: str | None = None
    """The `creatiedatum` as given, if it is from before 1990: software writes such a date for none."""
    titelBronwaarde: str | None = None
    """The `officieleTitel` as given, if references of HTML were left in it (`&eacute;`)."""

    def __post_init__(self) -> None:
        if self.opgehaald is not None:
            self.opgehaald = with_dutch_offset(self.opgehaald)


class Record(Part):
    """One document in one version."""

    id: str
    """UUID version 5 of the `loc`, in the URL namespace; it never changes."""
    document: Document
    documentrelaties: list[Documentrelatie] = field(default_factory=list)
    versies: list[Versie] = field(default_factory=list)
    herkomst: Herkomst = field(default_factory=Herkomst)


def record_type(kind: Kind) -> type[Any]:
    """Return the class of the records of a kind."""
    found: type[Any] = kind.own("record_type", Record)
    return found


def bare_record(loc: str, version: Versie, origin: Herkomst) -> Record:
    """Return the record of a *version* of the document at *loc*, without metadata."""
    return Record(record_id(loc), Document(weblocatie=loc), versies=[version], herkomst=origin)
