"""Runs that deliver all documents that are listed now (``DELTAFETCH_ENABLED=0``), known or not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.utils.calendar import Calendar, Story
from tests.utils.command import Line, Run, run_scrapy
from tests.utils.daily import FIRST, NEWER, OLDER, XML, Harvester, causes, publish, reported, xml
from tests.utils.disturbed_runs import SOON, Fallible, GatedSite, two_sitemaps
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site

ALL: dict[str, Any] = {"DELTAFETCH_ENABLED": 0}
#: On the third and fourth day all documents are delivered.
calendar = Calendar(Harvester, on={3: ALL, 4: ALL})

PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"


@pytest.fixture
def harvester(tmp_path: Path, ca_bundle: Path, site: Site) -> Harvester:
    return Harvester(tmp_path, ca_bundle, [site])


def versions(run: Run) -> dict[str, Line]:
    """Return the version in each record, by the URL of its document."""
    return {record["document"]["weblocatie"]: record["versies"][0] for record in run.records}


@calendar.story
def test_each_version_is_delivered_as_it_was(site: Site) -> Story:
    headers: Mapping[str, str] = {"ETag": '"altijd"'}
    publish(site, {"a": FIRST, "b": FIRST, "zonder": None, "straks": "2042-05-02"})
    first = yield
    publish(site, {"a": FIRST, "b": NEWER, "zonder": None, "straks": "2042-05-02"}, headers=headers)
    second = yield
    assert causes(second) == {"b": "wijziging"}
    for _ in range(2):  # though its server would answer 304
        again = yield
        assert versions(again) == versions(first) | versions(second)
        assert reported(again, site)["unchanged"] == reported(again, site)["listed"] == 4
        assert reported(again, site)["new"] == reported(again, site)["changed"] == 0
        for record in again.records:
            assert "aangevuld" not in record["herkomst"]
            assert record["herkomst"]["opgehaald"] > first.records[0]["herkomst"]["opgehaald"]
    assert causes((yield)) == {}


@calendar.story
def test_such_a_run_withdraws_and_learns_as_any_other(site: Site) -> Story:
    publish(site, {"a": FIRST, "b": FIRST, "weg": FIRST})
    yield
    publish(site, {"a": FIRST, "weg": FIRST, "b": NEWER})
    yield
    publish(site, {"a": NEWER, "b": OLDER, "nieuw": FIRST})
    third = yield
    assert causes(third) == {
        "a": "wijziging",
        "b": "wijziging",
        "nieuw": "aanlevering",
        "weg": "intrekking",
    }
    (older,) = [
        record for record in third.records if record["document"]["weblocatie"] == site.url("/d/b.pdf")
    ]
    assert older["herkomst"]["lastmod"] == NEWER, "it is the known version"
    assert "lastmod.ouder" in older["herkomst"]["bevindingen"]
    publish(site, {"a": NEWER, "b": OLDER, "nieuw": FIRST, "weg": FIRST})
    fourth = yield
    assert causes(fourth) == {"a": "wijziging", "b": "wijziging", "nieuw": "aanlevering"}
    assert len(fourth.about("lastmod.heraanbod")) == 1, "what was withdrawn is not published by it"
    fifth = yield
    assert causes(fifth) == {}
    assert {"lastmod.ouder", "lastmod.heraanbod"} <= fifth.codes


@calendar.story
def test_a_document_that_is_listed_twice_is_delivered_once(site: Site) -> Story:
    publish(site, {"a": FIRST, "b": FIRST}, {"a": FIRST})
    yield
    yield
    for _ in range(2):
        again = yield
        assert sorted(again.locs) == [site.url("/d/a.pdf"), site.url("/d/b.pdf")]
        assert len(again.about("loc.dubbel")) == 1
    assert causes((yield)) == {}


@calendar.story
def test_a_document_of_another_host_is_delivered_once_by_its_own(site: Site, other: Site) -> Story:
    publish(site, {"a": FIRST})
    list_also(other, site)
    first = yield
    assert [record["herkomst"]["sitemap"] for record in first.records] == [site.url("/s0.xml")]
    yield
    again = yield
    assert [record["herkomst"]["sitemap"] for record in again.records] == [site.url("/s0.xml")]


@calendar.story
def test_a_document_that_only_another_host_still_lists_is_delivered_by_that(site: Site, other: Site) -> Story:
    publish(site, {"a": FIRST, "b": FIRST})
    list_also(other, site)
    yield
    publish(site, {"b": FIRST})
    assert causes((yield)) == {}
    for _ in range(2):
        again = yield
        assert causes(again) == {"a": "aanlevering", "b": "aanlevering"}
        assert again.record(site.url("/d/a.pdf"))["herkomst"]["sitemap"] == other.url("/s0.xml")
    assert causes((yield)) == {}


def list_also(other: Site, owner: Site) -> None:
    """Have a site list the document ``a`` of another one."""
    publish(other, {})
    other.pages["/s0.xml"] = Page(xml(owner, {"a": FIRST}), content_type=XML)


def test_what_is_known_of_a_file_is_delivered_without_a_request(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST})
    site.pages["/d/a.pdf"] = Page(PDF, content_type="application/pdf", headers={"ETag": '"een"'})
    download, head = ("-a", "documents=download"), ("-a", "documents=head")
    first = harvester.day(*download, FILES_STORE="files")
    (file,) = versions(first)[site.url("/d/a.pdf")]["bestanden"]
    assert file["hash"]
    site.requests.clear()
    (again,) = versions(harvester.day(*head, **ALL)).values()
    (shown,) = again["bestanden"]
    assert shown == {key: value for key, value in file.items() if key != "pad"}
    assert not any(request.path.startswith("/d/") for request in site.requests)
    assert versions(harvester.day(*download, FILES_STORE="files", **ALL)) == versions(first)
    assert [
        request.headers.get("if-none-match") for request in site.requests if request.path == "/d/a.pdf"
    ] == ['"een"']
    site.requests.clear()
    assert causes(harvester.day(*download, FILES_STORE="files")) == {}
    assert not any(request.path.startswith("/d/") for request in site.requests)


def test_a_file_with_other_bytes_is_a_change(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST})
    site.pages["/d/a.pdf"] = Page(PDF, content_type="application/pdf")
    download = ("-a", "documents=download")
    harvester.day(*download)
    site.pages["/d/a.pdf"] = Page(PDF + b"%\n", content_type="application/pdf")
    assert causes(harvester.day(*download, **ALL)) == {"a": "wijziging"}
    assert causes(harvester.day(*download, **ALL)) == {"a": "wijziging"}, "that is its oorzaak from now on"


def test_state_and_records_agree_after_it(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST, "zonder": None, "straks": "2042-05-02"})
    for settings in ({}, ALL, {}):
        harvester.day(**settings)
    records = sorted(str(path) for path in harvester.folder.glob("records/*.jsonl"))
    done = run_scrapy(["state", "check", "-v", *records], harvester.folder)
    assert (done.returncode, done.stdout) == (0, "3 documents in the state: 0 missing, 0 older, 0 extra.\n")


def test_a_choice_and_all_documents_go_together(site: Site, harvester: Harvester) -> None:
    publish(site, {"oud": OLDER, "nieuw": NEWER})
    harvester.day()
    run = harvester.day("-a", "since=2024-05-01", **ALL)
    assert causes(run) == {"nieuw": "aanlevering"}
    assert run.stats["woo/documents/unchanged_again"] == 1
    assert "1 of the unchanged delivered again" in run.stderr
    assert "1 entry left out, as asked" in run.stderr
    assert run.stats["woo/entries/left_out"] == 1
    assert causes(harvester.day()) == {}


def test_a_run_that_is_killed_changes_nothing_for_the_next(
    tmp_path: Path, ca_bundle: Path, gated: GatedSite
) -> None:
    installation = Fallible(tmp_path, ca_bundle, [gated])
    two_sitemaps(gated)
    gated.gates.clear()
    first = installation.run()
    assert len(first.records) == 15
    gated.gates.add("/s1.xml")
    started = installation.start("-O", "all.jsonl", **ALL, **SOON)
    started.wait_until(lambda: "/s1.xml" in gated.waiting, "the second sitemap is asked for")
    started.wait_until((tmp_path / "all.jsonl").exists, "the first is being delivered")
    assert started.kill(after=0)
    gated.gates.clear()
    assert causes(installation.run()) == {}
    again = installation.run("-O", "all.jsonl", **ALL)
    assert versions(again) == versions(first)
