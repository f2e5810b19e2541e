"""How files and documents are requested: one run over many hosts.

What is read of a file, and what becomes of each value, is tested where it is decided: ``tests/sitemaps``,
``tests/crawl``, ``tests/downloader`` and ``tests/diwoo``. ``test_audit.py`` has a publisher for each finding.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import pytest

from tests.utils.publishers import (
    INDEX,
    Harvest,
    Hosts,
    Publishers,
    document,
    entries_of,
    entry,
    gzipped,
    index_of,
    publish,
    robots_of,
)
from woo_harvester.demo.server import Handler, Page, redirect
from woo_harvester.demo.site import Location, RooEntry, Site
from woo_harvester.demo.sitemaps import (
    DIWOO_NAMESPACE,
    GEMEENTE,
    WATERSCHAP,
    Entry,
    categorie,
    html,
    pdf_page,
    sitemapindex,
)

INFOCAT = "/sitemapindex-diwoo-infocat010.xml"
SITEMAP = f"{INDEX}/sitemap.xml"
SPECIAL = (
    "/doc/beslu%C3%AFt%20%232.pdf",
    "/doc/ge\u00ebtst.pdf",
    "/doc/a.pdf?id=1&naam=b",
    "/doc/a.pdf?id=2",
)
hosts = Hosts()


def elsewhere(site: Site, path: str) -> str:
    """Return a URL of the site under a name that nobody registered."""
    return f"https://127.0.0.1:{site.port}{path}"


@hosts.site
def with_moved_robots(site: Site) -> None:
    """Its robots.txt and one index moved, another moved to where nothing may be asked for."""
    publish(site, "/a.pdf")
    site.pages |= {
        "/robots.txt": redirect("/robots2.txt", 301),
        "/robots2.txt": robots_of(site, INFOCAT, INDEX, "/sitemapindex-diwoo-infocat011.xml"),
        INFOCAT: redirect("/verhuisd.xml", 301),
        "/verhuisd.xml": index_of(site, "/b.xml"),
        "/b.xml": entries_of(site, "/b.pdf"),
        "/sitemapindex-diwoo-infocat011.xml": redirect(elsewhere(site, "/vreemd.xml")),
    }


def with_status(site: Site, path: str, status: int) -> None:
    """Have the site answer completely, with a status that says that it does not."""
    publish(site, "/a.pdf")
    page = site.pages[path]
    assert isinstance(page, Page)
    site.pages[path] = Page(page.body, status=status, content_type=page.content_type)


@hosts.site
def with_a_partial_robots(site: Site) -> None:
    with_status(site, "/robots.txt", 206)


@hosts.site
def with_a_partial_index(site: Site) -> None:
    with_status(site, INDEX, 206)


@hosts.site
def with_a_partial_sitemap(site: Site) -> None:
    with_status(site, SITEMAP, 206)


@hosts.site
def with_files_of_which_another_host_names_some(site: Site) -> None:
    publish(site, "/a.pdf")
    site.pages |= {
        INFOCAT: index_of(site, "/b.xml"),
        "/b.xml": entries_of(site, "/b.pdf"),
        "/c.xml": entries_of(site, "/c.pdf"),
    }


@hosts.site
def naming_files_on_another_registered_host(site: Site) -> None:
    other = hosts[with_files_of_which_another_host_names_some]
    publish(site, entry(site, "/d.pdf", loc=other.url("/d.pdf")))
    site.pages |= {
        "/robots.txt": robots_of(site, INDEX, other.url(INFOCAT)),
        INDEX: index_of(site, SITEMAP, other.url("/c.xml")),
    }


@hosts.unregistered
def that_nobody_registered(site: Site) -> None:
    publish(site, "/geheim.pdf")


@hosts.site
def with_files_that_may_not_be_read(site: Site) -> None:
    http = site.url("/http.xml").replace("https:", "http:")
    publish(
        site, "/a.pdf", *(Entry(loc=loc) for loc in (http, elsewhere(site, "/a.pdf"), "file:///etc/passwd"))
    )
    refused = (http, elsewhere(site, "/vreemd.xml"), "file:///etc/passwd")
    site.pages[INDEX] = Page(sitemapindex([*refused, site.url(SITEMAP), site.url(SITEMAP)]))


@hosts.site
def with_files_that_are_packed(site: Site) -> None:
    publish(site, "/a.pdf")
    coded = {"Content-Encoding": "gzip"}
    packed = Page(gzipped(entries_of(site, "/a.pdf")))
    site.pages |= {
        "/robots.txt": Page(gzipped(robots_of(site, INDEX)), headers=coded),
        INDEX: Page(gzipped(index_of(site, SITEMAP)), headers=coded, content_type="text/html"),
        SITEMAP: Page(gzipped(packed), headers=coded, content_type="text/xml"),
    }


@hosts.site
def with_files_that_are_packed_unasked(site: Site) -> None:
    """Its files are deflated, with zlib's header and without."""
    publish(site, "/a.pdf")
    for path, wbits in (("/robots.txt", 15), (INDEX, -15), (SITEMAP, 15)):
        page = site.pages[path]
        assert isinstance(page, Page)
        data = zlib.compress(b"".join(page.chunks()), wbits=wbits)
        site.pages[path] = Page(data, headers={"Content-Encoding": "deflate"})


