from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.permits.world import (
    CASE,
    DORP,
    OTHER_CASE,
    STAD,
    World,
    causes,
    document,
    mutation,
)
from tests.register.exports import organisation, read
from woo_harvester.permits.mutations import Mutation
from woo_harvester.permits.rights import Rights

REGISTERED = Rights(
    read(
        organisation("Stad", "https://www.voorbeeldstad.nl/woo", id=STAD),
        organisation("Dorp", "https://www.dorp.nl/", id=DORP),
    ),
    {},
)
ELSEWHERE = "https://www.dorp.nl/xml/"


def elsewhere(mutation: Mutation, organisatie: str = DORP) -> Mutation:
    """Return the same message from the entry page of another organisation."""
    return replace(mutation, organisatie=organisatie, ingang=ELSEWHERE, bestand=ELSEWHERE + "1.xml")


@pytest.mark.parametrize("day", [1, 9])
@pytest.mark.parametrize("letter", "CUD")
def test_a_stranger_has_no_right_on_a_registered_host(day: int, letter: str) -> None:
    world = World(REGISTERED)
    for _ in range(2):
        assert world.run(elsewhere(mutation(letter, day))) == []
        assert (world.codes, world.rows) == (["ipm.andere-organisatie"], {})
        assert world.findings[0].seen == f"de zaak is van {STAD}"
    assert world.run(elsewhere(document("C", day))) == []
    assert world.codes == ["ipm.andere-organisatie"]
    assert causes(world.run(mutation("C", 5))) == ["aanlevering"]


@pytest.mark.parametrize("letter", "CUD")
def test_an_owner_takes_its_case_whatever_the_dates_of_a_stranger_are(letter: str) -> None:
    world = World()
    world.run(elsewhere(mutation("C", 9, title="Vals")), elsewhere(document("C", 9)))
    world.rights = REGISTERED
    (outcome,) = world.run(mutation(letter, 1, title="Eigen"))
    assert (str(outcome.oorzaak), outcome.mutatie.organisatie, outcome.documenten) == (
        "intrekking" if letter == "D" else "wijziging", STAD, ()
    )  # fmt: skip
    assert (world.codes, [each.bestand for each in world.refused]) == ([], [ELSEWHERE + "1.xml"])


def test_an_owner_that_takes_over_the_same_message_gets_a_new_record() -> None:
    world = World()
    world.run(elsewhere(mutation("C", 1)))
    world.rights = REGISTERED
    (outcome,) = world.run(mutation("C", 1))
    assert (str(outcome.oorzaak), outcome.zaak.organisatie) == ("wijziging", STAD)


def test_an_entry_page_on_an_unregistered_host_of_the_case_comes_before_others() -> None:
    world = World()
    world.run(elsewhere(mutation("C", 9)))
    assert causes(world.run(mutation("C", 1))) == ["wijziging"]
    assert world.run(elsewhere(mutation("U", 9))) == []
    assert causes(world.run(mutation("D", 2))) == ["intrekking"]
    assert world.run(elsewhere(mutation("U", 9))) == []
    assert world.codes == ["ipm.andere-organisatie"], "and what it removed stays removed"


def test_the_first_of_organisations_with_the_same_right_keeps_the_case_whatever_the_dates_are() -> None:
    for mine, theirs in ((1, 9), (9, 1)):
        world = World()
        (outcome,) = world.run(mutation("C", mine), mutation("C", theirs, organisatie=DORP))
        assert (outcome.zaak.organisatie, world.codes) == (STAD, ["ipm.andere-organisatie"])


def test_a_delete_frees_the_case_for_what_waits_in_the_same_run() -> None:
    world = World()
    world.run(mutation("C", 5))
    (outcome,) = world.run(mutation("C", 1, organisatie=DORP), mutation("D", 6))
    assert (str(outcome.oorzaak), outcome.zaak.organisatie, world.codes) == ("wijziging", DORP, [])


def test_another_organisation_cannot_change_the_documents_of_a_case() -> None:
    world = World()
    world.run(mutation("C", 1), document("C", 1))
    before = world.state()
    mine = "https://www.dorp.nl/1.pdf"
    for attempt in (
        document("U", 5, organisatie=DORP),
        document("D", 5, case=None, organisatie=DORP),
        document("C", 5, identifier=mine, organisatie=DORP),
    ):
        for _ in range(2):
            assert world.run(attempt) == []
            assert world.codes == ["ipm.andere-organisatie"]
    assert world.state() == before


def test_a_document_may_be_part_of_cases_of_two_organisations() -> None:
    world = World()
    world.run(mutation("C", 1), document("C", 1))
    world.run(mutation("C", 1, identifier=OTHER_CASE, organisatie=DORP))
    (outcome,) = world.run(document("U", 5, case=OTHER_CASE, organisatie=DORP))
    assert (outcome.identifier, len(outcome.documenten)) == (OTHER_CASE, 1)
    world.run(document("D", 6, case=None, organisatie=DORP))
    assert {case: len(messages) for case, messages in world.state().items()} == {CASE: 2, OTHER_CASE: 1}


def test_a_document_of_another_organisation_that_came_first_is_not_shown_with_the_case() -> None:
    world = World()
    world.run(document("C", 1, organisatie=DORP))
    (outcome,) = world.run(mutation("C", 1))
    assert outcome.documenten == ()
    (outcome,) = world.run(document("C", 1))
    assert [each.organisatie for each in outcome.documenten] == [STAD]


def test_a_case_can_be_handed_over_after_its_organisation_removed_it() -> None:
    world = World()
    world.run(mutation("C", 1))
    world.run(mutation("D", 5))
    assert world.run(mutation("D", 6, organisatie=DORP)) == []
    assert world.codes == ["ipm.zaak-onbekend"]
    assert causes(world.run(mutation("C", 7, organisatie=DORP))) == ["herpublicatie"]
    assert world.run(mutation("U", 8)) == []
    assert world.codes == ["ipm.andere-organisatie"]
