"""Jobs with a state in PostgreSQL, with kept documents, or on a full disk: nothing is lost or double."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.samples import SAMPLES
from tests.utils.command import run_scrapy
from tests.utils.daily import FIRST, numbered, publish
from tests.utils.disturbed_runs import (
    STORE_POINTS,
    Fallible,
    GatedSite,
    KillAt,
    errors,
    harvested,
    jobs_of,
    lines,
    locs,
    small_disk,
)
from tests.utils.postgresql import OTHERS, postgresql_server, postgresql_url, query
from tests.utils.waiting import wait_until
from woo_harvester.demo.certificates import Authority
from woo_harvester.demo.server import Page

__all__ = ["postgresql_server", "postgresql_url"]

pytestmark = pytest.mark.integration

JOBS = "--jobs", "3", "-o", "all.jsonl"
DOWNLOAD = "-a", "documents=download"
HOSTS, DOCUMENTS = 4, 20
#: Small, so that a run of a second comes to many commits.
OFTEN: dict[str, Any] = {"WOO_DURABLE_RECORDS": 4, "WOO_DURABLE_INTERVAL": 0.05}


@pytest.fixture
def sites(ca: Authority) -> Iterator[list[GatedSite]]:
    with ExitStack() as stack:
        made = [stack.enter_context(GatedSite(ca)) for _ in range(HOSTS)]
        for site in made:
            publish(site, numbered(DOCUMENTS))
        yield made


@pytest.fixture
def installation(sites: list[GatedSite], tmp_path: Path, ca_bundle: Path) -> Fallible:
    return Fallible(tmp_path, ca_bundle, list(sites))


def all_locs(installation: Fallible) -> Counter[str]:
    """Return how many records of each document the file of all days has; no line of it is truncated."""
    path = installation.folder / "all.jsonl"
    return Counter(locs([path]) if path.exists() else [])


def expected(installation: Fallible) -> Counter[str]:
    return Counter(site.url(f"/d/{name}.pdf") for site in installation.sites for name in numbered(DOCUMENTS))


@pytest.mark.parametrize("victim", ["one job", "the run", "all"])
def test_with_a_state_in_postgresql_a_kill_loses_and_repeats_nothing(
    victim: str, installation: Fallible, postgresql_url: str
) -> None:
    chance = Random(victim)
    state: dict[str, Any] = {"WOO_STATE_URL": postgresql_url, **OFTEN}

    def known() -> int:
        with suppress(Exception):  # the tables are made by the first run
            return len(query(postgresql_url, "SELECT 1 FROM documents"))
        return 0

    for _ in range(2):
        started = installation.start(*JOBS, **state)
        wanted = chance.randint(1, HOSTS * DOCUMENTS // 2)
        with suppress(AssertionError):  # it has ended
            started.wait_until(lambda wanted=wanted: known() >= wanted, "records")  # type: ignore[misc]
        run = started.process.pid
        assert run is not None
        jobs = jobs_of(run)
        for pid in {"one job": jobs[:1], "the run": [run]}.get(victim, [run, *jobs]):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        started.status()
    wait_until(lambda: query(postgresql_url, OTHERS) == [(0,)], "the sessions of the killed end")
    last = installation.run(*JOBS, **state)
    assert last.returncode == 0, last.stderr
    assert all_locs(installation) == expected(installation)
    checked = run_scrapy(
        ["state", "check", "all.jsonl"], installation.folder, settings={"WOO_STATE_URL": postgresql_url}
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_disk_that_is_full_ends_the_jobs_and_the_next_run_brings_the_rest(installation: Fallible) -> None:
    with small_disk(installation.folder / "room", 64 * 1024) as room:
        failed = installation.run("--jobs", "3", "-o", "room/all.jsonl", **OFTEN)
        assert failed.returncode == 1
        assert any("No space left" in line for line in errors(failed))
        assert "Traceback" not in failed.stderr
        first = locs([room / "all.jsonl"])
        assert set(first) == harvested(installation.folder)
        assert installation.run(*JOBS).returncode == 0
    assert Counter(first) + all_locs(installation) == expected(installation)


@pytest.mark.parametrize("point", list(STORE_POINTS))
def test_a_job_that_is_killed_while_it_keeps_documents_leaves_no_record_without_its_file(
    point: str, installation: Fallible, sites: list[GatedSite]
) -> None:
    pdf = SAMPLES["PDF"].read_bytes()
    for site in sites:
        for name in numbered(DOCUMENTS):
            body = pdf + f"% {site.port} {name}".encode()
            site.pages[f"/d/{name}.pdf"] = Page(body, content_type="application/pdf")
    store = installation.folder / "store"
    kept: dict[str, Any] = {"FILES_STORE": store, **OFTEN}
    killed = installation.run(*JOBS, *DOWNLOAD, fault=KillAt(point, 2), **kept)
    assert killed.returncode == 1
    assert "was ended by signal 9" in killed.stderr
    assert installation.run(*JOBS, *DOWNLOAD, **kept).returncode == 0
    assert all_locs(installation) == expected(installation)
    for record in lines([installation.folder / "all.jsonl"]):
        (file,) = record["versies"][0]["bestanden"]
        assert sha256((store / file["pad"]).read_bytes()).hexdigest() == file["hash"]


def test_the_texts_of_documents_come_once_although_each_job_is_killed(
    installation: Fallible, sites: list[GatedSite]
) -> None:
    text = SAMPLES["PDF"].read_bytes()
    for site in sites:
        publish(site, {"a": FIRST, "b": FIRST})
        for name in "ab":
            site.pages[f"/d/{name}.pdf"] = Page(text, content_type="application/pdf")
    chance = Random("text")
    for _ in range(3):
        started = installation.start(*JOBS, *DOWNLOAD, WOO_TEXT=1, **OFTEN)
        started.kill(after=chance.uniform(1, 3))
    wait_until(lambda: installation.run(*JOBS, *DOWNLOAD, WOO_TEXT=1).returncode == 0, "the jobs end")
    records = list(lines([installation.folder / "all.jsonl"]))
    found = Counter(record["document"]["weblocatie"] for record in records)
    assert found == Counter(site.url(f"/d/{name}.pdf") for site in sites for name in "ab")
    texts = {record["versies"][0]["bestanden"][0]["tekst"] for record in records}
    assert len(texts) == 1
