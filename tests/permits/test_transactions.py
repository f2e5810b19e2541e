from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.permits.world import (
    CASE,
    DOCUMENT,
    DORP,
    ENTRY,
    OTHER_CASE,
    STAD,
    World,
    causes,
    document,
    mutation,
)
from woo_harvester.permits.messages import Soort, Transactie
from woo_harvester.permits.mutations import Mutation
from woo_harvester.permits.record import Vergunning
from woo_harvester.record import Oorzaak

TITLES = st.sampled_from(["Kapvergunning", "Bouwvergunning"])
DAYS = st.integers(1, 4)
#: A mix of numbers and texts has no order that holds for any three of them.
IDS = st.sampled_from(["1", "02", "10", "9"])
MOMENTS = st.integers(0, 3).map(lambda hour: datetime(2026, 4, 1, hour, tzinfo=UTC))
LETTERS = st.sampled_from("CUD")
CASES = st.builds(
    mutation, LETTERS, DAYS, transactie_id=IDS, title=TITLES, file_date=MOMENTS,
    identifier=st.sampled_from([CASE, OTHER_CASE]),
)  # fmt: skip
DOCUMENTS = st.builds(
    document, LETTERS, DAYS, transactie_id=IDS, title=TITLES, file_date=MOMENTS,
    identifier=st.sampled_from([DOCUMENT, DOCUMENT + "?2"]), case=st.sampled_from([CASE, OTHER_CASE]),
)  # fmt: skip


def without_case(mutation: Mutation) -> Mutation:
    """Return the delete of a document that does not name its case."""
    if mutation.alive or mutation.key.soort is Soort.ZAAK:
        return mutation
    return replace(mutation, message=replace(mutation.message, zaak=None))


#: No two of these tie: the order of such messages depends on their arrival.
MUTATIONS = st.lists(
    st.one_of(CASES, DOCUMENTS).map(without_case),
    max_size=10,
    unique_by=lambda each: (each.key, each.order),
)


def created(number: str = "1", **given: Any) -> Mutation:
    """Return the message of the first day that makes the case."""
    return mutation("C", 1, transactie_id=number, **given)


def updated(number: str, **given: Any) -> Mutation:
    """Return another message of that day about it."""
    return mutation("U", 1, transactie_id=number, **given)


AGAIN = replace(created(file_date=datetime(2026, 5, 1, tzinfo=UTC)), bestand=ENTRY + "kopie.xml")
MORNING, NOON = (datetime(2026, 4, 1, hour, tzinfo=UTC) for hour in (8, 10))
NEW, CHANGED, GONE, BACK = (["aanlevering"], ["wijziging"], ["intrekking"], ["herpublicatie"])
UPDATED, DELETED = mutation("U", 5), mutation("D", 5)
#: The runs of a story: the messages of each, what becomes of cases, and the findings.
STORIES: dict[str, list[tuple[list[Mutation], list[str], list[str]]]] = {
    "a case is created, changed, withdrawn and back in four runs": [
        ([created()], NEW, []),
        ([mutation("U", 2, title="Anders")], CHANGED, []),
        ([mutation("D", 3)], GONE, []),
        ([mutation("C", 4)], BACK, []),
    ],
    "a case that was created and deleted in one run gives no record": [
        ([created(), mutation("D", 2)], [], [])
    ],
    "the delete comes last of messages that tie": [([mutation("D", 1), created()], [], [])],
    "an update of an unknown case creates it without a finding": [([updated("1")], NEW, [])],
    "a case that is deleted and created in one run changes": [
        ([created()], NEW, []),
        ([mutation("C", 3, title="Nieuw"), mutation("D", 2)], CHANGED, []),
        ([mutation("C", 5, title="Nieuw"), mutation("D", 4)], [], []),
    ],
    "a create that comes after the delete of an unknown case does not bring it back": [
        ([DELETED], [], ["ipm.zaak-onbekend"]),
        ([created()], [], ["ipm.overgeslagen"]),
    ],
    "the same message in another file changes nothing": [([created()], NEW, []), ([AGAIN], [], [])],
    "transaction ids are compared as numbers": [
        ([created("9")], NEW, []),
        ([updated("10")], CHANGED, []),
        ([updated("09", title="Te laat")], [], ["ipm.niet-toegepast"]),
    ],
    "transaction ids of thousands of digits are compared too": [
        ([created("9" * 9000)], NEW, []),
        ([updated("1" + "0" * 9000)], CHANGED, []),
    ],
    "transaction ids that are no numbers are not compared": [
        ([created("12")], NEW, []),
        *(([updated(number)], CHANGED, []) for number in ("2026-B", "2026-A", "99")),
    ],
    "the time in aanmaakdatum decides on one day": [
        ([created(moment=NOON)], NEW, []),
        ([updated("2", moment=MORNING, title="Ochtend")], [], ["ipm.niet-toegepast"]),
    ],
    "a date that is made on request hides no delete and no return": [
        ([created()], NEW, []),
        ([mutation("D", 2)], GONE, []),
        ([mutation("D", 3)], [], ["ipm.datum-gegenereerd"]),
        ([mutation("C", 4)], BACK, []),
    ],
    "a delete of an unknown document keeps an older create out": [
        ([created()], NEW, []),
        ([document("D", 5, case=None)], [], ["ipm.document-onbekend"]),
        ([document("C", 2)], [], ["ipm.overgeslagen"]),
    ],
    "a late delete of a document is a warning only while its case is there": [
        ([created(), document("C", 5)], NEW, []),
        ([document("D", 2)], [], ["ipm.niet-toegepast"]),
        ([mutation("D", 6)], GONE, []),
        ([document("D", 3)], [], ["ipm.overgeslagen"]),
    ],
    **{
        f"a late message is a warning if it would have changed what is published: {number}": [
            ([known], NEW if known is UPDATED else [], [] if known is UPDATED else ["ipm.zaak-onbekend"]),
            ([late], [], [f"ipm.{code}"]),
        ]
        for number, (known, late, code) in enumerate(
            (
                (UPDATED, mutation("D", 1), "niet-toegepast"),
                (UPDATED, updated("1", title="Anders"), "niet-toegepast"),
                (UPDATED, updated("0"), "overgeslagen"),
                (UPDATED, updated("1"), "overgeslagen"),
                (UPDATED, created(title="Anders"), "overgeslagen"),
                (DELETED, mutation("D", 1, transactie_id="0"), "overgeslagen"),
                (DELETED, updated("1"), "niet-toegepast"),
            )
        )
    },
}


