"""Documents of which a run wants more than earlier runs did: by its settings, its store and its limits."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

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
    version_of,
)
from tests.samples import SENTENCE
from tests.utils.command import DATA, run_scrapy
from tests.utils.daily import FIRST, METADATA, XML, causes, publish, reported, xml
from tests.utils.disturbed_runs import KILLED, Fallible, GatedSite, KillAt
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import Entry, sitemap
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


def test_a_text_that_was_truncated_is_read_again_with_wider_limits(
    site: Site, harvester: Installation
) -> None:
    put(site, {"a": PDF})
    first = harvester.run(**CONTENT, WOO_TEXT_MAXLENGTH=10)
    assert len(file_of(first.records[0])["tekst"]) == 10
    wider = harvester.run(**CONTENT)
    assert added(wider) == {"a": ["tekst"]}
    assert SENTENCE in " ".join(file_of(wider.records[0])["tekst"].split())
    assert methods(site, "a") == ["GET"]
    assert harvester.run(**CONTENT).records == []


def test_a_text_that_cannot_be_read_is_tried_once_for_each_limit(site: Site, harvester: Installation) -> None:
    broken = PDF[:200]
    put(site, {"a": broken})
    harvester.run(**STORE)
    first = harvester.run(**CONTENT)
    assert (first.records, len(first.about("document.tekst-mislukt"))) == ([], 1)
    assert reported(first, site)["unchanged"] == 1
    again = harvester.run(**CONTENT)
    assert (again.records, again.about("document.tekst-mislukt")) == ([], [])
    assert reported(again, site)["sitemaps_unchanged"] == 1
    wider = harvester.run(**CONTENT, WOO_TEXT_TIMEOUT=61)
    assert (wider.records, len(wider.about("document.tekst-mislukt"))) == ([], 1)
    assert methods(site, "a") == ["GET"]


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


def test_a_file_that_has_changed_without_a_newer_lastmod_is_a_change(
    site: Site, harvester: Installation
) -> None:
    put(site, {"a": PDF})
    harvester.of("download")
    put(site, {"a": document(2)})
    run = harvester.run(**STORE)
    assert (causes(run), added(run)) == ({"a": "wijziging"}, {"a": None})
    assert version_of(run.records[0])["openbaarmakingsdatum"] == "2024-04-02"
    assert harvester.run(**STORE).records == []


def test_a_document_without_a_known_type_is_asked_for_when_more_of_it_is_wanted(
    site: Site, harvester: Installation
) -> None:
    put(site, {"a": PDF})
    entry = Entry(loc=site.url("/d/a"), lastmod=FIRST, diwoo=replace(METADATA, format=None))
    site.pages["/s0.xml"] = Page(sitemap(entry), content_type=XML)
    site.pages["/d/a"] = Page(PDF, content_type="application/octet-stream")
    bare = harvester.of("none")
    assert (bare.records, len(bare.about("format.onbekend"))) == ([], 1)
    full = harvester.of("download")
    assert (causes(full), added(full)) == ({"a": "aanlevering"}, {"a": None})
    assert harvester.of("download").stats["woo/sitemaps/unchanged"] == 1


def test_a_larger_limit_has_a_document_fetched_that_was_too_large(
    site: Site, harvester: Installation
) -> None:
    put(site, {"a": PDF})
    small = harvester.of("download", WOO_DOCUMENT_MAXSIZE=100)
    assert (small.records, len(small.about("document.te-groot"))) == ([], 1)
    same = harvester.of("download", WOO_DOCUMENT_MAXSIZE=100)
    assert (len(same.about("document.te-groot")), methods(site, "a")) == (1, ["GET"])
    large = harvester.of("download")
    assert (causes(large), large.about("document.te-groot")) == ({"a": "aanlevering"}, [])


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


def test_the_state_moves_with_what_it_knows_of_contents(site: Site, harvester: Installation) -> None:
    put(site, {"a": PDF})
    first = harvester.run()
    second = harvester.run(**CONTENT)
    records = sorted(map(str, (harvester.folder / "records").glob("*.jsonl")))
    for form in ("jsonl", "csv"):
        assert run_scrapy(["state", "export", f"state.{form}"], harvester.folder).returncode == 0
        (harvester.folder / DATA).rename(harvester.folder / f"old-{form}")
        assert run_scrapy(["state", "import", f"state.{form}"], harvester.folder).returncode == 0
    assert harvester.run(**CONTENT).records == []
    assert methods(site, "a") == ["HEAD", "GET"]
    assert run_scrapy(["state", "check", *records], harvester.folder).returncode == 0
    done = run_scrapy(["state", "latest", *records, "-O", "now.jsonl"], harvester.folder)
    assert done.returncode == 0, done.stderr
    (latest,) = map(json.loads, (harvester.folder / "now.jsonl").read_text(encoding="utf-8").splitlines())
    assert latest == second.records[0]
    assert latest["versies"][0]["oorzaak"] == first.records[0]["versies"][0]["oorzaak"]


def test_a_document_of_two_hosts_is_supplied_once(tmp_path: Path, ca_bundle: Path, make_site: Any) -> None:
    one, other = make_site(), make_site()
    harvester = Installation(tmp_path, ca_bundle, [one, other], organisations={"Gemeente A": [one, other]})
    put(one, {"a": PDF})
    publish(other, {})
    other.pages["/s0.xml"] = Page(xml(one, {"a": FIRST}), content_type=XML)
    first = harvester.run()
    assert causes(first) == {"a": "aanlevering"}
    source = first.records[0]["herkomst"]["sitemap"]
    harvester.run()
    supplied = harvester.run(**CONTENT)
    assert added(supplied) == {"a": ["bestand", "tekst"]}
    assert supplied.records[0]["herkomst"]["sitemap"] == source
    assert harvester.run(**CONTENT).records == []
    assert methods(one, "a") == ["HEAD", "GET"]


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
