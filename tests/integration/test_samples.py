"""What `documents=head` and an audit see of documents whose headers do not show what they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.integration.sampled_sites import (
    BROKEN,
    CONTENTS,
    LARGE,
    MEGABYTE,
    REFUSALS,
    ROWS,
    hosts,
    sent,
    that_does_not_send_the_beginning,
    that_lists_pages_of_another,
    that_refuses_head,
    that_sends_all,
    whose_connections_fail,
    whose_head_is_wrong,
    with_a_large_document,
    with_claims_of_all_kinds,
    with_landing_pages,
    with_many_pages,
    with_other_pages,
    with_pages_instead_of_documents,
)
from tests.utils.command import Run, run_scrapy
from tests.utils.publishers import Harvest, Host, Publishers
from woo_harvester.report.json_file import read_hosts

pytestmark = pytest.mark.integration

LANDING = "document.landingspagina"
#: So many samples that no host needs more, and so few that some do.
ALL, FEW = 1000, 4


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


@pytest.fixture(scope="module")
def audit(started: Publishers, asked: Harvest, few: Harvest, downloaded: Harvest) -> Run:
    """The audit of all hosts, after the harvests."""
    assert started.register is not None
    for site in started.sites.values():
        site.requests.clear()
    settings = {"WOO_REGISTER": started.register, "WOO_DOCUMENT_TIMEOUT": 3, "RETRY_TIMES": 1}
    names = [site.host for site in started.sites.values()]
    return run_scrapy(["audit", *names], started.folder, started.bundle, settings=settings, timeout=120)


@pytest.fixture(params=["downloaded", "asked"])
def harvest(request: pytest.FixtureRequest) -> Harvest:
    found: Harvest = request.getfixturevalue(request.param)
    return found


def comparable(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without what only one of two runs can know: its time, and the hash of the document."""
    (version,) = record["versies"]
    file = {key: value for key, value in version["bestanden"][0].items() if key != "hash"}
    origin = {key: value for key, value in record["herkomst"].items() if key != "opgehaald"}
    return {**record, "versies": [{**version, "bestanden": [file]}], "herkomst": origin}


def records_of(host: Host) -> dict[str, dict[str, Any]]:
    start = len(host.site.url(""))
    return {found["document"]["weblocatie"][start:]: comparable(found) for found in host.records}


def losses_of(host: Host) -> set[tuple[str, str, str | None]]:
    """Return URL, code and ``seen`` of each error."""
    errors = [found for found in host.findings if found["severity"] == "error"]
    return {(found["url"], found["code"], found.get("seen")) for found in errors}


def label_of(host: Host, path: str) -> str:
    return str(host.record(path)["document"]["format"]["label"])


def asked_about(host: Host, path: str) -> list[tuple[str, str | None]]:
    """Return method and range of each request for a path."""
    return [
        (request.method, request.headers.get("range")) for request in host.requests if request.path == path
    ]


# The file type


def test_the_runs_end_well_and_their_sums_close(downloaded: Harvest, asked: Harvest, few: Harvest) -> None:
    for harvest in (downloaded, asked, few):
        assert harvest.run.returncode == 0
        assert "Traceback" not in harvest.run.stderr
        assert harvest.run.stats["woo/hosts/done"] == len(hosts.sites)
        assert harvest.run.report is not None
        for host in read_hosts(harvest.run.report / "report.json"):
            lost = sum(loss.documents for stage in host.funnel for loss in stage.lost)
            assert host.listed == host.harvested + lost, host


def test_head_and_download_give_the_same_records(downloaded: Harvest, asked: Harvest) -> None:
    for build in (with_claims_of_all_kinds, with_landing_pages, with_pages_instead_of_documents):
        by_download, by_head = downloaded[build], asked[build]
        assert records_of(by_head) == records_of(by_download)
        assert losses_of(by_head) == losses_of(by_download)
    assert len(records_of(asked[with_claims_of_all_kinds])) > len(ROWS) / 2
    assert len(losses_of(asked[with_claims_of_all_kinds])) > 5


