from __future__ import annotations

from uuid import UUID

import pytest

from woo_portal.embedded.layout import digest, key_of


def test_keys_are_in_the_order_of_the_ids_and_any_id_has_one() -> None:
    ids = [str(UUID(int=number << 68)) for number in (0, 1, 2**40, 2**59)]
    assert [key_of(each) for each in ids] == sorted(key_of(each) for each in ids)
    assert len({key_of(each) for each in ids}) == 4
    for name in ["x", "geen uuid", "é" * 20]:
        assert 0 <= key_of(name) < 2**60, name


def test_the_digest_depends_on_the_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest()
    monkeypatch.setattr("woo_portal.embedded.layout.LAYOUT", 99)
    assert digest() != before
