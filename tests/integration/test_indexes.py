"""From an index to its sitemaps: seed page "Sitemapindex en Sitemaps"."""

from __future__ import annotations

import pytest

from tests.utils.publishers import (
    INDEX,
    XML,
    Builder,
    Harvest,
    Hosts,
    Publishers,
    entries_of,
    gzipped,
    index_of,
    publish,
    robots_of,
)
from woo_harvester.demo.server import Page, redirect
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import html_page, sitemapindex

INFOCAT = "/sitemapindex-diwoo-infocat010.xml"
hosts = Hosts()


def other_index(site: Site, page: Page) -> None:
    """A host with a good index, and with another one that *page* is."""
    publish(site, "/a.pdf")
    site.pages |= {"/robots.txt": robots_of(site, INFOCAT, INDEX), INFOCAT: page}


@hosts.site
def with_several_sitemaps(site: Site) -> None:
    paths = ["/api/sitemap/2025/5.xml", f"{INDEX}/publications?page=1", f"{INDEX}/publications?page=2", "/x"]
    publish(site)
    site.pages[INDEX] = index_of(site, *paths)
    site.pages |= {path: entries_of(site, f"/besluit{number}.pdf") for number, path in enumerate(paths)}


@hosts.site
def with_a_sitemap_in_two_indexes(site: Site) -> None:
    publish(site, "/a.pdf")
    site.pages |= {
        "/robots.txt": robots_of(site, INDEX, INFOCAT),
        INFOCAT: index_of(site, f"{INDEX}/sitemap.xml", f"{INDEX}/sitemap.xml"),
    }


@hosts.site
def that_is_a_urlset(site: Site) -> None:
    other_index(site, entries_of(site, "/los.pdf"))


@hosts.site
def that_lists_an_index(site: Site) -> None:
    other_index(site, index_of(site, "/index2.xml"))
    site.pages |= {"/index2.xml": index_of(site, "/diep.xml"), "/diep.xml": entries_of(site, "/diep.pdf")}


@hosts.site
def that_lists_itself(site: Site) -> None:
    other_index(site, index_of(site, INFOCAT, "/b.xml"))
    site.pages["/b.xml"] = entries_of(site, "/b.pdf")


@hosts.site
def that_is_html(site: Site) -> None:
    other_index(site, html_page("Welkom"))


@hosts.site
def with_another_root(site: Site) -> None:
    other_index(site, Page("<rss version='2.0'><channel/></rss>"))


@hosts.site
def that_is_gone(site: Site) -> None:
    other_index(site, Page("weg", status=404))


@hosts.site
def that_fails(site: Site) -> None:
    other_index(site, Page("storing", status=500))


@hosts.site
def that_is_too_large(site: Site) -> None:
    other_index(site, Page(sitemapindex([site.url("/b.xml")] * 150_000)))
    site.pages["/b.xml"] = entries_of(site, "/b.pdf")


@hosts.site
def with_more_than_the_guide_allows(site: Site) -> None:
    other_index(site, Page(sitemapindex([site.url("/b.xml")] * 50_001)))
    site.pages["/b.xml"] = entries_of(site, "/b.pdf")


@hosts.site
def with_an_empty_index(site: Site) -> None:
    other_index(site, index_of(site))


@hosts.site
def packed(site: Site) -> None:
    publish(site, "/a.pdf")
    site.pages[INDEX] = Page(gzipped(index_of(site, f"{INDEX}/sitemap.xml")), content_type=XML)


@hosts.site
def compressed_by_http_and_called_html(site: Site) -> None:
    publish(site, "/a.pdf")
    body = gzipped(index_of(site, f"{INDEX}/sitemap.xml"))
    site.pages[INDEX] = Page(body, headers={"Content-Encoding": "gzip"}, content_type="text/html")


