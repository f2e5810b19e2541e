# ruff: noqa: N815  -- fields bear the names of the keys of the record
"""The record: one document as open.overheid.nl describes it, in the version that a run reports.

Shapes and names are those of the portal's own JSON; ``herkomst`` is the product's. Fields are named as the
keys are, but for ``mime-type``. What is None or empty is absent in the output.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from datetime import date, datetime
from enum import StrEnum
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any

from woo_harvester.dates import iso_datetime


class Oorzaak(StrEnum):
    """Why there is a version."""

    AANLEVERING = "aanlevering"
    WIJZIGING = "wijziging"
    INTREKKING = "intrekking"
    HERPUBLICATIE = "herpublicatie"


# Frozen, since many records share one.
@dataclass(frozen=True)
class Waarde:
    """A value of a list, or a reference to a document."""

    type: str | None = None
    """Of organisations only: the kind in the TOOI URI, such as ``gemeente``."""
    id: str | None = None
    """The URI: of the value in its list, of the organisation, or of the document that is referred to."""
    label: str | None = None
    """The label that the list has for it, else as given."""
    bronwaarde: str | None = None
    """What the publisher gave, where identifier and label do not say it."""

    @cached_property
    def output(self) -> dict[str, str]:
        """What is written of it, made once for all records that share it."""
        return {key: part for key, part in asdict(self).items() if part}


@dataclass(slots=True)
class Geldigheid:
    """From when to when a document is valid."""

    begindatum: datetime | None = None
    """Valid from."""
    einddatum: datetime | None = None
    """Valid until."""


@dataclass(slots=True)
class Titelcollectie:
    """The titles of a document."""

    officieleTitel: str | None = None
    """The title that is shown."""
    verkorteTitels: list[str] = field(default_factory=list)
    """Shorter titles."""
    alternatieveTitels: list[str] = field(default_factory=list)
    """Other titles."""


@dataclass(slots=True)
class Classificatiecollectie:
    """What a document is about and what kind of document it is."""

    documentsoorten: list[Waarde] = field(default_factory=list)
    """Kinds of document, such as brief."""
    themas: list[Waarde] = field(default_factory=list)
    """Themes of the TOP-lijst."""
    informatiecategorieen: list[Waarde] = field(default_factory=list)
    """One or more of the list of Woo-informatiecategorieën; always there."""
    trefwoorden: list[str] = field(default_factory=list)
    """Keywords."""


@dataclass(slots=True)
class Documenthandeling:
    """What was done with a document, when and by whom."""

    soortHandeling: Waarde | None = None
    """One of the three known: ondertekening, ontvangst, vaststelling."""
    atTime: datetime | None = None
    """When it was done."""
    wasAssociatedWith: Waarde | None = None
    """The organisation that did it."""


@dataclass(slots=True)
class Veld:
    """One pair of the publisher's own metadata: a name with its values."""

    key: str | None = None
    """The name, as given."""
    values: list[str] = field(default_factory=list)
    """The values, as given."""


@dataclass(slots=True)
class ExtraMetadata:
    """A group of the publisher's own metadata."""

    namespace: str | None = None
    """URI of the publisher's own namespace."""
    prefix: str | None = None
    """Short name of that namespace."""
    velden: list[Veld] = field(default_factory=list)
    """The pairs."""


@dataclass(slots=True)
class Document:
    """The metadata of a document."""

    weblocatie: str
    """The loc of the document: its identity."""
    creatiedatum: date | None = None
    """Day on which it was made."""
    geldigheid: Geldigheid | None = None
    identifiers: list[str] = field(default_factory=list)
    """The publisher's own numbers and codes for it."""
    publisher: Waarde | None = None
    """The organisation that made it public."""
    verantwoordelijke: Waarde | None = None
    """The organisation that answers for it; open.overheid.nl shows this one."""
    medeverantwoordelijken: list[Waarde] = field(default_factory=list)
    """Organisations that answer for it as well."""
    opsteller: Waarde | None = None
    """The organisation that wrote it."""
    naamOpsteller: str | None = None
    """Who wrote it, in words."""
    language: Waarde | None = None
    """Its language."""
    format: Waarde | None = None
    """Its file type, one of the 19 that may be harvested."""
    omschrijvingen: list[str] = field(default_factory=list)
    """Descriptions."""
    titelcollectie: Titelcollectie = field(default_factory=Titelcollectie)
    classificatiecollectie: Classificatiecollectie = field(default_factory=Classificatiecollectie)
    aggregatiekenmerk: str | None = None
    """The publisher's mark of documents that belong together."""
    isPartOf: Waarde | None = None
    """The whole that it is a part of."""
    hasParts: list[Waarde] = field(default_factory=list)
    """Its parts, such as bijlagen."""
    documenthandelingen: list[Documenthandeling] = field(default_factory=list)
    extraMetadata: list[ExtraMetadata] = field(default_factory=list)


