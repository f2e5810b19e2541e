"""Servers that break off, never end, blow up, lead elsewhere or lie: each costs findings, and others nothing.

``tests/sitemaps``, ``tests/downloader`` and ``tests/diwoo`` have the values; here are the wires, in one run.
"""

from __future__ import annotations

import gzip
import io
import sys
import zipfile
import zlib
from collections.abc import Callable, Mapping
from functools import partial

import pytest

from tests.utils import hostile, peak_memory
from tests.utils.hostile import Behaviour, Exchange, RawSite
from tests.utils.publishers import (
    INDEX,
    Builder,
    Harvest,
    Host,
    Hosts,
    Publishers,
    entries_of,
    entry,
    index_of,
    publish,
)
from woo_harvester.demo.server import Certificate, Page, redirect
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import SITEMAP_NAMESPACE, pdf, robots_txt, sitemap

#: In a file of the machine that no record may hold.
SECRET = "geheim-van-deze-machine-8c1f"
MEGABYTE = 1024 * 1024
BODY = pdf("Besluit op bezwaar", pages=3)
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
START = f'<urlset xmlns="{SITEMAP_NAMESPACE}">'.encode()
hosts = Hosts()


@hosts.site
def that_is_good(site: Site) -> None:
    paths = [f"/besluit-{number}.pdf" for number in range(30)]
    publish(site, *paths)
    site.pages |= {path: Page(pdf(path)) for path in paths}


# Files: each of these is served as robots.txt, as index, or as sitemap.

Serve = Callable[[RawSite], Behaviour | Page]
PATHS = {"robots": "/robots.txt", "index": INDEX, "sitemap": "/sitemap.xml"}


def robots(site: RawSite) -> bytes:
    return robots_txt(site.url(INDEX)).encode()


def half(site: RawSite) -> bytes:
    """The first half of a sitemap, with one of its two documents."""
    body = b"".join(entries_of(site, "/a.pdf", "/b.pdf").chunks())
    return body[: body.index(b"/b.pdf")]


#: The kind of file, what is served, and the finding; documents that are harvested nevertheless.
FILES: dict[str, tuple[str, Serve, str, list[str]]] = {
    "silent robots.txt": ("robots", lambda _: hostile.silent, "robots.onbereikbaar", []),
    "endless header": ("robots", lambda _: hostile.dripping_headers(0.1), "robots.onbereikbaar", []),
    "endless": (
        "robots",
        lambda site: hostile.endless(robots(site), b"# niets\n" * 8000),
        "robots.te-groot",
        ["/a.pdf", "/b.pdf"],
    ),
    "cut off robots.txt": (
        "robots",
        lambda site: hostile.truncated(robots(site)),
        "robots.onbereikbaar",
        [],
    ),
    "redirect loop": ("robots", lambda _: redirect("/robots.txt"), "robots.onbereikbaar", []),
    "gzip bomb": ("index", lambda _: Page(hostile.gzip_bomb()), "index.te-groot", []),
    "silent sitemap": ("sitemap", lambda _: hostile.silent, "sitemap.onbereikbaar", []),
    "endless sitemap": ("sitemap", lambda _: hostile.endless(START), "sitemap.te-groot", []),
    "gzip bomb by HTTP": (
        "sitemap",
        lambda _: Page(hostile.gzip_bomb(), headers={"Content-Encoding": "gzip"}),
        "sitemap.te-groot",
        [],
    ),
    "entity bomb": (
        "sitemap",
        lambda site: Page(hostile.entity_bomb(site.url("/x.pdf"))),
        "sitemap.doctype",
        [],
    ),
    "truncated": ("sitemap", lambda site: hostile.truncated(half(site)), "sitemap.afgebroken", ["/a.pdf"]),
}
#: Areas of findings about what a server does; and findings of these areas that are no fault.
FAULTS = {"robots", "index", "sitemap", "document", "tls", "host", "loc"}
ALL_RIGHT = {"robots.andere-sitemap", "sitemap.leeg"}


