"""Documents of which a run wants more than earlier runs did: by its settings, its store and its limits."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from tests.integration.supplied_sites import (
    CONTENT,
    PDF,
    STORE,
    Installation,
    added,
    document,
    file_of,
    methods,
    put,
)
from tests.utils.command import run_scrapy
from tests.utils.daily import causes, reported
from tests.utils.disturbed_runs import KILLED, Fallible, GatedSite, KillAt
from woo_harvester.demo.site import Site
from woo_harvester.pipelines.stored import path_of


@pytest.fixture
def harvester(tmp_path: Path, ca_bundle: Path, site: Site) -> Installation:
    return Installation(tmp_path, ca_bundle, [site])


def test_each_kind_of_content_is_added_once_and_the_summary_counts_it_apart(
    site: Site, harvester: Installation
) -> None:
    put(site, {"a": PDF})
    bare = harvester.of("none")
    assert "grootte" not in file_of(bare.records[0])
    assert added(harvester.run()) == {"a": ["kopregels"]}
    assert added(harvester.of("none")) == {}
    received = harvester.of("download")
    assert added(received) == {"a": ["bestand"]}
    assert "0 new, 0 changed, 1 supplied with content, 0 unchanged, 0 withdrawn" in received.stderr
    assert received.stats["woo/documents/supplied"] == 1
    kept = harvester.run(**STORE)
    assert added(kept) == {"a": ["bestand"]}
    assert file_of(kept.records[0])["pad"] == path_of(sha256(PDF).hexdigest())
    assert methods(site, "a") == ["HEAD", "GET", "GET"]
    assert not any("if-none-match" in request.headers for request in site.requested("/d/a.pdf"))
    text = harvester.run(**CONTENT)
    assert added(text) == {"a": ["tekst"]}
    assert file_of(text.records[0])["hash"] == sha256(PDF).hexdigest()
    assert methods(site, "a") == ["HEAD", "GET", "GET"], "the text is read from the store"
    short = harvester.run(**CONTENT, WOO_TEXT_MAXLENGTH=10)
    assert short.records == [], "less text is wanted now"
    assert causes(harvester.run(**CONTENT)) == {}


def test_a_store_that_was_moved_is_recognised_and_an_empty_one_is_filled(
    site: Site, harvester: Installation
) -> None:
    put(site, {"a": PDF, "b": document(2)})
    harvester.run(**STORE)
    (harvester.folder / "store").rename(harvester.folder / "moved")
    moved = harvester.run(FILES_STORE="moved")
    assert (moved.records, moved.stats["woo/files/present"]) == ([], 2)
    assert reported(moved, site)["unchanged"] == 2
    assert harvester.run(FILES_STORE="moved").stats["woo/sitemaps/unchanged"] == 1
    other = harvester.run(FILES_STORE="other")
    assert added(other) == {"a": ["bestand"], "b": ["bestand"]}
    assert methods(site, "a") == ["GET", "GET"]


def test_a_host_whose_time_is_used_up_is_supplied_in_later_runs_and_stays_complete(
    site: Site, harvester: Installation
) -> None:
    put(site, {f"a{number}": document(number) for number in range(3)})
    harvester.run()
    left = harvester.of("download", WOO_HOST_BUDGET=1e-9)
    assert (left.records, left.stats["woo/documents/lacking"]) == ([], 3)
    assert left.about("host.achterstand") == []
    report = reported(left, site)
    assert (report["complete"], report["unchanged"]) == (True, 3)
    assert "the content of 3 documents is left to the next runs" in left.stderr
    assert len(harvester.of("download").records) == 3


@pytest.mark.parametrize("count", [1, 4])
def test_after_a_kill_the_rest_is_supplied_and_nothing_twice(
    count: int, gated: GatedSite, installation: Fallible
) -> None:
    put(gated, {f"a{number}": document(number) for number in range(6)})
    installation.run("-a", "documents=head")
    download = ("-a", "documents=download")
    store = installation.folder / "store"
    killed = installation.start(
        *download, fault=KillAt("before the fsync", count), FILES_STORE=store, WOO_DURABLE_RECORDS=1
    )
    assert killed.status() == KILLED
    rest = installation.run(*download, FILES_STORE=store)
    assert rest.returncode == 0, rest.stderr
    assert set(map(tuple, filter(None, added(rest).values()))) == {("bestand",)}
    last = installation.run(*download, FILES_STORE=store)
    assert (last.records, last.stats["woo/sitemaps/unchanged"]) == ([], 1)
    lines = [
        json.loads(line)
        for path in (installation.folder / "records").glob("*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    supplied = [line["id"] for line in lines if "aangevuld" in line["herkomst"]]
    assert sorted(set(supplied)) == sorted({line["id"] for line in lines})


def test_a_lost_file_is_fetched_again(site: Site, harvester: Installation) -> None:
    put(site, {"a": PDF, "b": document(2)})
    harvester.run(**STORE)
    (harvester.folder / "store" / path_of(sha256(PDF).hexdigest())).unlink()
    assert harvester.run(**STORE).records == []
    done = run_scrapy(["state", "lost", "--fetch"], harvester.folder, settings={"FILES_STORE": "store"})
    assert done.stdout == site.url("/d/a.pdf") + "\n"
    again = harvester.run(**STORE)
    assert (causes(again), added(again)) == ({"a": "aanlevering"}, {"a": ["bestand"]})
    assert (harvester.folder / "store" / file_of(again.records[0])["pad"]).read_bytes() == PDF
