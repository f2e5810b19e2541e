"""How files and documents are requested, and the whole of a record: one run over many hosts.

What is read of a file, and what becomes of each value, is tested where it is decided: ``tests/sitemaps``,
``tests/crawl``, ``tests/downloader`` and ``tests/diwoo``. ``test_audit.py`` has a publisher for each finding.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import pytest

from tests.utils.publishers import (
    INDEX,
    Harvest,
    Hosts,
    Publishers,
    document,
    entries_of,
    entry,
    gzipped,
    index_of,
    publish,
    robots_of,
)
from woo_harvester.demo.server import Handler, Page, redirect
from woo_harvester.demo.site import Location, RooEntry, Site
from woo_harvester.demo.sitemaps import (
    GEMEENTE,
    ONDERTEKENING,
    PDF,
    WATERSCHAP,
    Coded,
    DiWoo,
    Entry,
    Handeling,
    categorie,
    html,
    pdf_page,
    sitemapindex,
)

INFOCAT = "/sitemapindex-diwoo-infocat010.xml"
SITEMAP = f"{INDEX}/sitemap.xml"
COMPLETE = DiWoo(
    publisher=GEMEENTE,
    verantwoordelijke=WATERSCHAP,
    titel="Besluit over de haven",
    informatiecategorieen=[categorie(14)],
    creatiedatum="2024-03-28",
    format=PDF,
    handelingen=[Handeling(ONDERTEKENING, "2024-03-28T09:00:00", GEMEENTE)],
)
SPECIAL = (
    "/doc/beslu%C3%AFt%20%232.pdf",
    "/doc/ge\u00ebtst.pdf",
    "/doc/a.pdf?id=1&naam=b",
    "/doc/a.pdf?id=2",
)
hosts = Hosts()


def elsewhere(site: Site, path: str) -> str:
    """Return a URL of the site under a name that nobody registered."""
    return f"https://127.0.0.1:{site.port}{path}"


@hosts.site
def with_moved_robots(site: Site) -> None:
    """Its robots.txt and one index moved, another moved to where nothing may be asked for."""
    publish(site, "/a.pdf")
    site.pages |= {
        "/robots.txt": redirect("/robots2.txt", 301),
        "/robots2.txt": robots_of(site, INFOCAT, INDEX, "/sitemapindex-diwoo-infocat011.xml"),
        INFOCAT: redirect("/verhuisd.xml", 301),
        "/verhuisd.xml": index_of(site, "/b.xml"),
        "/b.xml": entries_of(site, "/b.pdf"),
        "/sitemapindex-diwoo-infocat011.xml": redirect(elsewhere(site, "/vreemd.xml")),
    }


def with_status(site: Site, path: str, status: int) -> None:
    """Have the site answer completely, with a status that says that it does not."""
    publish(site, "/a.pdf")
    page = site.pages[path]
    assert isinstance(page, Page)
    site.pages[path] = Page(page.body, status=status, content_type=page.content_type)


@hosts.site
def with_a_partial_robots(site: Site) -> None:
    with_status(site, "/robots.txt", 206)


@hosts.site
def with_a_partial_index(site: Site) -> None:
    with_status(site, INDEX, 206)


@hosts.site
def with_a_partial_sitemap(site: Site) -> None:
    with_status(site, SITEMAP, 206)


@hosts.site
def with_files_of_which_another_host_names_some(site: Site) -> None:
    publish(site, "/a.pdf")
    site.pages |= {
        INFOCAT: index_of(site, "/b.xml"),
        "/b.xml": entries_of(site, "/b.pdf"),
        "/c.xml": entries_of(site, "/c.pdf"),
    }


@hosts.site
def naming_files_on_another_registered_host(site: Site) -> None:
    other = hosts[with_files_of_which_another_host_names_some]
    publish(site, entry(site, "/d.pdf", loc=other.url("/d.pdf")))
    site.pages |= {
        "/robots.txt": robots_of(site, INDEX, other.url(INFOCAT)),
        INDEX: index_of(site, SITEMAP, other.url("/c.xml")),
    }


@hosts.unregistered
def that_nobody_registered(site: Site) -> None:
    publish(site, "/geheim.pdf")


@hosts.site
def with_files_that_may_not_be_read(site: Site) -> None:
    http = site.url("/http.xml").replace("https:", "http:")
    publish(
        site, "/a.pdf", *(Entry(loc=loc) for loc in (http, elsewhere(site, "/a.pdf"), "file:///etc/passwd"))
    )
    refused = (http, elsewhere(site, "/vreemd.xml"), "file:///etc/passwd")
    site.pages[INDEX] = Page(sitemapindex([*refused, site.url(SITEMAP), site.url(SITEMAP)]))


@hosts.site
def with_files_that_are_packed(site: Site) -> None:
    publish(site, "/a.pdf")
    coded = {"Content-Encoding": "gzip"}
    packed = Page(gzipped(entries_of(site, "/a.pdf")))
    site.pages |= {
        INDEX: Page(gzipped(index_of(site, SITEMAP)), headers=coded, content_type="text/html"),
        SITEMAP: Page(gzipped(packed), headers=coded, content_type="text/xml"),
    }


@hosts.site
def with_special_characters(site: Site) -> None:
    publish(site, *SPECIAL, Entry(loc=f"  https://LOCALHOST:{site.port}/doc/hoofdletters.pdf\n "))
    site.pages["/doc/*"] = pdf_page("Besluit")


@hosts.site
def with_links_in_a_document(site: Site) -> None:
    refresh = '<meta http-equiv="refresh" content="0; url=/doc/ververst.pdf">'
    page = html("Besluiten", "").replace("</body>", f'{refresh}<a href="/doc/gelinkt.pdf">besluit</a></body>')
    publish(site, "/overzicht.html")
    site.pages |= {
        "/overzicht.html": Page(page, headers={"Link": "</doc/kop.pdf>; rel=next"}, content_type="text/html"),
        "/doc/*": pdf_page("Besluit"),
    }


@hosts.site
def with_documents_that_are_listed_everywhere(site: Site) -> None:
    publish(site, "/a.pdf", "/a.pdf", "/oud.pdf", index=INFOCAT)
    publish(site, "/a.pdf", "/oud.pdf")
    pages: dict[str, Page | Handler] = {"/a.pdf": pdf_page("Besluit"), "/oud.pdf": redirect("/a.pdf")}
    site.pages |= pages | {"/robots.txt": robots_of(site, INDEX, INFOCAT)}


@hosts.site
def that_gives_everything(site: Site) -> None:
    publish(site, entry(site, "/haven.pdf", diwoo=COMPLETE))
    site.pages["/haven.pdf"] = pdf_page("Besluit")


@hosts.site
def that_gives_nothing(site: Site) -> Sequence[RooEntry]:
    path = "/woo/Besluit%20op%20Woo-verzoek_2024.pdf"
    publish(site, path, document(site, "/eigen.pdf", publisher=Coded("De buurman")), index=INFOCAT)
    site.pages |= {path: pdf_page("Besluit"), "/eigen.pdf": pdf_page("Besluit")}
    return [
        RooEntry(
            naam="Gemeente X", systeem_id="1", tooi=GEMEENTE.uri, locations=[Location(site.url("/woo"))]
        ),
        RooEntry(naam="Commissie Y", systeem_id="2", locations=[Location(site.url("/eigen"))]),
    ]


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    return publishers.harvest(hosts, "-a", "documents=download", settings={"RETRY_TIMES": 0})


#: The documents of each host that are requested, and the errors about its files.
REQUESTED: dict[Any, tuple[set[str], set[str]]] = {
    with_moved_robots: ({"/a.pdf", "/b.pdf"}, {"host.niet-geregistreerd"}),
    with_a_partial_robots: (set(), {"robots.onbereikbaar"}),
    with_a_partial_index: (set(), {"index.onbereikbaar"}),
    with_a_partial_sitemap: (set(), {"sitemap.onbereikbaar"}),
    with_files_of_which_another_host_names_some: ({"/a.pdf", "/b.pdf", "/c.pdf", "/d.pdf"}, set()),
    that_nobody_registered: (set(), set()),
    with_files_that_are_packed: ({"/a.pdf"}, set()),
    with_special_characters: ({*SPECIAL, "/doc/hoofdletters.pdf"}, set()),
    with_links_in_a_document: (set(), set()),
    with_documents_that_are_listed_everywhere: ({"/a.pdf", "/oud.pdf"}, set()),
}


def test_the_documents_of_each_host_are_requested(harvest: Harvest) -> None:
    assert harvest.run.returncode == 0
    assert "Traceback" not in harvest.run.stderr
    for build, (paths, errors) in REQUESTED.items():
        host = harvest[build]
        asked = {request.target for request in host.requests if ".pdf" in request.target}
        assert asked == {path.replace("\u00eb", "%C3%AB") for path in paths}, build
        assert {
            code for code in host.errors if code.startswith(("robots.", "index.", "sitemap.", "host."))
        } == (errors), build
    assert not harvest[that_nobody_registered].requests


def test_nothing_is_requested_at_an_address_that_is_refused_and_nothing_twice(harvest: Harvest) -> None:
    host = harvest[with_files_that_may_not_be_read]
    assert [request.path for request in host.requests] == ["/robots.txt", INDEX, SITEMAP, "/a.pdf"]
    twice = harvest[with_documents_that_are_listed_everywhere]
    assert twice.paths == ["/a.pdf", "/oud.pdf"], (
        "what an address leads to is known only when it was asked for"
    )
    assert (len(twice.requested("/a.pdf")), len(twice.requested("/oud.pdf"))) == (2, 1)


def test_the_record_has_loc_as_it_was_given(harvest: Harvest) -> None:
    host = harvest[with_special_characters]
    assert host.paths == sorted(SPECIAL)
    assert harvest.run.record(f"https://LOCALHOST:{host.site.port}/doc/hoofdletters.pdf")


def concept(coded: Coded, **more: str) -> dict[str, str]:
    return {"id": coded.uri or "", "label": coded.label, **more}


def test_what_is_given_is_taken_over_and_nothing_is_filled_in(harvest: Harvest) -> None:
    host = harvest[that_gives_everything]
    loc = host.site.url("/haven.pdf")
    record = host.record("/haven.pdf")
    moment = datetime.fromisoformat(record["herkomst"].pop("opgehaald"))
    organisation = record["herkomst"].pop("organisatie")
    assert abs((datetime.now().astimezone() - moment).total_seconds()) < 600
    assert organisation.isdigit()  # the systeemId of a body without a TOOI URI
    (file,) = record["versies"][0]["bestanden"]
    assert len(file.pop("hash")) == 64
    assert file.pop("grootte") > 0
    assert record == {
        "id": str(uuid5(NAMESPACE_URL, loc)),
        "document": {
            "weblocatie": loc,
            "creatiedatum": "2024-03-28",
            "publisher": concept(GEMEENTE, type="gemeente"),
            "verantwoordelijke": concept(WATERSCHAP, type="waterschap"),
            "format": concept(PDF),
            "titelcollectie": {"officieleTitel": "Besluit over de haven"},
            "classificatiecollectie": {"informatiecategorieen": [concept(categorie(14))]},
            "documenthandelingen": [
                {
                    "soortHandeling": concept(ONDERTEKENING),
                    "atTime": "2024-03-28T09:00:00+01:00",
                    "wasAssociatedWith": concept(GEMEENTE, type="gemeente"),
                }
            ],
        },
        "versies": [
            {
                "oorzaak": "aanlevering",
                "openbaarmakingsdatum": "2024-04-02",
                "mutatiedatumtijd": "2024-04-02T10:00:00+02:00",
                "nummer": 1,
                "bestanden": [{"url": loc, "mime-type": "application/pdf", "bestandsnaam": "haven.pdf"}],
            }
        ],
        "herkomst": {
            "index": host.site.url(INDEX),
            "sitemap": host.site.url(SITEMAP),
            "lastmod": "2024-04-02T10:00:00+02:00",
        },
    }
    assert host.findings == []


def test_every_default_is_named_with_where_it_came_from(harvest: Harvest) -> None:
    record = harvest[that_gives_nothing].record("/woo/Besluit%20op%20Woo-verzoek_2024.pdf")
    assert record["document"]["publisher"] == concept(GEMEENTE, type="gemeente")
    assert record["document"]["titelcollectie"] == {"officieleTitel": "Besluit op Woo verzoek 2024"}
    assert record["document"]["classificatiecollectie"] == {"informatiecategorieen": [concept(categorie(10))]}
    assert record["herkomst"]["organisatie"] == GEMEENTE.uri
    assert record["herkomst"]["standaardwaarden"] == {
        "document.publisher": "register",
        "document.verantwoordelijke": "publisher",
        "document.creatiedatum": "openbaarmakingsdatum",
        "document.titelcollectie.officieleTitel": "bestandsnaam",
        "document.classificatiecollectie.informatiecategorieen": "index",
        "document.format": "content-type",
    }
    assert set(record["herkomst"]["bevindingen"]) == {
        "metadata.ontbreekt",
        "publisher.ontbreekt",
        "verantwoordelijke.ontbreekt",
        "creatiedatum.ontbreekt",
        "documenthandeling.ontbreekt",
        "titel.ontbreekt",
    }
