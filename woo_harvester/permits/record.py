"""The permit record: one case of Vergunningen IPM 4.0, in the version that a run reports.

The keys of ``vergunning`` and ``documenten`` are the names of OWMS and of the model. A value that is None or
empty is absent from the output (:func:`woo_harvester.record.json_value`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from msgspec import Struct, field

from woo_harvester.record import Oorzaak, Part, Waarde
from woo_harvester.utils.dates import with_dutch_offset

# ruff: noqa: N815  -- fields bear the names of the keys of the record


# Frozen, since many records share one.
class PostcodeHuisnummer(Struct, frozen=True, omit_defaults=True):
    """An address by postcode and house number, normalised."""

    postcode: str | None = None
    """Four digits and two capitals, ``1234AB``; as given if it is not a postcode."""
    huisnummer: int | None = None
    """The number alone."""
    huisnummertoevoeging: str | None = None
    """Letter and addition, as given."""


class Term(Struct, frozen=True, omit_defaults=True):
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


class Periode(Part):
    """A period; either day can be absent."""

    start: date | None = None
    """First day."""
    end: date | None = None
    """Last day."""


class Beschikbaar(Part):
    """A period as given; a day that can be read is `YYYY-MM-DD`."""

    start: str | None = None
    """First day, or the text without days."""
    end: str | None = None
    """Last day."""


class Product(Part):
    """Product that the permit is for."""

    producttype: Term | None = None
    """Kind of permit."""
    activiteit: list[Term] = field(default_factory=list)
    """Activities that the permit allows."""


class TermijnsoortPeriode(Part):
    """One term of the procedure, such as that for objections."""

    termijnsoort: str | None = None
    """Kind of term."""
    startdatumTermijn: date | None = None
    """First day."""
    einddatumTermijn: date | None = None
    """Last day."""


class Termijn(Part):
    """The phase of the case, and its terms."""

    fase: str | None = None
    """Phase of the permit, such as aanvraag or verlening."""
    termijnsoortPeriode: list[TermijnsoortPeriode] = field(default_factory=list)


class Actor(Part):
    """The company that the permit is for."""

    bedrijfsnaam: str | None = None
    """Name of the company that the permit is for."""
    bedrijfsadres: Term | None = None
    """Its address."""


class WoonplaatsAdres(Part):
    """A town or village, without an address."""

    woonplaats: str | None = None
    """Name of the town or village."""


class Adres(Part):
    """A location by address, or by the name of its area."""

    postcodeHuisnummer: PostcodeHuisnummer | None = None
    woonplaatsAdres: WoonplaatsAdres | None = None
    gemeente: str | None = None
    """Name of the municipality."""
    provincie: str | None = None
    """Name of the province."""


class Perceel(Part):
    """A parcel of the land register."""

    kadastralegemeente: Term | None = None
    """Municipality in the land register."""
    sectie: str | None = None
    """Section, as given."""
    nummer: str | None = None
    """Number, as given."""


class Wgs84(Part):
    """A location in WGS84, in the form of Elasticsearch's ``geo_point``."""

    lat: float
    """Degrees north (EPSG:4326), 6 decimals."""
    lon: float
    """Degrees east, 6 decimals."""


class Coordinaten(Part):
    """A location in the Rijksdriehoek (EPSG:28992), and the same in WGS84 (EPSG:4326)."""

    x_waarde: float | None = field(default=None, name="x-waarde")
    """Metres to the east in the Rijksdriehoek (EPSG:28992)."""
    y_waarde: float | None = field(default=None, name="y-waarde")
    """Metres to the north."""
    z_waarde: float | None = field(default=None, name="z-waarde")
    """Metres of height."""
    wgs84: Wgs84 | None = None
    """Computed, accurate to about a metre; absent if x and y are not in the Netherlands."""


class Vergunningobject(Part):
    """The object of the permit: its number and its location."""

    referentienummer: str | None = None
    """The organisation's own number."""
    adres: list[Adres] = field(default_factory=list)
    perceel: list[Perceel] = field(default_factory=list)
    coordinaten: list[Coordinaten] = field(default_factory=list)


class Metadata:
    """The metadata of a case or of a document of a case."""

    __slots__ = ()


