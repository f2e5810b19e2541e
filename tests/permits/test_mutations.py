from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.permits.reading import valid
from tests.permits.test_mapping import FULL_KERN, FULL_MANTEL, FULL_META
from tests.permits.world import mutation
from woo_harvester.demo.permit_messages import delete_message, document_message, message
from woo_harvester.permits.mutations import Mutation, PermitRow
from woo_harvester.permits.record import Vergunning, VergunningDocument

ENTRY = "https://www.voorbeeldstad.nl/xml/"


@pytest.mark.parametrize(
    "content",
    [
        message(kern=FULL_KERN, mantel=FULL_MANTEL, meta=FULL_META),
        message(creator="Amsterdam"),
        document_message(),
        document_message("D", case=None),
        delete_message(),
    ],
)
@pytest.mark.parametrize("present", [None, True, False])
def test_a_row_is_kept_as_json_without_loss(content: bytes, present: bool | None) -> None:
    moment = datetime(2026, 4, 1, 10, 0, tzinfo=UTC)
    read = valid(content)
    row = PermitRow(Mutation(read, "gm1", ENTRY, ENTRY + "1.xml", moment, ("ipm.adres",)), read.zaak, present)
    _ = row.mutation.order  # a cached property is not part of the JSON
    assert "null" not in row.dump()
    loaded = PermitRow.load(row.dump())
    assert loaded == row
    assert loaded.mutation.order == row.mutation.order
    assert type(loaded.mutation.message.gegevens) is type(read.gegevens)
    assert isinstance(read.gegevens, Vergunning | VergunningDocument | None)


def test_json_that_is_not_a_row_is_refused() -> None:
    with pytest.raises(ValidationError):
        PermitRow.load("{}")


IDS = st.one_of(st.integers(0, 10**30).map(str), st.text("019a-", min_size=1, max_size=5))


@given(st.lists(IDS, min_size=2, max_size=6))
def test_transaction_ids_have_one_order(ids: list[str]) -> None:
    ordered = sorted(ids, key=lambda each: mutation("U", 1, transactie_id=each).order)
    numbers = [int(each) for each in ordered if each.isdigit()]
    texts = [each for each in ordered if not each.isdigit()]
    assert numbers == sorted(numbers)
    assert texts == sorted(texts)
    assert [each.isdigit() for each in ordered] == [True] * len(numbers) + [False] * len(texts)