def test_each_such_document_is_asked_for_as_a_range_once(asked: Harvest) -> None:
    host = asked[with_claims_of_all_kinds]
    for number, row in enumerate(ROWS):
        made = asked_about(host, f"/d/{number}{row.extension}")
        assert made[0] == ("HEAD", None)
        assert made[1:] in ([], [("GET", "bytes=0-4095")], [("GET", "bytes=0-4095"), ("GET", None)]), row


def test_where_ranges_are_ignored_the_answer_is_broken_off(asked: Harvest) -> None:
    assert asked[that_sends_all].paths == ["/d/1"]
    assert label_of(asked[that_sends_all], "/d/1") == "PDF"
    assert asked_about(asked[that_sends_all], "/d/1") == [("HEAD", None), ("GET", "bytes=0-4095")]
    assert min(sent) < 20 * MEGABYTE


@pytest.mark.parametrize("path", ["/d/1", "/d/2", "/d/3"])
def test_the_size_in_the_record_is_never_that_of_the_part(asked: Harvest, path: str) -> None:
    (file,) = asked[with_a_large_document].record(path)["versies"][0]["bestanden"]
    assert file["mime-type"] == "application/pdf"
    assert file.get("grootte") == (len(LARGE) if path == "/d/1" else None)
    if path == "/d/1":
        assert file["bestandsnaam"] == "besluit"


@pytest.mark.parametrize("number", range(len(REFUSALS)), ids=list(REFUSALS))
def test_without_the_beginning_the_claims_decide(asked: Harvest, number: int) -> None:
    host, path = asked[that_does_not_send_the_beginning], f"/d/{number}.pdf"
    assert label_of(host, path) == "PDF"
    assert "format.strijdig" in host.codes_about(path)
    assert asked_about(host, path) == [("HEAD", None), ("GET", "bytes=0-4095")]


@pytest.mark.parametrize("number", range(len(BROKEN)), ids=list(BROKEN))
def test_so_they_do_where_the_connection_fails_and_it_is_not_tried_again(asked: Harvest, number: int) -> None:
    host, path = asked[whose_connections_fail], f"/d/{number}.pdf"
    assert label_of(host, path) == "PDF"
    # aiohttp itself asks once more where a connection is reset before an answer.
    assert len(asked_about(host, path)) == (3 if number == 0 else 2)
    assert not host.errors


def test_what_came_before_a_connection_broke_is_enough(asked: Harvest) -> None:
    host = asked[whose_connections_fail]
    (file,) = host.record("/d/afgebroken.pdf")["versies"][0]["bestanden"]
    assert file["mime-type"] == "application/pdf"
    (found,) = [each for each in host.about("format.strijdig") if each["url"].endswith("afgebroken.pdf")]
    assert found["seen"].endswith("inhoud: PDF")


def test_what_comes_with_the_document_counts_before_what_head_says(
    asked: Harvest, downloaded: Harvest
) -> None:
    host = asked[whose_head_is_wrong]
    assert label_of(host, "/d/1") == "PDF"
    assert host.codes_about("/d/1") == downloaded[whose_head_is_wrong].codes_about("/d/1")
    assert "document.leeg" in host.codes_about("/d/2")
    (file,) = host.record("/d/3")["versies"][0]["bestanden"]
    assert (file["bestandsnaam"], file["grootte"]) == ("brief.odt", len(CONTENTS["ODT"]))


def test_a_sample_that_was_not_sent_is_counted(asked: Harvest) -> None:
    assert asked.run.stats["woo/documents/unsampled"] == len(REFUSALS) + len(BROKEN)
    assert asked.run.stats["woo/documents/sampled"] > len(ROWS) / 2


# Landing pages


def questions(host: Host) -> dict[str, str]:
    """Return what was asked about each landing page, by its path."""
    start = len(host.site.url(""))
    return {found["url"][start:]: found["seen"] for found in host.about(LANDING)}


