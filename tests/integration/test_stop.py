"""A run that is stopped while something hangs: it ends in time, and the next run harvests the rest."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

from tests.samples import SAMPLES
from tests.utils.command import Run, start_scrapy
from tests.utils.daily import FIRST, INDEX, Harvester, numbered, publish
from tests.utils.disturbed_runs import SOON, Fallible, GatedSite, Started, harvested
from tests.utils.hostile import dripping
from tests.utils.proxy import Proxy
from tests.utils.sites import MakeRawSite, MakeSite, write_register
from tests.utils.vergunningen import FOLDER, Permits, about
from tests.utils.vergunningen import publish as publish_permits
from woo_harvester.demo.server import Page
from woo_harvester.demo.sitemaps import robots_txt

#: A quarter of this is for what is under way, and the rest for closing: far more than that takes, but far
#: less than the time-outs of what hangs, which are 60 seconds at least.
STOP: dict[str, Any] = {"WOO_STOP_TIMEOUT": 12, **SOON}
PDF = Page(b"%PDF-1.7", content_type="application/pdf")

both_signals = pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])


def stopped(started: Started, number: signal.Signals = signal.SIGTERM) -> Run:
    """Stop a run, and wait for its end."""
    started.send(number)
    return started.wait()


def assert_ended_well(run: Run, installation: Harvester) -> None:
    """The outputs, the state and the report are closed, and no publisher gets a finding of the stop."""
    assert (run.returncode, run.stats["finish_reason"]) == (0, "shutdown"), run.stderr
    assert "Traceback" not in run.stderr
    assert not [code for code in run.codes if "onbereikbaar" in code or "afgebroken" in code]
    assert harvested(installation.folder) == set(run.locs)
    assert run.report is not None
    assert (run.report / "report.json").exists()


def assert_next_run_has_the_rest(run: Run, installation: Fallible, *args: str, count: int) -> None:
    """Each document is there once in the end."""
    rest = installation.run(*args)
    assert rest.stats["finish_reason"] == "finished", rest.stderr
    assert len({*run.locs, *rest.locs}) == len(run.locs) + len(rest.locs) == count


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


@dataclass(frozen=True)
class HangAt:
    """Has a function of the process hang from when it is first called, in whichever thread that is."""

    owner: str
    """A module, or a class as ``module:name``."""
    name: str
    seen: Path
    """A file that is there from then on."""

    def __call__(self) -> None:
        def hang(*args: Any, **kwargs: Any) -> Any:
            self.seen.touch()
            threading.Event().wait()

        setattr(resolve_name(self.owner), self.name, hang)


def test_a_name_server_that_hangs_keeps_no_stop_waiting(
    gated: GatedSite, installation: Fallible, tmp_path: Path
) -> None:
    publish(gated, numbered(2))
    seen = tmp_path / "asked"
    started = installation.start(fault=HangAt("socket", "getaddrinfo", seen), **STOP)
    started.wait_until(seen.exists, "the name is looked up")
    ended = stopped(started)
    assert_ended_well(ended, installation)
    assert_next_run_has_the_rest(ended, installation, count=2)


def test_a_disk_that_hangs_keeps_no_stop_waiting(
    gated: GatedSite, installation: Fallible, tmp_path: Path
) -> None:
    publish(gated, numbered(2))
    gated.pages["/d/*"] = PDF
    seen = tmp_path / "synced"
    store: dict[str, Any] = {"FILES_STORE": tmp_path / "files"}
    hang = HangAt("woo_harvester.stores.durable_folder:DurableFolder", "sync", seen)
    started = installation.start("-a", "documents=download", fault=hang, **STOP, **store)
    started.wait_until(seen.exists, "a document is written")
    ended = stopped(started)
    assert_ended_well(ended, installation)
    assert ended.locs == []
    rest = installation.run("-a", "documents=download", **store)
    assert len(rest.locs) == 2


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_a_document_that_is_being_read_is_given_up_and_comes_in_the_next_run(
    gated: GatedSite, installation: Fallible
) -> None:
    pytest.importorskip("kreuzberg")
    publish(gated, numbered(3))
    gated.pages["/d/*"] = Page(SAMPLES["PDF"].read_bytes(), content_type="application/pdf")
    settings: dict[str, Any] = {"WOO_TEXT": 1, "WOO_TEXT_WORKERS": 1}
    gated.gates.add("/d/doc2.pdf")
    started = installation.start("-a", "documents=download", **settings, **STOP)
    started.wait_until(lambda: len(harvested(installation.folder, missing_ok=True)) == 2, "two are read")
    (worker,) = children(started.process.pid)
    os.kill(worker, signal.SIGSTOP)
    gated.gates.clear()
    asked = "/d/doc2.pdf"
    started.wait_until(lambda: not gated.waiting and gated.requests[-1].path == asked, "the third is there")
    ended = stopped(started)
    assert_ended_well(ended, installation)
    assert "document.tekst-mislukt" not in ended.codes
    assert len(ended.locs) == 2
    assert children(worker) == []
    assert not Path(f"/proc/{worker}").exists()
    rest = installation.run("-a", "documents=download", **settings)
    assert rest.records[0]["versies"][0]["bestanden"][0]["tekst"]
    assert len(rest.locs) == 1


def children(pid: int | None) -> list[int]:
    """The processes that a process started."""
    printed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], stdout=subprocess.PIPE, text=True, check=False
    )
    return [int(line) for line in printed.stdout.split()]


def test_an_elasticsearch_that_hangs_keeps_no_stop_waiting_and_confirms_nothing(
    gated: GatedSite, installation: Fallible, elasticsearch_url: str, alias: str
) -> None:
    publish(gated, numbered(3), {"later": FIRST})
    gated.gates.add("/s1.xml")
    released = threading.Event()

    def hang(number: int) -> int:
        released.wait()
        return 503

    with Proxy(elasticsearch_url, hang) as proxy:
        where: dict[str, Any] = {"WOO_ELASTICSEARCH_URL": proxy.url, "WOO_ELASTICSEARCH_INDEX": alias}
        started = installation.start(**STOP, **where)
        started.wait_until(lambda: bool(proxy.bulks), "a batch is written")
        ended = stopped(started)
        released.set()
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    assert ended.stderr.splitlines()[-1] == (
        "scrapy crawl: error: Elasticsearch did not answer before the run had to stop: see WOO_STOP_TIMEOUT; "
        "what is not in the index comes again in the next run"
    )
    assert harvested(installation.folder) == set()
    gated.gates.clear()
    rest = installation.run(WOO_ELASTICSEARCH_URL=elasticsearch_url, WOO_ELASTICSEARCH_INDEX=alias)
    assert len(rest.locs) == 4


def test_a_register_that_hangs_keeps_no_stop_waiting(gated: GatedSite, installation: Fallible) -> None:
    gated.gates.add("/roo.xml")
    started = installation.start("-a", f"register={gated.url('/roo.xml')}", **STOP)
    started.wait_until(lambda: "/roo.xml" in gated.waiting, "the register is asked for")
    ended = stopped(started)
    assert (ended.returncode, ended.stats["finish_reason"]) == (0, "shutdown")
    assert "Traceback" not in ended.stderr


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
    with started_audit(gated.host, tmp_path, ca_bundle, register) as process:
        while "/s0.xml" not in gated.waiting:
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "Traceback" not in stderr
    assert gated.host in stdout


@contextmanager
def started_audit(
    host: str, folder: Path, ca_bundle: Path, register: Path
) -> Iterator[subprocess.Popen[str]]:
    """An audit of *host* that goes on."""
    settings = {**STOP, "WOO_REGISTER": register}
    with start_scrapy(["audit", host], folder, ca_bundle, settings=settings) as process:
        try:
            yield process
        finally:
            process.kill()


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


def test_an_elasticsearch_that_hangs_at_the_start_keeps_no_stop_waiting(
    gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, numbered(1))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        started = installation.start(WOO_ELASTICSEARCH_URL=url, **STOP)
        connection, _ = silent.accept()
        with connection:
            ended = stopped(started)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("scrapy crawl: error: stopped before ")
    assert gated.requests == []
    assert len(installation.run().locs) == 1


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


def test_a_run_that_cannot_be_closed_in_time_is_ended_with_status_1(
    gated: GatedSite, installation: Fallible, tmp_path: Path
) -> None:
    publish(gated, numbered(3), {"later": FIRST})
    gated.gates.add("/s1.xml")
    seen = tmp_path / "synced"
    started = installation.start(fault=HangAt("os", "fsync", seen), WOO_STOP_TIMEOUT=1)
    started.wait_until(lambda: "/s1.xml" in gated.waiting, "the second sitemap is asked for")
    ended = stopped(started)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1] == (
        "scrapy: error: the run was stopped and did not end within WOO_STOP_TIMEOUT (1 s), so it was "
        "ended; what is not confirmed comes again in the next run"
    )
    gated.gates.clear()
    assert installation.run().stats["finish_reason"] == "finished"
    assert len(harvested(installation.folder)) == 4
