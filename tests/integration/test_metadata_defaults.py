"""What is filled in where a publisher gives nothing: seed page "Aanbevelingen voor metadata"."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.utils.publishers import Harvest, Hosts, Publishers, document, entry, publish
from woo_harvester.demo.site import Location, RooEntry, Site
from woo_harvester.demo.sitemaps import GEMEENTE, WATERSCHAP, Coded

TOOI = "https://identifier.overheid.nl/tooi/id/"
TITLE = "document.titelcollectie.officieleTitel"
CATEGORIES = "document.classificatiecollectie.informatiecategorieen"
#: The file name in loc, and the title that it gives.
TITLES = {
    "/Besluit%20op%20Woo-verzoek_2024.pdf": "Besluit op Woo verzoek 2024",
    "/doc/jaarverslag+2023.docx": "jaarverslag 2023",
    "/doc/Raadsbesluit%20%C3%A9%C3%A9n.pdf": "Raadsbesluit één",
    "/doc/convenant.pdf?download=1": "convenant",
    "/3f2504e0-4f89-41d3-9a0c-0305e82c3301.pdf": "Onbekend",
    "/20240417.pdf": "Onbekend",
    "/d41d8cd98f00b204e9800998ecf8427e.pdf": "Onbekend",
    "/3f2504e0/download.pdf": "Onbekend",
    "/document.pdf": "Onbekend",
    "/x/index.html": "Onbekend",
}
hosts = Hosts()


@hosts.site
def gives_nothing(site: Site) -> Sequence[RooEntry]:
    publish(site, *TITLES)
    place = Location(site.url("/woo"))
    return [RooEntry(naam="Gemeente X", systeem_id="1", tooi=GEMEENTE.uri, locations=[place])]


@hosts.site
def without_tooi_uri(site: Site) -> Sequence[RooEntry]:
    publish(site, "/besluit.pdf")
    place = Location(site.url("/woo"))
    return [RooEntry(naam="Commissie Y", systeem_id="2", locations=[place])]


@hosts.site
def gives_empty_elements(site: Site) -> None:
    empty = (
        "<diwoo:Document><diwoo:DiWoo><diwoo:publisher/><diwoo:verantwoordelijke/><diwoo:creatiedatum> "
        "</diwoo:creatiedatum><diwoo:titelcollectie><diwoo:officieleTitel/></diwoo:titelcollectie>"
        "<diwoo:classificatiecollectie><diwoo:informatiecategorieen><diwoo:informatiecategorie/>"
        "</diwoo:informatiecategorieen></diwoo:classificatiecollectie></diwoo:DiWoo></diwoo:Document>"
    )
    publish(site, entry(site, "/leeg-maar-aanwezig.pdf", raw=empty))


@hosts.site
def shared_by_several_bodies(site: Site) -> Sequence[RooEntry]:
    publish(
        site,
        "/b/besluit.pdf",
        "/b/diep/besluit.pdf",
        "/b/diep/dieper/besluit.pdf",
        "/bc/besluit.pdf",
        "/samen/besluit.pdf",
        "/elders/besluit.pdf",
        document(site, "/elders/eigen.pdf", publisher=WATERSCHAP),
    )

    def body(number: int, *paths: str) -> RooEntry:
        locations = [Location(site.url(path)) for path in paths]
        return RooEntry(naam=f"Deler {number}", systeem_id=f"5{number}", locations=locations)

    return [body(1, "/b", "/samen/"), body(2, "/b/diep/", "/samen"), body(3, "/c")]


@hosts.site
def with_organisations(site: Site) -> None:
    publish(
        site,
        document(site, "/gegeven.pdf", publisher=GEMEENTE),
        document(site, "/label.pdf", publisher=Coded(GEMEENTE.label)),
        document(site, "/nieuw.pdf", publisher=Coded("Gemeente Nieuw", f"{TOOI}gemeente/gm9999")),
        document(site, "/onbekend.pdf", publisher=Coded("De buurman")),
        document(site, "/verantwoordelijke.pdf", publisher=GEMEENTE, verantwoordelijke=WATERSCHAP),
    )


@hosts.site
def with_creation_dates(site: Site) -> None:
    publish(
        site,
        document(site, "/gegeven.pdf", creatiedatum="2023-12-31"),
        document(site, "/geen.pdf"),
        document(site, "/ongeldig.pdf", creatiedatum="31-12-2023"),
        entry(site, "/nacht.pdf", lastmod="2024-03-31T23:30:00Z"),
        entry(site, "/zonder-lastmod.pdf", lastmod=None),
    )


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    return publishers.harvest(hosts, "-a", "documents=none")


def concept(coded: Coded, **more: str) -> dict[str, str]:
    return {"id": coded.uri or "", "label": coded.label, **more}


def test_the_run_ends_well(harvest: Harvest) -> None:
    assert harvest.run.returncode == 0
    assert "Traceback" not in harvest.run.stderr


def test_every_default_is_named_with_where_it_came_from(harvest: Harvest) -> None:
    record = harvest[gives_nothing].record("/Besluit%20op%20Woo-verzoek_2024.pdf")
    assert record["herkomst"]["standaardwaarden"] == {
        "document.publisher": "register",
        "document.verantwoordelijke": "publisher",
        "document.creatiedatum": "openbaarmakingsdatum",
        TITLE: "bestandsnaam",
        CATEGORIES: "onbekend",
        "document.format": "extensie",
    }
    assert set(record["herkomst"]["bevindingen"]) == {
        "metadata.ontbreekt",
        "publisher.ontbreekt",
        "verantwoordelijke.ontbreekt",
        "creatiedatum.ontbreekt",
        "documenthandeling.ontbreekt",
        "titel.ontbreekt",
        "informatiecategorie.ontbreekt",
    }


@pytest.mark.parametrize(("path", "title"), list(TITLES.items()))
def test_the_title_comes_from_the_file_name_else_it_is_onbekend(
    harvest: Harvest, path: str, title: str
) -> None:
    host = harvest[gives_nothing]
    record = host.record(path)
    assert record["document"]["titelcollectie"]["officieleTitel"] == title
    source = "onbekend" if title == "Onbekend" else "bestandsnaam"
    assert record["herkomst"]["standaardwaarden"][TITLE] == source
    assert ("titel.onbekend" in host.codes_about(path)) == (title == "Onbekend")


def test_an_element_without_a_value_counts_as_absent(harvest: Harvest) -> None:
    host = harvest[gives_empty_elements]
    record = host.record("/leeg-maar-aanwezig.pdf")
    assert record["document"]["titelcollectie"] == {"officieleTitel": "leeg maar aanwezig"}
    assert record["document"]["creatiedatum"] == "2024-04-02"
    (category,) = record["document"]["classificatiecollectie"]["informatiecategorieen"]
    assert category["label"] == "onbekend"
    assert {"publisher.ontbreekt", "titel.ontbreekt", "informatiecategorie.ontbreekt"} <= host.codes


def test_the_publisher_comes_from_the_register_by_its_label_in_the_list(harvest: Harvest) -> None:
    record = harvest[gives_nothing].record("/document.pdf")
    assert record["document"]["publisher"] == concept(GEMEENTE, type="gemeente")
    assert record["herkomst"]["organisatie"] == GEMEENTE.uri


def test_a_registered_body_without_tooi_uri_is_a_publisher_with_a_label_only(harvest: Harvest) -> None:
    record = harvest[without_tooi_uri].record("/besluit.pdf")
    assert record["document"]["publisher"] == {"label": "Commissie Y"}
    assert record["herkomst"]["organisatie"] == "2"


@pytest.mark.parametrize(
    ("path", "number"), [("/b/besluit.pdf", 1), ("/b/diep/besluit.pdf", 2), ("/b/diep/dieper/besluit.pdf", 2)]
)
def test_the_longest_registered_prefix_tells_the_publisher(harvest: Harvest, path: str, number: int) -> None:
    record = harvest[shared_by_several_bodies].record(path)
    assert record["document"]["publisher"] == {"label": f"Deler {number}"}
    assert record["herkomst"]["organisatie"] == f"5{number}"


@pytest.mark.parametrize("path", ["/bc/besluit.pdf", "/samen/besluit.pdf", "/elders/besluit.pdf"])
def test_where_the_register_leaves_several_bodies_the_publisher_is_unknown(
    harvest: Harvest, path: str
) -> None:
    host = harvest[shared_by_several_bodies]
    record = host.record(path)
    unknown = {"id": f"{TOOI}organisatie_onbekend", "label": "Onbekend"}
    assert record["document"]["publisher"] == unknown
    assert record["herkomst"]["standaardwaarden"]["document.publisher"] == "onbekend"
    assert "organisatie" not in record["herkomst"]
    assert "register.meerdere-organisaties" in host.codes_about(path)


def test_a_publisher_that_was_given_is_kept_where_the_register_is_undecided(harvest: Harvest) -> None:
    record = harvest[shared_by_several_bodies].record("/elders/eigen.pdf")
    assert record["document"]["publisher"] == concept(WATERSCHAP, type="waterschap")


@pytest.mark.parametrize("path", ["/gegeven.pdf", "/label.pdf"])
def test_a_known_publisher_has_identifier_and_label(harvest: Harvest, path: str) -> None:
    record = harvest[with_organisations].record(path)
    assert record["document"]["publisher"] == concept(GEMEENTE, type="gemeente")


def test_a_tooi_uri_that_the_lists_do_not_have_is_kept_as_given(harvest: Harvest) -> None:
    host = harvest[with_organisations]
    publisher = host.record("/nieuw.pdf")["document"]["publisher"]
    assert publisher == {"type": "gemeente", "id": f"{TOOI}gemeente/gm9999", "label": "Gemeente Nieuw"}
    assert "waarde.uri-onbekend" in host.codes_about("/nieuw.pdf")


def test_an_unknown_publisher_keeps_what_was_given(harvest: Harvest) -> None:
    host = harvest[with_organisations]
    publisher = host.record("/onbekend.pdf")["document"]["publisher"]
    unknown = {"id": f"{TOOI}organisatie_onbekend", "label": "Onbekend", "bronwaarde": "De buurman"}
    assert publisher == unknown
    assert "waarde.label-onbekend" in host.codes_about("/onbekend.pdf")


def test_verantwoordelijke_comes_from_the_publisher(harvest: Harvest) -> None:
    record = harvest[with_organisations].record("/gegeven.pdf")
    assert record["document"]["verantwoordelijke"] == concept(GEMEENTE, type="gemeente")
    assert record["herkomst"]["standaardwaarden"]["document.verantwoordelijke"] == "publisher"


def test_a_verantwoordelijke_that_was_given_is_kept(harvest: Harvest) -> None:
    record = harvest[with_organisations].record("/verantwoordelijke.pdf")
    assert record["document"]["verantwoordelijke"] == concept(WATERSCHAP, type="waterschap")
    assert "document.verantwoordelijke" not in record["herkomst"]["standaardwaarden"]


@pytest.mark.parametrize(
    ("path", "day"),
    [("/gegeven.pdf", "2023-12-31"), ("/geen.pdf", "2024-04-02"), ("/ongeldig.pdf", "2024-04-02")],
)
def test_creatiedatum_comes_from_the_openbaarmakingsdatum(harvest: Harvest, path: str, day: str) -> None:
    record = harvest[with_creation_dates].record(path)
    assert record["document"]["creatiedatum"] == day
    filled = record["herkomst"]["standaardwaarden"].get("document.creatiedatum")
    assert filled == (None if path == "/gegeven.pdf" else "openbaarmakingsdatum")


def test_a_creatiedatum_that_cannot_be_read_is_reported(harvest: Harvest) -> None:
    host = harvest[with_creation_dates]
    assert "datum.ongeldig" in host.codes_about("/ongeldig.pdf")


def test_openbaarmakingsdatum_is_the_dutch_day_of_the_lastmod(harvest: Harvest) -> None:
    record = harvest[with_creation_dates].record("/nacht.pdf")
    assert record["versies"][0]["openbaarmakingsdatum"] == "2024-04-01"
    assert record["document"]["creatiedatum"] == "2024-04-01"


def test_openbaarmakingsdatum_is_the_day_of_the_harvest_without_a_lastmod(harvest: Harvest) -> None:
    record = harvest[with_creation_dates].record("/zonder-lastmod.pdf")
    assert record["versies"][0]["openbaarmakingsdatum"] == record["herkomst"]["opgehaald"][:10]
