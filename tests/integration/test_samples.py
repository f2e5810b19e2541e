"""What `documents=head` and an audit request of documents whose headers do not show what they are.

``tests/crawl/test_samples.py`` and ``tests/diwoo/test_filetype.py`` have the rules: which documents
are sampled, which answers are a sample, and that head and download give the same type.
"""

from __future__ import annotations

import asyncio

import pytest

from tests.samples import SAMPLES
from tests.utils import hostile
from tests.utils.calendar import Calendar, Story
from tests.utils.command import Run, run_scrapy
from tests.utils.daily import FIRST, NEWER, Harvester
from tests.utils.disturbed_runs import Fallible, GatedSite
from tests.utils.hostile import Behaviour, Exchange, RawSite
from tests.utils.publishers import Harvest, Host, Hosts, Publishers, document, entry, publish
from woo_harvester.demo.server import Handler, LoopbackServer, Page, Request, redirect
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import Coded, Entry, html
from woo_harvester.report.json_file import read_hosts

pytestmark = pytest.mark.integration

LANDING = "document.landingspagina"
OCTETS = "application/octet-stream"
WEB = "text/html; charset=utf-8"
MEGABYTE = 1024 * 1024
PDF = SAMPLES["PDF"].read_bytes()
LARGE = PDF + b"\n%" + b"x" * 100_000
LEADING = html("Besluit 12", "Samenvatting van het besluit.").replace(
    "</p>", "</p><ul><li><a href='/files/12.pdf'>Besluit (PDF, 120 kB)</a></ul>"
)
#: So many samples that no host needs more, and so few that some do.
ALL, FEW = 1000, 4
#: Bytes of a document without end that its server could send, of each request.
sent: list[int] = []
hosts = Hosts()


def ranged(body: bytes, content_type: str, **headers: str) -> Handler:
    """A document of which the server also sends parts (RFC 9110, 14)."""

    def answer(request: Request) -> Page:
        asked = request.headers.get("range")
        if asked is None:
            return Page(body, content_type=content_type, headers=headers)
        first, last = map(int, asked.removeprefix("bytes=").split("-"))
        part = body[first : last + 1]
        place = f"bytes {first}-{first + len(part) - 1}/{len(body)}"
        return Page(part, status=206, content_type=content_type, headers={**headers, "Content-Range": place})

    return answer


def by_method(head: Page, get: Page | Handler) -> Handler:
    """A page that answers HEAD in another way."""

    def answer(request: Request) -> Page:
        if request.method == "HEAD":
            return head
        return get if isinstance(get, Page) else get(request)

    return answer


def behind_head(content_type: str, behave: Behaviour) -> Behaviour:
    """Answer HEAD well, and anything else by *behave*."""

    async def answer(exchange: Exchange) -> None:
        if exchange.request.method == "HEAD":
            await exchange.head(content_type=content_type)
        else:
            await behave(exchange)

    return answer


@hosts.raw_site
def that_sends_all(site: RawSite) -> None:
    """It ignores ranges, and its documents have no end."""

    async def behave(exchange: Exchange) -> None:
        sent.append(0)
        await exchange.head(content_type=OCTETS)
        await exchange.send(LARGE[:1000])
        while sent[-1] < 200 * MEGABYTE:
            await exchange.send(b" " * 65536)
            sent[-1] += 65536
            await asyncio.sleep(0.001)  # else the loop never gets to see that the client has gone

    publish(site, "/d/1")
    site.behaviours["/d/1"] = behind_head(OCTETS, behave)


@hosts.site
def with_a_large_document(site: Site) -> None:
    publish(site, "/d/1")
    site.pages["/d/1"] = ranged(LARGE, OCTETS, **{"Content-Disposition": 'attachment; filename="besluit"'})


@hosts.raw_site
def that_does_not_send_the_beginning(site: RawSite) -> None:
    publish(site, "/d/1.pdf", "/d/2.pdf", "/d/afgebroken.pdf")
    refused = hostile.raw(b"HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n\r\n")
    site.behaviours |= {
        "/d/1.pdf": behind_head("text/plain", refused),
        "/d/2.pdf": behind_head("text/plain", hostile.silent),
        "/d/afgebroken.pdf": behind_head("text/plain", hostile.truncated(PDF[:2000])),
    }


