"""Documents that were harvested without their content, and get it in a later run, day by day."""

from __future__ import annotations

from hashlib import sha256

from tests.integration.supplied_sites import (
    CONTENT,
    PDF,
    Installation,
    added,
    document,
    file_of,
    methods,
    put,
    version_of,
)
from tests.samples import SENTENCE
from tests.utils.calendar import Calendar, Story
from tests.utils.daily import FIRST, NEWER, causes, publish, reported
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import html_page
from woo_harvester.pipelines.stored import path_of

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