@hosts.site
def with_odd_addresses_and_an_encoding_in_the_header(site: Site) -> None:
    publish(site, "/a.pdf")
    lines = (
        f"<url><loc>{loc}</loc></url>" for loc in (site.url("/een twee.pdf"), f"\u200b{site.url('/a.pdf')}")
    )
    title = "<diwoo:DiWoo><diwoo:titelcollectie><diwoo:officieleTitel>Agenda\x92s</diwoo:officieleTitel>"
    body = (
        f"<urlset xmlns:diwoo='{DIWOO_NAMESPACE}'><url><loc>{site.url('/b.pdf')}</loc><diwoo:Document>{title}"
    )
    body += "</diwoo:titelcollectie></diwoo:DiWoo></diwoo:Document></url></urlset>"
    site.pages |= {
        INDEX: Page(sitemapindex(["/tekens.xml", "oud.xml"])),
        "/b.pdf": pdf_page("B"),
        "/tekens.xml": Page(f"<urlset>{''.join(lines)}</urlset>"),
        "/oud.xml": Page(body.encode("latin-1"), content_type="application/xml; charset=windows-1252"),
    }


@hosts.site
def with_special_characters(site: Site) -> None:
    publish(site, *SPECIAL, Entry(loc=f"  https://LOCALHOST:{site.port}/doc/hoofdletters.pdf\n "))
    site.pages["/doc/*"] = pdf_page("Besluit")


@hosts.site
def with_links_in_a_document(site: Site) -> None:
    refresh = '<meta http-equiv="refresh" content="0; url=/doc/ververst.pdf">'
    page = html("Besluiten", "").replace("</body>", f'{refresh}<a href="/doc/gelinkt.pdf">besluit</a></body>')
    publish(site, "/overzicht.html")
    site.pages |= {
        "/overzicht.html": Page(page, headers={"Link": "</doc/kop.pdf>; rel=next"}, content_type="text/html"),
        "/doc/*": pdf_page("Besluit"),
    }


@hosts.site
def with_documents_that_are_listed_everywhere(site: Site) -> None:
    publish(site, "/a.pdf", "/a.pdf", "/oud.pdf", index=INFOCAT)
    publish(site, "/a.pdf", "/oud.pdf")
    pages: dict[str, Page | Handler] = {"/a.pdf": pdf_page("Besluit"), "/oud.pdf": redirect("/a.pdf")}
    site.pages |= pages | {"/robots.txt": robots_of(site, INDEX, INFOCAT)}


@hosts.site
def registered_for_other_documents(site: Site) -> Sequence[RooEntry]:
    """Its documents have another category and another publisher than its location has."""
    given = {"informatiecategorieen": [categorie(10)], "publisher": WATERSCHAP}
    publish(site, document(site, "/c/1.pdf", **given), document(site, "/c/2.pdf", **given))
    site.pages["/c/*"] = pdf_page("Besluit")
    locations = [Location(site.url("/c"), "Convenanten")]
    return [RooEntry(naam="Gemeente X", systeem_id="1", tooi=GEMEENTE.uri, locations=locations)]


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    return publishers.harvest(hosts, "-a", "documents=download", settings={"RETRY_TIMES": 0})


