"""``scrapy state forget``, ``confirm`` and ``restore``."""

from __future__ import annotations

from typing import Any

import pytest

from tests.commands.state_shell import Shell, refused
from tests.state.knowledge import locs, miss, see, sitemap_of
from tests.state.processes import LOCKING, running
from woo_harvester.state.documents import look_up
from woo_harvester.state.listings import need
from woo_harvester.state.resources import host_of_state
from woo_harvester.state.schema import CONFIRMED

MARKED = "SELECT loc FROM documents WHERE again"


def test_a_document_is_forgotten(filled: Shell) -> None:
    assert filled("forget", "https://a.nl/d/1.pdf") == (0, "", "Forgot 1 document.\n")
    assert "https://a.nl/d/1.pdf" not in filled.locs()
    assert len(filled.locs()) == 6


def test_a_host_is_forgotten_with_all_that_it_has(filled: Shell) -> None:
    assert filled("forget", "a.nl") == (0, "", "Forgot 1 host.\n")
    assert filled.locs() == locs(2, "www.b.nl:8443")


def test_hosts_and_documents_are_forgotten_together(filled: Shell) -> None:
    done = filled("forget", "WWW.b.nl:8443", *locs(2))
    assert done.stderr == "Forgot 1 host, 2 documents.\n"
    assert filled.locs() == locs(5)[2:]


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("aa.nl", "the state does not know aa.nl: did you mean a.nl?"),
        ("b.nl", "the state does not know b.nl"),
        ("\udcff\udcfe", r"the state does not know \udcff\udcfe"),
        ("a\u202eb", r"the state does not know a\u202eb"),
        ("www.b.nl:8444", "the state does not know www.b.nl:8444: did you mean www.b.nl:8443?"),
        ("https://a.nl/d/9.pdf", "the state does not know https://a.nl/d/9.pdf"),
        ("a.nl/d/1.pdf", "the state does not know a.nl/d/1.pdf"),
        ("https://", "the state does not know https://"),
        ("https://www.b.nl:8443/", "the state does not know https://www.b.nl:8443/"),
        ("www.b.nl:8443 ", "the state does not know www.b.nl:8443 : did you mean www.b.nl:8443?"),
        (" a.nl", "the state does not know  a.nl: did you mean a.nl?"),
        ("u@a.nl", "the state does not know u@a.nl: did you mean a.nl?"),
        ("www.b.nl:08443", "the state does not know www.b.nl:08443: did you mean www.b.nl:8443?"),
        ("a.nl.", "the state does not know a.nl.: did you mean a.nl?"),
    ],
)
def test_beside_what_is_not_known_nothing_is_changed(filled: Shell, given: str, line: str) -> None:
    before = filled.dump()
    for action in ("forget", "again"):
        assert refused(filled(action, "https://a.nl/d/1.pdf", given), line)
    assert filled.dump() == before


@pytest.mark.parametrize("action", ["confirm", "restore"])
@pytest.mark.parametrize("given", ["https://a.nl/d/1.pdf", "https://a.nl/"])
def test_where_only_hosts_are_taken_a_url_is_refused(filled: Shell, action: str, given: str) -> None:
    before = filled.dump()
    assert refused(filled(action, "a.nl", given), f"expected: scrapy state {action} HOST...; got {given}")
    assert filled.dump() == before


def test_a_document_comes_before_the_host_of_the_same_url(filled: Shell) -> None:
    """``https://www.b.nl:8443/`` is no way to write the host."""
    page = "https://www.b.nl:8443/"
    filled.fill(lambda connection: see(connection, sitemap_of(connection, "www.b.nl:8443"), [page]))
    assert filled("forget", page).stderr == "Forgot 1 document.\n"
    assert filled.locs() == sorted([*locs(5), *locs(2, "www.b.nl:8443")])


@pytest.mark.parametrize(
    "args",
    [
        ["forget", "www.b.nl:8443", "a.nl"],
        ["forget", "https://a.nl/d/1.pdf"],
        ["confirm", "a.nl"],
        ["restore", "a.nl"],
    ],
)
def test_what_a_run_is_using_is_not_touched(filled: Shell, args: list[str]) -> None:
    before = filled.dump()
    with running(LOCKING, filled.file, "a.nl"):
        assert refused(filled(*args), "a run works on a.nl: wait until it ends", status=1)
    assert filled.dump() == before


def test_another_host_can_be_forgotten_while_a_run_is_going_on(filled: Shell) -> None:
    with running(LOCKING, filled.file, "a.nl"):
        assert filled("forget", "www.b.nl:8443").status == 0


def test_pending_withdrawals_are_confirmed_and_shown(filled: Shell) -> None:
    line = "Confirmed: the next complete run withdraws 2 documents of a.nl, if still gone and waiting for no "
    for _ in range(2):
        assert filled("confirm", "a.nl") == (0, "", f"{line}other host.\n")
        assert "a.nl                  4         1 confirmed 2023-11-14 23:15\n" in filled().stdout


def test_what_one_read_withdraws_waits_for_no_confirmation(filled: Shell) -> None:
    """Such a document waits for another host of its organisation, which a confirmation does not change."""
    filled.fill(lambda connection: need(connection, host_of_state(connection, "a.nl").id, 1))
    before = filled.dump()
    assert refused(filled("confirm", "a.nl"), "no withdrawal waits for a confirmation of a.nl", status=1)
    assert filled().stdout.splitlines()[1] == "a.nl                  4         1         2 2023-11-14 23:15"
    assert filled.dump() == before


def test_what_is_missing_after_a_confirmation_goes_on_waiting(filled: Shell) -> None:
    filled("confirm", "a.nl")

    def read_again(connection: Any) -> None:
        known = look_up(connection, locs(5))
        miss(connection, {sitemap_of(connection): [known[loc].id for loc in locs(5)[2:]]})

    filled.fill(read_again)
    missing = "SELECT loc, needed FROM listings JOIN documents ON id = document_id WHERE misses"
    assert dict(filled.rows(missing)) == {locs(5)[2]: None, locs(5)[3]: CONFIRMED, locs(5)[4]: CONFIRMED}


def test_where_nothing_is_pending_nothing_is_confirmed(filled: Shell) -> None:
    done = filled("confirm", "a.nl", "www.b.nl:8443")
    assert refused(done, "no withdrawal waits for a confirmation of www.b.nl:8443", status=1)
    assert "confirmed" not in filled().stdout


def test_withdrawn_documents_are_marked_to_be_delivered_again(filled: Shell) -> None:
    line = "Marked: the next run delivers 1 document of a.nl again, if listed.\n"
    for _ in range(2):
        assert filled("restore", "a.nl") == (0, "", line)
    assert filled.rows(MARKED) == [(locs(1)[0],)]


def test_where_nothing_is_withdrawn_nothing_is_marked(filled: Shell) -> None:
    done = filled("restore", "a.nl", "www.b.nl:8443")
    assert refused(done, "no document is withdrawn of www.b.nl:8443", status=1)
    assert filled.rows(MARKED) == []
