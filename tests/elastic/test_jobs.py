"""Jobs that write to one index: each document is in it once, whatever happens to a job or to the server."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch

from tests.utils.command import start_forked
from tests.utils.daily import NEWER, numbered, publish
from tests.utils.disturbed_runs import harvested, jobs_of
from tests.utils.indexed_runs import Searching, assert_agree
from tests.utils.ports import free_port
from tests.utils.proxy import Proxy
from tests.utils.sites import MakeSite
from tests.utils.waiting import STUCK
from woo_harvester.demo.site import Site

pytestmark = pytest.mark.integration

JOBS = "--jobs", "3"
HOSTS, DOCUMENTS = 3, 40


@pytest.fixture
def sites(make_site: MakeSite) -> list[Site]:
    made = [make_site() for _ in range(HOSTS)]
    for site in made:
        publish(site, numbered(DOCUMENTS))
    return made


@pytest.fixture
def installation(
    sites: list[Site], tmp_path: Path, ca_bundle: Path, elasticsearch_url: str, alias: str
) -> Searching:
    return Searching(tmp_path, ca_bundle, sites, elasticsearch_url, alias)


def all_of(sites: list[Site]) -> set[str]:
    return {site.url(f"/d/{name}.pdf") for site in sites for name in numbered(DOCUMENTS)}


def test_jobs_make_the_index_once_and_fill_it_together(
    installation: Searching, sites: list[Site], elasticsearch: Elasticsearch, alias: str
) -> None:
    run = installation.run(*JOBS)
    assert run.returncode == 0, run.stderr
    assert_agree(elasticsearch, alias, installation.folder, all_of(sites))
    assert len(elasticsearch.indices.get_alias(name=alias)) == 1
    for site in sites:
        publish(site, numbered(DOCUMENTS, NEWER))
    again = installation.run(*JOBS)
    assert (again.returncode, len(again.records)) == (0, HOSTS * DOCUMENTS)
    assert_agree(elasticsearch, alias, installation.folder, all_of(sites))


def during_a_bulk(installation: Searching, number: int, act: Callable[[int], None]) -> int:
    """Run jobs, and call *act* with the process id of the run at its *number*-th bulk; return the status."""
    settings = {"WOO_ELASTICSEARCH_BATCH": 10, "WOO_DURABLE_INTERVAL": 0.05}
    pids: list[int] = []

    def reached(bulk: int) -> None:
        if bulk == number:
            act(pids[0])

    with Proxy(installation.url, reached) as proxy:
        given = {**installation.where, "WOO_ELASTICSEARCH_URL": proxy.url, **settings}
        arguments = installation.arguments(*JOBS)
        started = start_forked(arguments, installation.folder, installation.ca_bundle, settings=given)
        assert started.process.pid is not None
        pids.append(started.process.pid)
        return started.done(STUCK).returncode


def kill_a_job(run: int) -> None:
    """Kill the first job of a run."""
    os.kill(jobs_of(run)[0], signal.SIGKILL)


def kill_the_run(run: int) -> None:
    """Kill the process that started the jobs, and these too."""
    for pid in [run, *jobs_of(run)]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("act", [kill_a_job, kill_the_run])
@pytest.mark.parametrize("number", [1, 5])
def test_after_a_kill_the_next_run_brings_what_the_index_misses(
    act: Callable[[int], None],
    number: int,
    installation: Searching,
    sites: list[Site],
    elasticsearch: Elasticsearch,
    alias: str,
) -> None:
    assert during_a_bulk(installation, number, act) in {1, -signal.SIGKILL}
    assert harvested(installation.folder, missing_ok=True) < all_of(sites)
    run = installation.run(*JOBS)
    assert run.returncode == 0, run.stderr
    assert_agree(elasticsearch, alias, installation.folder, all_of(sites))


def test_a_server_that_is_not_there_gives_one_line_before_anything_is_harvested(
    tmp_path: Path, ca_bundle: Path, sites: list[Site]
) -> None:
    run = Searching(tmp_path, ca_bundle, sites, f"http://127.0.0.1:{free_port()}", "woo").run(*JOBS)
    assert (run.returncode, run.records) == (1, [])
    assert [site.requests for site in sites] == [[]] * HOSTS
    (line,) = [line for line in run.stderr.splitlines() if "scrapy crawl: error: " in line]
    assert "Elasticsearch cannot be reached" in line


def test_a_server_that_goes_away_for_good_ends_the_jobs_and_the_next_run_brings_the_rest(
    installation: Searching, sites: list[Site], elasticsearch: Elasticsearch, alias: str
) -> None:
    url = installation.url
    with Proxy(url, lambda number: 503 if number > 2 else None) as proxy:
        installation.url = proxy.url
        run = installation.run(*JOBS, WOO_ELASTICSEARCH_BATCH=10, WOO_ELASTICSEARCH_PATIENCE=1)
    assert run.returncode == 1
    assert "Elasticsearch answered 503" in run.stderr.splitlines()[-1]
    installation.url = url
    assert installation.run(*JOBS).returncode == 0
    assert_agree(elasticsearch, alias, installation.folder, all_of(sites))
