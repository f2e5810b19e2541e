"""Dates and moments: read from what publishers write, written as the record has them."""

from __future__ import annotations

import pytest

from woo_harvester.dates import iso_datetime, parse_datetime


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2023-11-21T09:00:00", "2023-11-21T09:00:00+01:00"),
        ("2023-04-04T08:00:00Z", "2023-04-04T10:00:00+02:00"),
        ("2023-11-21T09:00:00T+01:00", "2023-11-21T09:00:00+01:00"),
    ],
)
def test_the_three_notations_of_the_guide_are_read(text: str, written: str) -> None:
    assert iso_datetime(parse_datetime(text)) == written
