"""Value lists that are newer than the project, and organisations that only the register has."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tooi.folders import with_newer
from tests.utils.command import Line
from tests.utils.publishers import Harvest, Host, Hosts, Publishers, document, publish
from woo_harvester.demo.site import Location, RooEntry, Site
from woo_harvester.demo.sitemaps import AFVAL, ONDERTEKENING, Coded, Handeling
from woo_harvester.tooi.stored import store_editions
from woo_harvester.tooi.values import Concept

TOOI = "https://identifier.overheid.nl/tooi/id/"
NIEUWSTAD = {"type": "gemeente", "id": f"{TOOI}gemeente/gm9101", "label": "Gemeente Nieuwstad"}
UTRECHT = {"type": "gemeente", "id": f"{TOOI}gemeente/gm0344", "label": "gemeente Utrecht"}
#: A theme that only a newer list has.
RUIMTEVAART_URI = "https://identifier.overheid.nl/tooi/def/thes/top/c_00000001"
RUIMTEVAART = Coded("ruimtevaart", RUIMTEVAART_URI)
hosts = Hosts()


def registered(site: Site, naam: str, tooi: str | None, type: str = "Gemeente") -> RooEntry:
    return RooEntry(naam=naam, systeem_id=naam, tooi=tooi, type=type, locations=[Location(site.url())])


@hosts.site
def of_a_municipality_that_is_newer_than_the_lists(site: Site) -> list[RooEntry]:
    given = Coded("Gemeente Nieuwstad", NIEUWSTAD["id"])
    publish(
        site,
        document(
            site,
            "/uri.pdf",
            publisher=Coded("", NIEUWSTAD["id"]),
            verantwoordelijke=Coded("gemeente nieuwstad"),
            medeverantwoordelijken=[Coded("gemeente Utrecht"), Coded("Nieuwstad")],
            opsteller=given,
            handelingen=[Handeling(ONDERTEKENING, "2024-03-28T09:00:00", Coded("Nieuwstad"))],
        ),
        document(site, "/kort.pdf", publisher=Coded("Nieuwstad")),
        document(site, "/elders.pdf", publisher=Coded("Utrecht")),
        document(site, "/zonder.pdf"),
        document(site, "/thema.pdf", publisher=given, themas=[RUIMTEVAART, AFVAL]),
    )
    return [registered(site, "Gemeente Nieuwstad", NIEUWSTAD["id"])]


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    return publishers.harvest(hosts, "-a", "documents=none")


@pytest.fixture(scope="module")
def data(publishers: Publishers, harvest: Harvest) -> Path:
    """Return a data folder with a newer list of themes."""
    newer = with_newer("scw_toplijst", lambda concepts: [*concepts, Concept(RUIMTEVAART_URI, "ruimtevaart")])
    store_editions(publishers.folder / "data", newer)
    return publishers.folder / "data"


@pytest.fixture(scope="module")
def updated(publishers: Publishers, data: Path) -> Harvest:
    """The same hosts, harvested as new with newer lists."""
    return publishers.crawl("-a", "documents=none", settings={"WOO_DATA_DIR": data})


def nieuwstad(harvest: Harvest) -> Host:
    return harvest[of_a_municipality_that_is_newer_than_the_lists]


def codes(host: Host, path: str) -> set[str]:
    return {code for code in host.codes_about(path) if code.startswith("waarde.")}


def publisher(host: Host, path: str) -> Line:
    found: Line = host.record(path)["document"]["publisher"]
    return found


def test_an_organisation_of_the_register_is_known_in_every_place(harvest: Harvest) -> None:
    found = nieuwstad(harvest).record("/uri.pdf")["document"]
    short = {**NIEUWSTAD, "bronwaarde": "Nieuwstad"}
    assert found["publisher"] == found["verantwoordelijke"] == found["opsteller"] == NIEUWSTAD
    assert found["medeverantwoordelijken"] == [UTRECHT, short]
    assert found["documenthandelingen"][0]["wasAssociatedWith"] == short
    assert codes(nieuwstad(harvest), "/uri.pdf") == set()


def test_a_value_that_only_a_newer_list_has_is_known_after_an_update(
    harvest: Harvest, updated: Harvest
) -> None:
    assert codes(nieuwstad(harvest), "/thema.pdf") == {"waarde.label-onbekend"}
    classification = nieuwstad(updated).record("/thema.pdf")["document"]["classificatiecollectie"]
    assert classification["themas"][0] == {"id": RUIMTEVAART_URI, "label": "ruimtevaart"}


def test_a_damaged_file_of_lists_stops_no_run_and_is_said(
    publishers: Publishers, data: Path, tmp_path: Path
) -> None:
    path = tmp_path / "tooi.json"
    path.write_bytes((data / "tooi.json").read_bytes()[:100_000])
    done = publishers.crawl("-a", "documents=none", settings={"WOO_DATA_DIR": tmp_path})
    assert done.run.returncode == 0
    assert f"{path} cannot be used: Input data was truncated" in done.run.stderr
    assert done.run.stats["woo/tooi/unusable"] == 1
    assert codes(nieuwstad(done), "/thema.pdf") == {"waarde.label-onbekend"}
