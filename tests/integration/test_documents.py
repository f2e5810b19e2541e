"""What happens to documents: fetched, asked for their headers, or left alone; which of them are harvested."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from tests.integration.document_sites import (
    BODY,
    MEGABYTE,
    hosts,
    sent,
    that_refuses_head,
    with_a_page_instead_of_a_document,
    with_contradictions,
    with_documents_that_break_off,
    with_documents_that_cannot_be_had,
    with_good_documents,
    with_large_documents,
    with_names_in_content_disposition,
    with_redirects,
    with_types_that_are_not_harvested,
    without_extensions,
)
from tests.utils.publishers import Harvest, Host, Publishers
from woo_harvester.demo.sitemaps import DOCX_TYPE


@pytest.fixture(scope="module")
def started(publishers: Publishers) -> Publishers:
    publishers.start(hosts)
    return publishers


def crawl(started: Publishers, mode: str) -> Harvest:
    settings = {"WOO_DOCUMENT_MAXSIZE": MEGABYTE, "RETRY_TIMES": 1}
    return started.crawl("-a", f"documents={mode}", settings=settings)


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
    """Either of the two that make a request for each document."""
    found: Harvest = request.getfixturevalue(request.param)
    return found


def file_of(host: Host, path: str) -> dict[str, Any]:
    """The only file in the record of a document."""
    (found,) = host.record(path)["versies"][0]["bestanden"]
    assert found.pop("url") == host.site.url(path)
    return dict(found)


def test_the_run_ends_well(harvest: Harvest) -> None:
    assert harvest.run.returncode == 0
    assert "Traceback" not in harvest.run.stderr
    assert harvest.run.stats["woo/hosts/done"] == len(hosts.sites)


def test_download_fetches_each_document_and_tells_its_size_and_hash(downloaded: Harvest) -> None:
    host = downloaded[with_good_documents]
    assert host.requested("/besluit.pdf") == ["GET"]
    assert file_of(host, "/besluit.pdf") == {
        "mime-type": "application/pdf",
        "bestandsnaam": "besluit.pdf",
        "grootte": len(BODY),
        "hash": hashlib.sha256(BODY).hexdigest(),
    }
    assert file_of(host, "/brief.docx")["mime-type"] == DOCX_TYPE


def test_head_asks_for_the_headers_only(asked: Harvest) -> None:
    host = asked[with_good_documents]
    assert host.requested("/besluit.pdf") == ["HEAD"]
    assert file_of(host, "/besluit.pdf") == {
        "mime-type": "application/pdf",
        "bestandsnaam": "besluit.pdf",
        "grootte": len(BODY),
    }


def test_none_makes_no_request_for_a_document(unasked: Harvest) -> None:
    host = unasked[with_good_documents]
    assert host.paths == ["/besluit.pdf", "/brief.docx"]
    assert host.requested("/besluit.pdf") == []
    assert file_of(host, "/besluit.pdf") == {"mime-type": "application/pdf", "bestandsnaam": "besluit.pdf"}


def test_none_cannot_tell_the_type_of_a_document_without_extension(unasked: Harvest) -> None:
    host = unasked[without_extensions]
    assert host.paths == []
    assert [finding["code"] for finding in host.findings if finding["severity"] == "error"] == [
        "format.onbekend"
    ] * 3


def test_where_head_is_refused_a_get_is_broken_off_after_the_headers(asked: Harvest) -> None:
    host = asked[that_refuses_head]
    assert host.requested("/besluit.pdf") == ["HEAD", "GET"]
    assert max(sent) < 20 * MEGABYTE
    assert file_of(host, "/besluit.pdf")["bestandsnaam"] == "groot.pdf"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/1/download", "Besluit op Woo-verzoek.pdf"),
        ("/2/download", "Besluit één.pdf"),
        ("/3/download", "passwd.pdf"),
        ("/4/download", "download"),
        ("/5/download", "download"),
    ],
)
def test_content_disposition_tells_the_name_of_the_file(harvest: Harvest, path: str, name: str) -> None:
    assert file_of(harvest[with_names_in_content_disposition], path)["bestandsnaam"] == name


@pytest.mark.parametrize(
    ("path", "label", "source"),
    [("/documenten/1/download", "PDF", "content-type"), ("/documenten/2/download", "Word DOCX", "extensie")],
)
def test_the_response_tells_the_type_of_a_loc_without_extension(
    harvest: Harvest, path: str, label: str, source: str
) -> None:
    record = harvest[without_extensions].record(path)
    assert record["document"]["format"]["label"] == label
    assert record["herkomst"]["standaardwaarden"]["document.format"] == source


def test_the_bytes_tell_the_type_where_nothing_else_does(harvest: Harvest) -> None:
    record = harvest[without_extensions].record("/documenten/3/download")
    assert record["document"]["format"]["label"] == "PDF"
    assert record["herkomst"]["standaardwaarden"]["document.format"] == "inhoud"


@pytest.mark.parametrize("path", ["/foto.jpg", "/gegevens", "/verklaard.pdf"])
def test_a_type_that_is_not_on_the_list_is_not_harvested(harvest: Harvest, path: str) -> None:
    host = harvest[with_types_that_are_not_harvested]
    assert "format.niet-ondersteund" in host.codes_about(path)
    assert host.paths == ["/tabel"]


def test_the_format_in_the_metadata_goes_first(harvest: Harvest) -> None:
    record = harvest[with_types_that_are_not_harvested].record("/tabel")
    assert record["document"]["format"]["label"] == "CSV"
    assert "document.format" not in record["herkomst"]["standaardwaarden"]


@pytest.mark.parametrize("path", ["/besluit.pdf", "/x/1"])
def test_a_page_of_html_instead_of_a_document_is_not_harvested(harvest: Harvest, path: str) -> None:
    host = harvest[with_a_page_instead_of_a_document]
    assert "document.html-pagina" in host.codes_about(path)
    assert host.paths == ["/echte-pagina.html"]


@pytest.mark.parametrize(("path", "label"), [("/besluit.docx", "PDF"), ("/b", "PDF")])
def test_a_type_that_contradicts_another_source_is_harvested_and_reported(
    harvest: Harvest, path: str, label: str
) -> None:
    host = harvest[with_contradictions]
    assert "format.strijdig" in host.codes_about(path)
    assert host.record(path)["document"]["format"]["label"] == label


@pytest.mark.parametrize(
    ("path", "code", "seen"),
    [
        ("/weg.pdf", "document.onbereikbaar", "HTTP 404"),
        ("/storing.pdf", "document.onbereikbaar", "HTTP 500"),
        ("/besloten.pdf", "document.onbereikbaar", "HTTP 401"),
        ("/leeg.pdf", "document.leeg", "0 bytes"),
    ],
)
def test_a_document_that_cannot_be_had_is_reported_and_not_harvested(
    harvest: Harvest, path: str, code: str, seen: str
) -> None:
    host = harvest[with_documents_that_cannot_be_had]
    (finding,) = [found for found in host.about(code) if found["url"] == host.site.url(path)]
    assert (finding["seen"], finding["severity"]) == (seen, "error")
    assert host.paths == ["/goed.pdf"]


def test_a_document_beyond_the_bound_is_not_harvested(harvest: Harvest) -> None:
    host = harvest[with_large_documents]
    assert "document.te-groot" in host.codes_about("/te-groot.pdf")
    assert "/te-groot.pdf" not in host.paths
    assert file_of(host, "/groot.pdf")["grootte"] == MEGABYTE


def test_a_document_that_does_not_announce_its_size_is_bounded_too(downloaded: Harvest) -> None:
    host = downloaded[with_large_documents]
    assert "document.te-groot" in host.codes_about("/te-groot-zonder-lengte.pdf")
    assert host.paths == ["/groot.pdf"]


@pytest.mark.parametrize("path", ["/a.pdf", "/b.pdf"])
def test_a_document_that_is_cut_off_is_tried_again_and_not_harvested(downloaded: Harvest, path: str) -> None:
    host = downloaded[with_documents_that_break_off]
    assert "document.afgebroken" in host.codes_about(path)
    assert host.requested(path) == ["GET", "GET"]
    assert host.paths == ["/goed.pdf"]


def test_a_redirect_within_https_and_registered_hosts_is_followed(downloaded: Harvest) -> None:
    host = downloaded[with_redirects]
    assert host.paths == ["/naar-elders.pdf", "/verhuisd.pdf"]
    assert file_of(host, "/verhuisd.pdf")["hash"] == hashlib.sha256(BODY).hexdigest()


@pytest.mark.parametrize(
    "path", ["/naar-http.pdf", "/naar-bestand.pdf", "/naar-vreemde.pdf", "/naar-binnen.pdf", "/rond.pdf"]
)
def test_any_other_redirect_is_not_followed(harvest: Harvest, path: str) -> None:
    host = harvest[with_redirects]
    assert "document.doorverwijzing" in host.codes_about(path)
    assert path not in host.paths
    assert host.requested("/doel.pdf") == []