def serve_file(site: RawSite, kind: str, serve: Serve) -> None:
    publish(site)
    site.pages |= {
        INDEX: index_of(site, "/sitemap.xml"),
        "/sitemap.xml": entries_of(site, "/a.pdf", "/b.pdf"),
        "/a.pdf": Page(pdf("a")),
        "/b.pdf": Page(pdf("b")),
    }
    given = serve(site)
    if isinstance(given, Page):
        site.pages[PATHS[kind]] = given
    else:
        site.behaviours[PATHS[kind]] = given


WITH_FILES: dict[str, Builder] = {
    name: hosts.raw_site(partial(serve_file, kind=kind, serve=serve))
    for name, (kind, serve, _, _) in FILES.items()
}


@hosts.site
def with_xinclude(site: Site) -> None:
    include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{}" parse="text"/>'
    style = b'<?xml-stylesheet type="text/xsl" href="/stijl.xsl"?>'
    publish(site)
    body = sitemap(entry(site, "/a.pdf", raw=include.format("file:///etc/passwd")))
    site.pages |= {
        f"{INDEX}/sitemap.xml": Page(body.replace(b"<urlset", style + b"<urlset")),
        "/a.pdf": Page(pdf("a")),
    }


@hosts.site
def that_asks_for_a_file_of_the_machine(site: Site) -> None:
    publish(site)  # its sitemap comes with the fixture, which knows a file


# Documents


def answer(body: bytes, **headers: str | int) -> Behaviour:
    """These headers and these bytes, whether or not they agree."""

    async def behave(exchange: Exchange) -> None:
        named = {name.replace("_", "-").title(): value for name, value in headers.items()}
        await exchange.head_of(200, {"Content-Type": "application/pdf", **named})
        await exchange.send(body)

    return behave


def endless_parts(part: bytes) -> Behaviour:
    """A gzip stream without end, in chunks."""

    async def behave(exchange: Exchange) -> None:
        await exchange.head(transfer_encoding="chunked", content_encoding="gzip")
        while True:
            await exchange.send(b"%x\r\n%s\r\n" % (len(part), part))

    return behave


def bomb(size: int) -> bytes:
    """A PDF of zeros, compressed."""
    packer = zlib.compressobj(9, wbits=31)
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


CUT = gzip.compress(BODY)[:-9]
#: Documents that are not harvested, by path: what is served, the finding, and a part of what was seen.
DOCUMENTS: Mapping[str, tuple[Behaviour, str, str]] = {
    "/afgekapt.pdf": (hostile.truncated(BODY), "document.afgebroken", ""),
    "/gzip-afgekapt.pdf": (
        answer(CUT, content_encoding="gzip", content_length=len(CUT)),
        "document.afgebroken",
        "",
    ),
    "/geen-getal.pdf": (answer(BODY, content_length="veel"), "document.onbereikbaar", ""),
    "/druppelt.pdf": (hostile.dripping(b"%PDF-1.7\n" + b"x" * 100), "document.onbereikbaar", "time-out"),
    "/druppelende-kop.pdf": (hostile.dripping_headers(), "document.onbereikbaar", "time-out"),
    "/geen-http.pdf": (hostile.raw(b"220 mail.example ESMTP\r\n"), "document.onbereikbaar", ""),
    "/eindeloze-kop.pdf": (
        hostile.raw(b"HTTP/1.1 200 OK\r\n" + b"X-Vulling: " + b"x" * MEGABYTE),
        "document.onbereikbaar",
        "",
    ),
    "/leeg.pdf": (answer(b"", content_length=0), "document.leeg", ""),
    "/eindeloos.pdf": (hostile.endless(b"%PDF-1.7\n"), "document.te-groot", ""),
    "/lege-delen.pdf": (endless_parts(gzip.compress(b"") * 1000), "document.onbereikbaar", ""),
}


@hosts.raw_site
def with_documents_that_go_wrong(site: RawSite) -> None:
    publish(site, *DOCUMENTS, "/goed.pdf")
    site.behaviours |= {path: behave for path, (behave, _, _) in DOCUMENTS.items()}
    site.pages["/goed.pdf"] = Page(gzip.compress(BODY), headers={"Content-Encoding": "gzip"})


