"""What happens to documents: fetched, asked for their headers, or left alone.

What the answers make of a document is tested in ``tests/diwoo/test_filetype*.py``,
``tests/documents/test_filename.py`` and ``tests/crawl``.
"""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

import pytest

from tests.utils.hostile import Exchange, RawSite
from tests.utils.publishers import Harvest, Host, Hosts, Publishers, publish
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import DOCX_TYPE, docx, pdf

BODY = pdf("Besluit op bezwaar", pages=3)
MEGABYTE = 1024 * 1024
#: Bytes of a large document that its server could send, of each request for it.
sent: list[int] = []
hosts = Hosts()


@hosts.site
def with_good_documents(site: Site) -> None:
    publish(site, "/besluit.pdf", "/brief.docx", "/1/download")
    disposition = {"Content-Disposition": 'attachment; filename="../../etc/passwd.pdf"'}
    site.pages |= {
        "/besluit.pdf": Page(BODY),
        "/brief.docx": Page(docx("Geachte heer"), content_type=f"{DOCX_TYPE}; charset=binary"),
        "/1/download": Page(BODY, headers=disposition, content_type="application/octet-stream"),
    }


@hosts.raw_site
def that_refuses_head(site: RawSite) -> None:
    async def behave(exchange: Exchange) -> None:
        if exchange.request.method == "HEAD":
            await exchange.head(405, content_length=0)
            return
        sent.append(0)
        disposition = "attachment; filename=groot.pdf"
        await exchange.head(content_type="application/pdf", content_disposition=disposition)
        while sent[-1] < 200 * MEGABYTE:
            await exchange.send(b" " * 65536)
            sent[-1] += 65536
            await asyncio.sleep(0.001)  # else the loop never gets to see that the client has gone

    publish(site, "/besluit.pdf")
    site.behaviours["/besluit.pdf"] = behave


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


def file_of(host: Host, path: str) -> dict[str, Any]:
    """Return the only file in the record of a document."""
    (found,) = host.record(path)["versies"][0]["bestanden"]
    assert found.pop("url") == host.site.url(path)
    return dict(found)


def test_download_fetches_each_document_and_gives_its_size_and_hash(downloaded: Harvest) -> None:
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
    assert host.errors == {"format.onbekend"}, "of the document without an extension"


def test_where_head_is_refused_a_get_is_broken_off_after_the_headers(asked: Harvest) -> None:
    host = asked[that_refuses_head]
    assert host.requested("/besluit.pdf") == ["HEAD", "GET"]
    assert max(sent) < 20 * MEGABYTE
    assert file_of(host, "/besluit.pdf")["bestandsnaam"] == "groot.pdf"
