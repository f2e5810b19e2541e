"""The informatiecategorie of a document: seed "Naamgeving van informatiecategorieën"."""

from __future__ import annotations

from typing import Any

import pytest

from tests.utils.publishers import Harvest, Hosts, Publishers, document, publish
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import Coded, categorie

TOOI = "https://identifier.overheid.nl/tooi/id/"
CATEGORIES = "document.classificatiecollectie.informatiecategorieen"
hosts = Hosts()


@hosts.site
def with_categories_in_the_metadata(site: Site) -> None:
    publish(
        site,
        document(site, "/een.pdf", informatiecategorieen=[categorie(2)]),
        document(site, "/twee.pdf", informatiecategorieen=[categorie(2), categorie(14)]),
        document(site, "/label.pdf", informatiecategorieen=[Coded("Adviezen")]),
        document(site, "/uri.pdf", informatiecategorieen=[Coded("", categorie(10).uri)]),
        document(
            site, "/verzonnen-uri.pdf", informatiecategorieen=[Coded("Adviezen", "https://a.nl/adviezen")]
        ),
        document(site, "/anders.pdf", informatiecategorieen=[Coded("advies", categorie(10).uri)]),
        document(site, "/onbekend.pdf", informatiecategorieen=[Coded("Kattenplaatjes", "https://a.nl/kat")]),
        document(site, "/geen.pdf"),
    )


@hosts.site
def with_categories_beside_an_index_that_names_one(site: Site) -> None:
    publish(
        site,
        document(site, "/zelfde.pdf", informatiecategorieen=[categorie(14)]),
        document(site, "/anders.pdf", informatiecategorieen=[categorie(2)]),
        document(site, "/onbekend.pdf", informatiecategorieen=[Coded("Kattenplaatjes")]),
        document(site, "/geen.pdf"),
        index="/sitemapindex-diwoo-infocat014.xml",
    )


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    return publishers.harvest(hosts, "-a", "documents=none")


def category_of(record: dict[str, Any]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = record["document"]["classificatiecollectie"]["informatiecategorieen"]
    return found


def concept(coded: Coded, **more: str) -> dict[str, str]:
    return {"id": coded.uri or "", "label": coded.label, **more}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/een.pdf", [concept(categorie(2))]),
        ("/twee.pdf", [concept(categorie(2)), concept(categorie(14))]),
        ("/label.pdf", [concept(categorie(10))]),
        ("/uri.pdf", [concept(categorie(10))]),
        ("/verzonnen-uri.pdf", [concept(categorie(10), bronwaarde="https://a.nl/adviezen")]),
        ("/anders.pdf", [concept(categorie(10), bronwaarde="advies")]),
    ],
)
def test_the_category_is_that_of_the_metadata(
    harvest: Harvest, path: str, expected: list[dict[str, str]]
) -> None:
    record = harvest[with_categories_in_the_metadata].record(path)
    assert category_of(record) == expected
    assert CATEGORIES not in record["herkomst"].get("standaardwaarden", {})


def test_a_made_up_uri_beside_a_known_label_is_reported(harvest: Harvest) -> None:
    host = harvest[with_categories_in_the_metadata]
    assert "waarde.uri-onbekend" in host.codes_about("/verzonnen-uri.pdf")
    assert "waarde.strijdig" in host.codes_about("/anders.pdf")


def test_without_any_category_it_is_onbekend(harvest: Harvest) -> None:
    host = harvest[with_categories_in_the_metadata]
    record = host.record("/geen.pdf")
    assert category_of(record) == [{"id": f"{TOOI}informatiecategorie_onbekend", "label": "onbekend"}]
    assert record["herkomst"]["standaardwaarden"][CATEGORIES] == "onbekend"
    assert "informatiecategorie.ontbreekt" in host.codes_about("/geen.pdf")


def test_an_unknown_category_keeps_what_was_given(harvest: Harvest) -> None:
    host = harvest[with_categories_in_the_metadata]
    assert category_of(host.record("/onbekend.pdf")) == [
        {
            "id": f"{TOOI}informatiecategorie_onbekend",
            "label": "onbekend",
            "bronwaarde": "Kattenplaatjes (https://a.nl/kat)",
        }
    ]
    assert "informatiecategorie.onbekend" in host.codes_about("/onbekend.pdf")


def test_the_name_of_the_index_fills_in_the_category(harvest: Harvest) -> None:
    host = harvest[with_categories_beside_an_index_that_names_one]
    record = host.record("/geen.pdf")
    assert category_of(record) == [concept(categorie(14))]
    assert record["herkomst"]["standaardwaarden"][CATEGORIES] == "index"
    assert "informatiecategorie.ontbreekt" not in host.codes


def test_where_metadata_and_index_disagree_the_metadata_counts(harvest: Harvest) -> None:
    host = harvest[with_categories_beside_an_index_that_names_one]
    assert category_of(host.record("/anders.pdf")) == [concept(categorie(2))]
    assert "informatiecategorie.strijdig" in host.codes_about("/anders.pdf")
    assert "informatiecategorie.strijdig" not in host.codes_about("/zelfde.pdf")


def test_an_unknown_category_in_an_index_that_names_one_is_that_of_the_index(harvest: Harvest) -> None:
    host = harvest[with_categories_beside_an_index_that_names_one]
    expected = [concept(categorie(14), bronwaarde="Kattenplaatjes")]
    assert category_of(host.record("/onbekend.pdf")) == expected
    assert "informatiecategorie.onbekend" in host.codes_about("/onbekend.pdf")