@dataclass(slots=True)
class Documentrelatie:
    """How a document relates to another one."""

    relation: Waarde | None = None
    """The other document."""
    role: Waarde | None = None
    """What the other document is to this one, such as heeft bijlage."""


@dataclass(slots=True)
class Bestand:
    """A file of a document."""

    url: str
    """Where it is fetched."""
    mime_type: str | None = field(default=None, metadata={"key": "mime-type"})
    """Of what the file is, by its bytes where it was fetched; else of `document.format`."""
    bestandsnaam: str | None = None
    """By the response (`Content-Disposition`), else by the loc."""
    grootte: int | None = None
    """Bytes."""
    hash: str | None = None
    """SHA-256 of the content, in lower-case hexadecimals."""
    paginas: int | None = None
    """Pages or slides, where the file tells."""
    tekst: str | None = None
    """The text, with ``WOO_TEXT``; of an archive the names of its members."""
    taal: str | None = None
    """Language of the text: a code of ISO 639-1."""
    pad: str | None = None
    """Path in `FILES_STORE`, where documents are kept."""


@dataclass(slots=True)
class Versie:
    """The version of a document that a record reports."""

    oorzaak: Oorzaak
    openbaarmakingsdatum: date | None = None
    """Dutch day of the lastmod with which the document was first seen, else of the first harvest."""
    mutatiedatumtijd: datetime | None = None
    """The lastmod; of an intrekking the moment at which it was noticed."""
    redenVerwijderingVervanging: Waarde | None = None
    """Why an earlier version was taken back or replaced."""
    bestanden: list[Bestand] = field(default_factory=list)


@dataclass(slots=True)
class Herkomst:
    """Where a record came from, and what of it the publisher did not give."""

    index: str | None = None
    """The sitemap index that robots.txt names."""
    sitemap: str | None = None
    """The sitemap that lists the document."""
    lastmod: str | None = None
    """As given."""
    opgehaald: datetime | None = None
    """When this harvest read the entry, and always after the version before: the later, the newer."""
    organisatie: str | None = None
    """TOOI URI of the registered body, its systeemId where it has none."""
    standaardwaarden: dict[str, str] = field(default_factory=dict)
    """Path of each field that was filled in, and where its value came from."""
    bevindingen: list[str] = field(default_factory=list)
    """Codes of the findings about this document, each once."""
    titelVoorstel: str | None = None
    """The title in the document's own properties, where neither publisher nor file name gave one."""


@dataclass(slots=True)
class Record:
    """One document in one version; the identity is its loc, and so is its id (UUID version 5)."""

    id: str
    """UUID version 5 of the loc, in the URL namespace; it never changes."""
    document: Document
    documentrelaties: list[Documentrelatie] = field(default_factory=list)
    versies: list[Versie] = field(default_factory=list)
    herkomst: Herkomst = field(default_factory=Herkomst)


def json_keys(cls: type[Any]) -> tuple[tuple[str, str], ...]:
    """Attribute and key of each field of a dataclass of this module."""
    return tuple((part.name, part.metadata.get("key", part.name)) for part in fields(cls))


def json_value(value: Any) -> Any:
    """Plain Python (dict, list, str, number) for JSON, without what is absent."""
    write = _WRITERS.get(type(value)) or _writer(type(value))
    return write(value)


def _writer(kind: type[Any]) -> Callable[[Any], Any]:
    """What makes plain Python of a type that is not in the table yet."""
    writer = _WRITERS[kind] = _dataclass_writer(kind) if is_dataclass(kind) else _same
    return writer


def _dataclass_writer(kind: type[Any]) -> Callable[[Any], dict[str, Any]]:
    """For the fields that hold something; most hold a text, or nothing. The number 0 is something."""
    names, keys = zip(*json_keys(kind), strict=True)
    # With one name it would give the part itself, not a tuple of it.
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
    # The moment of a harvest, or a day on which many documents were signed, comes by again and again.
    datetime: lru_cache(maxsize=4096)(iso_datetime),
    Oorzaak: str,
    Waarde: lambda waarde: waarde.output.copy(),
}
