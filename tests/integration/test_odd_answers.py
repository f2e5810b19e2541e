"""Answers that no server should give: each costs what it stands for, and holds up nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.utils.daily import FIRST, INDEX, XML, Harvester, causes, numbered, publish, xml
from tests.utils.sites import MakeSite
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.downloader.middlewares import MAX_BODIES


@pytest.fixture
def harvester(tmp_path: Path, ca_bundle: Path, site: Site) -> Harvester:
    return Harvester(tmp_path, ca_bundle, [site])


@pytest.mark.parametrize("status", [302, 304, 999])
def test_documents_with_a_status_that_means_nothing_hold_up_no_other(
    make_site: MakeSite, site: Site, harvester: Harvester, status: int
) -> None:
    good, many = make_site(), MAX_BODIES + 20
    publish(site, numbered(many))
    site.pages |= {f"/d/doc{number}.pdf": Page(b"", status=status) for number in range(many)}
    publish(good, numbered(3))
    good.pages["/d/*"] = Page(b"%PDF-1.7", delay=1)
    harvester.sites = [site, good]
    run = harvester.day("-a", "documents=download", RETRY_TIMES=0)
    assert sorted(run.locs) == [good.url(f"/d/doc{number}.pdf") for number in range(3)]
    told = run.about("document.onbereikbaar")
    assert {finding["seen"] for finding in told} == {f"HTTP {status}"}
    assert len(told) == many


def test_a_304_that_nobody_asked_for_is_no_complete_read(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST}, {"b": FIRST})
    site.pages["/s1.xml"] = Page(b"", status=304)
    run = harvester.day()
    assert causes(run) == {"a": "aanlevering"}
    (finding,) = run.about("sitemap.onbereikbaar")
    assert finding["seen"] == "HTTP 304"
    assert run.stats["woo/hosts/incomplete"] == 1


def test_a_304_does_not_take_the_place_of_the_full_read_of_seven_days(
    site: Site, harvester: Harvester
) -> None:
    publish(site, {"a": FIRST, "b": FIRST})
    harvester.day()
    for path in ("/robots.txt", INDEX, "/s0.xml"):
        site.pages[path] = Page(b"", status=304)
        run = harvester.day(WOO_FULL_READ_DAYS=0)
        assert run.stats["woo/hosts/incomplete"] == 1
        publish(site, {"a": FIRST, "b": FIRST})


def test_documents_of_a_host_whose_robots_txt_is_out_of_reach_are_not_asked_for(
    make_site: MakeSite, site: Site, harvester: Harvester
) -> None:
    other = make_site({"/robots.txt": Page(b"", status=503), "/d/*": Page(b"%PDF-1.7")})
    publish(site, {"a": FIRST})
    site.pages["/s0.xml"] = Page(xml(other, {"a": FIRST}), content_type=XML)
    harvester.sites = [site, other]
    run = harvester.day("-a", "documents=download", RETRY_TIMES=0)
    (finding,) = run.about("document.onbereikbaar")
    assert finding["seen"] == "HTTP 503 voor de robots.txt van deze host"
    assert other.requested("/d/a.pdf") == []
    other.pages["/robots.txt"] = Page(b"User-agent: *\nAllow: /\n")
    assert causes(harvester.day("-a", "documents=download")) == {"a": "aanlevering"}
