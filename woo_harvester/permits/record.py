# ruff: noqa: N815  -- fields bear the names of the keys of the record
"""The permit record: one case of Vergunningen IPM 4.0, in the version that a run reports.

The keys of ``vergunning`` and ``documenten`` are the names of OWMS and of the model. A value that is None or
empty is absent from the output (:func:`woo_harvester.record.json_value`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from typing import Annotated

from msgspec import convert, to_builtins
from pydantic import PlainSerializer, PlainValidator

from woo_harvester.record import Oorzaak, Waarde

Verwijzing = Annotated[Waarde, PlainValidator(partial(convert, type=Waarde)), PlainSerializer(to_builtins)]
"""A reference to a document or case; pydantic, which keeps records in the state, does not know its class."""


# Frozen, since many records share one.
@dataclass(frozen=True, slots=True)
class PostcodeHuisnummer:
    """An address by postcode and house number, normalised."""

    postcode: str | None = None
    """Four digits and two capitals, ``1234AB``; as given if it is not a postcode."""
    huisnummer: int | None = None
    """The number alone."""
    huisnummertoevoeging: str | None = None
    """Letter and addition, as given."""


@dataclass(frozen=True, slots=True)
class Term:
    """A value and its scheme."""

    scheme: str | None = None
    """The scheme as given, such as ``overheid:Gemeente``."""
    type: str | None = None
    """Type in the TOOI URI of a known organisation, such as ``gemeente``."""
    id: str | None = None
    """TOOI URI of an organisation that the value lists or the register have."""
    label: str | None = None
    """The value, as given."""
    postcodeHuisnummer: PostcodeHuisnummer | None = None
    """Address in a value of ``overheid:PostcodeHuisnummer``."""


@dataclass(slots=True)
class Periode:
    """A period; either day can be absent."""

    start: date | None = None
    """First day."""
    end: date | None = None
    """Last day."""


@dataclass(slots=True)
class Product:
    """Product that the permit is for."""

    producttype: Term | None = None
    """Kind of permit."""
    activiteit: list[Term] = field(default_factory=list)
    """Activities that the permit allows."""


@dataclass(slots=True)
class TermijnsoortPeriode:
    """One term of the procedure, such as that for objections."""

    termijnsoort: str | None = None
    """Kind of term."""
    startdatumTermijn: date | None = None
    """First day."""
    einddatumTermijn: date | None = None
    """Last day."""


@dataclass(slots=True)
class Termijn:
    """The phase of the case, and its terms."""

    fase: str | None = None
    """Phase of the permit, such as aanvraag or verlening."""
    termijnsoortPeriode: list[TermijnsoortPeriode] = field(default_factory=list)


@dataclass(slots=True)
class Actor:
    """The company that the permit is for."""

    bedrijfsnaam: str | None = None
    """Its name."""
    bedrijfsadres: Term | None = None
    """Its address."""


@dataclass(slots=True)
class WoonplaatsAdres:
    """A town or village, without an address."""

    woonplaats: str | None = None
    """Name of the town or village."""


@dataclass(slots=True)
class Adres:
    """A location by address, or by the name of its area."""

    postcodeHuisnummer: PostcodeHuisnummer | None = None
    woonplaatsAdres: WoonplaatsAdres | None = None
    gemeente: str | None = None
    """Name of the municipality."""
    provincie: str | None = None
    """Name of the province."""


@dataclass(slots=True)
class Perceel:
    """A parcel of the land register."""

    kadastralegemeente: Term | None = None
    """Municipality in the land register."""
    sectie: str | None = None
    """Section, as given."""
    nummer: str | None = None
    """Number, as given."""


@dataclass(slots=True)
class Wgs84:
    """A location in WGS84, in the form of Elasticsearch's ``geo_point``."""

    lat: float
    """Degrees north, 6 decimals."""
    lon: float
    """Degrees east, 6 decimals."""


