"""An audit of a host with more documents than it requests."""

from __future__ import annotations

import pytest

from tests.integration.audits import Answer, Auditor, answer_of
from tests.utils.publishers import INDEX, document, entries_of, index_of, robots_of
from tests.utils.sites import MakeSite
from woo_harvester.demo.mistaken import GOOD, LASTMOD
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import Entry, pdf_page

pytestmark = pytest.mark.integration

LISTED = 900


def large(site: Site, *, gone: int = 10) -> None:
    """Publish 900 documents in a large sitemap and a small one; one in so many is *gone*."""
    places = ["er" if number % gone else "weg" for number in range(LISTED - 2)]
    entries = [
        Entry(loc=site.url(f"/{place}/{number}.pdf"), lastmod=LASTMOD, diwoo=GOOD)
        for number, place in enumerate(places)
    ]
    site.pages |= {
        "/robots.txt": robots_of(site, INDEX),
        INDEX: index_of(site, "/groot.xml", "/klein.xml"),
        "/groot.xml": entries_of(site, *entries),
        "/klein.xml": entries_of(
            site,
            document(site, "/er/zonder-titel.pdf"),
            Entry(loc=site.url("/er/x.pdf").replace("https:", "http:"), lastmod=LASTMOD, diwoo=GOOD),
        ),
        "/er/*": pdf_page("Besluit"),
    }


def requested(site: Site) -> set[str]:
    """Return the paths of the documents that were requested, and forget all requests."""
    paths = {request.path for request in site.requests if request.path.endswith(".pdf")}
    site.requests.clear()
    return paths


def test_a_sample_is_requested_and_the_answer_says_so(auditor: Auditor, make_site: MakeSite) -> None:
    site = make_site()
    large(site)
    auditor.register(site)
    run = auditor(site.host)
    first = requested(site)
    assert len(first) == 400
    assert "/er/zonder-titel.pdf" in first, "of a sitemap with hardly anything in it"
    lines = run.stdout.splitlines()
    (host,) = answer_of(run).hosts.values()
    assert lines[1] == f"400 van de 900 documenten opgevraagd; {host.harvested} daarvan worden geoogst"
    gone = sum("/weg/" in path for path in first)
    assert host.harvested == 400 - gone
    assert (host.listed, host.judged) == (900, 401)
    assert host.sample is not None
    assert (host.sample.asked, host.sample.not_asked, host.sample.of) == (400, 499, 900)
    page = Answer(run, {}).page(site)
    for text in (lines[1], "Opgevraagd (steekproef)"):
        assert text in page
    auditor(site.host)
    assert requested(site) == first, "the same site, the same sample"


def test_what_two_hosts_list_is_in_the_sample_of_one_of_them(auditor: Auditor, make_site: MakeSite) -> None:
    sites = make_site(), make_site()
    shared = [site.url("/gedeeld.pdf") for site in sites]
    for site in sites:
        locs = [site.url("/eigen.pdf"), *shared]
        site.pages |= {
            "/robots.txt": robots_of(site, INDEX),
            INDEX: index_of(site, "/sitemap.xml"),
            "/sitemap.xml": entries_of(site, *(Entry(loc=loc, lastmod=LASTMOD, diwoo=GOOD) for loc in locs)),
            "/*": pdf_page("Besluit"),
        }
    auditor.register(*sites)
    answer = answer_of(auditor(*(site.host for site in sites)))
    hosts = [answer.hosts[site.host] for site in sites]
    assert all(host.complete and host.sample is None and host.harvested == host.listed for host in hosts)
    assert sum(host.harvested for host in hosts) == 4
    for site in sites:
        assert requested(site) == {"/eigen.pdf", "/gedeeld.pdf"}
