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
