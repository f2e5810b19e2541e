from __future__ import annotations

import pytest
from lxml import etree

from woo_harvester.report.badge import BROWN, GREEN, GREY, RED, badge
from woo_harvester.report.history import HostResult


def then(listed: int, harvested: int, score: int | None = 90, *, complete: bool = True) -> HostResult:
    return HostResult(listed, harvested, 0, 0, 0, score, complete)


@pytest.mark.parametrize(
    ("host", "text", "colour"),
    [
        (then(430, 430), "430 van 430", GREEN),
        (then(1430, 1412), "1.412 van 1.430", BROWN),
        (then(430, 430, complete=False), "430 van 430", BROWN),
        (then(430, 0, 5), "niets geoogst", RED),
        (then(0, 0, None), "geen score", GREY),
    ],
)
def test_a_badge_says_in_words_what_its_colour_means(host: HostResult, text: str, colour: str) -> None:
    made = etree.fromstring(badge(host).encode())
    assert made.get("aria-label") == f"Woo-oogst: {text}"
    assert [each.text for each in made.iter("{*}text")] == ["Woo-oogst", text]
    assert made.find("{*}path").get("fill") == colour  # type: ignore[union-attr]


def test_the_right_half_is_as_wide_as_its_text_with_round_corners() -> None:
    made = etree.fromstring(badge(then(430, 430)).encode())
    left, right = (round(len(text) * 6.4 + 16) for text in ("Woo-oogst", "430 van 430"))
    assert (made.get("width"), made.get("height")) == (str(left + right), "22")
    shape = f"M{left} 0h{right - 3}a3 3 0 0 1 3 3v16a3 3 0 0 1-3 3h-{right - 3}z"
    assert made.find("{*}path").get("d") == shape  # type: ignore[union-attr]
    assert [(each.get("x"), each.get("textLength")) for each in made.iter("{*}text")] == [
        (str(left / 2), str(left - 16)),
        (str(left + right / 2), str(right - 16)),
    ]


def test_a_badge_in_english() -> None:
    assert "<title>Woo harvest: 4 of 5</title>" in badge(then(5, 4), "en")


@pytest.mark.parametrize("colour", [GREEN, BROWN, RED, GREY])
def test_white_can_be_read_on_every_colour(colour: str) -> None:
    assert 1.05 / (luminance(colour) + 0.05) >= 4.5


def luminance(colour: str) -> float:
    """Return the relative luminance as WCAG 2.2 defines it."""
    parts = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
