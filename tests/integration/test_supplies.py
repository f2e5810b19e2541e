"""Documents that were harvested without their content, and get it in a later run, day by day."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from tests.samples import SAMPLES, SENTENCE
from tests.utils.calendar import Calendar, Story
from tests.utils.command import Line, Run, run_scrapy
from tests.utils.daily import FIRST, NEWER, Harvester, causes, publish, reported
from tests.utils.disturbed_runs import KILLED, Fallible, GatedSite, KillAt
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import html_page
from woo_harvester.pipelines.stored import path_of

PDF = SAMPLES["PDF"].read_bytes()
CONTENT: dict[str, object] = {"FILES_STORE": "store", "WOO_TEXT": 1, "WOO_TEXT_WORKERS": 1}
STORE: dict[str, object] = {"FILES_STORE": "store"}


class Installation(Harvester):
    """The harvester without the argument ``documents``, unless a test gives it."""

    def arguments(self, *args: str) -> list[str]:
        given = super().arguments(*args)
        if not any("documents=" in arg for arg in args):
            place = given.index("documents=none")
            del given[place - 1 : place + 1]
        return given

    def of(self, documents: str, **settings: object) -> Run:
        """Harvest all sites with a value of the argument ``documents``."""
        return checked(self.day("-a", f"documents={documents}", **settings))

    def run(self, **settings: object) -> Run:
        """Harvest all sites with these settings."""
        return checked(self.day(**settings))


def checked(run: Run) -> Run:
    assert run.returncode == 0, run.stderr
    return run


def put(site: Site, documents: Mapping[str, bytes], lastmod: str | None = FIRST) -> None:
    """Have the site publish these documents."""
    publish(site, dict.fromkeys(documents, lastmod))
    for name, body in documents.items():
        headers = {"ETag": f'"{len(body)}"'}
        site.pages[f"/d/{name}.pdf"] = Page(body, content_type="application/pdf", headers=headers)


def document(number: int) -> bytes:
    """Return a document of its own."""
    return PDF + f"% {number}".encode()


def file_of(record: Line) -> Line:
    (file,) = record["versies"][0]["bestanden"]
    found: Line = file
    return found


def version_of(record: Line) -> Line:
    """Return the version of a record without its files."""
    return {key: value for key, value in record["versies"][0].items() if key != "bestanden"}


def added(run: Run) -> dict[str, list[str] | None]:
    """Return what was added to each record, by the name of its document."""
    return {
        record["document"]["weblocatie"].rpartition("/")[2].removesuffix(".pdf"): record["herkomst"].get(
            "aangevuld"
        )
        for record in run.records
    }


def methods(site: Site, name: str) -> list[str]:
    """Return the methods of the requests for a document."""
    return [request.method for request in site.requested(f"/d/{name}.pdf")]


# Metadata on two days, then all content on two days, then metadata, then all content again.
calendar = Calendar(Installation, on={3: CONTENT, 4: CONTENT, 6: CONTENT})


@calendar.story
def test_a_run_that_keeps_documents_fetches_what_earlier_runs_did_not(site: Site) -> Story:
    put(site, {"a": PDF, "b": PDF})
    first = yield
    publish(site, {"a": FIRST, "b": NEWER})
    second = yield
    assert causes(second) == {"b": "wijziging"}
    third = yield
    assert added(third) == {name: ["bestand", "tekst"] for name in "ab"}
    before = {"a": first, "b": second}
    for name, run in before.items():
        loc = site.url(f"/d/{name}.pdf")
        known, record = run.record(loc), third.record(loc)
        assert version_of(record) == version_of(known)
        assert (record["id"], record["document"]) == (known["id"], known["document"])
        assert record["herkomst"]["lastmod"] == known["herkomst"]["lastmod"]
        assert record["herkomst"]["opgehaald"] > known["herkomst"]["opgehaald"]
        file = file_of(record)
        assert file["pad"] == path_of(sha256(PDF).hexdigest())
        assert SENTENCE in " ".join(file["tekst"].split())
    report = reported(third, site)
    counts = {"listed": 2, "harvested": 2, "new": 0, "changed": 0, "supplied": 2, "unchanged": 0}
    assert {key: report[key] for key in counts} == counts
    fourth = yield
    assert fourth.records == []
    assert reported(fourth, site)["sitemaps_unchanged"] == 1
    yield
    sixth = yield
    assert sixth.records == []
    assert reported(sixth, site)["sitemaps_unchanged"] == 1
    assert methods(site, "a") == ["HEAD", "GET"]
    assert methods(site, "b") == ["HEAD", "HEAD", "GET"]


@calendar.story
def test_a_document_that_is_out_of_reach_is_tried_again_in_the_next_run(site: Site) -> Story:
    put(site, {"a": PDF, "b": document(2)})
    yield
    yield
    site.pages["/d/a.pdf"] = Page(status=404)
    third = yield
    assert added(third) == {"b": ["bestand", "tekst"]}
    assert [finding["seen"] for finding in third.about("document.onbereikbaar")] == ["HTTP 404"]
    assert reported(third, site)["complete"] is True
    put(site, {"a": PDF, "b": document(2)})
    fourth = yield
    assert added(fourth) == {"a": ["bestand", "tekst"]}
    assert causes(fourth) == {"a": "aanlevering"}
    assert fourth.about("document.onbereikbaar") == []
    yield
    sixth = yield
    assert sixth.records == []


@calendar.story
def test_a_web_page_in_its_place_withdraws_nothing_and_is_not_asked_for_each_day(site: Site) -> Story:
    put(site, {"a": PDF})
    yield
    yield
    site.pages["/d/a.pdf"] = html_page("Inloggen")
    for _ in range(2):
        run = yield
        assert run.records == []
        assert len(run.about("document.html-pagina")) == 1
        assert methods(site, "a") == ["HEAD", "GET"]
    head = yield
    assert (head.records, len(head.about("document.html-pagina"))) == ([], 1)
    yield
    assert methods(site, "a") == ["HEAD", "GET"]


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
