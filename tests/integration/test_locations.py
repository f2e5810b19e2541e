"""The rules on loc and lastmod: seed pages "Sitemapindex en Sitemaps" and "Technische implementatie"."""

from __future__ import annotations

from uuid import NAMESPACE_URL, uuid5

import pytest

from tests.utils.publishers import LASTMOD, Harvest, Hosts, Publishers, entry, publish
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import Entry, html, pdf_page

#: Locations that are not harvested, with why; {host} and {port} are those of the site.
REFUSED = {
    "http://{host}/doc/a.pdf": "loc.geen-https",
    "ftp://{host}/doc/a.pdf": "loc.ongeldig",
    "file:///etc/passwd": "loc.ongeldig",
    "file:///etc/hosts.txt": "loc.ongeldig",
    "javascript:alert(1)": "loc.ongeldig",
    "data:application/pdf;base64,JVBERi0=": "loc.ongeldig",
    "mailto:woo@gemeente.example": "loc.ongeldig",
    "/doc/relatief.pdf": "loc.ongeldig",
    "doc/relatief.pdf": "loc.ongeldig",
    "https:///doc/a.pdf": "loc.ongeldig",
    "https://{host}/doc/met spatie.pdf": "loc.ongeldig",
    "https://{host}/doc/met\ttab.pdf": "loc.ongeldig",
    "https://{host}:x/doc/a.pdf": "loc.ongeldig",
    "https://[/doc/a.pdf": "loc.ongeldig",
    "https://{host}/doc/" + "x" * 2100 + ".pdf": "loc.ongeldig",
    "https://naam:wachtwoord@{host}/doc/a.pdf": "loc.inloggegevens",
    "https://naam@{host}/doc/a.pdf": "loc.inloggegevens",
    "https://127.0.0.1:{port}/doc/a.pdf": "loc.niet-geregistreerd",
    "https://localhost/doc/a.pdf": "loc.niet-geregistreerd",
    "https://www.niet-geregistreerd.example/a.pdf": "loc.niet-geregistreerd",
    "": "loc.ontbreekt",
}
#: What a publisher writes as lastmod, and the moment that it is.
LASTMODS = {
    "2024-04-01": "2024-04-01T00:00:00+02:00",
    "2023-11-21T09:00:00": "2023-11-21T09:00:00+01:00",
    "2023-04-04T08:00:00Z": "2023-04-04T10:00:00+02:00",
    "2023-11-21T09:00:00T+01:00": "2023-11-21T09:00:00+01:00",
    "2024-09-25T14:30:00.0000000+02:00": "2024-09-25T14:30:00+02:00",
    "2024-01-01 10:00:00": "2024-01-01T10:00:00+01:00",
    "2024-07-01T10:00:00": "2024-07-01T10:00:00+02:00",
}
hosts = Hosts()


def offer(site: Site, *entries: Entry | str) -> None:
    publish(site, *entries)
    site.pages["/doc/*"] = pdf_page("Besluit")


@hosts.site
def with_locations_that_are_refused(site: Site) -> None:
    locs = (loc.format(host=site.host, port=site.port) for loc in REFUSED)
    offer(site, *(Entry(loc=loc, lastmod=LASTMOD) for loc in locs), "/doc/goed.pdf")


@hosts.site
def without_loc(site: Site) -> None:
    offer(site, Entry(lastmod=LASTMOD), "/doc/goed.pdf")


@hosts.site
def with_documents_for_another_host(site: Site) -> None:
    offer(site)


@hosts.site
def listing_documents_on_another_registered_host(site: Site) -> None:
    offer(site, Entry(loc=hosts[with_documents_for_another_host].url("/doc/elders.pdf"), lastmod=LASTMOD))


@hosts.site
def with_other_spellings_of_the_host(site: Site) -> None:
    offer(
        site,
        Entry(loc=f"https://LOCALHOST:{site.port}/doc/hoofdletters.pdf", lastmod=LASTMOD),
        Entry(loc=f"  {site.url('/doc/witruimte.pdf')}\n ", lastmod=LASTMOD),
    )


@hosts.site
def with_special_characters(site: Site) -> None:
    offer(
        site,
        "/doc/beslu%C3%AFt%20%232.pdf",
        "/doc/ge\u00ebtst.pdf",
        "/doc/a.pdf?id=1&naam=b",
        "/doc/a.pdf?id=2",
    )


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
def with_every_lastmod(site: Site) -> None:
    entries = [entry(site, f"/doc/{number}.pdf", lastmod=text) for number, text in enumerate(LASTMODS)]
    offer(
        site,
        *entries,
        entry(site, "/doc/geen.pdf", lastmod=None),
        entry(site, "/doc/leeg.pdf", lastmod=" "),
        entry(site, "/doc/gisteren.pdf", lastmod="gisteren"),
        entry(site, "/doc/bestaat-niet.pdf", lastmod="2024-02-30"),
        entry(site, "/doc/later.pdf", lastmod="2099-01-01"),
    )


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    return publishers.harvest(hosts, "-a", "documents=download")


def test_the_run_ends_well(harvest: Harvest) -> None:
    assert harvest.run.returncode == 0
    assert "Traceback" not in harvest.run.stderr