@hosts.raw_site
def that_refuses_head(site: RawSite) -> None:
    async def behave(exchange: Exchange) -> None:
        if exchange.request.method == "HEAD":
            await exchange.head(405, content_length=0)
            return
        await exchange.head(content_type="text/html", content_length=len(LEADING))
        await exchange.send(LEADING.encode())

    publish(site, "/besluiten/1")
    site.behaviours["/besluiten/1"] = behave


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


@hosts.site
def with_many_pages(site: Site) -> None:
    """More pages, and more documents that only the content shows, than a harvest samples."""
    paths = [f"/p/{number}" for number in range(6)]
    publish(site, *paths, *(f"/d/{number}" for number in range(6)))
    site.pages |= {"/p/*": Page(LEADING, content_type=WEB), "/d/*": ranged(PDF, OCTETS)}


@hosts.site
def that_lists_pages_of_another(site: Site) -> None:
    """The number of samples is that of the host that is asked, whoever lists its documents."""
    other = hosts[with_many_pages]
    publish(site, *(Entry(loc=other.url(f"/p/gast-{number}")) for number in range(6)), entry(site, "/eigen"))
    site.pages["/eigen"] = Page(LEADING, content_type=WEB)


@pytest.fixture(scope="module")
def started(publishers: Publishers) -> Publishers:
    publishers.start(hosts)
    return publishers


def crawl(started: Publishers, mode: str, samples: int) -> Harvest:
    settings = {"WOO_PAGE_SAMPLE": samples, "WOO_DOCUMENT_TIMEOUT": 3, "WOO_DOCUMENT_MAXSIZE": MEGABYTE}
    return started.crawl("-a", f"documents={mode}", settings={**settings, "RETRY_TIMES": 1})


@pytest.fixture(scope="module")
def downloaded(started: Publishers) -> Harvest:
    return crawl(started, "download", ALL)


@pytest.fixture(scope="module")
def asked(started: Publishers) -> Harvest:
    """Harvested with ``documents=head``."""
    return crawl(started, "head", ALL)


@pytest.fixture(scope="module")
def few(started: Publishers) -> Harvest:
    """Harvested with ``documents=head``, and few samples of a host."""
    return crawl(started, "head", FEW)


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


def test_where_ranges_are_ignored_the_answer_is_broken_off(asked: Harvest) -> None:
    host = asked[that_sends_all]
    assert host.record("/d/1")["document"]["format"]["label"] == "PDF"
    assert asked_about(host, "/d/1") == [("HEAD", None), ("GET", "bytes=0-4095")]
    assert min(sent) < 20 * MEGABYTE


def test_the_size_in_the_record_is_never_that_of_the_part(asked: Harvest) -> None:
    (file,) = asked[with_a_large_document].record("/d/1")["versies"][0]["bestanden"]
    assert (file["mime-type"], file["grootte"], file["bestandsnaam"]) == (
        "application/pdf",
        len(LARGE),
        "besluit",
    )


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


def test_head_requests_a_page_once(asked: Harvest) -> None:
    host = asked[with_landing_pages]
    assert asked_about(host, "/besluiten/1") == [("HEAD", None), ("GET", None)]
    assert asked_about(host, "/besluiten/4") == [("HEAD", None), ("GET", "bytes=0-4095")]


def test_where_head_is_refused_the_page_is_read_too(asked: Harvest) -> None:
    host = asked[that_refuses_head]
    assert host.requested("/besluiten/1") == ["HEAD", "GET", "GET"]
    assert list(questions(host)) == ["/besluiten/1"]


def test_of_a_host_no_more_than_so_many_are_sampled(few: Harvest) -> None:
    host = few[with_many_pages]
    asked = [request for request in host.requests if request.method == "GET"]
    assert sum(request.path.startswith("/p/") for request in asked) == FEW
    assert sum(request.path.startswith("/d/") for request in asked) == FEW
    # Those that were not sampled are harvested by what is claimed of them, or not at all.
    assert sum(path.startswith("/d/") for path in host.paths) == FEW
    assert len(host.about("format.onbekend")) == 6 - FEW
    assert sum(path.startswith("/p/") for path in host.paths) == 12
    assert "/eigen" in questions(few[that_lists_pages_of_another])