class _Owms(Part, Metadata, kw_only=True):
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
    authority: Term | None = None
    """The organisation that is responsible for it by law."""
    publisher: Term | None = None
    """The organisation that published it."""
    subject: list[Term] = field(default_factory=list)
    """Subjects."""
    alternative: list[str] = field(default_factory=list)
    """Other titles."""
    issued: str | None = None
    """Day of its publication, `YYYY-MM-DD`; as given if it cannot be read."""
    available: Beschikbaar | None = None
    """The period in which it is available."""
    modified: date | None = None
    """Day of the last change; of a date-time the day in Dutch time."""
    temporal: Periode | None = None
    """The period that it is about."""
    spatial: list[Term] = field(default_factory=list)
    """Locations that it is about."""
    description: str | None = None
    """Description in words."""
    references: list[Waarde] = field(default_factory=list)
    """Resources that it refers to."""
    hasPart: list[Waarde] = field(default_factory=list)
    """Its parts: documents of a case."""
    format: str | None = None
    """File type, as given."""


class Vergunning(_Owms, kw_only=True):
    """The metadata of a case."""

    isPartOf: list[Waarde] = field(default_factory=list)
    """Resources that it is part of."""
    product: Product | None = None
    termijn: Termijn | None = None
    actor: Actor | None = None
    object: Vergunningobject | None = None


class VergunningDocument(_Owms, kw_only=True):
    """The metadata of a document of a case."""

    isPartOf: Waarde | None = None
    """The case; its ``id`` is the URL of the zaakpagina."""
    documenttype: Term | None = None
    """Kind of document, of ``overheidvg:Documenttype``."""


class PermitVersie(Part):
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

    def __post_init__(self) -> None:
        if self.mutatiedatumtijd is not None:
            self.mutatiedatumtijd = with_dutch_offset(self.mutatiedatumtijd)


class PermitHerkomst(Part):
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

    def __post_init__(self) -> None:
        if self.opgehaald is not None:
            self.opgehaald = with_dutch_offset(self.opgehaald)


class PermitRecord(Part):
    """One case in one version. Its identity is the URL of its zaakpagina, with http or https."""

    id: str
    """UUID version 5 of the URL in its first record, in the URL namespace; it never changes."""
    vergunning: Vergunning
    documenten: list[VergunningDocument] = field(default_factory=list)
    versies: list[PermitVersie] = field(default_factory=list)
    herkomst: PermitHerkomst = field(default_factory=PermitHerkomst)


#: What stands before and after the Features of a FeatureCollection.
BEGIN, END = '{"type": "FeatureCollection", "features": [', "\n]}\n"


def feature_line(record: Mapping[str, Any], today: date, *, is_first: bool) -> str:
    """Return the Feature of a permit record as a line of a FeatureCollection, after the line before it."""
    separator = "\n" if is_first else ",\n"
    return separator + json.dumps(feature(record, today), ensure_ascii=False)


def feature(record: Mapping[str, Any], today: date) -> dict[str, Any]:
    """Return the Feature of a permit *record* (plain Python, absent values left out).

    The geometry is a Point or MultiPoint in WGS84, longitude first. It is null for a withdrawn case and for
    a case without coordinates. The properties are the rest of the record. Beside it ``lopend`` says whether
    the permit runs *today*, and ``einddatum`` is the last day of its period, for maps that read no deeper.
    """
    points = [[place["lon"], place["lat"]] for place in places(record)]
    properties = {key: value for key, value in record.items() if key != "id"} | _period(record, today)
    return {
        "type": "Feature",
        "id": record["id"],
        "geometry": _geometry(points),
        "properties": properties,
    }


def places(record: Mapping[str, Any]) -> list[dict[str, float]]:
    """Return the coordinates of a case's object in WGS84: dicts of ``lat`` and ``lon`` in degrees."""
    given = record.get("vergunning", {}).get("object", {}).get("coordinaten", [])
    return [place["wgs84"] for place in given if "wgs84" in place]


def _period(record: Mapping[str, Any], today: date) -> dict[str, Any]:
    """Return whether a permit runs, and its last day; nothing if it has no period."""
    given = record.get("vergunning", {}).get("temporal", {})
    start, end = given.get("start"), given.get("end")
    if not start and not end:
        return {}
    day = today.isoformat()  # days of the record, as it is written, sort as text
    found: dict[str, Any] = {"lopend": (start or day) <= day <= (end or day)}
    return found | {"einddatum": end} if end else found


def _geometry(points: list[list[float]]) -> dict[str, Any] | None:
    if not points:
        return None
    if len(points) == 1:
        return {"type": "Point", "coordinates": points[0]}
    return {"type": "MultiPoint", "coordinates": points}
