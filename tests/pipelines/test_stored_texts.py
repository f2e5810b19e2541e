from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.documents.extracted import Extracted, Limits
from woo_harvester.pipelines.stored import from_json, largest, to_json

LIMITS = Limits(maxlength=1000)
READ = Extracted("Besluit over zonnepanelen\n", 3, "nl", "Besluit", truncated=True)


def test_a_text_comes_back_as_it_was() -> None:
    assert from_json(to_json(READ, LIMITS), LIMITS) == READ


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=1000))
def test_any_text_comes_back_and_takes_no_more_than_the_bound(text: str) -> None:
    content = to_json(Extracted(text), LIMITS)
    assert len(content) <= largest(LIMITS)
    assert from_json(content, LIMITS) == Extracted(text)


@pytest.mark.parametrize("limits", [Limits(maxlength=2000), Limits(maxlength=1000, ocr=True)])
def test_a_text_that_was_read_in_another_way_is_read_again(limits: Limits) -> None:
    assert from_json(to_json(READ, LIMITS), limits) is None


def test_how_long_it_may_take_does_not_matter() -> None:
    assert from_json(to_json(READ, LIMITS), Limits(maxlength=1000, timeout=1, memory=1)) == READ


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b"[1]", to_json(READ, LIMITS)[:-1]])
def test_a_damaged_file_is_no_text(content: bytes) -> None:
    assert from_json(content, LIMITS) is None