#: The documents of each host that are requested, and the errors about its files.
REQUESTED: dict[Any, tuple[set[str], set[str]]] = {
    with_moved_robots: ({"/a.pdf", "/b.pdf"}, {"host.niet-geregistreerd"}),
    with_a_partial_robots: (set(), {"robots.onbereikbaar"}),
    with_a_partial_index: (set(), {"index.onbereikbaar"}),
    with_a_partial_sitemap: (set(), {"sitemap.onbereikbaar"}),
    with_files_of_which_another_host_names_some: ({"/a.pdf", "/b.pdf", "/c.pdf", "/d.pdf"}, set()),
    that_nobody_registered: (set(), set()),
    with_files_that_are_packed: ({"/a.pdf"}, set()),
    with_files_that_are_packed_unasked: ({"/a.pdf"}, set()),
    with_odd_addresses_and_an_encoding_in_the_header: ({"/een%20twee.pdf", "/a.pdf", "/b.pdf"}, set()),
    with_special_characters: ({*SPECIAL, "/doc/hoofdletters.pdf"}, set()),
    with_links_in_a_document: (set(), set()),
    with_documents_that_are_listed_everywhere: ({"/a.pdf", "/oud.pdf"}, set()),
}


def test_the_documents_of_each_host_are_requested(harvest: Harvest) -> None:
    assert harvest.run.returncode == 0
    assert "Traceback" not in harvest.run.stderr
    for build, (paths, errors) in REQUESTED.items():
        host = harvest[build]
        asked = {request.target for request in host.requests if ".pdf" in request.target}
        assert asked == {path.replace("\u00eb", "%C3%AB") for path in paths}, build
        assert {
            code for code in host.errors if code.startswith(("robots.", "index.", "sitemap.", "host."))
        } == (errors), build
    assert not harvest[that_nobody_registered].requests


def test_what_is_read_all_the_same_is_a_warning(harvest: Harvest) -> None:
    packed = harvest[with_files_that_are_packed_unasked]
    found = [(each["seen"], each["action"]) for each in packed.about("sitemap.codering")]
    assert found == [("Content-Encoding: deflate", "uitgepakt")] * 3
    odd = harvest[with_odd_addresses_and_an_encoding_in_the_header]
    assert {each["seen"] for each in odd.about("index.adres-relatief")} == {"/tekens.xml", "oud.xml"}
    shown = {odd.site.url("/een twee.pdf"), f"<U+200B>{odd.site.url('/a.pdf')}"}
    assert {each["seen"] for each in odd.about("loc.tekens")} == shown
    (record,) = (
        record for record in harvest.run.records if record["document"]["weblocatie"] == odd.site.url("/b.pdf")
    )
    assert record["document"]["titelcollectie"]["officieleTitel"] == "Agenda’s"
    assert not odd.about("sitemap.tekens")


def test_nothing_is_requested_at_an_address_that_is_refused_and_nothing_twice(harvest: Harvest) -> None:
    host = harvest[with_files_that_may_not_be_read]
    assert [request.path for request in host.requests] == ["/robots.txt", INDEX, SITEMAP, "/a.pdf"]
    twice = harvest[with_documents_that_are_listed_everywhere]
    assert twice.paths == ["/a.pdf", "/oud.pdf"], (
        "what an address leads to is known only when it was asked for"
    )
    assert (len(twice.requested("/a.pdf")), len(twice.requested("/oud.pdf"))) == (2, 1)


def test_what_the_register_says_otherwise_is_one_finding_each_to_its_organisation(harvest: Harvest) -> None:
    host = harvest[registered_for_other_documents]
    for code, seen in (
        (
            "register.categorie-strijdig",
            "geregistreerd voor convenanten; 2 documenten in deze oogst: adviezen (2)",
        ),
        ("publisher.andere-organisatie", f"{WATERSCHAP.label} (2)"),
    ):
        (finding,) = host.about(code)
        assert (finding["organisation"], finding["seen"]) == (GEMEENTE.uri, seen)


def test_the_record_has_loc_as_it_was_given(harvest: Harvest) -> None:
    host = harvest[with_special_characters]
    assert host.paths == sorted(SPECIAL)
    assert harvest.run.record(f"https://LOCALHOST:{host.site.port}/doc/hoofdletters.pdf")
