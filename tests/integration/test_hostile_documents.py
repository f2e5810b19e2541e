"""Servers that break off, never end, blow up or lead elsewhere: each costs a finding, and no more."""

from __future__ import annotations

import sys

import pytest

from tests.integration.hostile_document_sites import (
    BODY,
    BROKEN,
    MEGABYTE,
    UNREACHABLE,
    hosts,
    that_breaks_off,
    that_does_not_answer,
    that_leads_elsewhere,
    with_a_certificate_of_its_own,
    with_a_certificate_of_nobody_known,
    with_a_whole_chain,
    with_an_expired_certificate,
    with_an_incomplete_chain,
    with_bombs,
    with_compressed_documents,
    with_the_certificate_of_another,
    without_end,
)
from tests.utils import peak_memory
from tests.utils.publishers import Harvest, Host, Publishers


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    settings = {
        **peak_memory.SETTINGS,
        "RETRY_TIMES": 1,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "WOO_DOCUMENT_MAXSIZE": 20 * MEGABYTE,
        "WOO_DOCUMENT_TIMEOUT": 8,
        "WOO_RETRY_BACKOFF": 0,
    }
    return publishers.harvest(hosts, "-a", "documents=download", settings=settings, timeout=300, fresh=True)


def finding(host: Host, path: str) -> tuple[str, str]:
    """The code of the only error about a document, and what was seen."""
    errors = [found for found in host.findings if found["severity"] == "error"]
    (found,) = [found for found in errors if found["url"] == host.site.url(path)]
    return found["code"], found["seen"]


def test_the_run_ends_well_and_takes_little_memory(harvest: Harvest) -> None:
    assert harvest.run.returncode == 0
    assert "Traceback" not in harvest.run.stderr
    assert harvest.run.stats["woo/hosts/done"] == len(hosts.sites)
    if sys.platform == "linux":  # only there it is measured
        assert harvest.run.stats["peak"] < 350


@pytest.mark.parametrize("path", BROKEN)
def test_a_body_that_breaks_off_is_tried_again_and_reported(harvest: Harvest, path: str) -> None:
    host = harvest[that_breaks_off]
    assert finding(host, path)[0] == "document.afgebroken"
    assert host.requested(path) == ["GET", "GET"]
    assert host.paths == ["/goed.pdf"]


@pytest.mark.parametrize("path", UNREACHABLE)
def test_what_is_no_answer_in_time_is_reported(harvest: Harvest, path: str) -> None:
    host = harvest[that_does_not_answer]
    code, seen = finding(host, path)
    assert code == "document.onbereikbaar"
    assert seen
    assert host.paths == ["/goed.pdf"]


@pytest.mark.parametrize("path", ["/druppelt.pdf", "/druppelende-kop.pdf", "/stil.pdf"])
def test_time_is_bounded(harvest: Harvest, path: str) -> None:
    assert finding(harvest[that_does_not_answer], path)[1] == "time-out"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/eindeloos.pdf", "document.te-groot"),
        ("/eindeloos-gzip.pdf", "document.te-groot"),
        ("/lege-delen.pdf", "document.onbereikbaar"),
    ],
)
def test_a_body_without_end_is_not_read_further(harvest: Harvest, path: str, code: str) -> None:
    host = harvest[without_end]
    assert finding(host, path)[0] == code
    assert host.paths == []


@pytest.mark.parametrize(
    "path",
    ["/gzip.pdf", "/x-gzip.pdf", "/twee-delen.pdf", "/deflate.pdf", "/deflate-kaal.pdf", "/identity.pdf"],
)
def test_compression_that_nobody_asked_for_is_undone(harvest: Harvest, path: str) -> None:
    (file,) = harvest[with_compressed_documents].record(path)["versies"][0]["bestanden"]
    assert (file["grootte"], file["mime-type"]) == (len(BODY), "application/pdf")


@pytest.mark.parametrize("path", ["/bom.pdf", "/bom-deflate.pdf"])
def test_a_document_that_blows_up_is_not_unpacked(harvest: Harvest, path: str) -> None:
    host = harvest[with_bombs]
    code, seen = finding(host, path)
    assert code == "document.te-groot"
    assert int(seen.split()[0]) < 60 * MEGABYTE


def test_a_zip_bomb_costs_nothing_to_store(harvest: Harvest) -> None:
    (file,) = harvest[with_bombs].record("/bom.xlsx")["versies"][0]["bestanden"]
    assert file["grootte"] < MEGABYTE


def test_redirects_that_are_not_https_to_a_registered_host_are_refused(harvest: Harvest) -> None:
    host = harvest[that_leads_elsewhere]
    assert host.paths == []
    assert host.requested("/doel.pdf") == []
    listed = {found["url"] for found in host.findings if found["code"] == "document.doorverwijzing"}
    assert len(listed) == len(host.site.pages) - 4  # robots.txt, index, sitemap and the target


@pytest.mark.parametrize(
    ("build", "seen"),
    [
        (with_an_expired_certificate, "het certificaat is verlopen (certificate has expired)"),
        (with_the_certificate_of_another, "het certificaat is niet voor de naam van deze host"),
        (with_a_certificate_of_nobody_known, "het tussenliggende certificaat ontbreekt, of de uitgever"),
        (with_an_incomplete_chain, "het tussenliggende certificaat ontbreekt, of de uitgever"),
        (with_a_certificate_of_its_own, "het certificaat is door de server zelf ondertekend"),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_what_is_wrong_with_a_certificate_is_reported(harvest: Harvest, build: object, seen: str) -> None:
    host = harvest[build]  # type: ignore[index]
    (found,) = host.about("tls.ongeldig")
    assert found["seen"].startswith(seen)
    assert not host.requests


def test_a_chain_with_its_intermediate_certificate_is_fine(harvest: Harvest) -> None:
    assert harvest[with_a_whole_chain].paths == ["/a.pdf"]
