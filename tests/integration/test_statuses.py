"""Statuses of 2xx as the answer to each kind of request: only 200 and 203 bring the complete file.

``tests/utils/test_program.py`` has every status.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.utils.command import Run, run_scrapy
from tests.utils.hostile import Behaviour, Exchange, RawSite
from tests.utils.publishers import (
    INDEX,
    Builder,
    Declared,
    Harvest,
    Hosts,
    Publishers,
    entry,
    publish,
)
from tests.utils.sites import MakeSite
from tests.utils.vergunningen import Permits, about, causes, listing
from tests.utils.vergunningen import publish as publish_messages
from woo_harvester.demo.server import Handler, LoopbackServer, Page

#: Answers to a HEAD that say nothing of a GET, and those that a GET would get too.
REFUSED, MEANT = (400, 404, 406, 418, 500, 502, 599), (401, 410, 429, 503)
STATUSES = (200, 202, 203, 204, 206)
COMPLETE = frozenset({200, 203})
BODY = b"%PDF-1.7 besluit " * 20
SITEMAP = f"{INDEX}/sitemap.xml"
FILES = {"robots": "/robots.txt", "index": INDEX, "sitemap": SITEMAP}
hosts = Hosts()


def with_status(page: Page, status: int) -> Page:
    """The same page, answered with another status."""
    return Page(page.body, status=status, content_type=page.content_type)


def by_method(head: int, get: int) -> Handler:
    """A document whose status depends on the method."""
    return lambda request: Page(BODY, status=head if request.method == "HEAD" else get)


def give_one_file_a_status(site: LoopbackServer, path: str, status: int) -> None:
    publish(site, "/a.pdf")
    site.pages["/a.pdf"] = Page(BODY)
    page = site.pages[path]
    assert isinstance(page, Page)
    site.pages[path] = with_status(page, status)


SITES: dict[tuple[str, int], Builder] = {}
for _kind, _path in FILES.items():
    for _status in STATUSES:
        _build = partial(give_one_file_a_status, path=_path, status=_status)
        SITES[_kind, _status] = _build
        hosts.declared.append(Declared(_build))


#: Statuses of HEAD and GET.
Statuses = tuple[int, int]
BY_METHOD: list[Statuses] = [
    *((405, get) for get in STATUSES),
    *((head, 200) for head in (*STATUSES, *REFUSED, *MEANT)),
]


def path_of(statuses: Statuses) -> str:
    return "/{}-{}.pdf".format(*statuses)


def answer_by_method(site: LoopbackServer, each: list[Statuses]) -> None:
    publish(site, *map(path_of, each))
    site.pages |= {path_of(statuses): by_method(*statuses) for statuses in each}


#: No host has more than three of these documents: then it would be asked by GET only.
HOSTS_BY_METHOD: dict[Statuses, Builder] = {}
for _start in range(0, len(BY_METHOD), 3):
    _build = partial(answer_by_method, each=BY_METHOD[_start : _start + 3])
    HOSTS_BY_METHOD |= dict.fromkeys(BY_METHOD[_start : _start + 3], _build)
    hosts.declared.append(Declared(_build))


async def hang_up(exchange: Exchange) -> None:
    """Close the connection without an answer."""


async def reset(exchange: Exchange) -> None:
    exchange.reset()


def end_the_connection(site: RawSite, how: Behaviour) -> None:
    async def behave(exchange: Exchange) -> None:
        if exchange.request.method == "HEAD":
            await how(exchange)
        else:
            await exchange.head(content_type="application/pdf", content_length=len(BODY))
            await exchange.send(BODY)

    publish(site, "/a.pdf")
    site.behaviours["/a.pdf"] = behave


DYING: dict[str, Builder] = {how.__name__: partial(end_the_connection, how=how) for how in (hang_up, reset)}
hosts.declared += [Declared(build, raw=True) for build in DYING.values()]


@hosts.site
def with_documents(site: LoopbackServer) -> None:
    """Lists documents of its own, and one on each host whose robots.txt has a status."""
    documents: dict[str, Page | Handler] = {
        f"/d/{status}.pdf": Page(BODY, status=status) for status in STATUSES
    }
    others = [hosts[SITES["robots", status]] for status in STATUSES]
    for other in others:
        other.pages["/elders.pdf"] = Page(BODY)
    publish(site, *documents, *(entry(other, "/elders.pdf") for other in others))
    site.pages |= documents


@pytest.fixture(scope="module")
def started(publishers: Publishers) -> Publishers:
    publishers.start(hosts)
    return publishers


@pytest.fixture(scope="module")
def downloaded(started: Publishers) -> Harvest:
    return started.crawl("-a", "documents=download", settings={"RETRY_TIMES": 0})


@pytest.fixture(scope="module")
def asked(started: Publishers) -> Harvest:
    """Harvested with ``documents=head``."""
    return started.crawl("-a", "documents=head", settings={"RETRY_TIMES": 0})


def expected_finding(status: int) -> str:
    return "document.afgebroken" if status == 206 else "document.onbereikbaar"


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("kind", FILES)
def test_a_file_of_a_host_is_read_only_where_the_answer_is_complete(
    downloaded: Harvest, kind: str, status: int
) -> None:
    host = downloaded[SITES[kind, status]]
    found = [finding["seen"] for finding in host.about(f"{kind}.onbereikbaar")]
    if status in COMPLETE:
        assert (host.paths.count("/a.pdf"), found) == (1, [])
    else:
        assert (host.paths.count("/a.pdf"), found) == (0, [f"HTTP {status}"])


@pytest.mark.parametrize("status", STATUSES)
def test_a_document_of_a_host_is_fetched_only_where_its_robots_txt_is_complete(
    downloaded: Harvest, status: int
) -> None:
    site = downloaded[SITES["robots", status]]
    assert site.requested("/elders.pdf") == (["GET"] if status in COMPLETE else [])
    listing_host = downloaded[with_documents]
    url = site.site.url("/elders.pdf")
    seen = [line.get("seen") for line in listing_host.findings if line["url"] == url]
    unreachable = [f"HTTP {status} voor de robots.txt van deze host"]
    assert [one for one in seen if "robots" in str(one)] == ([] if status in COMPLETE else unreachable)


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("mode", ["downloaded", "asked"])
def test_only_a_complete_document_is_harvested(
    request: pytest.FixtureRequest, mode: str, status: int
) -> None:
    harvest: Harvest = request.getfixturevalue(mode)
    host, path = harvest[with_documents], f"/d/{status}.pdf"
    if status in COMPLETE:
        assert path in host.paths
        return
    assert path not in host.paths
    (finding,) = [line for line in host.findings if line["url"] == host.site.url(path)]
    assert (finding["code"], finding["seen"]) == (expected_finding(status), f"HTTP {status}")


@pytest.mark.parametrize("status", STATUSES)
def test_where_head_is_refused_the_status_of_the_get_counts(asked: Harvest, status: int) -> None:
    host, path = asked[HOSTS_BY_METHOD[405, status]], path_of((405, status))
    assert host.requested(path) == ["HEAD", "GET"]
    assert (path in host.paths) == (status in COMPLETE)
    if status not in COMPLETE:
        assert expected_finding(status) in host.codes_about(path)


@pytest.mark.parametrize("status", [*STATUSES, *REFUSED, *MEANT])
def test_a_head_that_is_not_answered_as_a_get_would_be_is_followed_by_one(
    asked: Harvest, status: int
) -> None:
    host, path = asked[HOSTS_BY_METHOD[status, 200]], path_of((status, 200))
    assert host.requested(path) == (["HEAD"] if status in (*COMPLETE, *MEANT) else ["HEAD", "GET"])
    assert (path in host.paths) == (status not in MEANT)


@pytest.mark.parametrize("how", DYING)
def test_a_head_that_ends_the_connection_is_followed_by_a_get(asked: Harvest, how: str) -> None:
    host = asked[DYING[how]]
    *heads, last = host.requested("/a.pdf")
    assert set(heads) == {"HEAD"}, "the library sends one again on a new connection"
    assert last == "GET"
    assert (host.paths, host.errors) == (["/a.pdf"], set())


@pytest.fixture(scope="module")
def audited(started: Publishers, ca_bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    settings = {"WOO_REGISTER": str(started.register), "RETRY_TIMES": 0}
    args = ["audit", *(site.host for site in hosts.sites.values()), "--json"]
    return run_scrapy(args, tmp_path_factory.mktemp("audit"), ca_bundle, settings=settings)


@pytest.mark.parametrize("status", STATUSES)
def test_an_audit_counts_only_complete_answers(audited: Run, status: int) -> None:
    expected = set() if status in COMPLETE else {expected_finding(status)}
    urls = (
        hosts[with_documents].url(f"/d/{status}.pdf"),
        hosts[HOSTS_BY_METHOD[405, status]].url(path_of((405, status))),
    )
    for url in urls:
        found = {line["code"] for line in audited.findings if line["url"] == url}
        assert found & {"document.afgebroken", "document.onbereikbaar"} == expected
    for kind in FILES:
        host = hosts[SITES[kind, status]].host
        codes = {line["code"] for line in audited.findings if line["host"] == host}
        assert (f"{kind}.onbereikbaar" in codes) == (status not in COMPLETE)


def test_files_of_permits_count_only_where_they_are_complete(
    make_site: MakeSite, tmp_path: Path, ca_bundle: Path
) -> None:
    site = make_site()
    for status in STATUSES:
        message = Page(about(status), status=status, content_type="application/xml")
        publish_messages(site, {"1.xml": message}, folder=f"/bericht/{status}/")
        publish_messages(site, {"1.xml": about(1000 + status)}, folder=f"/ingang/{status}/")
        page = Page(listing({"1.xml": None}), status=status, content_type="text/html; charset=utf-8")
        site.pages[f"/ingang/{status}/"] = page
    paths = [f"/{kind}/{status}/" for kind in ("bericht", "ingang") for status in STATUSES]
    run = Permits(tmp_path, ca_bundle).run(",".join(map(site.url, paths)), RETRY_TIMES=0)
    complete = [status for status in STATUSES if status in COMPLETE]
    assert causes(run) == {str(number): "aanlevering" for n in complete for number in (n, 1000 + n)}
    for code in ("ipm.bericht-onbereikbaar", "ipm.ingang-onbereikbaar"):
        seen = {finding["seen"] for finding in run.about(code)}
        assert seen == {f"HTTP {status}" for status in STATUSES if status not in COMPLETE}, code


@pytest.mark.parametrize("status", [203, 206])
def test_a_list_of_entry_pages_counts_only_where_it_is_complete(
    status: int, make_site: MakeSite, tmp_path: Path, ca_bundle: Path
) -> None:
    site = make_site()
    publish_messages(site, {"1.xml": about(1)})
    rows = f"organisatie,url\n,{site.url('/xml/')}\n"
    site.pages["/entries"] = Page(rows, status=status, content_type="text/csv")
    run = Permits(tmp_path, ca_bundle).run(site.url("/entries"), RETRY_TIMES=0)
    seen = [finding["seen"] for finding in run.about("ipm.ingang-onbereikbaar")]
    complete = status in COMPLETE
    assert (causes(run), seen) == (({"1": "aanlevering"}, []) if complete else ({}, [f"HTTP {status}"]))
