from __future__ import annotations

from datetime import date

from tests.register.exports import organisation, read
from woo_harvester.permits.messages import Message, Soort, Transactie
from woo_harvester.permits.mutations import Mutation
from woo_harvester.permits.rights import Right, Rights, is_own_host
from woo_harvester.register import Register

CASE = "https://www.stad.nl/zaken/1"


def offered(organisation: str, entry: str, case: str = CASE) -> Mutation:
    message = Message(Soort.ZAAK, Transactie.DELETE, "1", 0, date(2026, 4, 1), case, case)
    return Mutation(message, organisation, entry, entry + "1.xml")


def right(register: Register, organisation: str, entry: str, case: str = CASE) -> Right:
    mutation = offered(organisation, entry, case)
    return Rights(register, {}).right(case, mutation, own_host=is_own_host(case, mutation))


STAD = read(
    organisation("Stad", "https://www.stad.nl/woo", id="1"),
    organisation("Dorp", "https://www.dorp.nl/", id="2"),
)
SHARED = read(
    organisation("Stad", "https://www.stad.nl/woo", id="1"),
    organisation("Dorp", "https://www.stad.nl/dorp", "https://www.dorp.nl/", id="2"),
    organisation("Elders", "https://www.elders.nl/", id="3"),
)
NOBODY = Register([], [])


def test_the_register_decides_the_right_and_else_the_host() -> None:
    for register, owner, entry, expected in [
        (STAD, "1", "https://www.stad.nl/xml/", Right.OWN),
        (STAD, "1", "https://leverancier.nl/stad/", Right.OWN),
        (STAD, "2", "https://www.dorp.nl/", Right.NONE),
        (STAD, "2", "https://www.stad.nl/xml/", Right.NONE),
        (STAD, "www.stad.nl", "https://leverancier.nl/stad/", Right.NONE),
        (SHARED, "1", "https://www.stad.nl/xml/", Right.OWN),
        (SHARED, "2", "https://www.dorp.nl/", Right.OWN),
        (SHARED, "3", "https://www.elders.nl/", Right.NONE),
        (SHARED, "www.stad.nl", "https://www.stad.nl/xml/", Right.OWN),
        (NOBODY, "www.stad.nl", "https://www.stad.nl/xml/", Right.OWN),
        (NOBODY, "www.stad.nl", "http://www.stad.nl/xml/", Right.OWN),
        (NOBODY, "www.stad.nl:8443", "https://www.stad.nl:8443/xml/", Right.ANY),
        (NOBODY, "www.dorp.nl", "https://www.dorp.nl/", Right.ANY),
    ]:
        assert right(register, owner, entry) is expected, (register, owner, entry)


def test_an_entry_page_of_a_shared_host_has_no_right_on_a_host_of_one_organisation() -> None:
    case = "https://www.dorp.nl/zaken/1"
    assert right(SHARED, "www.stad.nl", "https://www.stad.nl/xml/", case) is Right.NONE


def test_the_registered_owners_are_named() -> None:
    assert Rights(SHARED, {}).registered_owners(CASE) == "1, 2"


def test_a_message_gets_the_organisation_that_its_entry_page_has_in_this_run() -> None:
    mutation = offered("oud", "https://www.stad.nl/xml/")
    assert Rights(NOBODY, {"https://www.stad.nl/xml/": "1"}).current(mutation).organisatie == "1"
    assert Rights(NOBODY, {"https://www.elders.nl/": "1"}).current(mutation) is mutation


PAGE, MOVED = "https://www.stad.nl/xml/", "https://www.stad.nl/nieuw/"
DORP = read(organisation("Dorp", "https://www.dorp.nl/", id="2"))


def test_an_entry_page_without_a_name_is_that_of_the_organisation_that_is_known_for_it() -> None:
    for register, known, in_this_run, named, expected in [
        (NOBODY, "www.stad.nl", {}, {PAGE: "Stad"}, "Stad"),
        (NOBODY, "www.stad.nl", {PAGE: "www.stad.nl"}, {PAGE: "Stad"}, "Stad"),
        (NOBODY, "Stad", {PAGE: "www.stad.nl"}, {}, "www.stad.nl"),
        (NOBODY, "Stad", {PAGE: "Dorp"}, {PAGE: "Stad"}, "Dorp"),
        (NOBODY, "Stad", {}, {}, "Stad"),
        (NOBODY, "www.stad.nl", {}, {MOVED: "Stad"}, "Stad"),
        (NOBODY, "www.stad.nl", {}, {MOVED: "Stad", "https://www.stad.nl/x/": "Stad"}, "Stad"),
        (NOBODY, "www.stad.nl", {}, {MOVED: "Stad", "https://www.stad.nl/x/": "Dorp"}, "www.stad.nl"),
        (NOBODY, "www.stad.nl", {}, {"https://www.dorp.nl/": "Dorp"}, "www.stad.nl"),
        (STAD, "www.stad.nl", {}, {}, "1"),
        (STAD, "www.stad.nl", {PAGE: "1"}, {PAGE: "Dorp"}, "1"),
        (SHARED, "www.stad.nl", {}, {MOVED: "Stad"}, "www.stad.nl"),
        (DORP, "www.stad.nl", {}, {PAGE: "Dorp"}, "2"),
    ]:
        rights, mutation = Rights(register, in_this_run, named), offered(known, PAGE)
        current = rights.current(mutation)
        assert current.organisatie == expected, (register, known, in_this_run, named)
        assert rights.shown(current) == in_this_run.get(PAGE, expected), (register, known, in_this_run, named)
