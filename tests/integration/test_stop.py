"""A run that is stopped while a host hangs: it ends in time, and the next run harvests the rest."""

from __future__ import annotations

import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Any

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
from tests.utils.daily import FIRST, INDEX, XML, numbered, publish, xml
from tests.utils.disturbed_runs import Fallible, GatedSite, harvested
from tests.utils.hostile import RawSite, dripping
from tests.utils.sites import write_register
from tests.utils.vergunningen import FOLDER, Permits, about
from tests.utils.vergunningen import publish as publish_permits
from tests.utils.waiting import STUCK, wait_until
from woo_harvester.demo.server import Authority, Page
from woo_harvester.demo.sitemaps import robots_txt


@both_signals
def test_whatever_hosts_hang_on_keeps_no_stop_waiting(
    number: signal.Signals, ca: Authority, installation: Fallible
) -> None:
    with ExitStack() as stack:
        made = [stack.enter_context(GatedSite(ca)) for _ in range(8)]
        robots, index, sitemap, documents, delayed, resting, others, lists = made
        trickling = stack.enter_context(
            RawSite(ca, {"/d/doc0.pdf": dripping(b"%PDF-1.7" * 1000, 0.05)}, limit=600)
        )
        sites: list[Any] = [*made, trickling]
        for site in sites:
            publish(site, numbered(2), {"later": FIRST})
            site.pages["/d/*"] = PDF
        publish(documents, numbered(30))
        gates = {
            robots: {"/robots.txt"},
            index: {INDEX},
            sitemap: {"/s1.xml"},
            documents: {f"/d/doc{each}.pdf" for each in range(10, 30)},
            others: {"/robots.txt"},
        }
        for site, paths in gates.items():
            site.gates.update(paths)
        named = robots_txt(delayed.url(INDEX))
        delayed.pages["/robots.txt"] = Page(f"User-agent: *\nCrawl-delay: 60\n{named}")
        resting.pages["/robots.txt"] = Page("", status=503, headers={"Retry-After": "250"})
        publish(lists, {})
        lists.pages["/s0.xml"] = Page(xml(others, numbered(3)), content_type=XML)
        installation.sites = sites
        visited = [site.host for site in sites if site is not others]
        args = ("-a", f"domains={','.join(visited)}", "-a", "documents=download")
        started = installation.start(*args, **STOP)
        for site in gates:
            started.wait_until(lambda site=site: bool(site.waiting), "a host hangs")  # type: ignore[misc]
        for site in (delayed, resting, trickling):
            started.wait_until(lambda site=site: bool(site.requests), "a host is asked")  # type: ignore[misc]
        started.wait_until(lambda: bool(trickling.requested("/d/doc0.pdf")), "a document trickles in")
        started.wait_until(lambda: len(documents.waiting) >= 4, "as many documents hang as may be asked for")
        ended = stopped(started, number)
        assert_ended_well(ended, installation)
        assert "document.tekst-mislukt" not in ended.codes
        for site in gates:
            site.gates.clear()
        trickling.behaviours.clear()
        for site in (delayed, resting):
            publish(site, numbered(2), {"later": FIRST})
        assert_next_run_has_the_rest(ended, installation, *args, count=3 * 6 + 30 + 3)


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
    started = installation.start(WOO_STOP_TIMEOUT=600, LOG_LEVEL="INFO")
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
