"""A run that is stopped while something on its own side hangs, such as a disk or Elasticsearch."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

from tests.integration.stopping import (
    PDF,
    STOP,
    assert_ended_well,
    assert_next_run_has_the_rest,
    stopped,
)
from tests.samples import SAMPLES
from tests.utils.daily import FIRST, numbered, publish
from tests.utils.disturbed_runs import Fallible, GatedSite, harvested
from tests.utils.proxy import Proxy
from woo_harvester.demo.server import Page


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
    hang = HangAt("woo_harvester.pipelines.folder:DurableFolder", "write", seen)
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
    import_module("kreuzberg")
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


def test_a_run_that_cannot_be_closed_in_time_is_ended_with_status_1(
    gated: GatedSite, installation: Fallible, tmp_path: Path
) -> None:
    publish(gated, numbered(3), {"later": FIRST})
    gated.gates.add("/s1.xml")
    seen = tmp_path / "synced"
    hang = HangAt("woo_harvester.outputs.feeds", "fsync", seen)
    started = installation.start(fault=hang, WOO_STOP_TIMEOUT=1)
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
