from __future__ import annotations

from datetime import date
from uuid import UUID

import pytest

from woo_portal.embedded.layout import day_of, digest, key_of


def test_keys_are_in_the_order_of_the_ids() -> None:
    ids = [str(UUID(int=number << 68)) for number in (0, 1, 2**40, 2**59)]
    assert [key_of(each) for each in ids] == sorted(key_of(each) for each in ids)
    assert len({key_of(each) for each in ids}) == 4


@pytest.mark.parametrize("name", ["x", "geen uuid", "é" * 20])
def test_another_id_has_a_key_too(name: str) -> None:
    assert 0 <= key_of(name) < 2**60


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2026-06-01", date(2026, 6, 1)),
        ("2026-06-01T23:30:00Z", date(2026, 6, 2)),
        ("2026-06-01T00:30:00+02:00", date(2026, 6, 1)),
    ],
)
def test_a_day_is_one_in_the_netherlands(given: str, expected: date) -> None:
    assert day_of(given) == expected.toordinal()


@pytest.mark.parametrize("given", ["gisteren", "2026-13-01", "0000-00-00", 5, None])
def test_what_is_no_date_has_no_day(given: object) -> None:
    assert day_of(given) is None


def test_the_digest_depends_on_the_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest()
    monkeypatch.setattr("woo_portal.embedded.layout.LAYOUT", 99)
    assert digest() != before
