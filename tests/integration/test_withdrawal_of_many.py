"""Much that is gone at once waits, since it may be a glitch of the publisher."""

from __future__ import annotations

from tests.integration.same_days import days
from tests.utils.calendar import Story
from tests.utils.command import run_scrapy
from tests.utils.daily import FIRST, Harvester, causes, numbered, publish, waiting
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