@dataclass(slots=True)
class Coordinaten:
    """A location in the Rijksdriehoek (EPSG:28992), and the same in WGS84 (EPSG:4326)."""

    x_waarde: float | None = field(default=None, metadata={"key": "x-waarde"})
    """Metres to the east."""
    y_waarde: float | None = field(default=None, metadata={"key": "y-waarde"})
    """Metres to the north."""
    z_waarde: float | None = field(default=None, metadata={"key": "z-waarde"})
    """Metres of height."""
    wgs84: Wgs84 | None = None
    """Computed, accurate to about a metre; absent if x and y are not in the Netherlands."""


@dataclass(slots=True)
class Vergunningobject:
    """The object of the permit: its number and its location."""

    referentienummer: str | None = None
    """The organisation's own number."""
    adres: list[Adres] = field(default_factory=list)
    perceel: list[Perceel] = field(default_factory=list)
    coordinaten: list[Coordinaten] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class _Owms:
    """The OWMS metadata that a case and a document of a case share."""

    identifier: str = ""
    """URL of the zaakpagina or of the document, which is its identity."""
    title: str | None = None
    """The title that is shown."""
    language: str | None = None
    """Code of the language, ``nl``."""
    type: Term | None = None
    """Kind of information, of ``overheid:Informatietype``."""
    creator: Term | None = None
    """The organisation that made it."""
    modified: date | None = None
    """Day of the last change; of a date-time the day in Dutch time."""
    temporal: Periode | None = None
    """The period that it is about."""
    spatial: list[Term] = field(default_factory=list)
    """Locations that it is about."""
    description: str | None = None
    """Description in words."""
    references: list[Verwijzing] = field(default_factory=list)
    """Resources that it refers to."""
    hasPart: list[Verwijzing] = field(default_factory=list)
    """Its parts: documents of a case."""
    format: str | None = None
    """File type, as given."""


@dataclass(slots=True, kw_only=True)
class Vergunning(_Owms):
    """The metadata of a case."""

    isPartOf: list[Verwijzing] = field(default_factory=list)
    """Resources that it is part of."""
    product: Product | None = None
    termijn: Termijn | None = None
    actor: Actor | None = None
    object: Vergunningobject | None = None


@dataclass(slots=True, kw_only=True)
class VergunningDocument(_Owms):
    """The metadata of a document of a case."""

    isPartOf: Verwijzing | None = None
    """The case; its ``id`` is the URL of the zaakpagina."""
    documenttype: Term | None = None
    """Kind of document, of ``overheidvg:Documenttype``."""


@dataclass(slots=True)
class PermitVersie:
    """The version of a case that a record reports."""

    oorzaak: Oorzaak
    transactie: str | None = None
    """Action of the message that caused the version: C, U or D."""
    transactieID: str | None = None
    """transactieID of that message."""
    volgnummer: int | None = None
    """volgnummer of that message; 0 for the case itself."""
    aanmaakdatum: date | None = None
    """aanmaakdatum of that message."""
    mutatiedatumtijd: datetime | None = None
    """Date of the file of that message."""


@dataclass(slots=True)
class PermitHerkomst:
    """The origin of a record."""

    ingang: str | None = None
    """URL of the entry page."""
    bestand: str | None = None
    """URL of the file of the message that caused the version."""
    opgehaald: datetime | None = None
    """Moment at which the record was made, from all messages that were there. The latest record counts."""
    organisatie: str | None = None
    """The organisation that offers it: TOOI URI, systeemId, or as given with the entry page."""
    bevindingen: list[str] = field(default_factory=list)
    """Codes of the findings about this case, each once."""


@dataclass(slots=True)
class PermitRecord:
    """One case in one version. Its identity is the URL of its zaakpagina, with http or https."""

    id: str
    """UUID version 5 of the URL in its first record, in the URL namespace; it never changes."""
    vergunning: Vergunning
    documenten: list[VergunningDocument] = field(default_factory=list)
    versies: list[PermitVersie] = field(default_factory=list)
    herkomst: PermitHerkomst = field(default_factory=PermitHerkomst)
