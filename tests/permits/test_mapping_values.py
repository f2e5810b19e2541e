from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.permits.mapping import house_address, organisation_by_name, postcode_and_number, to_wgs84
from woo_harvester.permits.record import PostcodeHuisnummer, Wgs84
from woo_harvester.tooi import organisaties


def test_an_address_is_normalised() -> None:
    for given_parts, expected in [
        (("1234AB", "12", None), ("1234AB", 12, None)),
        (("1234 ab", "012", "a"), ("1234AB", 12, "a")),
        (("1234\u00a0Ab", "12a", None), ("1234AB", 12, "a")),
        ((None, "12-2", None), (None, 12, "2")),
        ((None, "12 bis", "hoog"), (None, 12, "bis hoog")),
        ((None, None, "achter"), (None, None, "achter")),
        (("0123AB", "1", None), ("0123AB", 1, None)),
        (("1234AB", "0", None), ("1234AB", None, "0")),
        ((None, "a1", None), (None, None, "a1")),
        (("1234AB", None, None), ("1234AB", None, None)),
    ]:
        assert house_address(*given_parts) == PostcodeHuisnummer(*expected), given_parts


def test_empty_values_are_not_an_address() -> None:
    assert house_address(None, None, None) is None


def test_postcode_and_number_in_one_text_are_separated() -> None:
    for text, expected in [
        ("1234AB12", PostcodeHuisnummer("1234AB", 12)),
        ("1234 ab 12 bis", PostcodeHuisnummer("1234AB", 12, "bis")),
        ("1234AB", PostcodeHuisnummer("1234AB")),
        ("1234AB, 12-a", PostcodeHuisnummer("1234AB", 12, "a")),
        ("1234AB - 12X -", PostcodeHuisnummer("1234AB", 12, "X")),
        ("Dorpsstraat 1", None),
        ("1234AB huis", None),
    ]:
        assert postcode_and_number(text) == expected, text


#: Seconds of latitude and longitude by powers of x and y, after Schreutelkamp and Strang van Hees (2001):
#: another formula for the same places, accurate to a quarter of a metre.
LAT = {
    (0, 1): 3235.65389, (2, 0): -32.58297, (0, 2): -0.24750, (2, 1): -0.84978, (0, 3): -0.06550,
    (2, 2): -0.01709, (1, 0): -0.00738, (4, 0): 0.00530, (2, 3): -0.00039, (4, 1): 0.00033, (1, 1): -0.00012,
}  # fmt: skip
LON = {
    (1, 0): 5260.52916, (1, 1): 105.94684, (1, 2): 2.45656, (3, 0): -0.81885, (1, 3): 0.05594,
    (3, 1): -0.05607, (0, 1): 0.01199, (3, 2): -0.00256, (1, 4): 0.00128, (0, 2): 0.00022, (2, 0): -0.00022,
    (5, 0): 0.00026,
}  # fmt: skip


def approximated(x: float, y: float) -> tuple[float, float]:
    """Return the degrees north and east."""
    dx, dy = (x - 155_000) / 100_000, (y - 463_000) / 100_000
    seconds = [sum(k * dx**p * dy**q for (p, q), k in table.items()) for table in (LAT, LON)]
    return 52.15517440 + seconds[0] / 3600, 5.38720621 + seconds[1] / 3600


@given(st.floats(15_000, 275_000), st.floats(310_000, 610_000))
def test_the_rijksdriehoek_becomes_wgs84_to_about_a_metre(x: float, y: float) -> None:
    place = to_wgs84(x, y)
    assert place is not None
    lat, lon = approximated(x, y)
    north = (place.lat - lat) * 111_200
    east = (place.lon - lon) * 111_200 * math.cos(math.radians(lat))
    assert math.hypot(north, east) < 1.5


def test_coordinates_outside_of_the_netherlands_are_not_converted() -> None:
    for x, y in [(0, 0), (463_000, 155_000), (5.4, 52.2), (155_000, 700_000)]:
        assert to_wgs84(x, y) is None, x


@given(st.floats(0, 300_000), st.floats(300_000, 620_000))
def test_every_place_of_the_rijksdriehoek_is_around_the_netherlands(x: float, y: float) -> None:
    place = to_wgs84(x, y)
    assert isinstance(place, Wgs84)
    assert 50 < place.lat < 54
    assert 2 < place.lon < 8


def test_an_organisation_is_found_by_scheme_and_name() -> None:
    utrecht = organisaties().by_label("gemeente Utrecht")
    assert utrecht is not None
    assert organisation_by_name(organisaties(), "overheid:Gemeente", "utrecht") == utrecht
    assert organisation_by_name(organisaties(), "overheid:Provincie", "Utrecht") == organisaties().by_label(
        "provincie Utrecht"
    )
    assert organisation_by_name(organisaties(), "overheid:Gemeente", "Nergenshuizen") is None
