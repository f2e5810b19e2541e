"""Runs that end before they are done: by a signal, or by a mistake of the program."""

from __future__ import annotations

import signal

import pytest

from tests.utils.daily import FIRST, causes, numbered, publish
from tests.utils.disturbed_runs import (
    SOON,
    FailAt,
    Fallible,
    GatedSite,
    harvested,
    locs,
    two_sitemaps,
    until_half,
)
from woo_harvester.crawl.entries import Entries
from woo_harvester.demo.server import Page


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_ended_keeps_what_it_has_and_the_next_goes_on(
    number: signal.Signals, gated: GatedSite, installation: Fallible
) -> None:
    two_sitemaps(gated)
    started = installation.start("-o", "all.jsonl")
    started.wait_until(lambda: "/s1.xml" in gated.waiting, "the second sitemap is asked for")
    started.send(number)
    started.wait_until(lambda: "shutting down gracefully" in started.stderr, "it has heard")
    gated.gates.clear()
    ended = started.wait()
    assert (ended.returncode, ended.stats["finish_reason"]) == (0, "shutdown")
    assert "Traceback" not in ended.stderr
    assert harvested(installation.folder) == set(ended.locs)
    assert len(ended.locs) >= 12
    rest = installation.run()
    assert len(ended.locs) + len(rest.locs) == 15
    assert set(causes(rest).values()) <= {"aanlevering"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_ended_withdraws_nothing_and_the_next_does(
    number: signal.Signals, gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, numbered(12), {"later": FIRST})
    assert len(installation.run().records) == 13
    # Few enough to be withdrawn at once by a run that reads all.
    publish(gated, numbered(10), {"later": FIRST})
    gated.gates.add("/s1.xml")
    started = installation.start()
    started.wait_until(lambda: "/s1.xml" in gated.waiting, "the second sitemap is asked for")
    started.send(number)
    started.wait_until(lambda: "shutting down gracefully" in started.stderr, "it has heard")
    gated.gates.clear()
    ended = started.wait()
    assert (ended.stats["finish_reason"], causes(ended)) == ("shutdown", {})
    assert causes(installation.run()) == {"doc10": "intrekking", "doc11": "intrekking"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_can_be_ended_while_many_documents_wait_for_room(
    number: signal.Signals, gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, numbered(300))
    gated.pages["/d/*"] = Page(b"%PDF-1.4", content_type="application/pdf", delay=0.05)
    options = ("-a", "documents=head")
    started = installation.start(*options, WOO_HOST_BACKLOG=2, **SOON)
    started.wait_until(lambda: len(harvested(installation.folder, missing_ok=True)) > 5, "some are confirmed")
    started.send(number)
    ended = started.wait()
    assert (ended.returncode, ended.stats["finish_reason"]) == (0, "shutdown")
    assert "Traceback" not in ended.stderr
    assert 5 < len(ended.locs) < 300
    assert harvested(installation.folder) == set(ended.locs)
    gated.pages["/d/*"] = Page(b"%PDF-1.4", content_type="application/pdf")
    rest = installation.run(*options)
    assert sorted([*ended.locs, *rest.locs]) == sorted(
        gated.url(f"/d/doc{number}.pdf") for number in range(300)
    )


def test_a_second_ctrl_c_ends_it_at_once_and_nothing_is_lost(
    gated: GatedSite, installation: Fallible
) -> None:
    two_sitemaps(gated)
    started = installation.start("-o", "all.jsonl", **SOON)
    until_half(started, gated, installation)
    for heard in ("shutting down gracefully", "forcing unclean shutdown"):
        started.send(signal.SIGINT)
        started.wait_until(lambda heard=heard: heard in started.stderr, heard)  # type: ignore[misc]
    started.status()
    gated.gates.clear()
    assert installation.start("-o", "all.jsonl").status() == 0
    assert sorted(locs([installation.folder / "all.jsonl"])) == sorted(harvested(installation.folder))
    assert len(harvested(installation.folder)) == 15


def test_a_mistake_of_the_program_withdraws_nothing(gated: GatedSite, installation: Fallible) -> None:
    publish(gated, {"a": FIRST, "b": FIRST}, {"c": FIRST, "d": FIRST})
    assert len(installation.run().records) == 4
    publish(gated, {"a": FIRST}, {"c": FIRST})
    broken = installation.run(fault=FailAt(Entries, "select", 1, RuntimeError("a mistake")))
    assert broken.records == []
    assert broken.about("intrekking.onvolledig")
    assert causes(installation.run()) == {"b": "intrekking", "d": "intrekking"}
