"""Ten stories of days: what a harvest delivers on each of them.

They are documentation. What holds over any days, whatever publishers, operators and machines do, is tested by
``tests/simulation``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.utils import vergunningen
from tests.utils.command import Run, run_scrapy
from tests.utils.daily import (
    FIRST,
    NEWER,
    OLDER,
    XML,
    Harvester,
    causes,
    numbered,
    publish,
    reported,
    waiting,
    xml,
)
from tests.utils.disturbed_runs import KILLED, SOON, Fallible, GatedSite, two_sitemaps, until_half
from tests.utils.sites import MakeSite
from tests.utils.vergunningen import FOLDER, Permits, about, case, publish_more
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.permits.demo_messages import document_message

pytestmark = pytest.mark.integration


@pytest.fixture
def harvester(tmp_path: Path, ca_bundle: Path, site: Site) -> Harvester:
    return Harvester(tmp_path, ca_bundle, [site])


def state(harvester: Harvester, *args: str) -> Run:
    """Do what an operator types between two days."""
    done = run_scrapy(["state", *args], harvester.folder)
    assert done.returncode == 0, done.stderr
    return done


def test_a_first_day(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST, "zonder": None, "onleesbaar": "gisteren"}, headers={"ETag": '"1"'})
    assert causes(harvester.day()) == dict.fromkeys(["a", "zonder", "onleesbaar"], "aanlevering")
    second = harvester.day()
    assert (causes(second), reported(second, site)["unchanged"]) == ({}, 3)
    assert second.stats["downloader/response_status_count/304"] == 3, "robots.txt, index and sitemap"
    assert "woo/entries" not in second.stats, "nothing is read"


def test_a_change(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST, "b": FIRST})
    harvester.day()
    publish(site, {"a": NEWER, "b": FIRST})
    second = harvester.day()
    assert causes(second) == {"a": "wijziging"}
    (version,) = second.records[0]["versies"]
    assert (version["openbaarmakingsdatum"], version["mutatiedatumtijd"]) == ("2024-04-02", NEWER)
    publish(site, {"a": OLDER, "b": FIRST})
    third = harvester.day()
    assert (causes(third), len(third.about("lastmod.ouder"))) == ({}, 1)
    publish(site, {"a": NEWER, "b": FIRST})
    fourth = harvester.day()
    assert (causes(fourth), fourth.codes) == ({}, set())


def test_a_withdrawal(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST, "b": FIRST})
    harvester.day()
    publish(site, {"a": FIRST})
    site.pages["/s0.xml"] = Page(xml(site, {"a": FIRST})[:-40], content_type=XML)
    broken = harvester.day()
    assert (causes(broken), len(broken.about("intrekking.onvolledig"))) == ({}, 1)
    publish(site, {"a": FIRST})
    gone = harvester.day()
    assert causes(gone) == {"b": "intrekking"}
    assert gone.records[0]["document"] == {"weblocatie": site.url("/d/b.pdf")}
    publish(site, {"a": FIRST, "b": FIRST})
    offered = harvester.day()
    assert (causes(offered), len(offered.about("lastmod.heraanbod"))) == ({}, 1)
    publish(site, {"a": FIRST, "b": NEWER})
    back = harvester.day()
    assert causes(back) == {"b": "herpublicatie"}
    assert back.records[0]["versies"][0]["openbaarmakingsdatum"] == "2024-04-02"


def test_much_at_once_waits_and_is_confirmed(site: Site, harvester: Harvester) -> None:
    publish(site, numbered(100))
    harvester.day()
    publish(site, numbered(40))
    for number in (1, 2):
        run = harvester.day()
        (finding,) = run.about("intrekking.massaal")
        assert (causes(run), finding["seen"]) == ({}, "60 van 100 documenten")
        assert f"{number} van 3" in finding["action"]
        assert len(waiting(run, site)) == 60
    assert set(causes(harvester.day())) == {f"doc{number}" for number in range(40, 100)}
    publish(site, {})
    run = harvester.day()
    assert (causes(run), run.about("intrekking.massaal")[0]["seen"]) == ({}, "40 van 40 documenten")
    assert "40 documents" in state(harvester, "confirm", site.host).stderr
    assert set(causes(harvester.day()).values()) == {"intrekking"}


def test_a_killed_run_goes_on(gated: GatedSite, installation: Fallible) -> None:
    two_sitemaps(gated)
    started = installation.start(**SOON)
    until_half(started, gated, installation)
    started.kill(after=0)
    assert started.status() == KILLED
    gated.gates.clear()
    assert set(causes(installation.run())) == {"b0", "b1", "b2"}, "the first twelve were confirmed"
    assert installation.run().records == []


def test_an_owners_entry_takes_over(make_site: MakeSite, tmp_path: Path, ca_bundle: Path) -> None:
    owner, stranger = make_site(), make_site()
    harvester = Harvester(tmp_path, ca_bundle, [owner, stranger])
    publish(owner, {})
    publish(stranger, {})
    stranger.pages["/s0.xml"] = Page(xml(owner, {"x": NEWER}), content_type=XML)
    assert causes(harvester.day()) == {"x": "aanlevering"}
    publish(owner, {"x": FIRST})
    days = [harvester.day() for _ in range(3)]
    assert [causes(day) for day in days] == [{"x": "wijziging"}, {}, {}], "though its lastmod is older"
    assert days[0].records[0]["herkomst"]["lastmod"] == FIRST
    assert {finding["host"] for finding in days[-1].about("loc.andere-host")} == {owner.host, stranger.host}


def test_again(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST, "b": NEWER})
    first = harvester.day()
    state(harvester, "again", site.url("/d/a.pdf"))
    again = harvester.day()
    assert [record["versies"] for record in again.records] == [first.record(site.url("/d/a.pdf"))["versies"]]
    assert harvester.day().records == []
    everything = harvester.day(DELTAFETCH_ENABLED=0)
    assert [each["versies"] for each in everything.records] == [each["versies"] for each in first.records]
    assert reported(everything, site)["unchanged"] == 2


def test_restore(site: Site, harvester: Harvester) -> None:
    publish(site, numbered(12))
    harvester.day()
    publish(site, numbered(9))
    assert causes(harvester.day()) == dict.fromkeys(("doc9", "doc10", "doc11"), "intrekking")
    publish(site, numbered(11))
    assert causes(harvester.day()) == {}
    state(harvester, "restore", site.host)
    assert causes(harvester.day()) == dict.fromkeys(("doc9", "doc10"), "herpublicatie")
    publish(site, numbered(12))
    assert causes(harvester.day()) == {"doc11": "herpublicatie"}, "its mark waits until it is listed"
    assert harvester.day().records == []


def test_a_renamed_host(make_site: MakeSite, tmp_path: Path, ca_bundle: Path) -> None:
    """A publisher moves to another host: what the old one listed stays until the operator says so."""
    old, new = make_site(), make_site()
    harvester = Harvester(tmp_path, ca_bundle, [old])
    publish(old, {"a": FIRST, "b": FIRST})
    harvester.day()
    harvester.sites = [new]
    publish(new, {"a": FIRST, "b": FIRST})
    assert causes(harvester.day()) == dict.fromkeys("ab", "aanlevering"), "another URL is another document"
    run = harvester.day()
    assert (causes(run), f"{old.host} is not in the register" in run.stderr) == ({}, True)
    state(harvester, "confirm", old.host)
    gone = harvester.day()
    assert sorted(gone.locs) == [old.url("/d/a.pdf"), old.url("/d/b.pdf")]
    assert set(causes(gone).values()) == {"intrekking"}
    assert harvester.day().records == []


def test_a_delete_of_a_permits_document_by_its_url_alone(site: Site, tmp_path: Path, ca_bundle: Path) -> None:
    permits, entry = Permits(tmp_path, ca_bundle), site.url(FOLDER)
    document = case(1) + "/besluit.pdf"
    messages = {"b.xml": document_message(case=case(1), identifier=document), "1.xml": about(1)}
    vergunningen.publish(site, messages)
    first = permits.run(entry)
    assert vergunningen.causes(first) == {"1": "aanlevering"}
    assert [each["identifier"] for each in first.records[0]["documenten"]] == [document]
    deleted = document_message("D", case=None, identifier=document, aanmaakdatum="2026-04-02")
    publish_more(site, {"weg.xml": deleted})
    second = permits.run(entry)
    assert vergunningen.causes(second) == {"1": "wijziging"}
    assert "documenten" not in second.records[0]
    assert permits.run(entry).records == []
