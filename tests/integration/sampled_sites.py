"""Publishers whose documents are shown by their first bytes only, or are pages that lead to documents."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Mapping
from dataclasses import dataclass

from tests.samples import SAMPLES
from tests.utils import hostile
from tests.utils.hostile import Behaviour, Exchange, RawSite
from tests.utils.publishers import Hosts, document, entry, publish
from woo_harvester.demo.server import Handler, Page, Request, redirect
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import Coded, Entry, html

OCTETS = "application/octet-stream"
MEGABYTE = 1024 * 1024
CONTENTS = {code: path.read_bytes() for code, path in SAMPLES.items()}
LARGE = CONTENTS["PDF"] + b"\n%" + b"x" * 100_000
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


@dataclass(frozen=True)
class Row:
    """What is claimed of a document, and what it is."""

    media_type: str
    extension: str
    content: str
    format: str | None = None


#: Claims that contradict each other or say nothing, and contents that agree with some of them or with none.
ROWS = [
    *(Row(OCTETS, "", code) for code in SAMPLES if code not in ("XLS", "PPT", "PPS", "PPTX", "PPSX")),
    *(Row("application/zip", "", code) for code in ("ZIP", "DOCX", "ODT", "XLSX", "ODF")),
    *(Row("text/plain", ".pdf", code) for code in ("PDF", "TXT", "HTML", "DOCX")),
    *(Row("text/plain", extension, "CSV") for extension in ("", ".csv", ".txt")),
    *(Row("text/plain", ".html", code) for code in ("HTML", "TXT")),
    *(Row("text/plain", "", code) for code in ("PDF", "HTML", "RTF")),
    *(Row("application/save", extension, "PDF") for extension in ("", ".pdf", ".docx")),
    *(Row("application/json", ".csv", code) for code in ("CSV", "PDF")),
    *(Row("image/png", ".pdf", code) for code in ("PDF", "HTML")),
    *(Row("application/pdf", ".docx", code) for code in ("PDF", "DOCX", "HTML")),
    *(Row("text/html", ".pdf", code) for code in ("PDF", "HTML")),
    *(Row("application/pdf", ".ai", code) for code in ("PDF",)),
    *(Row("text/html", "", "PDF", "PDF") for _ in range(1)),
    *(Row("application/zip", ".docx", code, "PDF") for code in ("PDF", "DOCX")),
    *(Row("application/vnd.ms-powerpoint", ".pps", code) for code in ("PPS",)),
    *(Row("application/pdf", ".xls", code) for code in ("XLS",)),
]


@hosts.site
def with_claims_of_all_kinds(site: Site) -> None:
    entries = []
    for number, row in enumerate(ROWS):
        path = f"/d/{number}{row.extension}"
        given = {"format": Coded(row.format)} if row.format else {}
        entries.append(document(site, path, **given))
        site.pages[path] = ranged(CONTENTS[row.content], row.media_type)
    publish(site, *entries)


@hosts.raw_site
def that_sends_all(site: RawSite) -> None:
    """It ignores ranges, and its documents have no end."""

    async def behave(exchange: Exchange) -> None:
        if exchange.request.method == "HEAD":
            await exchange.head(content_type=OCTETS)
            return
        sent.append(0)
        await exchange.head(content_type=OCTETS)
        await exchange.send(LARGE[:1000])
        while sent[-1] < 200 * MEGABYTE:
            await exchange.send(b" " * 65536)
            sent[-1] += 65536
            await asyncio.sleep(0.001)  # else the loop never gets to see that the client has gone

    publish(site, "/d/1")
    site.behaviours["/d/1"] = behave


@hosts.site
def with_a_large_document(site: Site) -> None:
    publish(site, "/d/1", "/d/2", "/d/3")
    packed = gzip.compress(LARGE)
    site.pages |= {
        "/d/1": ranged(LARGE, OCTETS, **{"Content-Disposition": 'attachment; filename="besluit"'}),
        # A part of what is sent, which is coded.
        "/d/2": by_method(Page(content_type=OCTETS), ranged(packed, OCTETS, **{"Content-Encoding": "gzip"})),
        "/d/3": Page(packed, content_type=OCTETS, headers={"Content-Encoding": "gzip"}),
    }


def answering(page: Page | Handler) -> Handler:
    return by_method(Page(content_type="text/plain"), page)


def part(content_range: str) -> Page:
    return Page(b"x" * 100, status=206, content_type="text/plain", headers={"Content-Range": content_range})


#: What a server may answer to the request for the first bytes, instead of these.
REFUSALS: Mapping[str, Page | Handler] = {
    "not satisfiable": Page(status=416, headers={"Content-Range": "bytes */0"}),
    "not allowed": Page(status=405),
    "login": Page("inloggen", status=401, content_type="text/html"),
    "failure": Page("storing", status=500, content_type="text/html"),
    "another part": part("bytes 900-999/20000"),
    "no range": Page(b"x" * 100, status=206, content_type="text/plain"),
    "many parts": Page(b"--x", status=206, content_type="multipart/byteranges; boundary=x"),
    "not modified": Page(status=304),
    "elsewhere": redirect("https://www.niet-geregistreerd.example/a.pdf"),
    "other coding": Page(b"x", content_type="text/plain", headers={"Content-Encoding": "br"}),
    "no content": Page(status=204),
}


@hosts.site
def that_does_not_send_the_beginning(site: Site) -> None:
    publish(site, *(f"/d/{number}.pdf" for number in range(len(REFUSALS))))
    for number, page in enumerate(REFUSALS.values()):
        site.pages[f"/d/{number}.pdf"] = answering(page)


#: The same, for connections that fail.
BROKEN: Mapping[str, Behaviour] = {
    "reset": hostile.reset_before_headers,
    "silent": hostile.silent,
    "no http": hostile.raw(b"220 mail.example ESMTP\r\n"),
}


@hosts.raw_site
def whose_connections_fail(site: RawSite) -> None:
    def behaving(behave: Behaviour) -> Behaviour:
        async def answer(exchange: Exchange) -> None:
            if exchange.request.method == "HEAD":
                await exchange.head(content_type="text/plain")
            else:
                await behave(exchange)

        return answer

    publish(site, *(f"/d/{number}.pdf" for number in range(len(BROKEN))), "/d/afgebroken.pdf")
    for number, behave in enumerate(BROKEN.values()):
        site.behaviours[f"/d/{number}.pdf"] = behaving(behave)
    site.behaviours["/d/afgebroken.pdf"] = behaving(hostile.truncated(CONTENTS["PDF"][:2000]))


@hosts.site
def whose_head_is_wrong(site: Site) -> None:
    """HEAD says something else than GET: that counts which comes with the document."""
    publish(site, "/d/1", "/d/2", "/d/3")
    site.pages |= {
        "/d/1": by_method(Page(content_type="text/html"), ranged(CONTENTS["PDF"], "application/pdf")),
        "/d/2": by_method(Page(content_type=OCTETS), Page(b"", content_type=OCTETS)),
        "/d/3": by_method(
            Page(content_type=OCTETS),
            ranged(CONTENTS["ODT"], OCTETS, **{"Content-Disposition": "attachment; filename=brief.odt"}),
        ),
    }


@hosts.raw_site
def that_refuses_head(site: RawSite) -> None:
    async def behave(exchange: Exchange) -> None:
        if exchange.request.method == "HEAD":
            await exchange.head(405, content_length=0)
            return
        await exchange.head(content_type="text/html", content_length=len(LANDING))
        await exchange.send(LANDING.encode())

    publish(site, "/besluiten/1")
    site.behaviours["/besluiten/1"] = behave


LANDING = html("Besluit 12", "Samenvatting van het besluit.").replace(
    "</p>", "</p><ul><li><a href='/files/12.pdf'>Besluit (PDF, 120 kB)</a></ul>"
)
MANY = LANDING.replace(
    "<ul>", "<ul>" + "".join(f"<li><a href='/files/{number}.docx'>Bijlage</a>" for number in range(5))
)
ELSEWHERE = LANDING.replace("/files", "https://www.niet-geregistreerd.example/files")
ESSAY = LANDING.replace("</h1>", f"</h1><p>{'Het college overweegt het volgende. ' * 100}</p>")
MENU = html("Notulen", "Kort.").replace("<body>", "<body><nav><a href='/privacy.pdf'>Privacy</a></nav>")
LATE = LANDING.replace("<ul>", f"<script>{'x' * 300 * 1024}</script><ul>")
WEB = "text/html; charset=utf-8"


@hosts.site
def with_landing_pages(site: Site) -> None:
    pages: dict[str, Page | Handler] = {
        "/besluiten/1": Page(LANDING, content_type=WEB),
        "/besluiten/2.html": Page(LANDING, content_type=WEB),
        "/besluiten/3": Page(MANY, content_type=WEB),
        "/besluiten/4": Page(LANDING, content_type=OCTETS),
        "/besluiten/verhuisd": redirect("/nieuw/map/"),
        "/nieuw/map/": Page(LANDING.replace("/files/", "../"), content_type=WEB),
    }
    publish(site, *(path for path in pages if path.startswith("/besluiten/")))
    site.pages |= pages


@hosts.site
def with_other_pages(site: Site) -> None:
    pages = {
        "/elders": Page(ELSEWHERE, content_type=WEB),
        "/verhaal": Page(ESSAY, content_type=WEB),
        "/menu": Page(MENU, content_type=WEB),
        "/leeg": Page(html(""), content_type=WEB),
        "/laat": Page(LATE, content_type=WEB),
    }
    publish(site, *pages)
    site.pages |= pages


@hosts.site
def with_pages_instead_of_documents(site: Site) -> None:
    """Something else was claimed: these pages are no landing pages, but refused."""
    publish(site, "/besluit.pdf", document(site, "/besluit", format=Coded("PDF")), "/echt.pdf")
    site.pages |= {
        "/besluit.pdf": Page(LANDING, content_type=WEB),
        "/besluit": Page(LANDING, content_type=WEB),
        "/echt.pdf": Page(CONTENTS["PDF"], content_type=WEB),
    }


@hosts.site
def with_many_pages(site: Site) -> None:
    """More pages, and more documents that only the content shows, than a harvest samples."""
    paths = [f"/p/{number}" for number in range(6)]
    publish(site, *paths, *(f"/d/{number}" for number in range(6)))
    site.pages |= {"/p/*": Page(LANDING, content_type=WEB), "/d/*": ranged(CONTENTS["PDF"], OCTETS)}


@hosts.site
def that_lists_pages_of_another(site: Site) -> None:
    """The number of samples is that of the host that is asked, whoever lists its documents."""
    other = hosts[with_many_pages]
    publish(site, *(Entry(loc=other.url(f"/p/gast-{number}")) for number in range(6)), entry(site, "/eigen"))
    site.pages["/eigen"] = Page(LANDING, content_type=WEB)
