"""An audit looks where a harvest would get less than headers and names promise; a harvest does not look."""

from __future__ import annotations

import asyncio

import pytest

from tests.integration.audits import Auditor, answer_of, words
from tests.utils.crawl import Crawl
from tests.utils.hostile import Exchange, RawSite
from tests.utils.publishers import INDEX, XML, entries_of, index_of, publish, robots_of
from tests.utils.sites import MakeRawSite, MakeSite
from woo_harvester.demo.mistaken import GOOD, LASTMOD
from woo_harvester.demo.server import Handler, Page, Request
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import Entry, html, pdf_page, sitemap, sitemapindex

pytestmark = pytest.mark.integration

PDF = "application/pdf"
MEGABYTE = 1024 * 1024
LOGIN = html("Inloggen", "Log in om dit document te zien.").encode()
ROUTE = "/index.php?route=/sitemapindex-diwoo-infocat014.xml"
WRONG = "/sitemapindex.xml"


def listed(site: Site | RawSite, *paths: str) -> list[Entry]:
    return [Entry(loc=site.url(path), lastmod=LASTMOD, diwoo=GOOD) for path in paths]


def asked(site: Site | RawSite) -> list[str]:
    """Return the requests for anything but robots.txt and the good index with its sitemap."""
    good = ("/robots.txt", INDEX, f"{INDEX}/sitemap.xml", "/goed.xml")
    return [request.path for request in site.requests if request.path not in good]


def ranged(body: bytes) -> Handler:
    """A document of which the server sends the part that is asked for."""

    def answer(request: Request) -> Page:
        if "range" not in request.headers:
            return Page(body, content_type=PDF)
        first, last = map(int, request.headers["range"].removeprefix("bytes=").split("-"))
        part = body[first : last + 1]
        place = {"Content-Range": f"bytes {first}-{first + len(part) - 1}/{len(body)}"}
        return Page(part, status=206, content_type=PDF, headers=place)

    return answer


@pytest.mark.parametrize("arguments", [(), ("--all",)])
def test_a_login_page_under_the_headers_of_a_document_is_not_harvested(
    auditor: Auditor, make_site: MakeSite, arguments: tuple[str, ...]
) -> None:
    site = make_site()
    publish(site, *listed(site, "/1.pdf", "/2.pdf", "/3.pdf", "/4.pdf"))
    site.pages |= {
        "/1.pdf": pdf_page("Besluit"),
        "/2.pdf": Page(LOGIN, content_type=PDF),
        "/3.pdf": ranged(LOGIN + b" " * MEGABYTE),
        "/4.pdf": ranged(b"%PDF-1.7\n" + b"%" * MEGABYTE),
    }
    auditor.register(site)
    run = auditor(site.host, *arguments)
    host = answer_of(run).hosts[site.host]
    (row,) = host.findings
    assert (host.listed, host.harvested, row.code, row.count) == (4, 2, "document.html-pagina", 2)
    ranges = {request.headers.get("range") for request in site.requests if request.path.endswith(".pdf")}
    assert ranges == {None, "bytes=0-1023"}


def test_a_server_that_ignores_ranges_is_broken_off(auditor: Auditor, make_raw_site: MakeRawSite) -> None:
    sent: list[int] = []

    async def behave(exchange: Exchange) -> None:
        await exchange.head(content_type=PDF)
        if exchange.request.method == "HEAD":
            return
        sent.append(0)
        await exchange.send(b"%PDF-1.7\n")
        while sent[-1] < 200 * MEGABYTE:
            await exchange.send(b"%" * 65536)
            sent[-1] += 65536
            await asyncio.sleep(0.001)  # else the loop never gets to see that the client has gone

    site = make_raw_site({"/1.pdf": behave})
    publish(site, *listed(site, "/1.pdf"))
    auditor.register(site)
    host = answer_of(auditor(site.host)).hosts[site.host]
    assert (host.harvested, len(sent)) == (1, 1)
    assert sent[0] < 100 * MEGABYTE


def misnamed(site: Site) -> None:
    """Publish a good index beside two with a wrong name, and lines that are for others or lead nowhere."""
    site.pages |= {
        "/robots.txt": robots_of(site, INDEX, WRONG, ROUTE, "/google.xml", "/weg.xml", "/goed.xml"),
        INDEX: index_of(site, "/goed.xml"),
        "/goed.xml": entries_of(site, *listed(site, "/1.pdf")),
        "/1.pdf": pdf_page("Besluit"),
        WRONG: index_of(site, INDEX, "/goed.xml", "/paginas.xml", "/woo.xml"),
        "/paginas.xml": Page(sitemap(Entry(loc=site.url("/"))), content_type=XML),
        "/woo.xml": entries_of(site, *listed(site, "/2.pdf")),
        ROUTE: index_of(site, "/3.xml"),
        "/3.xml": entries_of(site, *listed(site, "/3.pdf")),
        "/google.xml": index_of(site, "/paginas.xml"),
    }


def test_an_index_under_a_wrong_name_is_found_by_what_is_in_it(auditor: Auditor, make_site: MakeSite) -> None:
    site = make_site()
    misnamed(site)
    auditor.register(site)
    run = auditor(site.host)
    answer = answer_of(run)
    rows = answer.rows(site)
    assert rows.keys() == {"index.naam", "robots.andere-sitemap"}
    found = {row.url: row.suggestion for row in rows["index.naam"].mistakes}
    right = {WRONG: INDEX, ROUTE: "/sitemapindex-diwoo-infocat014.xml"}
    assert found == {site.url(path): site.url(name) for path, name in right.items()}
    assert rows["index.naam"].count == 2
    assert rows["robots.andere-sitemap"].count == 3
    assert f"Bedoelde u {site.url(INDEX)}?" in words(run.stdout)
    score = answer.hosts[site.host].score
    assert run.returncode == 1
    assert score is not None
    assert score < 100
    looks = [path for path in asked(site) if not path.endswith(".pdf")]
    assert looks == [WRONG, "/woo.xml", "/index.php", "/3.xml", "/google.xml", "/paginas.xml", "/weg.xml"]


def test_a_harvest_does_not_look(crawl: Crawl, make_site: MakeSite, auditor: Auditor) -> None:
    site = make_site()
    misnamed(site)
    run = crawl("-a", f"register={auditor.register(site)}")
    assert {finding["code"] for finding in run.findings} == {"robots.andere-sitemap"}
    assert asked(site) == ["/1.pdf"]


def test_an_audit_looks_into_a_few_files_and_not_far(auditor: Auditor, make_site: MakeSite) -> None:
    site = make_site()
    publish(site, *listed(site, "/1.pdf"))
    names = [f"/{number}.xml" for number in range(20)]
    more = [f"/{number}/{part}.xml" for number in range(20) for part in range(20)]
    site.pages |= {
        "/robots.txt": robots_of(site, INDEX, *names),
        "/1.pdf": pdf_page("Besluit"),
        **{name: index_of(site, name, *more) for name in names},
        "/0.xml": Page(sitemapindex([]) + " " * 30 * MEGABYTE, content_type=XML),
    }
    auditor.register(site)
    rows = answer_of(auditor(site.host)).rows(site)
    assert {code: row.count for code, row in rows.items()} == {"robots.andere-sitemap": 20}
    assert len([path for path in asked(site) if path.endswith(".xml")]) == 9, "five, and one of each index"