def test_a_page_that_leads_to_documents_is_harvested_and_reported(harvest: Harvest) -> None:
    host = harvest[with_landing_pages]
    url = host.site.url("/files/12.pdf")
    many = [host.site.url(f"/files/{number}.docx") for number in range(3)]
    assert questions(host) == {
        "/besluiten/1": f"bedoelde u {url}?",
        "/besluiten/2.html": f"bedoelde u {url}?",
        "/besluiten/3": f"bedoelde u {', '.join(many)}, en nog 3?",
        "/besluiten/4": f"bedoelde u {url}?",
        "/besluiten/verhuisd": f"bedoelde u {host.site.url('/nieuw/12.pdf')}?",
    }
    for path in questions(host):
        record = host.record(path)
        assert record["document"]["format"]["label"] == "HTML"
        assert LANDING in record["herkomst"]["bevindingen"]
    (found,) = [each for each in host.about(LANDING) if each["url"].endswith("/1")]
    assert (found["severity"], found["action"]) == ("warning", "geoogst als HTML")
    assert found["sitemap"].startswith(host.site.url())


def test_head_asks_for_a_page_once_and_for_what_it_leads_to_never(asked: Harvest) -> None:
    host = asked[with_landing_pages]
    assert asked_about(host, "/besluiten/1") == [("HEAD", None), ("GET", None)]
    assert asked_about(host, "/besluiten/4") == [("HEAD", None), ("GET", "bytes=0-4095")]
    assert host.requested("/files/12.pdf") == []


def test_a_page_that_is_a_document_or_leads_elsewhere_is_not_reported(harvest: Harvest) -> None:
    host = harvest[with_other_pages]
    assert set(questions(host)) - {"/laat"} == set()
    assert host.paths == ["/elders", "/laat", "/leeg", "/menu", "/verhaal"]


def test_only_download_reads_a_page_beyond_256_kilobytes(downloaded: Harvest, asked: Harvest) -> None:
    assert set(questions(downloaded[with_other_pages])) == {"/laat"}
    assert set(questions(asked[with_other_pages])) == set()


def test_a_page_in_the_place_of_another_type_is_refused_and_is_no_landing_page(harvest: Harvest) -> None:
    host = harvest[with_pages_instead_of_documents]
    assert host.paths == ["/echt.pdf"]
    assert {found["url"] for found in host.about("document.html-pagina")} == {
        host.site.url("/besluit.pdf"),
        host.site.url("/besluit"),
    }
    assert questions(host) == {}


def test_where_head_is_refused_the_page_is_looked_at_too(asked: Harvest) -> None:
    host = asked[that_refuses_head]
    assert host.requested("/besluiten/1") == ["HEAD", "GET", "GET"]
    assert list(questions(host)) == ["/besluiten/1"]


# How many


def test_of_a_host_no_more_than_so_many_are_sampled(few: Harvest) -> None:
    host = few[with_many_pages]
    asked = [request for request in host.requests if request.method == "GET"]
    assert sum(request.path.startswith("/p/") for request in asked) == FEW
    assert sum(request.path.startswith("/d/") for request in asked) == FEW
    pages = [found for found in few.run.findings if found["code"] == LANDING and "/p/" in found["url"]]
    assert len(pages) == FEW
    # Those that were not sampled are harvested by what is claimed of them, or not at all.
    assert sum(path.startswith("/d/") for path in host.paths) == FEW
    assert len(host.about("format.onbekend")) == 6 - FEW
    assert sum(path.startswith("/p/") for path in host.paths) == 12


def test_each_host_has_samples_of_its_own(few: Harvest) -> None:
    assert list(questions(few[that_lists_pages_of_another]))[-1] == "/eigen"


def test_an_audit_looks_at_every_page_and_shows_the_fix(audit: Run, started: Publishers) -> None:
    assert audit.report is not None
    assert audit.returncode == 1
    by_host = {host.host: host for host in read_hosts(audit.report / "report.json")}
    many, landing = (by_host[hosts[build].host] for build in (with_many_pages, with_landing_pages))
    (row,) = [row for row in many.findings if row.code == LANDING]
    assert row.count == 6
    assert many.harvested == 12
    (row,) = [row for row in landing.findings if row.code == LANDING]
    assert row.count == 5
    site = hosts[with_landing_pages]
    assert row.snippet is not None
    assert row.snippet.before.count(site.url("/besluiten/")) == 1
    assert site.url("/files/") in row.snippet.after or site.url("/nieuw/") in row.snippet.after
    assert LANDING in audit.stdout
    assert "bedoelde u https://" in audit.stdout
