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


@calendar.story
def test_a_withdrawn_document_is_never_asked_for(site: Site) -> Story:
    put(site, {"a": PDF, "b": PDF})
    yield
    publish(site, {"b": FIRST})
    second = yield
    assert causes(second) == {"a": "intrekking"}
    third = yield
    assert added(third) == {"b": ["bestand", "tekst"]}
    assert methods(site, "a") == ["HEAD"]


@calendar.story
def test_a_newer_version_of_that_day_is_a_change_and_nothing_else(site: Site) -> Story:
    put(site, {"a": PDF})
    yield
    yield
    put(site, {"a": PDF}, NEWER)
    third = yield
    assert (causes(third), added(third)) == ({"a": "wijziging"}, {"a": None})
    fourth = yield
    assert fourth.records == []


@calendar.story
def test_a_lastmod_that_is_absent_or_in_the_future_stays_as_it_was(site: Site) -> Story:
    put(site, {"a": PDF, "b": PDF})
    publish(site, {"a": None, "b": "2999-01-01T00:00:00Z"})
    first = yield
    publish(site, {"a": None, "b": "2024-04-02T10:00:00+02:00"})
    yield
    third = yield
    for name in "ab":
        known, record = first.record(site.url(f"/d/{name}.pdf")), third.record(site.url(f"/d/{name}.pdf"))
        assert version_of(record) == version_of(known)
        defaults = record["herkomst"]["standaardwaarden"], known["herkomst"]["standaardwaarden"]
        dates = [{key: one[key] for key in one if key.startswith("versies.")} for one in defaults]
        assert dates[0] == dates[1]
    assert third.record(site.url("/d/b.pdf"))["herkomst"]["lastmod"].startswith("2999-01-01")
    fourth = yield
    assert fourth.records == []


@calendar.story
def test_a_sitemap_with_many_documents_is_read_again_for_the_one_that_lacks_content(site: Site) -> Story:
    put(site, {"a": PDF})
    yield
    yield
    publish(site, {"a": FIRST, "c": FIRST})
    site.pages["/d/c.pdf"] = Page(document(3), content_type="application/pdf")
    third = yield
    assert added(third) == {"a": ["bestand", "tekst"], "c": None}
    yield
    publish(site, {"a": FIRST, "c": FIRST, "d": FIRST})
    site.pages["/d/d.pdf"] = Page(document(4), content_type="application/pdf")
    fifth = yield
    assert added(fifth) == {"d": None}
    sixth = yield
    assert added(sixth) == {"d": ["bestand", "tekst"]}
    assert [methods(site, name) for name in "acd"] == [["HEAD", "GET"], ["GET"], ["HEAD", "GET"]]


@calendar.story
def test_a_document_that_is_listed_twice_is_supplied_once(site: Site) -> Story:
    put(site, {"a": PDF})
    publish(site, {"a": FIRST}, {"a": FIRST})
    yield
    yield
    third = yield
    assert added(third) == {"a": ["bestand", "tekst"]}
    fourth = yield
    assert fourth.records == []
    assert len(fourth.about("loc.dubbel")) == len(third.about("loc.dubbel")) == 1
    assert methods(site, "a") == ["HEAD", "GET"]


@calendar.story
def test_a_document_that_moves_to_another_sitemap_is_supplied_there(site: Site) -> Story:
    put(site, {"a": PDF, "b": PDF})
    publish(site, {"a": FIRST}, {"b": FIRST})
    yield
    publish(site, {"c": FIRST}, {"a": FIRST, "b": FIRST})
    site.pages["/d/c.pdf"] = Page(document(3), content_type="application/pdf")
    yield
    third = yield
    assert added(third) == {name: ["bestand", "tekst"] for name in "abc"}
    fourth = yield
    assert fourth.records == []
    assert [methods(site, name) for name in "abc"] == [["HEAD", "GET"]] * 3
