"""Values of a permit: postcode and house number, coordinates, and public bodies by name."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from woo_harvester.permits.record import PostcodeHuisnummer, Wgs84
from woo_harvester.tooi import lists
from woo_harvester.tooi.values import Concept

if TYPE_CHECKING:
    from pyproj import Transformer

_POSTCODE = re.compile(r"([1-9][0-9]{3})\s*([A-Za-z]{2})")
_HOUSE = re.compile(r"0*([1-9][0-9]{0,8})\s*[-/]?\s*(.*)", re.DOTALL)

#: Where the Rijksdriehoek holds, in metres: the Netherlands with some sea.
_RD_X = (-7_000, 300_000)
_RD_Y = (289_000, 629_000)

#: Scheme and name of a body together, in characters; no list has a longer one.
_NAME_MAX = 300

#: Decimals of a degree: 11 cm, and the conversion is right to about a metre.
_DECIMALS = 6


def house_address(
    postcode: str | None, number: str | None, addition: str | None
) -> tuple[PostcodeHuisnummer | None, bool]:
    """The address, normalised, and whether all of it was understood.

    ``1234 ab`` becomes ``1234AB``; ``012 a`` becomes 12 with the addition ``a``. A postcode that is none is
    kept as given, a number that is none as addition.
    """
    if not (postcode or number or addition):
        return None, True
    known = _POSTCODE.fullmatch(postcode) if postcode else None
    house = _HOUSE.fullmatch(number) if number else None
    rest = house[2] if house else number
    parts = [part for part in (rest, addition) if part]
    address = PostcodeHuisnummer(
        postcode=f"{known[1]}{known[2].upper()}" if known else postcode,
        huisnummer=int(house[1]) if house else None,
        huisnummertoevoeging=" ".join(parts) or None,
    )
    return address, bool((known or not postcode) and (house or not number))


def postcode_and_number(text: str) -> PostcodeHuisnummer | None:
    """What a value of ``overheid:PostcodeHuisnummer`` says, such as ``1234AB 12a``, or None."""
    known = _POSTCODE.match(text)
    if known is None:
        return None
    address, understood = house_address(known[0], text[known.end() :].strip(" ,-") or None, None)
    return address if understood else None


def to_wgs84(x: float, y: float) -> Wgs84 | None:
    """A place of the Rijksdriehoek (EPSG:28992, metres) in WGS84; None outside of the Netherlands.

    PROJ computes it with EPSG's seven parameters ("Amersfoort to WGS 84 (4)"), without grids or network. EPSG
    gives its accuracy as one metre.
    """
    if not (_RD_X[0] <= x <= _RD_X[1] and _RD_Y[0] <= y <= _RD_Y[1]):
        return None
    lon, lat = _transformer().transform(x, y)
    return Wgs84(lat=round(lat, _DECIMALS), lon=round(lon, _DECIMALS))


@cache
def _transformer() -> Transformer:
    from pyproj import Transformer  # noqa: PLC0415  -- takes long, and no other spider needs it

    return Transformer.from_crs("EPSG:28992", "EPSG:4326", always_xy=True)


def public_body(scheme: str, name: str) -> Concept | None:
    """The body that a scheme and a name stand for; the lists say ``gemeente Amsterdam`` for ``Amsterdam``."""
    return _public_body(scheme, name) if len(scheme) + len(name) <= _NAME_MAX else None


@lru_cache(maxsize=4096)
def _public_body(scheme: str, name: str) -> Concept | None:
    bodies = lists.organisaties()
    kind = scheme.rpartition(":")[2].casefold()
    return bodies.by_label(f"{kind} {name}") or bodies.by_label(name)
