"""Reading sitemaps: seed page "Sitemapindex en Sitemaps", and what real publishers' software emits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.utils import hostile
from tests.utils.publishers import (
    INDEX,
    LASTMOD,
    XML,
    Builder,
    Harvest,
    Hosts,
    Publishers,
    entries_of,
    entry,
    gzipped,
    index_of,
    publish,
)
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import (
    DIWOO_NAMESPACE,
    SITEMAP_NAMESPACE,
    XML_DECLARATION,
    html_page,
    sitemap,
)

MEGABYTE = 1024 * 1024
hosts = Hosts()


def serve(site: Site, page: Page) -> None:
    """A host whose first sitemap is *page*, and whose second one is good."""
    publish(site)
    site.pages |= {
        INDEX: index_of(site, "/eerst.xml", "/daarna.xml"),
        "/eerst.xml": page,
        "/daarna.xml": entries_of(site, "/daarna.pdf"),
    }


@hosts.site
def with_changefreq_and_priority(site: Site) -> None:
    extra = "<changefreq>never</changefreq><priority>0.0</priority>"
    serve(site, entries_of(site, entry(site, "/besluit.pdf", raw=extra)))


@hosts.site
def packed(site: Site) -> None:
    serve(site, Page(gzipped(entries_of(site, "/a.pdf")), content_type="text/xml"))


@hosts.site
def compressed_by_http(site: Site) -> None:
    headers = {"Content-Encoding": "gzip"}
    serve(site, Page(gzipped(entries_of(site, "/a.pdf")), headers=headers, content_type=XML))


@hosts.site
def packed_and_compressed(site: Site) -> None:
    once = gzipped(entries_of(site, "/a.pdf"))
    serve(site, Page(gzipped(Page(once)), headers={"Content-Encoding": "gzip"}, content_type=XML))


@hosts.site
def called_html(site: Site) -> None:
    serve(site, Page(sitemap(entry(site, "/a.pdf")), content_type="text/html"))


@hosts.site
def with_a_byte_order_mark(site: Site) -> None:
    serve(site, Page(hostile.ODD_BYTES["byte order mark"](sitemap(entry(site, "/a.pdf")))))


@hosts.site
def in_utf_16(site: Site) -> None:
    serve(site, Page(hostile.ODD_BYTES["UTF-16"](sitemap(entry(site, "/a.pdf")))))


@hosts.site
def with_other_prefixes(site: Site) -> None:
    url = f"<s:url><s:loc>{site.url('/a.pdf')}</s:loc>{{}}</s:url>"
    title = "<d:titelcollectie><d:officieleTitel>Eigen voorvoegsel</d:officieleTitel></d:titelcollectie>"
    document = f'<d:Document xmlns:d="{DIWOO_NAMESPACE}"><d:DiWoo>{title}</d:DiWoo></d:Document>'
    body = f'{XML_DECLARATION}<s:urlset xmlns:s="{SITEMAP_NAMESPACE}">{url.format(document)}</s:urlset>'
    serve(site, Page(body))


@hosts.site
def without_a_namespace(site: Site) -> None:
    serve(site, Page(f"<urlset><url><loc>{site.url('/a.pdf')}</loc></url></urlset>"))


@hosts.site
def of_a_month_without_documents(site: Site) -> None:
    serve(site, entries_of(site))


@hosts.site
def with_the_same_document_twice(site: Site) -> None:
    serve(site, entries_of(site, "/a.pdf", "/b.pdf", "/a.pdf", "/daarna.pdf"))


@hosts.site
def with_another_root(site: Site) -> None:
    serve(site, Page("<rss version='2.0'><channel/></rss>"))


@hosts.site
def that_is_html(site: Site) -> None:
    serve(site, html_page("Onderhoud"))


@hosts.site
def that_is_gone(site: Site) -> None:
    serve(site, Page("weg", status=404))


@hosts.site
def that_fails(site: Site) -> None:
    serve(site, Page("storing", status=500))


@hosts.site
def that_breaks_off(site: Site) -> None:
    body = sitemap(entry(site, "/a.pdf"), entry(site, "/b.pdf"), entry(site, "/c.pdf"))
    serve(site, Page(body[: body.index(b"/c.pdf")]))


@hosts.site
def with_a_wrong_end_tag(site: Site) -> None:
    serve(site, entries_of(site, "/a.pdf", f"<url><loc>{site.url('/b.pdf')}</lok></url>", "/c.pdf"))


def padded(site: Site, megabytes: int) -> Page:
    """A sitemap of so many megabytes, with a document a megabyte."""

    def chunks() -> Iterator[bytes]:
        start, end = sitemap().split(b"</urlset>")
        yield start
        for number in range(megabytes):
            yield entry(site, f"/{number}/jaarverslag.pdf").xml().replace("</url>", "").encode()
            yield b" " * MEGABYTE
            yield b"</url>"
        yield b"</urlset>" + end

    return Page(chunks, content_type=XML)


@hosts.site
def with_more_than_50_mb(site: Site) -> None:
    serve(site, padded(site, 51))


@hosts.site
def with_more_than_the_harvester_takes(site: Site) -> None:
    serve(site, padded(site, 70))


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    settings = {"WOO_SITEMAP_MAXSIZE": 60 * MEGABYTE}
    return publishers.harvest(hosts, "-a", "documents=none", settings=settings)


def test_the_run_ends_well(harvest: Harvest) -> None:
    assert harvest.run.returncode == 0
    assert "Traceback" not in harvest.run.stderr
    assert harvest.run.stats["woo/hosts/done"] == len(hosts.sites)


def test_changefreq_and_priority_are_ignored(harvest: Harvest) -> None:
    host = harvest[with_changefreq_and_priority]
    with_both, without = host.record("/besluit.pdf"), host.record("/daarna.pdf")
    assert with_both["versies"][0]["mutatiedatumtijd"] == LASTMOD
    assert host.codes_about("/besluit.pdf") == host.codes_about("/daarna.pdf")
    assert with_both["herkomst"].keys() == without["herkomst"].keys()
    assert "never" not in str(with_both)


@pytest.mark.parametrize(
    "build",
    [packed, compressed_by_http, packed_and_compressed, called_html, with_a_byte_order_mark, in_utf_16],
    ids=lambda b: b.__name__,
)
def test_a_sitemap_is_read_by_its_content(harvest: Harvest, build: Builder) -> None:
    assert harvest[build].paths == ["/a.pdf", "/daarna.pdf"]
    assert not harvest[build].errors


def test_prefixes_are_free(harvest: Harvest) -> None:
    title = harvest[with_other_prefixes].record("/a.pdf")["document"]["titelcollectie"]
    assert title == {"officieleTitel": "Eigen voorvoegsel"}


def test_a_sitemap_without_a_namespace_is_read_and_reported(harvest: Harvest) -> None:
    host = harvest[without_a_namespace]
    assert host.paths == ["/a.pdf", "/daarna.pdf"]
    assert "sitemap.naamruimte" in host.codes


def test_an_empty_sitemap_is_no_fault(harvest: Harvest) -> None:
    host = harvest[of_a_month_without_documents]
    (finding,) = host.about("sitemap.leeg")
    assert finding["severity"] == "info"
    assert host.paths == ["/daarna.pdf"]


def test_the_same_document_twice_gives_one_record(harvest: Harvest) -> None:
    host = harvest[with_the_same_document_twice]
    assert host.paths == ["/a.pdf", "/b.pdf", "/daarna.pdf"]
    assert [finding["url"] for finding in host.about("loc.dubbel")] == [
        host.site.url("/a.pdf"),
        host.site.url("/daarna.pdf"),
    ]
    assert not host.errors


@pytest.mark.parametrize(
    ("build", "code", "seen"),
    [
        (with_another_root, "sitemap.wortelelement", "<rss>"),
        (that_is_html, "sitemap.ongeldig", "an HTML page"),
        (that_is_gone, "sitemap.onbereikbaar", "HTTP 404"),
        (that_fails, "sitemap.onbereikbaar", "HTTP 500"),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_a_bad_sitemap_is_reported_and_the_next_one_is_read(
    harvest: Harvest, build: Builder, code: str, seen: str
) -> None:
    host = harvest[build]
    (finding,) = [found for found in host.findings if found["severity"] == "error"]
    assert (finding["code"], finding["seen"]) == (code, seen)
    assert host.paths == ["/daarna.pdf"]


def test_of_a_sitemap_that_breaks_off_the_entries_before_the_break_are_kept(harvest: Harvest) -> None:
    host = harvest[that_breaks_off]
    assert host.errors == {"sitemap.afgebroken"}
    assert host.paths == ["/a.pdf", "/b.pdf", "/daarna.pdf"]


def test_of_a_sitemap_that_is_not_well_formed_the_entries_before_the_fault_are_kept(harvest: Harvest) -> None:
    host = harvest[with_a_wrong_end_tag]
    assert host.errors == {"sitemap.ongeldig"}
    assert host.paths == ["/a.pdf", "/daarna.pdf"]
    (finding,) = host.about("sitemap.ongeldig")
    assert (finding["line"], finding["action"]) == (4, "ongeveer 2 documenten niet gelezen")


def test_a_sitemap_beyond_the_guides_50_mb_is_read_and_reported(harvest: Harvest) -> None:
    host = harvest[with_more_than_50_mb]
    assert len(host.paths) == 52
    assert "sitemap.boven-norm" in host.codes
    assert not host.errors


def test_a_sitemap_beyond_the_harvesters_bound_is_read_up_to_it(harvest: Harvest) -> None:
    host = harvest[with_more_than_the_harvester_takes]
    assert host.errors == {"sitemap.te-groot"}
    assert 58 <= len(host.paths) <= 61
    assert "/daarna.pdf" in host.paths


def test_a_host_with_a_fault_is_not_completely_read(harvest: Harvest) -> None:
    incomplete = [build for build in hosts.sites if harvest[build].errors]
    assert harvest.run.stats["woo/hosts/incomplete"] == len(incomplete)
    assert harvest.run.stats["woo/hosts/complete"] == len(hosts.sites) - len(incomplete)
