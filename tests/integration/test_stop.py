"""A run that is stopped while a host hangs: it ends in time, and the next run harvests the rest."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.integration.stopping import (
    PDF,
    STOP,
    assert_ended_well,
    assert_next_run_has_the_rest,
    both_signals,
    stopped,
)
from tests.utils.command import start_forked
from tests.utils.daily import FIRST, INDEX, numbered, publish
from tests.utils.disturbed_runs import Fallible, GatedSite, harvested
from tests.utils.hostile import dripping
from tests.utils.sites import MakeRawSite, MakeSite, write_register
from tests.utils.vergunningen import FOLDER, Permits, about
from tests.utils.vergunningen import publish as publish_permits
from tests.utils.waiting import STUCK, wait_until
from woo_harvester.demo.server import Page
from woo_harvester.demo.sitemaps import robots_txt


@both_signals
@pytest.mark.parametrize("path", ["/robots.txt", INDEX, "/s1.xml"])
def test_a_host_that_hangs_keeps_no_stop_waiting(
    path: str, number: signal.Signals, gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, numbered(3), {"later": FIRST})
    gated.gates.add(path)
    started = installation.start(**STOP)
    started.wait_until(lambda: path in gated.waiting, f"{path} is asked for")
    ended = stopped(started, number)
    assert_ended_well(ended, installation)
    gated.gates.clear()
    assert_next_run_has_the_rest(ended, installation, count=4)


@pytest.mark.parametrize("mode", ["head", "download"])
def test_documents_that_hang_keep_no_stop_waiting(
    mode: str, gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, numbered(30))
    gated.pages["/d/*"] = PDF
    gated.gates.update(f"/d/doc{each}.pdf" for each in range(10, 30))
    started = installation.start("-a", f"documents={mode}", **STOP)
    started.wait_until(lambda: len(gated.waiting) >= 4, "as many documents hang as are asked for at once")
    ended = stopped(started)
    assert_ended_well(ended, installation)
    assert "document.tekst-mislukt" not in ended.codes
    gated.gates.clear()
    assert_next_run_has_the_rest(ended, installation, "-a", f"documents={mode}", count=30)


def test_a_body_that_trickles_in_keeps_no_stop_waiting(
    make_raw_site: MakeRawSite, tmp_path: Path, ca_bundle: Path
) -> None:
    site = make_raw_site({"/d/doc0.pdf": dripping(b"%PDF-1.7" * 1000, 0.05)}, limit=600)
    installation = Fallible(tmp_path, ca_bundle, [site])  # type: ignore[list-item]  # has all that is used
    publish(site, numbered(2))  # type: ignore[arg-type]
    site.pages["/d/*"] = PDF
    started = installation.start("-a", "documents=download", **STOP)
    started.wait_until(
        lambda: "/d/doc0.pdf" in [request.path for request in site.requests], "the document is asked for"
    )
    ended = stopped(started)
    assert_ended_well(ended, installation)
    del site.behaviours["/d/doc0.pdf"]
    assert_next_run_has_the_rest(ended, installation, "-a", "documents=download", count=2)


@pytest.mark.parametrize(
    "robots", [Page("User-agent: *\nCrawl-delay: 60\n"), Page("", status=503, headers={"Retry-After": "250"})]
)
def test_requests_that_wait_for_their_turn_keep_no_stop_waiting(
    robots: Page, gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, numbered(20))
    listed = gated.pages["/robots.txt"]
    assert isinstance(robots.body, str)
    wanted = Page(robots.body + robots_txt(gated.url(INDEX)), robots.status, robots.headers)
    gated.pages["/robots.txt"] = wanted
    started = installation.start(**STOP)
    started.wait_until(lambda: bool(gated.requests), "robots.txt is asked for")
    ended = stopped(started)
    assert_ended_well(ended, installation)
    gated.pages["/robots.txt"] = listed
    assert_next_run_has_the_rest(ended, installation, count=20)


def test_the_robots_txt_of_another_host_keeps_no_stop_waiting(
    gated: GatedSite, make_site: MakeSite, installation: Fallible
) -> None:
    lists = make_site()
    installation.sites = [lists, gated]
    only = ("-a", f"domains={lists.host}", "-a", "documents=head")
    publish(gated, numbered(3))
    gated.pages["/d/*"] = PDF
    publish(lists, {})
    lists.pages["/s0.xml"] = gated.pages["/s0.xml"]  # documents of a host that is not visited itself
    gated.gates.add("/robots.txt")
    started = installation.start(*only, **STOP)
    started.wait_until(lambda: "/robots.txt" in gated.waiting, "the rules for the documents are asked for")
    ended = stopped(started)
    assert_ended_well(ended, installation)
    gated.gates.clear()
    assert_next_run_has_the_rest(ended, installation, *only, count=3)


@pytest.mark.parametrize("path", ["/", f"{FOLDER}b.xml"])
def test_permits_that_hang_keep_no_stop_waiting(path: str, gated: GatedSite, installation: Fallible) -> None:
    publish_permits(gated, {"a.xml": about(1), "b.xml": about(2)}, folder=FOLDER)
    gated.pages["/"] = gated.pages[FOLDER]
    entry = gated.url("/" if path == "/" else FOLDER)
    gated.gates.add(path)
    permits = Permits(installation.folder, installation.ca_bundle)
    installation.arguments = permits.arguments  # type: ignore[method-assign,assignment]
    started = installation.start(entry, **STOP)
    started.wait_until(lambda: path in gated.waiting, f"{path} is asked for")
    ended = stopped(started)
    assert (ended.returncode, ended.stats["finish_reason"]) == (0, "shutdown"), ended.stderr
    assert not [code for code in ended.codes if "onbereikbaar" in code]
    gated.gates.clear()
    rest = permits.run(gated.url(FOLDER))
    assert len(ended.records) + len(rest.records) == 2


def test_an_audit_of_a_host_that_hangs_ends_and_says_what_it_has(
    gated: GatedSite, tmp_path: Path, ca_bundle: Path
) -> None:
    publish(gated, numbered(2))
    gated.gates.add("/s0.xml")
    register = write_register(tmp_path / "register.xml", {"Raad": [gated.url("/d")]})
    settings = {**STOP, "WOO_REGISTER": register}
    started = start_forked(["audit", gated.host], tmp_path, ca_bundle, settings=settings)
    wait_until(lambda: "/s0.xml" in gated.waiting, "the sitemap is asked for", lambda: not started.ended)
    started.send(signal.SIGTERM)
    done = started.done(STUCK)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert gated.host in done.stdout


def test_a_run_that_is_closed_by_its_settings_waits_for_no_host_either(
    gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, numbered(3), {"later": FIRST})
    gated.gates.add("/s1.xml")
    ended = installation.run(CLOSESPIDER_ITEMCOUNT=1, **STOP)
    assert (ended.returncode, ended.stats["finish_reason"]) == (0, "closespider_itemcount")
    assert "sitemap.onbereikbaar" not in ended.codes
    gated.gates.clear()
    assert_next_run_has_the_rest(ended, installation, count=4)


def test_a_run_that_its_settings_stop_fails_only_where_they_name_a_failure(
    gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, numbered(1))
    line = "scrapy crawl: error: the run was stopped when it reached MEMUSAGE_LIMIT_MB=1: the next run goes "
    stops: tuple[tuple[str, str, int], ...] = (
        ("MEMUSAGE_LIMIT_MB", "memusage_exceeded", 1),
        ("CLOSESPIDER_PAGECOUNT", "closespider_pagecount", 0),
    )
    for name, reason, status in stops:
        ended = installation.run("-s", f"{name}=1")
        assert ended.returncode == status, name
        assert f"woo: ended early ({reason})" in ended.stderr, name
        assert ended.stderr.splitlines()[-1].startswith(line) == bool(status), name


def test_a_second_signal_ends_a_run_at_once_with_status_1(gated: GatedSite, installation: Fallible) -> None:
    publish(gated, numbered(3), {"later": FIRST})
    gated.gates.add("/s1.xml")
    started = installation.start(WOO_STOP_TIMEOUT=600)
    started.wait_until(lambda: "/s1.xml" in gated.waiting, "the second sitemap is asked for")
    started.send(signal.SIGTERM)
    started.wait_until(lambda: "shutting down gracefully" in started.stderr, "it has heard")
    ended = stopped(started)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1] == (
        "scrapy crawl: error: stopped before outputs and report were closed: what is not confirmed comes "
        "again in the next run"
    )
    gated.gates.clear()
    assert installation.run().stats["finish_reason"] == "finished"
    assert len(harvested(installation.folder)) == 4
