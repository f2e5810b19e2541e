"""The metadata that a publisher gave with a document, as given: DiWoo and its own metadata.

``given_metadata`` reads them from the sitemap, and ``mapping`` checks them.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct, field

from woo_harvester.sitemaps.repair import NAMESPACES

DIWOO_NAMESPACE = NAMESPACES["diwoo"]


class Value(NamedTuple):
    """A value of a waardelijst, as given. Either part can be missing or wrong."""

    label: str | None
    uri: str | None


class Handling(NamedTuple):
    """One documenthandeling, as given."""

    kind: Value | None
    at_time: str | None
    organisation: Value | None


class Relation(NamedTuple):
    """One documentrelatie, as given."""

    role: Value | None
    relation: Value | None


class ExtraField(NamedTuple):
    """One field of the publisher's own metadata: a name with its values."""

    key: str | None
    values: list[str]


class Extra(Struct, omit_defaults=True):
    """One ``diwoo:extraMetadata``: a group of the publisher's own metadata."""

    namespace: str | None = None
    prefix: str | None = None
    fields: list[ExtraField] = field(default_factory=list)


class GivenMetadata(Struct, omit_defaults=True):
    """The metadata in one ``diwoo:Document``. Texts are stripped; an empty element counts as absent."""

    has_diwoo: bool = False
    has_mdto: bool = False
    namespace: str | None = None
    """Namespace of the element ``DiWoo``, if it is not the schema's."""
    identifiers: list[str] = field(default_factory=list)
    publisher: Value | None = None
    verantwoordelijke: Value | None = None
    medeverantwoordelijken: list[Value] = field(default_factory=list)
    opsteller: Value | None = None
    naam_opsteller: str | None = None
    officiele_titel: str | None = None
    verkorte_titels: list[str] = field(default_factory=list)
    alternatieve_titels: list[str] = field(default_factory=list)
    omschrijvingen: list[str] = field(default_factory=list)
    informatiecategorieen: list[Value] = field(default_factory=list)
    documentsoorten: list[Value] = field(default_factory=list)
    themas: list[Value] = field(default_factory=list)
    trefwoorden: list[str] = field(default_factory=list)
    creatiedatum: str | None = None
    begindatum: str | None = None
    einddatum: str | None = None
    language: Value | None = None
    format: Value | None = None
    aggregatiekenmerk: str | None = None
    is_part_of: Value | None = None
    has_parts: list[Value] = field(default_factory=list)
    handelingen: list[Handling] = field(default_factory=list)
    relaties: list[Relation] = field(default_factory=list)
    reden: Value | None = None
    extra: list[Extra] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    """Names of elements that are not read: not in the schema there, repeated, or with a text as content."""
    outside: list[str] = field(default_factory=list)
    """Names of elements that were read outside ``diwoo:Document``."""
    doubled: list[str] = field(default_factory=list)
    """Names of elements that a document has once, and that stood there again: the first counts."""
    resource_elements: list[str] = field(default_factory=list)
    """Names of values whose URI is in an element ``resource`` instead of the attribute."""
