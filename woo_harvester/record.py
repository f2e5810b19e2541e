# ruff: noqa: N815  -- fields bear the names of the keys of the record
"""The record: one document as open.overheid.nl describes it, in the version that a run reports.

Shapes and names are those of the portal's own JSON; ``herkomst`` is the product's. Fields are named as the
keys are, but for ``mime-type``. What is None or empty is absent in the output.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from woo_harvester.dates import iso_datetime


class Oorzaak(StrEnum):
    """Why there is a version."""

    AANLEVERING = "aanlevering"
    WIJZIGING = "wijziging"
    INTREKKING = "intrekking"
    HERPUBLICATIE = "herpublicatie"


@dataclass(frozen=True, slots=True)
class Waarde:
    """A value of a list, or a reference to a document; frozen, since many records share one."""

    type: str | None = None
    """Of organisations only: the kind in the TOOI URI, such as ``gemeente``."""
    id: str | None = None
    label: str | None = None
    bronwaarde: str | None = None
    """What the publisher gave, where identifier and label do not say it."""


@dataclass(slots=True)
class Geldigheid:
    """From when to when a document is valid."""

    begindatum: datetime | None = None
    einddatum: datetime | None = None


@dataclass(slots=True)
class Titelcollectie:
    """The titles of a document."""

    officieleTitel: str | None = None
    verkorteTitels: list[str] = field(default_factory=list)
    alternatieveTitels: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Classificatiecollectie:
    """What a document is about and what kind of document it is."""

    documentsoorten: list[Waarde] = field(default_factory=list)
    themas: list[Waarde] = field(default_factory=list)
    informatiecategorieen: list[Waarde] = field(default_factory=list)
    trefwoorden: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Documenthandeling:
    """What was done with a document, when and by whom."""

    soortHandeling: Waarde | None = None
    atTime: datetime | None = None
    wasAssociatedWith: Waarde | None = None


@dataclass(slots=True)
class Veld:
    """One pair of the publisher's own metadata: a name with its values."""

    key: str | None = None
    values: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ExtraMetadata:
    """A group of the publisher's own metadata."""

    namespace: str | None = None
    prefix: str | None = None
    velden: list[Veld] = field(default_factory=list)


@dataclass(slots=True)
class Document:
    """The metadata of a document."""

    weblocatie: str
    creatiedatum: date | None = None
    geldigheid: Geldigheid | None = None
    identifiers: list[str] = field(default_factory=list)
    publisher: Waarde | None = None
    verantwoordelijke: Waarde | None = None
    medeverantwoordelijken: list[Waarde] = field(default_factory=list)
    opsteller: Waarde | None = None
    naamOpsteller: str | None = None
    language: Waarde | None = None
    format: Waarde | None = None
    omschrijvingen: list[str] = field(default_factory=list)
    titelcollectie: Titelcollectie = field(default_factory=Titelcollectie)
    classificatiecollectie: Classificatiecollectie = field(default_factory=Classificatiecollectie)
    aggregatiekenmerk: str | None = None
    isPartOf: Waarde | None = None
    hasParts: list[Waarde] = field(default_factory=list)
    documenthandelingen: list[Documenthandeling] = field(default_factory=list)
    extraMetadata: list[ExtraMetadata] = field(default_factory=list)


@dataclass(slots=True)
class Documentrelatie:
    """How a document relates to another one."""

    relation: Waarde | None = None
    role: Waarde | None = None


@dataclass(slots=True)
class Bestand:
    """A file of a document."""

    url: str
    mime_type: str | None = field(default=None, metadata={"key": "mime-type"})
    bestandsnaam: str | None = None
    grootte: int | None = None
    """Bytes."""
    hash: str | None = None
    """SHA-256 of the content, in lower-case hexadecimals."""


@dataclass(slots=True)
class Versie:
    """The version of a document that a record reports."""

    oorzaak: Oorzaak
    openbaarmakingsdatum: date | None = None
    """Dutch day of the lastmod with which the document was first seen, else of the first harvest."""
    mutatiedatumtijd: datetime | None = None
    """The lastmod; of an intrekking the moment at which it was noticed."""
    redenVerwijderingVervanging: Waarde | None = None
    bestanden: list[Bestand] = field(default_factory=list)


@dataclass(slots=True)
class Herkomst:
    """Where a record came from, and what of it the publisher did not give."""

    index: str | None = None
    sitemap: str | None = None
    lastmod: str | None = None
    """As given."""
    opgehaald: datetime | None = None
    organisatie: str | None = None
    """TOOI URI of the registered body, its systeemId where it has none."""
    standaardwaarden: dict[str, str] = field(default_factory=dict)
    """Path of each field that was filled in, and where its value came from."""
    bevindingen: list[str] = field(default_factory=list)
    """Codes of the findings about this document, each once."""


@dataclass(slots=True)
class Record:
    """One document in one version; the identity is its loc, and so is its id (UUID version 5)."""

    id: str
    document: Document
    documentrelaties: list[Documentrelatie] = field(default_factory=list)
    versies: list[Versie] = field(default_factory=list)
    herkomst: Herkomst = field(default_factory=Herkomst)


_KEYS: dict[type[Any], tuple[tuple[str, str], ...]] = {}


def keys_of(cls: type[Any]) -> tuple[tuple[str, str], ...]:
    """Attribute and key of each field of a dataclass of this module."""
    keys = _KEYS.get(cls)
    if keys is None:
        keys = _KEYS[cls] = tuple((part.name, part.metadata.get("key", part.name)) for part in fields(cls))
    return keys


def plain(value: Any) -> Any:
    """Plain Python (dict, list, str, number) for JSON, without what is absent."""
    kind = type(value)
    if kind is str or kind is int:
        return value
    if kind is list:
        return [plain(part) for part in value]
    if kind is datetime:
        return iso_datetime(value)
    if kind is date:
        return value.isoformat()
    if kind is dict or isinstance(value, str):
        return value
    return {
        key: given
        for name, key in keys_of(kind)
        if (part := getattr(value, name)) is not None and part != [] and (given := plain(part)) != {}
    }