def test_an_audit_reads_every_page_and_shows_the_fix(started: Publishers, few: Harvest) -> None:
    settings = {"WOO_REGISTER": started.register, "WOO_DOCUMENT_TIMEOUT": 3, "RETRY_TIMES": 1}
    builds = (with_many_pages, with_landing_pages)
    names = [hosts[build].host for build in builds]
    audit = run_scrapy(["audit", *names], started.folder, started.bundle, settings=settings, timeout=120)
    assert audit.report is not None
    assert audit.returncode == 0, "landing pages are warnings"
    found = {host.host: host for host in read_hosts(audit.report / "report.json")}
    rows = {name: row for name in names for row in found[name].findings if row.code == LANDING}
    assert [rows[name].count for name in names] == [6, 3]
    snippet = rows[names[1]].snippet
    assert snippet is not None
    site = hosts[with_landing_pages]
    assert site.url("/files/") in snippet.after or site.url("/nieuw/") in snippet.after
    assert "bedoelde u https://" in audit.stdout


# Over several days

calendar = Calendar(Harvester, "-a", "documents=head", RETRY_TIMES=1)


def listed(site: LoopbackServer, *paths: str, lastmod: str = FIRST) -> None:
    publish(site, *(entry(site, path, lastmod=lastmod) for path in paths))


def codes(run: Run) -> list[str]:
    """Return the codes of the findings about what documents are."""
    return [
        found["code"] for found in run.findings if found["code"].startswith(("document.", "format.", "host."))
    ]


def paths_of(run: Run, site: LoopbackServer) -> list[str]:
    return sorted(found["document"]["weblocatie"].removeprefix(site.url("")) for found in run.records)


@calendar.story
def test_a_landing_page_is_reported_in_the_run_that_harvests_it(site: Site) -> Story:
    listed(site, "/besluit")
    site.pages["/besluit"] = Page(LEADING, content_type=WEB)
    first = yield
    assert (codes(first), paths_of(first, site)) == ([LANDING], ["/besluit"])
    second = yield
    assert (codes(second), paths_of(second, site)) == ([], [])
    assert [request.method for request in site.requested("/besluit")] == ["HEAD", "GET"]
    listed(site, "/besluit", lastmod=NEWER)
    third = yield
    assert (codes(third), paths_of(third, site)) == ([LANDING], ["/besluit"])


@calendar.story
def test_what_the_beginning_shows_to_be_refused_is_reported_each_day_and_not_requested_again(
    site: Site,
) -> Story:
    listed(site, "/d/1")
    site.pages["/d/1"] = ranged(b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(9000), OCTETS)
    for _ in range(3):
        run = yield
        assert (codes(run), paths_of(run, site)) == (["format.niet-ondersteund"], [])
    assert [request.method for request in site.requested("/d/1")] == ["HEAD", "GET"]
    listed(site, "/d/1", lastmod=NEWER)
    site.pages["/d/1"] = ranged(PDF, OCTETS)
    fixed = yield
    assert (codes(fixed), paths_of(fixed, site)) == ([], ["/d/1"])


@calendar.story
def test_a_host_that_asks_for_rest_at_a_sample_loses_nothing(site: Site) -> Story:
    """The document is known by its headers; the others wait for the next run."""
    rest = Page("rust", status=503, headers={"Retry-After": "86400"})
    paths = sorted(f"/d/{number}.pdf" for number in range(1, 30))
    listed(site, *paths)
    site.pages["/d/*"] = Page(PDF, content_type="application/pdf")
    site.pages["/d/1.pdf"] = by_method(Page(content_type="text/plain"), rest)
    first = yield
    harvested = paths_of(first, site)
    assert "/d/1.pdf" in harvested
    assert "host.achterstand" in codes(first)
    assert len(harvested) < len(paths)
    site.pages["/d/1.pdf"] = ranged(PDF, "text/plain")
    second = yield
    assert sorted([*harvested, *paths_of(second, site)]) == paths


def test_a_document_whose_sample_was_under_way_at_a_kill_comes_in_the_next_run(
    gated: GatedSite, installation: Fallible
) -> None:
    def head(request: Request) -> Page:
        if request.method == "HEAD":
            gated.gates.add("/d/1.pdf")
        return Page(PDF, content_type="text/plain")

    listed(gated, "/d/1.pdf", "/d/2.pdf")
    gated.pages |= {"/d/1.pdf": head, "/d/2.pdf": Page(PDF)}
    started = installation.start("-a", "documents=head", WOO_DURABLE_INTERVAL=0.05)
    started.wait_until(lambda: "/d/1.pdf" in gated.waiting, "the sample is asked for")
    assert started.kill(0)
    gated.gates.clear()
    gated.pages["/d/1.pdf"] = Page(PDF, content_type="text/plain")
    after = installation.run("-a", "documents=head")
    assert "/d/1.pdf" in paths_of(after, gated)
    assert installation.run("-a", "documents=head").records == []