@pytest.mark.parametrize(
    ("loc", "code"), list(REFUSED.items()), ids=[f"{n}-{code}" for n, code in enumerate(REFUSED.values())]
)
def test_a_document_is_harvested_only_over_https_from_a_registered_host(
    harvest: Harvest, loc: str, code: str
) -> None:
    host = harvest[with_locations_that_are_refused]
    line = list(REFUSED).index(loc) + 3
    (finding,) = [found for found in host.findings if found.get("line") == line]
    assert (finding["code"], finding["severity"], finding["action"]) == (code, "error", "overgeslagen")


def test_nothing_is_asked_for_at_a_refused_location(harvest: Harvest) -> None:
    host = harvest[with_locations_that_are_refused]
    assert [request.target for request in host.requests if "/doc/" in request.target] == ["/doc/goed.pdf"]


def test_refused_locations_do_not_keep_the_next_document_from_being_harvested(harvest: Harvest) -> None:
    assert harvest[with_locations_that_are_refused].paths == ["/doc/goed.pdf"]


def test_an_entry_without_loc_is_reported(harvest: Harvest) -> None:
    host = harvest[without_loc]
    (finding,) = host.about("loc.ontbreekt")
    assert finding["sitemap"].startswith(host.site.url())
    assert host.paths == ["/doc/goed.pdf"]


def test_a_document_on_another_registered_host_is_harvested(harvest: Harvest) -> None:
    assert harvest[with_documents_for_another_host].paths == ["/doc/elders.pdf"]


def test_the_spelling_of_the_host_does_not_matter(harvest: Harvest) -> None:
    host = harvest[with_other_spellings_of_the_host]
    assert not host.errors
    assert host.paths == ["/doc/witruimte.pdf"]
    assert harvest.run.record(f"https://LOCALHOST:{host.site.port}/doc/hoofdletters.pdf")


def test_the_record_has_loc_as_it_was_given(harvest: Harvest) -> None:
    host = harvest[with_special_characters]
    assert host.paths == sorted(
        ["/doc/beslu%C3%AFt%20%232.pdf", "/doc/ge\u00ebtst.pdf", "/doc/a.pdf?id=1&naam=b", "/doc/a.pdf?id=2"]
    )


def test_the_server_is_asked_for_loc_in_its_encoded_form(harvest: Harvest) -> None:
    targets = {request.target for request in harvest[with_special_characters].requests}
    assert {"/doc/beslu%C3%AFt%20%232.pdf", "/doc/ge%C3%ABtst.pdf", "/doc/a.pdf?id=1&naam=b"} <= targets


def test_the_id_of_a_record_is_made_of_its_loc(harvest: Harvest) -> None:
    for record in harvest.run.records:
        assert record["id"] == str(uuid5(NAMESPACE_URL, record["document"]["weblocatie"]))


def test_links_in_documents_are_not_followed(harvest: Harvest) -> None:
    host = harvest[with_links_in_a_document]
    assert host.paths == ["/overzicht.html"]
    assert not any(request.path.startswith("/doc/") for request in host.requests)


@pytest.mark.parametrize("number", range(len(LASTMODS)))
def test_a_lastmod_is_read_as_a_moment_in_dutch_time(harvest: Harvest, number: int) -> None:
    text, moment = list(LASTMODS.items())[number]
    record = harvest[with_every_lastmod].record(f"/doc/{number}.pdf")
    (version,) = record["versies"]
    assert version["mutatiedatumtijd"] == moment
    assert version["openbaarmakingsdatum"] == moment[:10]
    assert record["herkomst"]["lastmod"] == text


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/doc/geen.pdf", "lastmod.ontbreekt"),
        ("/doc/leeg.pdf", "lastmod.ontbreekt"),
        ("/doc/gisteren.pdf", "lastmod.ongeldig"),
        ("/doc/bestaat-niet.pdf", "lastmod.ongeldig"),
    ],
)
def test_a_lastmod_that_is_absent_or_unreadable_leaves_the_moment_out(
    harvest: Harvest, path: str, code: str
) -> None:
    host = harvest[with_every_lastmod]
    record = host.record(path)
    assert code in host.codes_about(path)
    assert "mutatiedatumtijd" not in record["versies"][0]
    assert record["versies"][0]["openbaarmakingsdatum"] == record["herkomst"]["opgehaald"][:10]


def test_a_lastmod_in_the_future_is_reported_and_the_harvest_dates_the_version(harvest: Harvest) -> None:
    host = harvest[with_every_lastmod]
    assert "lastmod.toekomst" in host.codes_about("/doc/later.pdf")
    record = host.record("/doc/later.pdf")
    (version,), source = record["versies"], record["herkomst"]
    assert source["lastmod"] == "2099-01-01"
    assert version["mutatiedatumtijd"] == source["opgehaald"]
    assert version["openbaarmakingsdatum"] == source["opgehaald"][:10]
    assert source["standaardwaarden"]["versies.mutatiedatumtijd"] == "oogstdatum"
    assert source["standaardwaarden"]["versies.openbaarmakingsdatum"] == "oogstdatum"
