"""Links with a session, which is another each day."""

from __future__ import annotations

import pytest

from woo_harvester.permits.links import moved_links


@pytest.mark.parametrize(
    ("before", "today", "moved"),
    [
        (["a?s=x&id=1", "a?s=x&id=2"], ["a?s=y&id=2", "a?s=y&id=3"], {"a?s=x&id=2": "a?s=y&id=2"}),
        (["a?s=x&t=1", "b?s=x&t=1"], ["a?s=y&t=2", "b?s=y&t=1"], {"b?s=x&t=1": "b?s=y&t=1"}),
        (["a?s=x&t=1", "a?s=x"], ["a?s=y&t=1", "a?s=y"], {"a?s=x&t=1": "a?s=y&t=1", "a?s=x": "a?s=y"}),
        (["h/(S(x))/a"], ["h/(S(y))/a"], {"h/(S(x))/a": "h/(S(y))/a"}),
        (["a;s=x", "b;s=x", "c"], ["a;s=y", "b;s=y", "c"], {"a;s=x": "a;s=y", "b;s=x": "b;s=y"}),
        # One link, such as the newest case of a page; each link its own value; no other value.
        (["a?id=1"], ["a?id=2"], {}),
        (["a?s=1", "b?s=2"], ["a?s=3", "b?s=4"], {}),
        (["a?s=x", "b?s=x"], ["a?s=y", "b?s=z"], {}),
        (["a?s=x", "b?s=y"], ["a?s=z", "b?s=z"], {}),
        (["a?s=x", "b?s=x"], ["a?s=x", "b?s=x"], {}),
        (["a?s=x", "b?s=x"], ["a", "b"], {}),
        # Messages that are numbered again each day, month or year.
        (["a?d=2026-04-01&n=1", "a?d=2026-04-01&n=2"], ["a?d=2026-04-02&n=1", "a?d=2026-04-02&n=2"], {}),
        (["a?d=20260401&n=1", "a?d=20260401&n=2"], ["a?d=20260402&n=1", "a?d=20260402&n=2"], {}),
        (["a?d=2025&n=1", "a?d=2025&n=2"], ["a?d=2026&n=1", "a?d=2026&n=2"], {}),
        (["a?d=1-4-2026&n=1", "a?d=1-4-2026&n=2"], ["a?d=2-4-2026&n=1", "a?d=2-4-2026&n=2"], {}),
    ],
)  # fmt: skip
def test_a_link_is_the_same_if_only_a_value_that_all_links_share_is_another(
    before: list[str], today: list[str], moved: dict[str, str]
) -> None:
    assert dict(moved_links(before, today)) == moved
