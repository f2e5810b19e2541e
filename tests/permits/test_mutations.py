from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.permits.reading import valid
from tests.permits.test_mapping import FULL_KERN, FULL_MANTEL, FULL_META
from tests.permits.world import mutation
from woo_harvester.permits.demo_messages import delete_message, document_message, message
from woo_harvester.permits.mutations import Mutation, PermitRow, in_order
from woo_harvester.permits.record import Vergunning, VergunningDocument

ENTRY = "https://www.voorbeeldstad.nl/xml/"


def test_a_row_is_kept_as_json_without_loss() -> None:
    for content in [
        message(kern=FULL_KERN, mantel=FULL_MANTEL, meta=FULL_META),
        message(creator="Amsterdam"),
        document_message(),
        document_message("D", case=None),
        delete_message(),
    ]:
        for present in [None, True, False]:
            moment = datetime(2026, 4, 1, 10, 0, tzinfo=UTC)
            read = valid(content)
            row = PermitRow(
                Mutation(read, "gm1", ENTRY, ENTRY + "1.xml", moment, ("ipm.datum-nu",)), read.zaak, present
            )
            _ = row.mutation.order  # a cached property is not part of the JSON
            assert "null" not in row.dump(), (content, present)
            loaded = PermitRow.load(row.dump())
            assert loaded == row, (content, present)
            assert loaded.mutation.order == row.mutation.order, (content, present)
            assert type(loaded.mutation.message.gegevens) is type(read.gegevens), (content, present)
            assert isinstance(read.gegevens, Vergunning | VergunningDocument | None), (content, present)


IDS = st.one_of(st.integers(0, 10**30).map(str), st.text("019a-", min_size=1, max_size=5))


def is_before(one: Mutation, other: Mutation) -> bool | None:
    """Return which of two mutations is the earlier one; None if their order leaves that open."""
    before, after = one.order < other.order, other.order < one.order
    assert not (before and after)
    return before if before or after else None


@given(st.integers(0, 10**30), st.integers(0, 10**30), st.integers(0, 3))
def test_transaction_ids_that_are_numbers_are_compared_by_value(one: int, other: int, zeros: int) -> None:
    first = mutation("U", 1, transactie_id="0" * zeros + str(one))
    second = mutation("U", 1, transactie_id=str(other))
    assert is_before(first, second) is (None if one == other else one < other)


@given(st.text("019a-", min_size=1, max_size=5).filter(lambda text: not text.isdigit()), IDS)
def test_transaction_ids_of_which_one_is_no_number_say_nothing(text: str, other: str) -> None:
    assert is_before(mutation("U", 1, transactie_id=text), mutation("U", 1, transactie_id=other)) is None


def test_the_day_comes_before_the_time_that_before_the_number_and_that_before_the_date_of_the_file() -> None:
    def made(day: int, hour: int | None, number: str, file_hour: int | None) -> Mutation:
        return mutation("U", day, transactie_id=number, file_date=at(file_hour), moment=at(hour))

    def at(hour: int | None) -> datetime | None:
        return None if hour is None else datetime(2026, 4, 1, hour, tzinfo=UTC)

    assert is_before(made(1, 9, "9", 9), made(2, 8, "8", 8))
    assert is_before(made(1, 8, "9", 9), made(1, 9, "8", 8))
    assert is_before(made(1, 9, "8", 9), made(1, 9, "9", 8))
    assert is_before(made(1, None, "8", 9), made(1, 9, "9", 8))
    assert is_before(made(1, None, "a", 8), made(1, 9, "b", 9))
    assert is_before(made(1, 9, "a", None), made(1, 9, "9", 9)) is None


def test_what_its_order_leaves_open_the_volgnummer_decides_and_a_delete_comes_last() -> None:
    second = mutation("U", 1, volgnummer=1)
    delete, create = mutation("D", 1), mutation("C", 1)
    assert in_order([second, delete, create]) == [create, delete, second]


def test_of_messages_that_are_equal_the_one_that_came_last_is_the_last() -> None:
    one, other = mutation("U", 1, title="Eerst"), mutation("U", 1, title="Hersteld")
    assert in_order([one, other]) == [one, other]
    assert in_order([other, one]) == [other, one]
