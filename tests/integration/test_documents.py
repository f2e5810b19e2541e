"""What happens to documents: fetched, asked for their headers or a sample, or left alone.

What the answers make of a document is tested in ``tests/diwoo/test_filetype.py``,
``tests/documents/test_filename.py`` and ``tests/crawl``.
"""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

import pytest

from tests.samples import SAMPLES
from tests.utils import hostile
from tests.utils.disturbed_runs import Fallible, GatedSite
from tests.utils.hostile import Behaviour, Exchange, RawSite
from tests.utils.publishers import Harvest, Host, Hosts, Publishers, document, publish
from woo_harvester.demo.server import Handler, Page, Request, redirect
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import DOCX_TYPE, Coded, docx, html, pdf
from woo_harvester.report.json_file import read_hosts

pytestmark = pytest.mark.integration

LANDING = "document.landingspagina"
OCTETS = "application/octet-stream"
WEB = "text/html; charset=utf-8"
MEGABYTE = 1024 * 1024
PDF = SAMPLES["PDF"].read_bytes()
BODY = pdf("Besluit op bezwaar", pages=3)
LARGE = PDF + b"\n%" + b"x" * 100_000
LEADING = html("Besluit 12", "Samenvatting van het besluit.").replace(
    "</p>", "</p><ul><li><a href='/files/12.pdf'>Besluit (PDF, 120 kB)</a></ul>"
)
#: Bytes of a document without end that its server could send, of each request.
sent: list[int] = []
hosts = Hosts()


def behind_head(content_type: str, behave: Behaviour) -> Behaviour:
    """Answer HEAD well, and anything else by *behave*."""

    async def answer(exchange: Exchange) -> None:
        if exchange.request.method == "HEAD":
            await exchange.head(content_type=content_type)
        else:
            await behave(exchange)

    return answer


@hosts.site
def with_good_documents(site: Site) -> None:
    publish(site, "/besluit.pdf", "/brief.docx", "/1/download")
    disposition = {"Content-Disposition": 'attachment; filename="../../etc/passwd.pdf"'}
    site.pages |= {
        "/besluit.pdf": Page(BODY),
        "/brief.docx": Page(docx("Geachte heer"), content_type=f"{DOCX_TYPE}; charset=binary"),
        "/1/download": Page(BODY, headers=disposition, content_type=OCTETS),
    }


async def send_without_end(exchange: Exchange) -> None:
    """Ignore the range of the request."""
    sent.append(0)
    await exchange.head(content_type=OCTETS, content_disposition="attachment; filename=groot.pdf")
    await exchange.send(LARGE[:1000])
    while sent[-1] < 200 * MEGABYTE:
        await exchange.send(b" " * 65536)
        sent[-1] += 65536
        await asyncio.sleep(0.001)  # else the loop never gets to see that the client has gone


async def refuse_head(exchange: Exchange) -> None:
    if exchange.request.method == "HEAD":
        await exchange.head(405, content_length=0)
    else:
        await send_without_end(exchange)


@hosts.raw_site
def that_sends_all(site: RawSite) -> None:
    publish(site, "/d/1", "/d/2.pdf")
    site.behaviours |= {"/d/1": behind_head(OCTETS, send_without_end), "/d/2.pdf": refuse_head}


@hosts.raw_site
def that_does_not_send_the_beginning(site: RawSite) -> None:
    publish(site, "/d/1.pdf", "/d/2.pdf", "/d/afgebroken.pdf")
    refused = hostile.raw(b"HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n\r\n")
    site.behaviours |= {
        "/d/1.pdf": behind_head("text/plain", refused),
        "/d/2.pdf": behind_head("text/plain", hostile.silent),
        "/d/afgebroken.pdf": behind_head("text/plain", hostile.truncated(PDF[:2000])),
    }


@hosts.site
def with_landing_pages(site: Site) -> None:
    pages: dict[str, Page | Handler] = {
        "/besluiten/1": Page(LEADING, content_type=WEB),
        "/besluiten/4": Page(LEADING, content_type=OCTETS),
        "/besluiten/verhuisd": redirect("/nieuw/map/"),
        "/nieuw/map/": Page(LEADING.replace("/files/", "../"), content_type=WEB),
    }
    publish(site, *(path for path in pages if path.startswith("/besluiten/")))
    site.pages |= pages


@hosts.site
def with_pages_instead_of_documents(site: Site) -> None:
    """Something else was claimed: these pages are no landing pages, but refused."""
    publish(site, "/besluit.pdf", document(site, "/besluit", format=Coded("PDF")), "/echt.pdf")
    page = Page(LEADING, content_type=WEB)
    site.pages |= {"/besluit.pdf": page, "/besluit": page, "/echt.pdf": Page(PDF, content_type=WEB)}


@pytest.fixture(scope="module")
def started(publishers: Publishers) -> Publishers:
    publishers.start(hosts)
    return publishers


def crawl(started: Publishers, mode: str) -> Harvest:
    settings = {"WOO_DOCUMENT_TIMEOUT": 3, "WOO_DOCUMENT_MAXSIZE": MEGABYTE}
    return started.crawl("-a", f"documents={mode}", settings={**settings, "RETRY_TIMES": 1})


@pytest.fixture(scope="module")
def downloaded(started: Publishers) -> Harvest:
    return crawl(started, "download")


@pytest.fixture(scope="module")
def asked(started: Publishers) -> Harvest:
    """Harvested with ``documents=head``."""
    return crawl(started, "head")


