"""Publishers that serve bad robots.txt files, indexes, sitemaps, documents and certificates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from tests.utils import hostile
from tests.utils.hostile import Behaviour, RawSite
from tests.utils.publishers import (
    INDEX,
    XML,
    Builder,
    Hosts,
    entries_of,
    entry,
    index_of,
    publish,
)
from woo_harvester.demo.server import Certificate, Page, redirect
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import SITEMAP_NAMESPACE, html_page, pdf, robots_txt, sitemap

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


# Each of these is served as robots.txt, as index, as sitemap, or as document.


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
    "no answer": (lambda _: hostile.raw(b""), "robots.onbereikbaar"),
    "endless header": (lambda _: hostile.dripping_headers(0.1), "robots.onbereikbaar"),
    "endless slow body": (lambda _: hostile.endless(b"#", b"#", 0.1), "robots.onbereikbaar"),
    "endless body": (lambda site: hostile.endless(robots(site), b"# niets\n" * 8000), "robots.te-groot"),
    "cut off": (lambda site: hostile.truncated(robots(site)), "robots.onbereikbaar"),
    "NUL bytes": (lambda _: Page(bytes(1000)), "robots.geen-diwoo-index"),
    "redirect loop": (lambda _: redirect("/robots.txt"), "robots.onbereikbaar"),
    "redirect to nowhere": (lambda _: redirect("https://"), "robots.onbereikbaar"),
    "redirect to a file": (lambda _: redirect("file:///etc/passwd"), "robots.onbereikbaar"),
    "redirect to no URL": (lambda _: redirect("https://["), "robots.onbereikbaar"),
    "location with 404": (lambda _: redirect("/a.pdf", status=404), "robots.ontbreekt"),
    "location with 200": (lambda _: redirect("/a.pdf", status=200), "robots.geen-diwoo-index"),
}
INDEXES: dict[str, tuple[Serve, str]] = {
    "silent": (lambda _: hostile.silent, "index.onbereikbaar"),
    "cut off": (lambda site: hostile.truncated(START.replace(b"urlset", b"sitemapindex")), "index.ongeldig"),
    "lists itself": (lambda site: index_of(site, INDEX), "index.genest"),
    "entity bomb": (lambda site: Page(hostile.entity_bomb(site.url("/x.pdf"))), "sitemap.doctype"),
    "external entity": (lambda site: Page(hostile.external_entity(site.url("/x.pdf"))), "sitemap.doctype"),
    "gzip bomb": (lambda _: Page(hostile.gzip_bomb()), "index.te-groot"),
    "not XML": (lambda _: Page(b"\x89PNG\r\n\x1a\n\x00\x00"), "index.ongeldig"),
    "HTML": (lambda _: html_page("Niet gevonden"), "index.ongeldig"),
}
SITEMAPS: dict[str, tuple[Serve, str]] = {
    "silent": (lambda _: hostile.silent, "sitemap.onbereikbaar"),
    "reset": (lambda _: hostile.reset_before_headers, "sitemap.onbereikbaar"),
    "slow body": (lambda site: hostile.dripping(listing(site), 0.1), "sitemap.onbereikbaar"),
    "endless header": (lambda _: hostile.dripping_headers(0.1), "sitemap.onbereikbaar"),
    "endless body": (lambda _: hostile.endless(START), "sitemap.te-groot"),
    "not HTTP": (lambda _: hostile.raw(b"\x00\x01\x02\r\n\r\n"), "sitemap.onbereikbaar"),
    "redirect loop": (lambda _: redirect("/sitemap.xml"), "sitemap.onbereikbaar"),
    "not XML": (lambda _: Page(b'{"documenten": []}'), "sitemap.ongeldig"),
    "HTML": (lambda _: html_page("Niet gevonden"), "sitemap.ongeldig"),
    "100 MB": (lambda _: hostile.large(), "sitemap.te-groot"),
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
    "deep nesting": (lambda _: Page(START + b"<url>" * 100_000), "sitemap.ongeldig"),
    "nothing": (lambda _: Page(b""), "sitemap.ongeldig"),
    "only zeros": (lambda _: Page(bytes(5000)), "sitemap.ongeldig"),
}
#: What comes of the two documents of a sitemap in odd bytes.
ODD_BYTES = {
    "byte order mark": ("", 2),
    "white space first": ("sitemap.ongeldig", 0),
    "UTF-16": ("", 2),
    "declared UTF-16, is UTF-8": ("sitemap.ongeldig", 0),
    "declared UTF-8, is Latin-1": ("sitemap.ongeldig", 0),
    "unknown encoding": ("sitemap.ongeldig", 0),
    "NUL bytes": ("sitemap.ongeldig", 0),
    "control characters": ("sitemap.ongeldig", 0),
    "gzip": ("", 2),
    "gzip twice": ("", 2),
    "gzip cut short": ("sitemap.afgebroken", 0),
    "rubbish after the end": ("sitemap.ongeldig", 2),
    "only zeros": ("sitemap.ongeldig", 0),
    "nothing": ("sitemap.ongeldig", 0),
}
#: A sitemap that is cut off after its first document.
CUT_OFF: dict[str, Callable[[bytes], Behaviour]] = {
    "truncated": hostile.truncated,
    "truncated chunks": hostile.truncated_chunks,
    "reset": hostile.reset_in_body,
}
DOCUMENTS: dict[str, tuple[Serve, str]] = {
    "silent": (lambda _: hostile.silent, "document.onbereikbaar"),
    "reset": (lambda _: hostile.reset_before_headers, "document.onbereikbaar"),
    "slow body": (lambda _: hostile.dripping(pdf("x"), 0.1), "document.onbereikbaar"),
    "endless body": (lambda _: hostile.endless(b"%PDF-1.4"), "document.te-groot"),
    "truncated chunks": (lambda _: hostile.truncated_chunks(pdf("x")), "document.afgebroken"),
    "not HTTP": (lambda _: hostile.raw(b"HTTP/9.9 999 \r\n\r\n"), "document.onbereikbaar"),
    "redirect to credentials": (
        lambda site: redirect(f"https://a:b@{site.host}/b.pdf"),
        "document.doorverwijzing",
    ),
    "redirect to javascript": (lambda _: redirect("javascript:alert(1)"), "document.doorverwijzing"),
    "redirect to no URL": (lambda _: redirect("https://["), "document.doorverwijzing"),
    "location with 404": (lambda _: redirect("/b.pdf", status=404), "document.onbereikbaar"),
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


def odd_listing(change: Callable[[bytes], bytes], site: RawSite) -> Page:
    return Page(change(listing(site)), content_type=XML)


def cut_listing(cut: Callable[[bytes], Behaviour], site: RawSite) -> Behaviour:
    return cut(before_the_end(listing(site)))


build_all("robots", "/robots.txt", {name: serve for name, (serve, _) in ROBOTS.items()})
build_all("index", INDEX, {name: serve for name, (serve, _) in INDEXES.items()})
build_all("sitemap", "/sitemap.xml", {name: serve for name, (serve, _) in SITEMAPS.items()})
build_all("document", "/a.pdf", {name: serve for name, (serve, _) in DOCUMENTS.items()})
build_all("odd", "/sitemap.xml", {name: partial(odd_listing, hostile.ODD_BYTES[name]) for name in ODD_BYTES})
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


@hosts.certified(Certificate.WRONG_NAME)
def with_a_certificate_for_another_name(site: Site) -> None:
    publish(site, "/a.pdf")


@hosts.certified(Certificate.UNKNOWN_AUTHORITY)
def with_a_certificate_of_nobody(site: Site) -> None:
    publish(site, "/a.pdf")


@hosts.site
def that_lists_documents_on_a_host_with_a_bad_certificate(site: Site) -> None:
    elsewhere = hosts[with_an_expired_certificate].url("/a.pdf")
    publish(site, entry(site, "/a.pdf", loc=elsewhere), "/b.pdf")
    site.pages["/b.pdf"] = Page(pdf("b"))


@hosts.site
def that_asks_for_a_file_of_the_machine(site: Site) -> None:
    publish(site)  # its sitemap comes with the fixture, which knows a file
