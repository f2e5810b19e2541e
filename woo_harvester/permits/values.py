"""Normalises values of a permit: postcode and house number, coordinates, and names of organisations."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from woo_harvester.extras import to_install
from woo_harvester.permits.record import PostcodeHuisnummer, Wgs84
from woo_harvester.tooi.values import Concept, ValueList

if TYPE_CHECKING:
    from pyproj import Transformer

_NO_PYPROJ = f"the coordinates of permits need pyproj: {to_install('permits')}"

_POSTCODE = re.compile(r"([1-9][0-9]{3})\s*([A-Za-z]{2})")
_HOUSE = re.compile(r"0*([1-9][0-9]{0,8})\s*[-/]?\s*(.*)", re.DOTALL)

#: Range of the Rijksdriehoek in metres: the Netherlands with some sea.
_RD_X = (-7_000, 300_000)
_RD_Y = (289_000, 629_000)

#: Most characters of a scheme and an organisation's name together. No list has a longer one.
_NAME_MAX = 300

#: Decimals of a degree: 11 cm, while the conversion is accurate to about a metre.
_DECIMALS = 6


def house_address(
    postcode: str | None, number: str | None, addition: str | None
) -> tuple[PostcodeHuisnummer | None, bool]:
    """Return the normalised address, and whether all of it was understood.

    ``1234 ab`` becomes ``1234AB``; ``012 a`` becomes 12 with the addition ``a``. An invalid postcode is kept
    as given, an invalid number as addition.
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
    """Return the address in a value of ``overheid:PostcodeHuisnummer``, such as ``1234AB 12a``, or None."""
    known = _POSTCODE.match(text)
    if known is None:
        return None
    address, understood = house_address(known[0], text[known.end() :].strip(" ,-") or None, None)
    return address if understood else None


def check_conversion() -> None:
    """Raise ImportError, which says what to install, if coordinates cannot be converted."""
    if find_spec("pyproj") is None:
        raise ImportError(_NO_PYPROJ, name="pyproj")


def to_wgs84(x: float, y: float) -> Wgs84 | None:
    """Convert a place in the Rijksdriehoek (EPSG:28992, metres) to WGS84; None outside of the Netherlands.

    PROJ converts it with EPSG's seven parameters ("Amersfoort to WGS 84 (4)"), without grids or network. EPSG
    gives its accuracy as one metre. Raises ImportError if the extra "permits" is not installed.
    """
    if not (_RD_X[0] <= x <= _RD_X[1] and _RD_Y[0] <= y <= _RD_Y[1]):
        return None
    lon, lat = _transformer().transform(x, y)
    return Wgs84(lat=round(lat, _DECIMALS), lon=round(lon, _DECIMALS))


@cache
def _transformer() -> Transformer:
    check_conversion()
    from pyproj import Transformer  # noqa: PLC0415  -- slow to import, and only permits need it

    return Transformer.from_crs("EPSG:28992", "EPSG:4326", always_xy=True)


def organisation_by_name(organisations: ValueList, scheme: str, name: str) -> Concept | None:
    """Return the organisation of a scheme and a name, or None.

    The scheme ``overheid:Gemeente`` with the name ``Amsterdam`` is ``gemeente Amsterdam`` in the value lists.
    """
    known = len(scheme) + len(name) <= _NAME_MAX
    return _organisation_by_name(organisations, scheme, name) if known else None


@lru_cache(maxsize=4096)
def _organisation_by_name(organisations: ValueList, scheme: str, name: str) -> Concept | None:
    prefix = scheme.rpartition(":")[2].casefold()
    return organisations.by_label(f"{prefix} {name}") or organisations.by_label(name)
