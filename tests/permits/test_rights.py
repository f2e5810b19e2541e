from __future__ import annotations

from datetime import date

from tests.register.exports import organisation, read
from woo_harvester.permits.messages import Message, Soort, Transactie
from woo_harvester.permits.mutations import Mutation
from woo_harvester.permits.rights import Right, Rights
from woo_harvester.register import Register

CASE = "https://www.stad.nl/zaken/1"


def offered(organisation: str, entry: str, case: str = CASE) -> Mutation:
    message = Message(Soort.ZAAK, Transactie.DELETE, "1", 0, date(2026, 4, 1), case, case)
    return Mutation(message, organisation, entry, entry + "1.xml")


def right(register: Register, organisation: str, entry: str, case: str = CASE) -> Right:
    return Rights(register, {}).right(case, offered(organisation, entry, case))


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


PAGE = "https://www.stad.nl/xml/"


def test_the_cases_of_a_page_are_of_who_was_named_last_or_is_known_by_its_host() -> None:
    for in_this_run, named, expected in [
        ({PAGE: "1"}, {}, "1"),
        ({PAGE: "www.stad.nl"}, {PAGE: "Stad"}, "Stad"),
        ({}, {PAGE: "Stad"}, "Stad"),
        ({"https://www.elders.nl/": "1"}, {}, "oud"),
    ]:
        rights, mutation = Rights(NOBODY, in_this_run, named), offered("oud", PAGE)
        current = rights.current(mutation)
        assert current.organisatie == expected, (in_this_run, named)
        assert rights.shown(current) == in_this_run.get(PAGE, expected), (in_this_run, named)