@hosts.site
def with_another_namespace(site: Site) -> None:
    listed = f"<sitemap><loc>{site.url('/b.xml')}</loc></sitemap>"
    other_index(site, Page(f'<sitemapindex xmlns="http://www.google.com/x">{listed}</sitemapindex>'))
    site.pages["/b.xml"] = entries_of(site, "/b.pdf")


@hosts.site
def with_sitemaps_that_may_not_be_read(site: Site) -> None:
    port = site.port
    publish(site, "/a.pdf")
    site.pages[INDEX] = Page(
        sitemapindex(
            [
                f"http://localhost:{port}/http.xml",
                f"https://127.0.0.1:{port}/vreemd.xml",
                f"https://wie:wat@localhost:{port}/besloten.xml",
                "/relatief.xml",
                "file:///etc/passwd",
                "",
                site.url(f"{INDEX}/sitemap.xml"),
            ]
        )
    )


@hosts.site
def with_a_sitemap_of_another_host(site: Site) -> None:
    publish(site, "/a.pdf")
    site.pages["/gedeeld.xml"] = entries_of(site, "/gedeeld.pdf")


@hosts.site
def naming_a_sitemap_on_another_registered_host(site: Site) -> None:
    other = hosts[with_a_sitemap_of_another_host]
    publish(site, "/a.pdf")
    site.pages[INDEX] = index_of(site, other.url("/gedeeld.xml"), f"{INDEX}/sitemap.xml")


@hosts.site
def that_moved(site: Site) -> None:
    other_index(site, redirect("/verhuisd.xml", 301))
    site.pages |= {"/verhuisd.xml": index_of(site, "/b.xml"), "/b.xml": entries_of(site, "/b.pdf")}


@hosts.site
def that_moved_to_http(site: Site) -> None:
    other_index(site, redirect(site.url("/verhuisd.xml").replace("https", "http")))


@hosts.site
def that_moved_to_an_unregistered_host(site: Site) -> None:
    other_index(site, redirect(f"https://127.0.0.1:{site.port}/verhuisd.xml"))


@hosts.site
def that_moves_round_and_round(site: Site) -> None:
    other_index(site, redirect(INFOCAT))


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    return publishers.harvest(
        hosts, "-a", "documents=none", settings={"WOO_INDEX_MAXSIZE": 6_000_000, "REDIRECT_MAX_TIMES": 3}
    )


def test_the_run_ends_well(harvest: Harvest) -> None:
    assert harvest.run.returncode == 0
    assert "Traceback" not in harvest.run.stderr


def test_a_sitemap_may_have_any_name_and_query(harvest: Harvest) -> None:
    host = harvest[with_several_sitemaps]
    assert host.paths == ["/besluit0.pdf", "/besluit1.pdf", "/besluit2.pdf", "/besluit3.pdf"]
    assert not host.errors


def test_a_sitemap_in_two_indexes_is_read_once(harvest: Harvest) -> None:
    host = harvest[with_a_sitemap_in_two_indexes]
    assert host.requested(f"{INDEX}/sitemap.xml") == ["GET"]
    assert host.paths == ["/a.pdf"]
    assert not host.about("loc.dubbel")


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (that_is_a_urlset, "index.is-urlset"),
        (that_is_html, "index.ongeldig"),
        (with_another_root, "index.ongeldig"),
        (that_is_gone, "index.onbereikbaar"),
        (that_fails, "index.onbereikbaar"),
        (that_moved_to_http, "index.onbereikbaar"),
        (that_moved_to_an_unregistered_host, "host.niet-geregistreerd"),
        (that_moves_round_and_round, "index.onbereikbaar"),
    ],
    ids=lambda given: getattr(given, "__name__", str(given)),
)
def test_a_bad_index_is_reported_and_the_other_index_is_read(
    harvest: Harvest, build: Builder, code: str
) -> None:
    host = harvest[build]
    assert host.errors == {code}
    assert host.paths == ["/a.pdf"]
    assert host.requested("/verhuisd.xml") == []


