from __future__ import annotations

import pytest

from woo_harvester.documents.text import iso_639_1


@pytest.mark.parametrize(
    ("code", "two"), [("nld", "nl"), ("eng", "en"), ("cmn", "zh"), ("qqq", None), (None, None)]
)
def test_codes_of_three_letters_become_codes_of_two(code: str | None, two: str | None) -> None:
    assert iso_639_1(code) == two
