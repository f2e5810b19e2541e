"""How robots.txt, indexes, sitemaps and documents are requested: redirects, codings, other hosts; a record.

What is read of a file, and what becomes of each value, is tested where it is decided: ``tests/sitemaps``,
``tests/crawl`` and ``tests/diwoo``. ``test_audit.py`` has a publisher for each finding.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from uuid import NAMESPACE_URL, uuid5

import pytest

from tests.utils.publishers import (
    INDEX,
    XML,
    Builder,
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
from woo_harvester.demo.server import Page, redirect
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
hosts = Hosts()


def http(url: str) -> str:
    """Return the URL with another scheme."""
    return url.replace("https:", "http:")


def elsewhere(site: Site, path: str) -> str:
    """Return a URL of the site under a name that nobody registered."""
    return f"https://127.0.0.1:{site.port}{path}"


# robots.txt


def moving_robots(site: Site, target: str) -> None:
    publish(site, "/a.pdf")
    site.pages |= {"/robots.txt": redirect(target, 301), "/robots2.txt": robots_of(site, INDEX)}


@hosts.site
def with_moved_robots(site: Site) -> None:
    moving_robots(site, "/robots2.txt")


@hosts.site
def with_robots_moved_to_http(site: Site) -> None:
    moving_robots(site, http(site.url("/robots2.txt")))


@hosts.site
def with_robots_moved_to_an_unregistered_host(site: Site) -> None:
    moving_robots(site, elsewhere(site, "/robots2.txt"))


@hosts.unregistered
def that_nobody_registered(site: Site) -> None:
    publish(site, "/geheim.pdf")


# Indexes


def other_index(site: Site, page: Page) -> None:
    """Give the site a good index, and another one that *page* is."""
    publish(site, "/a.pdf")
    site.pages |= {
        "/robots.txt": robots_of(site, INFOCAT, INDEX),
        INFOCAT: page,
        "/verhuisd.xml": index_of(site, "/b.xml"),
        "/b.xml": entries_of(site, "/b.pdf"),
    }


@hosts.site
def whose_index_moved(site: Site) -> None:
    other_index(site, redirect("/verhuisd.xml", 301))


@hosts.site
def whose_index_moved_to_http(site: Site) -> None:
    other_index(site, redirect(http(site.url("/verhuisd.xml"))))


@hosts.site
def whose_index_moved_to_an_unregistered_host(site: Site) -> None:
    other_index(site, redirect(elsewhere(site, "/verhuisd.xml")))


@hosts.site
def whose_index_moves_round_and_round(site: Site) -> None:
    other_index(site, redirect(INFOCAT))


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


@hosts.site
def with_sitemaps_that_may_not_be_read(site: Site) -> None:
    refused = (http(site.url("/http.xml")), elsewhere(site, "/vreemd.xml"), "file:///etc/passwd")
    publish(site, "/a.pdf")
    site.pages[INDEX] = Page(sitemapindex([*refused, site.url(SITEMAP)]))


@hosts.site
def with_a_sitemap_in_two_indexes(site: Site) -> None:
    other_index(site, index_of(site, SITEMAP, SITEMAP))


# Codings, as the bytes come


@hosts.site
def with_an_index_that_is_compressed_and_called_html(site: Site) -> None:
    publish(site, "/a.pdf")
    headers = {"Content-Encoding": "gzip"}
    site.pages[INDEX] = Page(gzipped(index_of(site, SITEMAP)), headers=headers, content_type="text/html")


@hosts.site
def with_a_sitemap_that_is_packed(site: Site) -> None:
    publish(site)
    site.pages[SITEMAP] = Page(gzipped(entries_of(site, "/a.pdf")), content_type="text/xml")


@hosts.site
def with_a_sitemap_that_is_packed_and_compressed(site: Site) -> None:
    publish(site)
    once = Page(gzipped(entries_of(site, "/a.pdf")))
    site.pages[SITEMAP] = Page(gzipped(once), headers={"Content-Encoding": "gzip"}, content_type=XML)


# Documents


@hosts.site
def with_locations_that_are_refused(site: Site) -> None:
    refused = (
        http(site.url("/doc/a.pdf")),
        elsewhere(site, "/doc/a.pdf"),
        f"https://naam:wachtwoord@{site.host}/doc/a.pdf",
        "/doc/relatief.pdf",
        "file:///etc/passwd",
        "",
    )
    publish(site, *(Entry(loc=loc) for loc in refused), "/doc/goed.pdf")
    site.pages["/doc/*"] = pdf_page("Besluit")


SPECIAL = (
    "/doc/beslu%C3%AFt%20%232.pdf",
    "/doc/ge\u00ebtst.pdf",
    "/doc/a.pdf?id=1&naam=b",
    "/doc/a.pdf?id=2",
)


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


# Records


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
    return publishers.harvest(hosts, "-a", "documents=download", settings={"REDIRECT_MAX_TIMES": 3})


#: Errors about a document leave the read of its host complete.
_IS_ABOUT_A_FILE = re.compile(r"(robots|index|sitemap|host)\.").match


def test_the_run_ends_well_and_counts_who_was_read_completely(harvest: Harvest) -> None:
    assert harvest.run.returncode == 0
    assert "Traceback" not in harvest.run.stderr
    visited = [declared.build for declared in hosts.declared if declared.registered]
    incomplete = [build for build in visited if any(map(_IS_ABOUT_A_FILE, harvest[build].errors))]
    stats = harvest.run.stats
    assert stats["woo/hosts/incomplete"] == len(incomplete)
    assert stats["woo/hosts/complete"] == len(visited) - len(incomplete)


def listed(harvest: Harvest, build: Builder) -> set[str]:
    """Return the documents that were requested."""
    return {request.target for request in harvest[build].requests if ".pdf" in request.target}


def test_a_redirect_within_https_is_followed(harvest: Harvest) -> None:
    assert listed(harvest, with_moved_robots) == {"/a.pdf"}
    assert listed(harvest, whose_index_moved) == {"/a.pdf", "/b.pdf"}


@pytest.mark.parametrize(
    ("build", "code", "paths"),
    [
        (with_robots_moved_to_http, "robots.onbereikbaar", set()),
        (with_robots_moved_to_an_unregistered_host, "host.niet-geregistreerd", set()),
        (whose_index_moved_to_http, "index.onbereikbaar", {"/a.pdf"}),
        (whose_index_moved_to_an_unregistered_host, "host.niet-geregistreerd", {"/a.pdf"}),
        (whose_index_moves_round_and_round, "index.onbereikbaar", {"/a.pdf"}),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_any_other_redirect_is_not_followed(
    harvest: Harvest, build: Builder, code: str, paths: set[str]
) -> None:
    host = harvest[build]
    assert code in host.errors
    assert listed(harvest, build) == paths
    assert host.requested("/robots2.txt") == host.requested("/verhuisd.xml") == []


def test_a_host_that_nobody_registered_is_not_visited(harvest: Harvest) -> None:
    assert not harvest[that_nobody_registered].requests


def test_files_and_documents_on_another_registered_host_are_read(harvest: Harvest) -> None:
    other = with_files_of_which_another_host_names_some
    assert listed(harvest, other) == {"/a.pdf", "/b.pdf", "/c.pdf", "/d.pdf"}
    assert not harvest[naming_files_on_another_registered_host].errors & {"host.niet-geregistreerd"}


def test_nothing_is_requested_at_an_address_that_is_refused(harvest: Harvest) -> None:
    host = harvest[with_sitemaps_that_may_not_be_read]
    assert [request.path for request in host.requests] == ["/robots.txt", INDEX, SITEMAP, "/a.pdf"]
    assert listed(harvest, with_locations_that_are_refused) == {"/doc/goed.pdf"}
    assert harvest[with_locations_that_are_refused].paths == ["/doc/goed.pdf"]


def test_a_sitemap_in_two_indexes_is_read_once(harvest: Harvest) -> None:
    assert harvest[with_a_sitemap_in_two_indexes].requested(SITEMAP) == ["GET"]


@pytest.mark.parametrize(
    "build",
    [
        with_an_index_that_is_compressed_and_called_html,
        with_a_sitemap_that_is_packed,
        with_a_sitemap_that_is_packed_and_compressed,
    ],
    ids=lambda build: build.__name__,
)
def test_a_file_is_read_by_its_content(harvest: Harvest, build: Builder) -> None:
    assert listed(harvest, build) == {"/a.pdf"}
    assert not {code for code in harvest[build].errors if code.startswith(("index.", "sitemap."))}


def test_the_record_has_loc_as_it_was_given_and_the_server_gets_its_encoded_form(harvest: Harvest) -> None:
    host = harvest[with_special_characters]
    assert host.paths == sorted(SPECIAL)
    assert harvest.run.record(f"https://LOCALHOST:{host.site.port}/doc/hoofdletters.pdf")
    assert listed(harvest, with_special_characters) == {
        "/doc/beslu%C3%AFt%20%232.pdf",
        "/doc/ge%C3%ABtst.pdf",
        "/doc/a.pdf?id=1&naam=b",
        "/doc/a.pdf?id=2",
        "/doc/hoofdletters.pdf",
    }


def test_links_in_documents_are_not_followed(harvest: Harvest) -> None:
    host = harvest[with_links_in_a_document]
    assert host.paths == ["/overzicht.html"]
    assert not any(request.path.startswith("/doc/") for request in host.requests)


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