@pytest.fixture(scope="module")
def unasked(started: Publishers) -> Harvest:
    """Harvested with ``documents=none``."""
    return crawl(started, "none")


@pytest.fixture(params=["downloaded", "asked"])
def harvest(request: pytest.FixtureRequest) -> Harvest:
    found: Harvest = request.getfixturevalue(request.param)
    return found


def asked_about(host: Host, path: str) -> list[tuple[str, str | None]]:
    """Return method and range of each request for a path."""
    return [
        (request.method, request.headers.get("range")) for request in host.requests if request.path == path
    ]


def questions(host: Host) -> dict[str, str]:
    """Return what was asked about each landing page, by its path."""
    start = len(host.site.url(""))
    return {found["url"][start:]: found["seen"] for found in host.about(LANDING)}


def test_the_run_ends_well_and_its_sums_close(harvest: Harvest) -> None:
    assert harvest.run.returncode == 0
    assert "Traceback" not in harvest.run.stderr
    assert harvest.run.report is not None
    for host in read_hosts(harvest.run.report / "report.json"):
        lost = sum(loss.documents for stage in host.funnel for loss in stage.lost)
        assert host.listed == host.harvested + lost, host


def file_of(host: Host, path: str) -> dict[str, Any]:
    """Return the only file in the record of a document."""
    (found,) = host.record(path)["versies"][0]["bestanden"]
    assert found.pop("url") == host.site.url(path)
    return dict(found)


def test_a_document_is_fetched_asked_for_its_headers_or_left_alone(
    downloaded: Harvest, asked: Harvest, unasked: Harvest
) -> None:
    shown: dict[str, Any] = {"mime-type": "application/pdf", "bestandsnaam": "besluit.pdf"}
    size = {"grootte": len(BODY)}
    digest = {"hash": hashlib.sha256(BODY).hexdigest()}
    for run, methods, expected in (
        (downloaded, ["GET"], shown | size | digest),
        (asked, ["HEAD"], shown | size),
        (unasked, [], shown),
    ):
        host = run[with_good_documents]
        assert (host.requested("/besluit.pdf"), file_of(host, "/besluit.pdf")) == (methods, expected)
    assert file_of(downloaded[with_good_documents], "/brief.docx")["mime-type"] == DOCX_TYPE
    host = unasked[with_good_documents]
    assert host.paths == ["/besluit.pdf", "/brief.docx"]
    assert host.errors == {"format.onbekend"}, "of the document without an extension"


def test_where_ranges_or_head_are_refused_the_answer_is_broken_off(asked: Harvest) -> None:
    host = asked[that_sends_all]
    assert host.record("/d/1")["document"]["format"]["label"] == "PDF"
    assert asked_about(host, "/d/1") == [("HEAD", None), ("GET", "bytes=0-4095")]
    assert host.requested("/d/2.pdf") == ["HEAD", "GET"]
    assert file_of(host, "/d/2.pdf")["bestandsnaam"] == "groot.pdf"
    assert max(sent) < 20 * MEGABYTE


def test_without_the_beginning_the_claims_decide_and_it_is_not_requested_again(asked: Harvest) -> None:
    host = asked[that_does_not_send_the_beginning]
    assert host.paths == ["/d/1.pdf", "/d/2.pdf", "/d/afgebroken.pdf"]
    for path in host.paths:
        assert host.record(path)["document"]["format"]["label"] == "PDF"
        assert asked_about(host, path) == [("HEAD", None), ("GET", "bytes=0-4095")]
    assert asked.run.stats["woo/documents/unsampled"] == 2, "what came before the connection broke is enough"
    assert not host.errors


def test_a_page_that_leads_to_documents_is_harvested_and_reported(harvest: Harvest) -> None:
    host = harvest[with_landing_pages]
    url = host.site.url("/files/12.pdf")
    assert questions(host) == {
        "/besluiten/1": f"bedoelde u {url}?",
        "/besluiten/4": f"bedoelde u {url}?",
        "/besluiten/verhuisd": f"bedoelde u {host.site.url('/nieuw/12.pdf')}?",
    }
    for path in questions(host):
        assert host.record(path)["document"]["format"]["label"] == "HTML"
    assert host.requested("/files/12.pdf") == []
    refused = harvest[with_pages_instead_of_documents]
    assert refused.paths == ["/echt.pdf"]
    assert len(refused.about("document.html-pagina")) == 2
    assert questions(refused) == {}


def test_a_document_whose_sample_was_under_way_at_a_kill_comes_in_the_next_run(
    gated: GatedSite, installation: Fallible
) -> None:
    def head(request: Request) -> Page:
        if request.method == "HEAD":
            gated.gates.add("/d/1.pdf")
        return Page(PDF, content_type="text/plain")

    publish(gated, "/d/1.pdf", "/d/2.pdf")
    gated.pages |= {"/d/1.pdf": head, "/d/2.pdf": Page(PDF)}
    started = installation.start("-a", "documents=head", WOO_DURABLE_INTERVAL=0.05)
    started.wait_until(lambda: "/d/1.pdf" in gated.waiting, "the sample is asked for")
    assert started.kill(0)
    gated.gates.clear()
    gated.pages["/d/1.pdf"] = Page(PDF, content_type="text/plain")
    after = installation.run("-a", "documents=head")
    assert gated.url("/d/1.pdf") in after.locs
    assert installation.run("-a", "documents=head").records == []
