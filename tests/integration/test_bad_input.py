"""Whatever a publisher serves: a finding with the right code, and the other hosts untouched.

``test_hostile_documents.py`` has documents and certificates, ``tests/sitemaps/test_reader.py`` the
bytes of a file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pytest

from tests.utils import hostile
from tests.utils.hostile import Behaviour, RawSite
from tests.utils.publishers import (
    INDEX,
    XML,
    Builder,
    Harvest,
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
START = f'<urlset xmlns="{SITEMAP_NAMESPACE}">'.encode()
hosts = Hosts()
Serve = Callable[[RawSite], Behaviour | Page]


@hosts.site
def that_is_good(site: Site) -> None:
    paths = [f"/besluit-{number}.pdf" for number in range(30)]
    publish(site, *paths)
    site.pages |= {path: Page(pdf(path)) for path in paths}


def answer(path: str, serve: Serve, site: RawSite) -> None:
    given = serve(site)
    if isinstance(given, Page):
        site.pages[path] = given
    else:
        site.behaviours[path] = given


# Each of these is served as robots.txt, as index, or as sitemap.


def robots(site: RawSite) -> bytes:
    return robots_txt(site.url(INDEX)).encode()


def listing(site: RawSite) -> bytes:
    return b"".join(entries_of(site, "/a.pdf", "/b.pdf").chunks())


def before_the_end(body: bytes) -> bytes:
    return body[: body.index(b"/b.pdf")]


ROBOTS: dict[str, tuple[Serve, str]] = {
    "silent": (lambda _: hostile.silent, "robots.onbereikbaar"),
    "reset": (lambda _: hostile.reset_before_headers, "robots.onbereikbaar"),
    "not HTTP": (lambda _: hostile.raw(b"SSH-2.0-OpenSSH_9.6\r\n"), "robots.onbereikbaar"),
    "endless header": (lambda _: hostile.dripping_headers(0.1), "robots.onbereikbaar"),
    "endless slow body": (lambda _: hostile.endless(b"#", b"#", 0.1), "robots.onbereikbaar"),
    "endless body": (lambda site: hostile.endless(robots(site), b"# niets\n" * 8000), "robots.te-groot"),
    "cut off": (lambda site: hostile.truncated(robots(site)), "robots.onbereikbaar"),
    "redirect loop": (lambda _: redirect("/robots.txt"), "robots.onbereikbaar"),
}
INDEXES: dict[str, tuple[Serve, str]] = {
    "silent": (lambda _: hostile.silent, "index.onbereikbaar"),
    "cut off": (lambda site: hostile.truncated(START.replace(b"urlset", b"sitemapindex")), "index.ongeldig"),
    "entity bomb": (lambda site: Page(hostile.entity_bomb(site.url("/x.pdf"))), "sitemap.doctype"),
    "external entity": (lambda site: Page(hostile.external_entity(site.url("/x.pdf"))), "sitemap.doctype"),
    "gzip bomb": (lambda _: Page(hostile.gzip_bomb()), "index.te-groot"),
}
SITEMAPS: dict[str, tuple[Serve, str]] = {
    "silent": (lambda _: hostile.silent, "sitemap.onbereikbaar"),
    "endless body": (lambda _: hostile.endless(START), "sitemap.te-groot"),
    "gzip bomb": (lambda _: Page(hostile.gzip_bomb()), "sitemap.te-groot"),
    "gzip bomb by HTTP": (
        lambda _: Page(hostile.gzip_bomb(), headers={"Content-Encoding": "gzip"}, content_type=XML),
        "sitemap.te-groot",
    ),
    "unknown compression": (
        lambda site: Page(listing(site), headers={"Content-Encoding": "rar"}, content_type=XML),
        "",
    ),
    "entity bomb": (lambda site: Page(hostile.entity_bomb(site.url("/x.pdf"))), "sitemap.doctype"),
    "external entity": (lambda site: Page(hostile.external_entity(site.url("/x.pdf"))), "sitemap.doctype"),
}
#: A sitemap that is cut off after its first document.
CUT_OFF: dict[str, Callable[[bytes], Behaviour]] = {
    "truncated": hostile.truncated,
    "truncated chunks": hostile.truncated_chunks,
    "reset": hostile.reset_in_body,
}
#: Areas of findings about what a server does; and findings of these areas that tell no fault.
FAULTS = {"robots", "index", "sitemap", "document", "tls", "host", "loc"}
ALL_RIGHT = {"robots.andere-sitemap", "sitemap.leeg"}
built: dict[tuple[str, str], Builder] = {}


def build(kind: str, name: str, fill: Callable[[RawSite], None]) -> None:
    """Declares a host that nothing but *fill* tells apart from a good one."""

    def builder(site: RawSite) -> None:
        publish(site)
        site.pages |= {
            INDEX: index_of(site, "/sitemap.xml"),
            "/sitemap.xml": entries_of(site, "/a.pdf", "/b.pdf"),
            "/a.pdf": Page(pdf("a")),
            "/b.pdf": Page(pdf("b")),
        }
        fill(site)

    built[kind, name] = hosts.raw_site(builder)


def build_all(kind: str, path: str, served: Mapping[str, Serve]) -> None:
    for name, serve in served.items():
        build(kind, name, partial(answer, path, serve))


def cut_listing(cut: Callable[[bytes], Behaviour], site: RawSite) -> Behaviour:
    return cut(before_the_end(listing(site)))


build_all("robots", "/robots.txt", {name: serve for name, (serve, _) in ROBOTS.items()})
build_all("index", INDEX, {name: serve for name, (serve, _) in INDEXES.items()})
build_all("sitemap", "/sitemap.xml", {name: serve for name, (serve, _) in SITEMAPS.items()})
build_all("cut", "/sitemap.xml", {name: partial(cut_listing, cut) for name, cut in CUT_OFF.items()})


@hosts.site
def with_xinclude(site: Site) -> None:
    include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{}" parse="text"/>'
    style = b'<?xml-stylesheet type="text/xsl" href="/stijl.xsl"?>'
    publish(site)
    site.pages |= {
        f"{INDEX}/sitemap.xml": Page(
            sitemap(entry(site, "/a.pdf", raw=include.format("file:///etc/passwd"))).replace(
                b"<urlset", style + b"<urlset"
            )
        ),
        "/a.pdf": Page(pdf("a")),
    }


@hosts.certified(Certificate.EXPIRED)
def with_an_expired_certificate(site: Site) -> None:
    publish(site, "/a.pdf")


@hosts.site
def that_lists_documents_on_a_host_with_a_bad_certificate(site: Site) -> None:
    elsewhere = hosts[with_an_expired_certificate].url("/a.pdf")
    publish(site, entry(site, "/a.pdf", loc=elsewhere), "/b.pdf")
    site.pages["/b.pdf"] = Page(pdf("b"))


@hosts.site
def that_asks_for_a_file_of_the_machine(site: Site) -> None:
    publish(site)  # its sitemap comes with the fixture, which knows a file


SETTINGS = {
    "DOWNLOAD_TIMEOUT": 8,
    "WOO_DOCUMENT_TIMEOUT": 8,
    "WOO_DOCUMENT_MAXSIZE": MEGABYTE,
    "WOO_INDEX_MAXSIZE": 5 * MEGABYTE,
    "WOO_SITEMAP_MAXSIZE": 5 * MEGABYTE,
    "RETRY_TIMES": 1,
}


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    publishers.start(hosts)
    file = publishers.folder / "geheim.txt"
    file.write_text(SECRET)
    site = publishers.sites[that_asks_for_a_file_of_the_machine]
    asking = hostile.external_entity(site.url("/a.pdf"), file.as_uri())
    site.pages[f"{INDEX}/sitemap.xml"] = Page(asking)
    return publishers.crawl("-a", "documents=download", settings=SETTINGS)


@pytest.fixture(scope="module")
def guarded(publishers: Publishers, harvest: Harvest) -> Harvest:
    """A run that may not connect to private addresses."""
    port = harvest[that_is_good].site.port
    private = (
        f"localhost:{port},127.0.0.1:{port},[::1]:{port},169.254.169.254,10.0.0.1,[fd00::1],0.0.0.0:{port}"
    )
    given = f"domains={private}"
    return publishers.crawl("-a", given, settings={**SETTINGS, "WOO_ALLOW_PRIVATE_HOSTS": 0})


def test_the_run_ends_well(harvest: Harvest) -> None:
    assert harvest.run.returncode == 0
    assert harvest.run.stats["finish_reason"] == "finished"
    assert harvest.run.stats["woo/hosts/done"] == len(hosts.sites)


def test_no_traceback_and_no_error_is_on_stderr(harvest: Harvest) -> None:
    assert "Traceback" not in harvest.run.stderr
    assert " ERROR: " not in harvest.run.stderr
    assert not [key for key in harvest.run.stats if key.startswith("spider_exceptions")]


def test_the_good_host_is_untouched(harvest: Harvest) -> None:
    host = harvest[that_is_good]
    assert len(host.paths) == 30
    assert not host.errors


def test_nothing_of_the_machine_is_in_what_was_written(harvest: Harvest) -> None:
    written = str((harvest.run.records, harvest.run.findings, harvest.run.stats))
    assert SECRET not in written
    assert "root:x:0" not in written


def check(harvest: Harvest, kind: str, name: str, code: str) -> None:
    """The host has this fault and no other."""
    host = harvest[built[kind, name]]
    told = {found["code"] for found in host.findings if found["code"].split(".")[0] in FAULTS}
    assert told - ALL_RIGHT == ({code} if code else set())


@pytest.mark.parametrize("name", list(ROBOTS))
def test_a_bad_robots_txt_is_reported(harvest: Harvest, name: str) -> None:
    check(harvest, "robots", name, ROBOTS[name][1])


@pytest.mark.parametrize("name", list(INDEXES))
def test_a_bad_index_is_reported(harvest: Harvest, name: str) -> None:
    check(harvest, "index", name, INDEXES[name][1])


@pytest.mark.parametrize("name", list(SITEMAPS))
def test_a_bad_sitemap_is_reported(harvest: Harvest, name: str) -> None:
    check(harvest, "sitemap", name, SITEMAPS[name][1])


@pytest.mark.parametrize("name", list(CUT_OFF))
def test_of_a_sitemap_that_is_cut_off_the_entries_before_it_are_kept(harvest: Harvest, name: str) -> None:
    check(harvest, "cut", name, "sitemap.afgebroken")
    assert harvest[built["cut", name]].paths == ["/a.pdf"]


def test_an_endless_robots_txt_is_read_up_to_its_bound(harvest: Harvest) -> None:
    assert harvest[built["robots", "endless body"]].paths == ["/a.pdf", "/b.pdf"]


def test_a_document_on_a_host_with_a_bad_certificate_is_reported(harvest: Harvest) -> None:
    host = harvest[that_lists_documents_on_a_host_with_a_bad_certificate]
    assert host.errors == {"tls.ongeldig"}
    assert host.paths == ["/b.pdf"]


def test_what_xml_can_include_is_not_fetched(harvest: Harvest) -> None:
    host = harvest[with_xinclude]
    assert host.paths == ["/a.pdf"]
    assert host.requested("/stijl.xsl") == []


def test_a_doctype_is_refused_before_anything_is_read_of_it(harvest: Harvest) -> None:
    host = harvest[that_asks_for_a_file_of_the_machine]
    assert host.errors == {"sitemap.doctype"}
    assert host.paths == []


def test_nothing_is_asked_of_a_host_with_a_private_address(guarded: Harvest) -> None:
    assert guarded[that_is_good].requests == ()
    assert guarded.run.records == []
    assert len(guarded.run.about("host.prive-adres")) == guarded.run.stats["woo/hosts/selected"] == 7
    assert guarded.run.returncode == 1
    assert guarded.run.stderr.splitlines()[-1].startswith(
        "scrapy crawl: error: nothing could be read of 7 hosts, such as "
    )
    assert "Traceback" not in guarded.run.stderr
