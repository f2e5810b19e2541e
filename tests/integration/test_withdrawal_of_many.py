"""Much that is gone at once waits, since it may be a glitch of the publisher."""

from __future__ import annotations

from tests.integration.same_days import days
from tests.utils.calendar import Story
from tests.utils.command import run_scrapy
from tests.utils.daily import FIRST, Harvester, causes, numbered, publish, waiting
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site


@days.story
def test_much_gone_at_once_is_held_back_until_the_third_complete_run(site: Site) -> Story:
    publish(site, numbered(100))
    yield
    publish(site, numbered(40))
    for number in (1, 2):
        run = yield
        assert causes(run) == {}
        (finding,) = run.about("intrekking.massaal")
        assert finding["seen"] == "60 van 100 documenten"
        assert f"{number} van 3" in finding["action"]
        assert len(waiting(run, site)) == 60
    third = yield
    assert len(third.records) == 60
    assert set(causes(third).values()) == {"intrekking"}
    assert causes((yield)) == {}


@days.story
def test_each_document_waits_for_itself_and_a_second_glitch_starts_its_own_count(site: Site) -> Story:
    publish(site, numbered(100))
    yield
    publish(site, numbered(40))
    yield
    yield
    publish(site)
    third = yield
    assert set(causes(third)) == {f"doc{number}" for number in range(40, 100)}
    (finding,) = third.about("intrekking.massaal")
    assert finding["seen"] == "40 van 100 documenten"
    assert "1 van 3" in finding["action"]
    assert (yield).records == []
    assert set(causes((yield))) == set(numbered(40))


@days.story
def test_a_sitemap_that_is_empty_on_each_day_another_one_withdraws_nothing(site: Site) -> Story:
    parts = [{f"doc{part}-{number}": FIRST for number in range(60)} for part in range(4)]
    publish(site, *parts)
    assert len((yield).records) == 240
    for day in range(9):
        publish(site, *({} if part == day % 4 else documents for part, documents in enumerate(parts)))
        run = yield
        assert run.records == []
        assert run.about("intrekking.massaal")[0]["seen"] == "60 van 240 documenten"
    publish(site, *parts)
    run = yield
    assert run.records == []
    assert run.codes == set()


@days.story
def test_being_listed_once_starts_the_count_over_also_in_a_read_that_is_not_complete(site: Site) -> Story:
    publish(site, numbered(100), {"other": FIRST})
    yield
    publish(site, numbered(40), {"other": FIRST})
    for _ in range(2):
        assert (yield).records == []
    publish(site, numbered(100), {"other": FIRST})
    site.pages["/s1.xml"] = Page(b"", status=500)
    assert (yield).records == []
    publish(site, numbered(40), {"other": FIRST})
    for number in (1, 2):
        run = yield
        assert run.records == []
        assert f"{number} van 3" in run.about("intrekking.massaal")[0]["action"]
    assert len((yield).records) == 60


@days.story
def test_a_read_that_is_not_complete_counts_for_nothing(site: Site) -> Story:
    publish(site, numbered(100), {"other": FIRST})
    yield
    publish(site, numbered(40), {"other": FIRST})
    for number in (1, 2):
        site.pages["/s1.xml"] = Page(b"", status=500)
        assert (yield).records == []
        publish(site, numbered(40), {"other": FIRST})
        assert f"{number} van 3" in (yield).about("intrekking.massaal")[0]["action"]


@days.story
def test_confirming_confirms_the_documents_that_are_listed_and_the_rest_goes_on_waiting(
    site: Site, harvester: Harvester
) -> Story:
    publish(site, numbered(100))
    yield
    publish(site, numbered(40))
    run = yield
    pending = waiting(run, site)
    assert len(pending) == 60
    confirmed = run_scrapy(["state", "confirm", f"localhost:{site.port}"], harvester.folder)
    assert (confirmed.returncode, "60 documents" in confirmed.stderr) == (0, True)
    # One of them is listed again, and others are gone: these were not confirmed.
    publish(site, {"doc99": FIRST})
    next_day = yield
    assert {site.url(f"/d/{name}.pdf") for name in causes(next_day)} == pending - {site.url("/d/doc99.pdf")}
    assert waiting(next_day, site) == {site.url(f"/d/doc{number}.pdf") for number in range(40)}


@days.story
def test_what_was_held_back_and_returns_was_never_withdrawn(site: Site) -> Story:
    publish(site, numbered(100))
    yield
    publish(site, numbered(40))
    yield
    publish(site, numbered(100))
    assert (yield).codes == set()
    publish(site, numbered(40))
    assert "1 van 3" in (yield).about("intrekking.massaal")[0]["action"]


@days.story
def test_an_empty_index_on_a_bad_day_holds_all_of_ten_documents(site: Site) -> Story:
    publish(site, numbered(10))
    yield
    publish(site)
    run = yield
    assert causes(run) == {}
    assert run.about("intrekking.massaal")[0]["seen"] == "10 van 10 documenten"


@days.story
def test_all_of_nine_documents_are_withdrawn(site: Site) -> Story:
    publish(site, numbered(9))
    yield
    publish(site, {})
    assert len((yield).records) == 9
