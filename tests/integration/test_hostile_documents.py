"""Servers that break off, never end, blow up or lead elsewhere: each costs a finding, and no more."""

from __future__ import annotations

import gzip
import io
import sys
import zipfile
import zlib
from collections.abc import Mapping

import pytest

from tests.utils import hostile, peak_memory
from tests.utils.hostile import Behaviour, Exchange, RawSite
from tests.utils.publishers import Harvest, Host, Hosts, Publishers, publish
from woo_harvester.demo.server import Certificate, Page, redirect
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import pdf

MEGABYTE = 1024 * 1024
BODY = pdf("Besluit op bezwaar", pages=3)
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
hosts = Hosts()


def answer(body: bytes, **headers: str | int) -> Behaviour:
    """These headers and these bytes, whether or not they agree."""

    async def behave(exchange: Exchange) -> None:
        named = {name.replace("_", "-").title(): value for name, value in headers.items()}
        await exchange.head_of(200, {"Content-Type": "application/pdf", **named})
        await exchange.send(body)

    return behave


def coded(body: bytes, coding: str) -> Page:
    return Page(body, headers={"Content-Encoding": coding}, content_type="application/pdf")


def zeros(size: int, wbits: int = 31) -> bytes:
    """A PDF of zeros, compressed."""
    packer = zlib.compressobj(9, wbits=wbits)
    parts = [packer.compress(b"%PDF-1.7\n")]
    parts += [packer.compress(bytes(MEGABYTE)) for _ in range(size // MEGABYTE)]
    return b"".join([*parts, packer.flush()])


def zip_bomb(size: int) -> bytes:
    """A workbook whose only sheet is so large."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open("xl/workbook.xml", "w") as sheet:
            for _ in range(size // MEGABYTE):
                sheet.write(bytes(MEGABYTE))
    return made.getvalue()


BROKEN: Mapping[str, Behaviour] = {
    "/afgekapt.pdf": hostile.truncated(BODY),
    "/zonder-laatste-stuk.pdf": hostile.truncated_chunks(BODY),
    "/gereset.pdf": hostile.reset_in_body(BODY),
    "/gzip-afgekapt.pdf": answer(
        gzip.compress(BODY)[:-9], content_encoding="gzip", content_length=len(gzip.compress(BODY)) - 9
    ),
    "/deflate-afgekapt.pdf": answer(
        zlib.compress(BODY)[:-9], content_encoding="deflate", content_length=len(zlib.compress(BODY)) - 9
    ),
}
UNREACHABLE: Mapping[str, Behaviour] = {
    "/geen-getal.pdf": answer(BODY, content_length="veel"),
    "/negatief.pdf": answer(BODY, content_length=-5),
    "/druppelt.pdf": hostile.dripping(b"%PDF-1.7\n" + b"x" * 100),
    "/druppelende-kop.pdf": hostile.dripping_headers(),
    "/stil.pdf": hostile.silent,
    "/gereset-vooraf.pdf": hostile.reset_before_headers,
    "/geen-http.pdf": hostile.raw(b"220 mail.example ESMTP\r\n"),
    "/eindeloze-kop.pdf": hostile.raw(b"HTTP/1.1 200 OK\r\n" + b"X-Vulling: " + b"x" * MEGABYTE),
}


@hosts.raw_site
def that_breaks_off(site: RawSite) -> None:
    publish(site, *BROKEN, "/goed.pdf")
    site.behaviours |= BROKEN
    site.pages["/goed.pdf"] = Page(BODY)


@hosts.raw_site
def that_does_not_answer(site: RawSite) -> None:
    publish(site, *UNREACHABLE, "/goed.pdf")
    site.behaviours |= UNREACHABLE
    site.pages["/goed.pdf"] = Page(BODY)


@hosts.raw_site
def without_end(site: RawSite) -> None:
    publish(site, "/eindeloos.pdf", "/eindeloos-gzip.pdf", "/lege-delen.pdf")
    empty = gzip.compress(b"") * 1000

    async def packed(exchange: Exchange) -> None:
        await exchange.head(transfer_encoding="chunked", content_encoding="gzip")
        packer = zlib.compressobj(0, wbits=31)
        while True:
            data = packer.compress(bytes(65536))
            await exchange.send(b"%x\r\n%s\r\n" % (len(data), data))

    async def parts(exchange: Exchange) -> None:
        await exchange.head(transfer_encoding="chunked", content_encoding="gzip")
        while True:
            await exchange.send(b"%x\r\n%s\r\n" % (len(empty), empty))

    site.behaviours |= {
        "/eindeloos.pdf": hostile.endless(b"%PDF-1.7\n"),
        "/eindeloos-gzip.pdf": packed,
        "/lege-delen.pdf": parts,
    }


@hosts.site
def with_compressed_documents(site: Site) -> None:
    pages = {
        "/gzip.pdf": coded(gzip.compress(BODY), "gzip"),
        "/x-gzip.pdf": coded(gzip.compress(BODY), "X-GZIP"),
        "/twee-delen.pdf": coded(gzip.compress(BODY[:100]) + gzip.compress(BODY[100:]) + bytes(8), "gzip"),
        "/deflate.pdf": coded(zlib.compress(BODY), "deflate"),
        "/deflate-kaal.pdf": coded(zlib.compress(BODY, wbits=-15), "deflate"),
        "/identity.pdf": coded(BODY, "identity"),
        "/nullen.pdf": coded(zeros(5 * MEGABYTE), "gzip"),
    }
    publish(site, *pages)
    site.pages |= pages


@hosts.site
def with_bombs(site: Site) -> None:
    pages = {
        "/bom.pdf": coded(zeros(300 * MEGABYTE), "gzip"),
        "/bom-deflate.pdf": coded(zeros(300 * MEGABYTE, 15), "deflate"),
        "/bom.xlsx": Page(zip_bomb(200 * MEGABYTE), content_type=XLSX),
    }
    publish(site, *pages)
    site.pages |= pages


@hosts.site
def that_leads_elsewhere(site: Site) -> None:
    targets = (
        "data:application/pdf,%25PDF-1.7",
        "file:///etc/passwd",
        "ftp://localhost/x.pdf",
        "javascript:alert(1)",
        site.url("/doel.pdf").replace("https", "http"),
        site.url("/doel.pdf").replace("https://", "https://naam:wachtwoord@"),
        f"https://127.0.0.1:{site.port}/doel.pdf",
        f"https://[::1]:{site.port}/doel.pdf",
        f"https://2130706433:{site.port}/doel.pdf",
        "https://10.0.0.1/doel.pdf",
        "https://[fd00::1]/doel.pdf",
        "https://169.254.169.254/latest/meta-data/",
        "//een-andere-naam.example/doel.pdf",
        "https://",
        "\x00",
    )
    publish(site, *(f"/{number}.pdf" for number in range(len(targets))))
    site.pages |= {f"/{number}.pdf": redirect(to) for number, to in enumerate(targets) if to != "\x00"}
    site.pages["/doel.pdf"] = Page(BODY)


@hosts.certified(Certificate.EXPIRED)
def with_an_expired_certificate(site: Site) -> None:
    publish(site, "/a.pdf")


@hosts.certified(Certificate.WRONG_NAME)
def with_the_certificate_of_another(site: Site) -> None:
    publish(site, "/a.pdf")


@hosts.certified(Certificate.UNKNOWN_AUTHORITY)
def with_a_certificate_of_nobody_known(site: Site) -> None:
    publish(site, "/a.pdf")


@hosts.certified(Certificate.INCOMPLETE_CHAIN)
def with_an_incomplete_chain(site: Site) -> None:
    publish(site, "/a.pdf")


@hosts.certified(Certificate.SELF_SIGNED)
def with_a_certificate_of_its_own(site: Site) -> None:
    publish(site, "/a.pdf")


@hosts.certified(Certificate.COMPLETE_CHAIN)
def with_a_whole_chain(site: Site) -> None:
    publish(site, "/a.pdf")
    site.pages["/a.pdf"] = Page(BODY)


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