@hosts.site
def with_bombs(site: Site) -> None:
    publish(site, "/bom.pdf", "/bom.xlsx")
    site.pages |= {
        "/bom.pdf": Page(bomb(300 * MEGABYTE), headers={"Content-Encoding": "gzip"}),
        "/bom.xlsx": Page(zip_bomb(200 * MEGABYTE), content_type=XLSX),
    }


@hosts.site
def that_leads_elsewhere(site: Site) -> None:
    own = site.url("/doel.pdf")
    targets = (
        "file:///etc/passwd",
        "javascript:alert(1)",
        own.replace("https", "http"),
        own.replace("https://", "https://naam:wachtwoord@"),
        f"https://127.0.0.1:{site.port}/doel.pdf",
        f"https://2130706433:{site.port}/doel.pdf",
        "https://169.254.169.254/latest/meta-data/",
        "//een-andere-naam.example/doel.pdf",
        "https://",
    )
    publish(site, *(f"/{number}.pdf" for number in range(len(targets))))
    site.pages |= {f"/{number}.pdf": redirect(to) for number, to in enumerate(targets)}
    site.pages["/doel.pdf"] = Page(BODY)


# Certificates


def with_one_document(site: Site) -> None:
    publish(site, "/a.pdf")
    site.pages["/a.pdf"] = Page(BODY)


CERTIFICATES = {
    Certificate.EXPIRED: "het certificaat is verlopen (certificate has expired)",
    Certificate.WRONG_NAME: "het certificaat is niet voor de naam van deze host",
    Certificate.UNKNOWN_AUTHORITY: "het tussenliggende certificaat ontbreekt, of de uitgever",
    Certificate.INCOMPLETE_CHAIN: "het tussenliggende certificaat ontbreekt, of de uitgever",
    Certificate.SELF_SIGNED: "het certificaat is door de server zelf ondertekend",
    Certificate.COMPLETE_CHAIN: "",
}
CERTIFIED: dict[Certificate, Builder] = {
    certificate: hosts.certified(certificate)(partial(with_one_document)) for certificate in CERTIFICATES
}


@hosts.site
def that_lists_a_document_on_a_host_with_a_bad_certificate(site: Site) -> None:
    elsewhere = hosts[CERTIFIED[Certificate.EXPIRED]].url("/b.pdf")
    publish(site, entry(site, "/b.pdf", loc=elsewhere), "/a.pdf")
    site.pages["/a.pdf"] = Page(BODY)


SETTINGS = {
    **peak_memory.SETTINGS,
    "DOWNLOAD_TIMEOUT": 8,
    "RETRY_TIMES": 1,
    "WOO_RETRY_BACKOFF": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "WOO_DOCUMENT_TIMEOUT": 8,
    "WOO_DOCUMENT_MAXSIZE": 20 * MEGABYTE,
    "WOO_INDEX_MAXSIZE": 5 * MEGABYTE,
    "WOO_SITEMAP_MAXSIZE": 5 * MEGABYTE,
}


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    publishers.start(hosts)
    file = publishers.folder / "geheim.txt"
    file.write_text(SECRET)
    site = publishers.sites[that_asks_for_a_file_of_the_machine]
    asking = hostile.external_entity(site.url("/a.pdf"), file.as_uri())
    site.pages[f"{INDEX}/sitemap.xml"] = Page(asking)
    return publishers.crawl("-a", "documents=download", settings=SETTINGS, timeout=300, fresh=True)


def test_the_run_ends_well_and_takes_little_memory(harvest: Harvest) -> None:
    run = harvest.run
    assert (run.returncode, run.stats["finish_reason"]) == (0, "finished")
    assert run.stats["woo/hosts/done"] == len(hosts.sites)
    assert "Traceback" not in run.stderr
    assert " ERROR: " not in run.stderr
    assert not [key for key in run.stats if key.startswith("spider_exceptions")]
    if sys.platform == "linux":  # only there it is measured
        assert run.stats["peak"] < 350
    assert (len(harvest[that_is_good].paths), harvest[that_is_good].errors) == (30, set())