def test_documents_in_an_index_that_is_a_urlset_are_not_read(harvest: Harvest) -> None:
    (finding,) = harvest[that_is_a_urlset].about("index.is-urlset")
    assert finding["seen"] == "<urlset> met 1 document"


def test_an_index_in_an_index_is_reported_and_not_read(harvest: Harvest) -> None:
    host = harvest[that_lists_an_index]
    assert host.errors == {"index.genest"}
    assert host.requested("/diep.xml") == []


def test_an_index_that_lists_itself_is_no_loop(harvest: Harvest) -> None:
    host = harvest[that_lists_itself]
    assert host.errors == {"index.genest"}
    assert len(host.requested(INFOCAT)) <= 2
    assert host.paths == ["/a.pdf", "/b.pdf"]


def test_of_an_index_that_is_too_large_what_comes_before_the_bound_is_read(harvest: Harvest) -> None:
    host = harvest[that_is_too_large]
    assert host.errors == {"index.te-groot"}
    assert host.paths == ["/a.pdf", "/b.pdf"]


def test_an_index_with_more_than_50_000_sitemaps_is_read_and_reported(harvest: Harvest) -> None:
    host = harvest[with_more_than_the_guide_allows]
    (finding,) = host.about("index.boven-norm")
    assert finding["seen"].startswith("50001 verwijzingen")
    assert host.paths == ["/a.pdf", "/b.pdf"]
    assert not host.errors


def test_an_empty_index_is_no_fault(harvest: Harvest) -> None:
    host = harvest[with_an_empty_index]
    assert not host.errors
    assert host.paths == ["/a.pdf"]


@pytest.mark.parametrize("build", [packed, compressed_by_http_and_called_html], ids=lambda b: b.__name__)
def test_an_index_is_read_by_its_content(harvest: Harvest, build: Builder) -> None:
    assert harvest[build].paths == ["/a.pdf"]
    assert not harvest[build].errors


def test_an_index_in_another_namespace_is_read_and_reported(harvest: Harvest) -> None:
    host = harvest[with_another_namespace]
    assert host.paths == ["/a.pdf", "/b.pdf"]
    assert "sitemap.naamruimte" in host.codes


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (0, "loc.geen-https"),
        (1, "host.niet-geregistreerd"),
        (2, "loc.inloggegevens"),
        (3, "loc.ongeldig"),
        (4, "loc.ongeldig"),
        (5, "loc.ontbreekt"),
    ],
)
def test_a_sitemap_is_read_only_over_https_from_a_registered_host(
    harvest: Harvest, number: int, code: str
) -> None:
    host = harvest[with_sitemaps_that_may_not_be_read]
    told = [found for found in host.findings if found.get("element") == "sitemap/loc"]
    assert told[number]["code"] == code
    assert {request.path for request in host.requests} == {"/robots.txt", INDEX, f"{INDEX}/sitemap.xml"}
    assert host.paths == ["/a.pdf"]


def test_a_sitemap_on_another_registered_host_is_read(harvest: Harvest) -> None:
    assert harvest[with_a_sitemap_of_another_host].paths == ["/a.pdf", "/gedeeld.pdf"]
    assert not harvest[naming_a_sitemap_on_another_registered_host].errors


def test_a_redirect_of_an_index_within_https_is_followed(harvest: Harvest) -> None:
    host = harvest[that_moved]
    assert host.paths == ["/a.pdf", "/b.pdf"]
    assert host.record("/b.pdf")["herkomst"]["index"] == host.site.url(INFOCAT)


def test_hosts_with_a_bad_index_are_not_completely_read(harvest: Harvest) -> None:
    incomplete = [build for build in hosts.sites if harvest[build].errors]
    assert harvest.run.stats["woo/hosts/incomplete"] == len(incomplete)
    assert harvest.run.stats["woo/hosts/done"] == len(hosts.sites)