def test_messages_change_a_case() -> None:
    for story in STORIES.values():
        world = World()
        for messages, expected, codes in story:
            assert (causes(world.run(*messages)), world.codes) == (expected, codes), story


def test_a_create_of_a_known_case_updates_it_with_a_finding() -> None:
    world = World()
    world.run(mutation("C", 1))
    (outcome,) = world.run(mutation("C", 2, title="Nieuw", bevindingen=("ipm.datum-nu",)))
    assert outcome.oorzaak is Oorzaak.WIJZIGING
    assert world.codes == ["ipm.zaak-bekend"]
    assert outcome.bevindingen == ("ipm.datum-nu", "ipm.zaak-bekend")


def test_a_case_whose_url_gets_another_scheme_is_the_same_case() -> None:
    http = CASE.replace("https", "http")
    for old, new in ((http, CASE), (CASE, http)):
        world = World()
        world.run(mutation("C", 1, identifier=old))
        (moved,) = world.run(mutation("U", 2, identifier=new, title="Verhuisd"))
        (gone,) = world.run(mutation("D", 3, identifier=old))
        assert (moved.oorzaak, moved.eerste) == (Oorzaak.WIJZIGING, old)
        assert (gone.oorzaak, gone.eerste) == (Oorzaak.INTREKKING, old)


def test_a_delete_of_an_unknown_case_gives_a_finding_and_no_record() -> None:
    world = World()
    assert world.run(mutation("D", 1)) == []
    assert [finding.as_dict() for finding in world.findings] == [
        {
            "code": "ipm.zaak-onbekend",
            "severity": "warning",
            "url": ENTRY + "zaak-D-2026-04-01.xml",
            "organisation": STAD,
            "host": "www.voorbeeldstad.nl",
            "sitemap": ENTRY,
            "seen": CASE,
            "action": "onthouden",
        }
    ]


def test_an_older_message_that_comes_late_is_skipped_with_a_finding() -> None:
    world = World()
    world.run(mutation("U", 5))
    before = world.state()
    assert world.run(mutation("C", 1)) == []
    assert world.state() == before
    assert world.codes == ["ipm.overgeslagen"]
    assert world.findings[0].seen == (
        "C van 2026-04-01, transactieID 1; verwerkt is U van 2026-04-05, transactieID 1"
    )


def test_the_last_one_counts_of_other_messages_that_tie() -> None:
    world = World()
    (outcome,) = world.run(mutation("U", 1, title="Eerst"), mutation("U", 1, title="Hersteld"))
    assert outcome.zaak.message.gegevens == Vergunning(identifier=CASE, title="Hersteld")
    (outcome,) = world.run(mutation("U", 1, title="Weer hersteld"))
    assert outcome.zaak.message.gegevens == Vergunning(identifier=CASE, title="Weer hersteld")


