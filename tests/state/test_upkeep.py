from __future__ import annotations

from sqlalchemy import Connection

from tests.state.knowledge import HARVESTED, harvest, locs, see, sitemap_of
from woo_harvester.state.documents import confirm_withdrawn, look_up
from woo_harvester.state.resources import host_of_state, keep_host, keep_read, resource_of
from woo_harvester.state.upkeep import (
    HostSummary,
    confirm_hold,
    forget_document,
    host_of_document,
    known_hosts,
    summaries,
)


def test_a_host_is_summed_up_over_its_sitemaps(connection: Connection) -> None:
    keys = harvest(connection, sitemap_of(connection), locs(4))
    harvest(connection, sitemap_of(connection, name="s1.xml"), ["https://a.nl/een.pdf"])
    see(connection, sitemap_of(connection), ["https://a.nl/gezien.pdf"])
    confirm_withdrawn(connection, dict.fromkeys(keys[:1], HARVESTED))
    keep_host(connection, host_of_state(connection, "a.nl").id, complete_at=HARVESTED, held_runs=2)
    assert list(summaries(connection)) == [HostSummary("a.nl", 4, 1, 2, False, HARVESTED)]


def test_hosts_are_told_by_name_and_those_without_documents_too(connection: Connection) -> None:
    host_of_state(connection, "leeg.nl")
    harvest(connection, sitemap_of(connection, "b.nl"), locs(1, "b.nl"))
    host_of_state(connection, "a.nl")
    assert [(one.host, one.documents) for one in summaries(connection)] == [
        ("a.nl", 0),
        ("b.nl", 1),
        ("leeg.nl", 0),
    ]
    assert known_hosts(connection) == ["a.nl", "b.nl", "leeg.nl"]


def test_a_document_is_of_the_host_that_listed_it(connection: Connection) -> None:
    harvest(connection, sitemap_of(connection, "b.nl"), ["https://a.nl/d.pdf"])
    assert host_of_document(connection, "https://a.nl/d.pdf") == "b.nl"
    assert host_of_document(connection, "https://a.nl/x.pdf") is None


def test_a_forgotten_document_was_never_seen_and_its_sitemap_is_read_whole(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    harvest(connection, sitemap, locs(2))
    keep_read(connection, sitemap, etag='"e"', last_modified=None, digest=b"d", at=HARVESTED)
    forget_document(connection, locs(2)[0])
    assert look_up(connection, locs(2)).keys() == {locs(2)[1]}
    host, index = host_of_state(connection, "a.nl").id, "https://a.nl/sitemapindex-diwoo.xml"
    assert resource_of(connection, host, "https://a.nl/s0.xml", "sitemap", index).digest is None


def test_forgetting_a_document_that_is_not_known_does_nothing(connection: Connection) -> None:
    harvest(connection, sitemap_of(connection), locs(1))
    forget_document(connection, "https://a.nl/x.pdf")
    assert len(look_up(connection, locs(1))) == 1


def test_only_what_is_held_back_can_be_confirmed(connection: Connection) -> None:
    host = host_of_state(connection, "a.nl").id
    assert not confirm_hold(connection, "a.nl")
    assert not confirm_hold(connection, "b.nl")
    keep_host(connection, host, complete_at=HARVESTED, held_runs=1)
    assert confirm_hold(connection, "a.nl")
    known = host_of_state(connection, "a.nl")
    assert (known.confirmed, known.held_runs, known.complete_at) == (True, 1, HARVESTED)
