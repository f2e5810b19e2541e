"""Publishers whose documents have names, types, sizes and redirects of all kinds."""

from __future__ import annotations

import asyncio

from tests.utils import hostile
from tests.utils.hostile import Exchange, RawSite
from tests.utils.publishers import Hosts, document, publish
from woo_harvester.demo.server import Page, redirect
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import DOCX_TYPE, Coded, docx, html_page, pdf, pdf_page

BODY = pdf("Besluit op bezwaar", pages=3)
MEGABYTE = 1024 * 1024
#: Bytes of a large document that its server could send, of each request for it.
sent: list[int] = []
hosts = Hosts()


@hosts.site
def with_good_documents(site: Site) -> None:
    publish(site, "/besluit.pdf", "/brief.docx")
    site.pages |= {
        "/besluit.pdf": Page(BODY),
        "/brief.docx": Page(docx("Geachte heer"), content_type=f"{DOCX_TYPE}; charset=binary"),
    }


@hosts.site
def with_names_in_content_disposition(site: Site) -> None:
    names = {
        "/1/download": 'attachment; filename="Besluit op Woo-verzoek.pdf"',
        "/2/download": "attachment; filename*=UTF-8''Besluit%20%C3%A9%C3%A9n.pdf; filename=besluit.pdf",
        "/3/download": 'attachment; filename="../../etc/passwd.pdf"',
        "/4/download": "inline",
        "/5/download": "attachment; filename=",
    }
    publish(site, *names)
    for path, disposition in names.items():
        site.pages[path] = Page(
            BODY, headers={"Content-Disposition": disposition}, content_type="application/pdf"
        )


@hosts.site
def without_extensions(site: Site) -> None:
    publish(site, "/documenten/1/download", "/documenten/2/download", "/documenten/3/download")
    octets = "application/octet-stream"
    site.pages |= {
        "/documenten/1/download": Page(BODY, content_type="application/pdf"),
        "/documenten/2/download": Page(
            docx("Brief"),
            headers={"Content-Disposition": "attachment; filename=brief.docx"},
            content_type=octets,
        ),
        "/documenten/3/download": Page(BODY, content_type=octets),
    }


@hosts.site
def with_types_that_are_not_harvested(site: Site) -> None:
    publish(
        site,
        "/foto.jpg",
        "/gegevens",
        document(site, "/verklaard.pdf", format=Coded("JPEG")),
        document(site, "/tabel", format=Coded("CSV")),
    )
    site.pages |= {
        "/foto.jpg": Page(b"\xff\xd8\xff", content_type="image/jpeg"),
        "/gegevens": Page(b"{}", content_type="application/json"),
        "/verklaard.pdf": Page(BODY),
        "/tabel": Page(b"a;b\n", content_type="text/plain"),
    }


@hosts.site
def with_a_page_instead_of_a_document(site: Site) -> None:
    publish(site, "/besluit.pdf", "/echte-pagina.html", document(site, "/x/1", format=Coded("PDF")))
    page = html_page("Inloggen")
    site.pages |= {"/besluit.pdf": page, "/echte-pagina.html": page, "/x/1": page}


@hosts.site
def with_contradictions(site: Site) -> None:
    publish(site, "/besluit.docx", document(site, "/b", format=Coded("PDF")))
    site.pages |= {"/besluit.docx": pdf_page("x"), "/b": Page(docx("x"), content_type=DOCX_TYPE)}


@hosts.site
def with_documents_that_cannot_be_had(site: Site) -> None:
    publish(site, "/weg.pdf", "/storing.pdf", "/besloten.pdf", "/leeg.pdf", "/goed.pdf")
    site.pages |= {
        "/storing.pdf": Page("storing", status=500),
        "/besloten.pdf": Page("inloggen", status=401),
        "/leeg.pdf": Page(b"", headers={"Content-Length": "0"}),
        "/goed.pdf": Page(BODY),
    }


@hosts.site
def with_large_documents(site: Site) -> None:
    publish(site, "/groot.pdf", "/te-groot.pdf", "/te-groot-zonder-lengte.pdf")
    site.pages |= {
        "/groot.pdf": Page(b"%PDF-1.4 " + b"x" * (MEGABYTE - 9)),
        "/te-groot.pdf": Page(b"%PDF-1.4 " + b"x" * (MEGABYTE + 1)),
        "/te-groot-zonder-lengte.pdf": Page(lambda: [b"x" * 65536] * 20),
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


@hosts.raw_site
def with_documents_that_break_off(site: RawSite) -> None:
    publish(site, "/a.pdf", "/b.pdf", "/goed.pdf")
    site.pages["/goed.pdf"] = Page(BODY)
    site.behaviours |= {"/a.pdf": hostile.truncated(BODY), "/b.pdf": hostile.reset_in_body(BODY)}


@hosts.site
def with_redirects(site: Site) -> None:
    targets = {
        "/verhuisd": "/nieuw/besluit.pdf",
        "/naar-elders": hosts[that_is_redirected_to].url("/elders.pdf"),
        "/naar-http": site.url("/doel.pdf").replace("https", "http"),
        "/naar-bestand": "file:///etc/passwd",
        "/naar-vreemde": f"https://127.0.0.1:{site.port}/doel.pdf",
        "/naar-binnen": "https://169.254.169.254/latest/meta-data/",
        "/rond": "/rond",
    }
    publish(site, *(f"{path}.pdf" for path in targets))
    site.pages |= {
        f"{path}.pdf": redirect(f"{to}.pdf" if to == "/rond" else to) for path, to in targets.items()
    }
    site.pages |= {"/nieuw/besluit.pdf": Page(BODY), "/doel.pdf": Page(BODY)}


@hosts.site
def that_is_redirected_to(site: Site) -> None:
    publish(site)
    site.pages["/elders.pdf"] = Page(BODY)