def test_a_late_message_about_a_document_does_not_lose_to_a_newer_one_about_its_case() -> None:
    world = World()
    world.run(mutation("U", 9))
    (outcome,) = world.run(document("C", 1))
    assert [each.message.identifier for each in outcome.documenten] == [DOCUMENT]


def test_a_delete_of_a_document_removes_it_from_its_case_and_not_the_case() -> None:
    world = World()
    world.run(mutation("C", 1), document("C", 1))
    (outcome,) = world.run(document("D", 2, case=None))
    assert (outcome.oorzaak, outcome.documenten) == (Oorzaak.WIJZIGING, ())
    assert outcome.mutatie.message.transactie is Transactie.DELETE
    assert outcome.zaak.alive


def test_a_document_that_comes_before_its_case_waits_for_it() -> None:
    world = World()
    assert world.run(document("C", 1)) == []
    assert world.codes == ["ipm.document-zonder-zaak"]
    (outcome,) = world.run(mutation("C", 1))
    assert [each.message.identifier for each in outcome.documenten] == [DOCUMENT]


def test_a_document_that_moves_changes_both_cases() -> None:
    world = World()
    world.run(mutation("C", 1), mutation("C", 1, identifier=OTHER_CASE), document("C", 1))
    outcomes = world.run(document("U", 2, case=OTHER_CASE))
    assert {outcome.identifier: len(outcome.documenten) for outcome in outcomes} == {CASE: 0, OTHER_CASE: 1}
    assert set(causes(outcomes)) == {"wijziging"}


def test_documents_come_in_the_order_of_their_volgnummer() -> None:
    world = World()
    second = document("C", 1, identifier=DOCUMENT + "?2")
    second = replace(second, message=replace(second.message, volgnummer=2))
    (outcome,) = world.run(second, document("C", 1), mutation("C", 1))
    assert [each.message.volgnummer for each in outcome.documenten] == [1, 2]


@given(MUTATIONS, st.data())
def test_any_order_of_arrival_has_the_same_outcome(mutations: list[Mutation], data: st.DataObject) -> None:
    at_once, split = World(), World()
    at_once.run(*mutations)
    arriving: list[Mutation] = data.draw(st.permutations(mutations))
    while arriving:
        size = data.draw(st.integers(1, len(arriving)))
        split.run(*arriving[:size])
        arriving = arriving[size:]
    assert split.state() == at_once.state()
    assert {key: [row.mutation for row in rows] for key, rows in split.rows.items()} == {
        key: [row.mutation for row in rows] for key, rows in at_once.rows.items()
    }


@given(MUTATIONS)
def test_a_message_that_was_applied_changes_nothing_the_second_time(mutations: list[Mutation]) -> None:
    world = World()
    world.run(*mutations)
    before = world.state()
    assert world.run(*mutations) == []
    assert world.state() == before


@given(MUTATIONS, MUTATIONS)
def test_no_message_of_others_changes_a_case(mutations: list[Mutation], others: list[Mutation]) -> None:
    world = World()
    world.run(*mutations)
    before: dict[str, Any] = world.state()
    world.run(*(replace(each, organisatie=DORP) for each in others))
    after = world.state()
    assert {case: after.get(case) for case in before} == before


def test_the_date_of_the_file_and_then_the_order_of_arrival_decide_where_the_rest_is_the_same() -> None:
    early, late = datetime(2026, 4, 1, 10, tzinfo=UTC), datetime(2026, 4, 1, 11, tzinfo=UTC)
    world = World()
    world.run(mutation("U", 1, file_date=late))
    assert world.run(mutation("U", 1, volgnummer=1, file_date=early, title="Vroeger")) == []
    assert causes(world.run(mutation("U", 1, file_date=late, title="Hersteld"))) == ["wijziging"]
    assert causes(world.run(mutation("U", 1, title="Zonder datum"))) == ["wijziging"]


def test_a_date_that_is_new_alone_is_no_change_and_is_reported_each_time() -> None:
    world = World()
    world.run(mutation("C", 1), document("C", 1))
    for day in (2, 3):
        assert world.run(mutation("C", day), document("C", day)) == []
        assert world.codes == ["ipm.datum-gegenereerd"] * 2
    assert world.findings[0].seen == "2026-04-03; eerder 2026-04-02"
    assert causes(world.run(mutation("C", 4, title="Nieuw"))) == ["wijziging"]
