"""How hosts are treated: few requests at once, robots.txt obeyed, and none waits for another.

The pauses between requests are in ``tests/extensions/test_politeness.py``.
"""

from __future__ import annotations

import pytest

from tests.utils import schedule
from tests.utils.publishers import (
    INDEX,
    Builder,
    Harvest,
    Host,
    Hosts,
    Publishers,
    entry,
    publish,
)
from tests.utils.waiting import wait_until
from woo_harvester.demo.server import Handler, Page, Request
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import pdf, robots_txt
from woo_harvester.settings import CONCURRENT_REQUESTS_PER_DOMAIN, USER_AGENT

SITEMAP = f"{INDEX}/sitemap.xml"
DOCUMENT = Page(pdf("Besluit"))
hosts = Hosts()


def paths(number: int) -> list[str]:
    return [f"/besluit-{n}.pdf" for n in range(number)]


@hosts.site
def with_many_documents(site: Site) -> None:
    publish(site, *paths(60))
    site.pages |= dict.fromkeys(paths(60), Page(pdf("x"), delay=0.05))


def after_the_others(page: Page) -> Handler:
    """Answer only when the host with many documents was asked for all of them."""

    def handle(_: Request) -> Page:
        asked = hosts[with_many_documents].requested
        wait_until(lambda: all(map(asked, paths(60))), "the other host is asked for all its documents")
        return page

    return handle


@hosts.site
def that_is_slow(site: Site) -> None:
    publish(site, *paths(12))
    site.pages |= dict.fromkeys(paths(12), after_the_others(Page(pdf("x"))))


@hosts.site
def that_is_slow_with_its_robots(site: Site) -> None:
    publish(site, "/a.pdf")
    site.pages |= {"/robots.txt": after_the_others(Page(robots_txt(site.url(INDEX)))), "/a.pdf": DOCUMENT}


def forbid(site: Site, path: str) -> None:
    publish(site, "/a.pdf", "/b.pdf")
    site.pages["/robots.txt"] = Page(f"User-agent: *\nDisallow: {path}\n\nSitemap: {site.url(INDEX)}\n")
    site.pages |= {"/a.pdf": DOCUMENT, "/b.pdf": DOCUMENT}


@hosts.site
def that_forbids_its_index(site: Site) -> None:
    forbid(site, "/sitemapindex-diwoo.xml$")


@hosts.site
def that_forbids_its_sitemap(site: Site) -> None:
    forbid(site, SITEMAP)


@hosts.site
def that_forbids_a_document(site: Site) -> None:
    forbid(site, "/a.pdf")


@hosts.site
def whose_documents_another_host_lists(site: Site) -> None:
    publish(site)
    site.pages["/robots.txt"] = Page(f"User-agent: *\nDisallow: /besloten/\nSitemap: {site.url(INDEX)}\n")
    site.pages["/*"] = DOCUMENT


@hosts.site
def that_lists_documents_of_another_host(site: Site) -> None:
    other = hosts[whose_documents_another_host_lists]
    listed = [f"/open/{number}.pdf" for number in range(5)] + ["/besloten/1.pdf"]
    publish(site, *(entry(site, path, loc=other.url(path)) for path in listed))


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    return publishers.harvest(hosts, "-a", "documents=download", settings=schedule.SETTINGS)


def moments(host: Host) -> list[float]:
    """When it was asked for something, robots.txt itself left out: its rules hold from then on."""
    return [request.at for request in host.requests if request.path != "/robots.txt"]


def test_the_run_ends_well(harvest: Harvest) -> None:
    assert harvest.run.returncode == 0
    assert "Traceback" not in harvest.run.stderr
    assert harvest.run.stats["woo/hosts/done"] == len(hosts.sites)


def test_a_host_is_asked_for_a_few_things_at_once_and_not_one_by_one(harvest: Harvest) -> None:
    host = harvest[with_many_documents]
    assert len(host.paths) == 60
    assert host.site.most_at_once <= CONCURRENT_REQUESTS_PER_DOMAIN
    allowed = {sent.concurrency for sent in schedule.sent(harvest.run, host.site)}
    assert allowed == {CONCURRENT_REQUESTS_PER_DOMAIN}


def test_every_request_says_who_asks_and_where_to_complain(harvest: Harvest) -> None:
    agents = {
        request.headers.get("user-agent") for build in hosts.sites for request in harvest[build].requests
    }
    assert agents == {f"{USER_AGENT} (+https://www.beheerder.example/woo)"}


def test_robots_txt_is_fetched_once_of_each_host(harvest: Harvest) -> None:
    exception = whose_documents_another_host_lists  # a document may come before the host's own turn
    for build in hosts.sites:
        assert harvest[build].requested("/robots.txt") in (
            [["GET"], ["GET", "GET"]] if build is exception else [["GET"]]
        )


def test_what_robots_txt_forbids_is_not_asked_for(harvest: Harvest) -> None:
    forbidden: list[tuple[Builder, str]] = [
        (that_forbids_its_index, INDEX),
        (that_forbids_its_sitemap, SITEMAP),
        (that_forbids_a_document, "/a.pdf"),
    ]
    for build, path in forbidden:
        host = harvest[build]
        assert host.requested(path) == []
        (finding,) = host.about("robots.verboden")
        assert finding["url"] == host.site.url(path)
        assert host.errors == {"robots.verboden"}
    assert harvest[that_forbids_a_document].paths == ["/b.pdf"]


def test_robots_txt_of_the_documents_host_is_obeyed_whoever_lists_them(harvest: Harvest) -> None:
    host = harvest[whose_documents_another_host_lists]
    assert host.requested("/besloten/1.pdf") == []
    assert len(host.paths) == 5
    assert harvest[that_lists_documents_of_another_host].errors == {"robots.verboden"}


def test_a_host_that_is_not_visited_is_asked_for_robots_txt_once(
    publishers: Publishers, harvest: Harvest
) -> None:
    listing = harvest[that_lists_documents_of_another_host].site
    found = publishers.crawl("-a", f"domains={listing.host}", "-a", "documents=download")
    host = found[whose_documents_another_host_lists]
    assert host.requested("/robots.txt") == ["GET"]
    assert host.requested("/besloten/1.pdf") == []
    assert len(host.paths) == 5


def test_a_slow_host_delays_no_other(harvest: Harvest) -> None:
    fast, slow = harvest[with_many_documents], harvest[that_is_slow]
    assert moments(fast)[-1] < moments(slow)[-1]
    assert moments(fast)[0] < moments(harvest[that_is_slow_with_its_robots])[0]
    assert len(slow.paths) == 12