def test_each_bad_file_is_one_finding(harvest: Harvest) -> None:
    for name, (_, _, code, paths) in FILES.items():
        host = harvest[WITH_FILES[name]]
        found = {line["code"] for line in host.findings if line["code"].split(".")[0] in FAULTS}
        assert (found - ALL_RIGHT, host.paths) == ({code}, paths), name


def test_nothing_of_the_machine_is_read(harvest: Harvest) -> None:
    written = str((harvest.run.records, harvest.run.findings, harvest.run.stats))
    assert SECRET not in written
    assert "root:x:0" not in written
    assert harvest[that_asks_for_a_file_of_the_machine].errors == {"sitemap.doctype"}
    host = harvest[with_xinclude]
    assert (host.paths, host.requested("/stijl.xsl")) == (["/a.pdf"], [])


def finding(host: Host, path: str) -> tuple[str, str]:
    """The code of the only error about a document, and what was seen."""
    errors = [found for found in host.findings if found["severity"] == "error"]
    (found,) = [found for found in errors if found["url"] == host.site.url(path)]
    return found["code"], found["seen"]


def test_each_bad_document_is_one_finding(harvest: Harvest) -> None:
    host = harvest[with_documents_that_go_wrong]
    for path, (_, code, seen) in DOCUMENTS.items():
        reported = finding(host, path)
        assert (reported[0], seen in reported[1]) == (code, True), path
        if code == "document.afgebroken":
            assert host.requested(path) == ["GET", "GET"], path
    assert host.paths == ["/goed.pdf"]
    (file,) = host.record("/goed.pdf")["versies"][0]["bestanden"]
    assert file["grootte"] == len(BODY), "compression that nobody asked for is undone"


def test_bombs_are_not_unpacked(harvest: Harvest) -> None:
    host = harvest[with_bombs]
    code, seen = finding(host, "/bom.pdf")
    assert code == "document.te-groot"
    assert int(seen.split()[0]) < 60 * MEGABYTE
    (file,) = host.record("/bom.xlsx")["versies"][0]["bestanden"]
    assert file["grootte"] < MEGABYTE


def test_redirects_that_are_not_https_to_a_registered_host_are_refused(harvest: Harvest) -> None:
    host = harvest[that_leads_elsewhere]
    assert (host.paths, host.requested("/doel.pdf")) == ([], [])
    listed = {found["url"] for found in host.findings if found["code"] == "document.doorverwijzing"}
    assert len(listed) == len(host.site.pages) - 4  # robots.txt, index, sitemap and the target


def test_what_is_wrong_with_a_certificate_is_reported(harvest: Harvest) -> None:
    for certificate, seen in CERTIFICATES.items():
        host = harvest[CERTIFIED[certificate]]
        if seen:
            assert [found["seen"].startswith(seen) for found in host.about("tls.ongeldig")] == [True], seen
            assert not host.requests
        else:
            assert host.paths == ["/a.pdf"]
    lists = harvest[that_lists_a_document_on_a_host_with_a_bad_certificate]
    assert (lists.errors, lists.paths) == ({"tls.ongeldig"}, ["/a.pdf"])


def test_nothing_is_asked_of_a_host_with_a_private_address(publishers: Publishers, harvest: Harvest) -> None:
    port = harvest[that_is_good].site.port
    private = (
        f"localhost:{port},127.0.0.1:{port},[::1]:{port},169.254.169.254,10.0.0.1,[fd00::1],0.0.0.0:{port}"
    )
    guarded = publishers.crawl("-a", f"domains={private}", settings={"WOO_ALLOW_PRIVATE_HOSTS": 0})
    assert guarded[that_is_good].requests == ()
    assert (guarded.run.records, guarded.run.returncode) == ([], 1)
    assert len(guarded.run.about("host.prive-adres")) == guarded.run.stats["woo/hosts/selected"] == 7
    assert guarded.run.stderr.splitlines()[-1].startswith(
        "scrapy crawl: error: nothing could be read of 7 hosts, such as "
    )
