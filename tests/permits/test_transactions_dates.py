"""The order of messages: their dates, times and numbers, and what comes too late."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.permits.world import (
    World,
    causes,
    document,
    mutation,
)
from woo_harvester.permits.mutations import Mutation


def test_transaction_ids_are_compared_as_numbers() -> None:
    world = World()
    world.run(mutation("C", 1, transactie_id="9"))
    assert causes(world.run(mutation("U", 1, transactie_id="10"))) == ["wijziging"]
    assert world.run(mutation("U", 1, transactie_id="09", title="Te laat")) == []


def test_transaction_ids_of_thousands_of_digits_are_compared_too() -> None:
    world = World()
    world.run(mutation("C", 1, transactie_id="9" * 9000))
    assert causes(world.run(mutation("U", 1, transactie_id="1" + "0" * 9000))) == ["wijziging"]


def test_transaction_ids_that_are_no_numbers_are_not_compared() -> None:
    world = World()
    world.run(mutation("C", 1, transactie_id="12"))
    assert causes(world.run(mutation("U", 1, transactie_id="2026-B"))) == ["wijziging"]
    assert causes(world.run(mutation("U", 1, transactie_id="2026-A"))) == ["wijziging"]
    assert causes(world.run(mutation("U", 1, transactie_id="99"))) == ["wijziging"]


def test_the_date_of_the_file_and_then_the_order_of_arrival_decide_where_the_rest_is_the_same() -> None:
    early, late = datetime(2026, 4, 1, 10, tzinfo=UTC), datetime(2026, 4, 1, 11, tzinfo=UTC)
    world = World()
    world.run(mutation("U", 1, file_date=late))
    assert world.run(mutation("U", 1, volgnummer=1, file_date=early, title="Vroeger")) == []
    assert causes(world.run(mutation("U", 1, file_date=late, title="Hersteld"))) == ["wijziging"]
    assert causes(world.run(mutation("U", 1, title="Zonder datum"))) == ["wijziging"]


def test_the_time_in_aanmaakdatum_decides_on_one_day() -> None:
    morning, noon = datetime(2026, 4, 1, 8, tzinfo=UTC), datetime(2026, 4, 1, 10, tzinfo=UTC)
    world = World()
    world.run(mutation("C", 1, transactie_id="1", moment=noon))
    assert world.run(mutation("U", 1, transactie_id="2", moment=morning, title="Ochtend")) == []
    assert world.codes == ["ipm.niet-toegepast"]


def test_a_date_that_is_new_alone_is_no_change_and_is_reported_each_time() -> None:
    world = World()
    world.run(mutation("C", 1), document("C", 1))
    for day in (2, 3):
        assert world.run(mutation("C", day), document("C", day)) == []
        assert world.codes == ["ipm.datum-gegenereerd"] * 2
    assert world.findings[0].seen == "2026-04-03; eerder 2026-04-02"
    assert causes(world.run(mutation("C", 4, title="Nieuw"))) == ["wijziging"]


def test_a_date_that_is_made_on_request_hides_no_delete_and_no_return() -> None:
    world = World()
    world.run(mutation("C", 1))
    assert causes(world.run(mutation("D", 2))) == ["intrekking"]
    assert world.run(mutation("D", 3)) == []
    assert world.codes == ["ipm.datum-gegenereerd"]
    assert causes(world.run(mutation("C", 4))) == ["herpublicatie"]


@pytest.mark.parametrize(
    ("known", "late", "code"),
    [
        (mutation("U", 5), mutation("D", 1), "ipm.niet-toegepast"),
        (mutation("U", 5), mutation("U", 1, title="Anders"), "ipm.niet-toegepast"),
        (mutation("U", 5), mutation("U", 1, transactie_id="0"), "ipm.overgeslagen"),
        (mutation("U", 5), mutation("U", 1), "ipm.overgeslagen"),
        (mutation("U", 5), mutation("C", 1, title="Anders"), "ipm.overgeslagen"),
        (mutation("D", 5), mutation("D", 1, transactie_id="0"), "ipm.overgeslagen"),
        (mutation("D", 5), mutation("U", 1), "ipm.niet-toegepast"),
    ],
)
def test_a_late_message_that_would_have_changed_what_is_published_is_a_warning(
    known: Mutation, late: Mutation, code: str
) -> None:
    world = World()
    world.run(known)
    assert world.run(late) == []
    assert world.codes == [code]


def test_a_late_delete_of_a_document_is_a_warning_only_while_its_case_is_there() -> None:
    world = World()
    world.run(mutation("C", 1), document("C", 5))
    world.run(document("D", 2))
    assert world.codes == ["ipm.niet-toegepast"]
    world.run(mutation("D", 6))
    world.run(document("D", 3))
    assert world.codes == ["ipm.overgeslagen"]
