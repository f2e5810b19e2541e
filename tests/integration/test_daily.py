"""Every day again: only what changed, by the guide's rule on lastmod."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.same_days import days
from tests.utils.calendar import Calendar, Story
from tests.utils.daily import (
    FIRST,
    NEWER,
    OLDER,
    Harvester,
    causes,
    numbered,
    publish,
    reported,
)
from woo_harvester.demo.site import Site

with_documents = Calendar(Harvester, "-a", "documents=head")


@pytest.fixture
def harvester(tmp_path: Path, ca_bundle: Path, site: Site) -> Harvester:
    return Harvester(tmp_path, ca_bundle, [site])


def test_what_did_not_change_is_not_harvested_again(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST, "zonder": None, "onleesbaar": "gisteren"})
    assert causes(harvester.day()) == dict.fromkeys(["a", "zonder", "onleesbaar"], "aanlevering")
    second = harvester.day()
    assert causes(second) == {}
    # Not even read: the sitemap is the same to the byte.
    assert second.stats["woo/sitemaps/unchanged"] == 1
    assert "woo/entries" not in second.stats


@days.story
def test_a_sitemap_that_changed_is_read_and_what_is_in_it_passed_over(
    site: Site, harvester: Harvester
) -> Story:
    publish(site, {"a": FIRST, "b": FIRST})
    yield
    publish(site, {"a": FIRST, "b": FIRST, "c": FIRST})
    second = harvester.only(site).day()
    assert causes(second) == {"c": "aanlevering"}
    assert second.stats["deltafetch/skipped"] == 2
    assert second.stats["deltafetch/stored"] == 1


@days.story
def test_each_document_that_is_not_harvested_again_is_counted_once_however_that_was_seen(
    site: Site, harvester: Harvester
) -> Story:
    def skipped() -> tuple[int, int, int]:
        run = harvester.only(site).day()
        assert causes(run) == {}
        documents = run.stats["woo/documents/unchanged"] + run.stats.get("woo/documents/older", 0)
        return run.stats["deltafetch/skipped"], documents, reported(run, site)["unchanged"]

    publish(site, {"a": FIRST, "b": FIRST}, {"c": None}, headers={"ETag": '"1"'})
    yield
    assert skipped() == (3, 3, 3)  # 304
    assert [request.headers["if-none-match"] for request in site.requested("/s0.xml")[1:]] == ['"1"']
    publish(site, {"a": FIRST, "b": FIRST}, {"c": None})
    assert skipped() == (3, 3, 3)  # the same bytes
    publish(site, {"b": FIRST, "a": "2024-04-02T08:00:00Z"}, {"c": None})
    assert skipped() == (3, 3, 3)  # other bytes, the same moment
    publish(site, {"a": OLDER, "b": FIRST}, {"c": None})
    assert skipped() == (3, 3, 3)  # an older lastmod, which is reported


@days.story
def test_a_newer_lastmod_gives_a_wijziging_and_keeps_the_openbaarmakingsdatum(site: Site) -> Story:
    publish(site, {"a": FIRST, "b": FIRST})
    yield
    publish(site, {"a": NEWER, "b": FIRST})
    second = yield
    assert causes(second) == {"a": "wijziging"}
    (version,) = second.records[0]["versies"]
    assert version["openbaarmakingsdatum"] == "2024-04-02"
    assert version["mutatiedatumtijd"] == NEWER


@days.story
def test_a_304_means_that_all_documents_are_still_there(site: Site, harvester: Harvester) -> Story:
    publish(site, numbered(3), headers={"ETag": '"eerste"'})
    yield
    second = harvester.only(site).day()
    assert causes(second) == {}
    assert second.stats["downloader/response_status_count/304"] == 3
    assert second.stats["woo/hosts/complete"] == 1
    assert second.codes == set()


@days.story
def test_an_etag_that_never_changes_does_not_hide_changes_for_ever(site: Site, harvester: Harvester) -> Story:
    publish(site, {"a": FIRST}, headers={"ETag": '"altijd"'})
    yield
    publish(site, {"a": NEWER}, headers={"ETag": '"altijd"'})
    assert causes((yield)) == {}
    third = harvester.only(site).day(WOO_FULL_READ_DAYS=0)  # each sitemap is read
    assert causes(third) == {"a": "wijziging"}


@with_documents.story
def test_a_sitemap_with_a_document_that_could_not_be_had_is_read_again(site: Site) -> Story:
    publish(site, {"a": FIRST, "weg": FIRST}, headers={"ETag": '"eerste"'})
    site.pages["/d/a.pdf"] = site.pages["/robots.txt"]
    first = yield
    assert "document.onbereikbaar" in first.codes
    site.pages["/d/weg.pdf"] = site.pages["/robots.txt"]
    second = yield
    assert [record["document"]["weblocatie"] for record in second.records] == [site.url("/d/weg.pdf")]
