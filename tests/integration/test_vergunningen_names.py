"""The organisation of an entry page: named by the operator, by the register or by nobody, from day to day."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.utils.command import Run
from tests.utils.sites import MakeSite
from tests.utils.vergunningen import FOLDER, Permits, publish, publish_more
from woo_harvester.demo.permit_messages import message
from woo_harvester.demo.site import Site

#: A case on a host that has no entry page and that nobody registered.
CASE = "https://www.voorbeeldstad.nl/zaken/1"
OTHER_FOLDER = "/nieuw/"
TOWN = "Gemeente Voorbeeldstad"


@pytest.fixture
def permits(tmp_path: Path, ca_bundle: Path) -> Permits:
    return Permits(tmp_path, ca_bundle)


def named(permits: Permits, *rows: tuple[str, str]) -> str:
    """Return the path of a CSV file with these organisations and entry pages."""
    path = permits.folder / "entries.csv"
    lines = (f"{name},{url}\n" for name, url in rows)
    path.write_text("organisatie,url\n" + "".join(lines), encoding="utf-8")
    return str(path)


def update(day: int) -> dict[str, bytes]:
    """Return a file with the message of a day about the case."""
    given = {"identifier": CASE, "title": f"Dag {day}", "aanmaakdatum": f"2026-04-0{day}"}
    return {f"{day}.xml": message("U", **given)}


def published(run: Run) -> list[tuple[str, str, str]]:
    """Return the cause, organisation and title of each record, of a run without findings."""
    assert run.findings == []
    return [
        (each["versies"][0]["oorzaak"], each["herkomst"]["organisatie"], each["vergunning"]["title"])
        for each in run.records
    ]


def test_a_page_with_and_without_a_name_keeps_its_cases(permits: Permits, make_site: MakeSite) -> None:
    site = make_site()
    entry = site.url(FOLDER)
    publish(site, update(1))
    assert published(permits.run(entry)) == [("aanlevering", site.host, "Dag 1")]
    publish_more(site, update(2))
    run = permits.run(named(permits, (TOWN, entry)))
    assert published(run) == [("wijziging", TOWN, "Dag 2")]
    publish_more(site, update(3))
    assert published(permits.run(entry)) == [("wijziging", site.host, "Dag 3")]
    permits.organisations = {TOWN: [site.url("/woo")]}
    publish_more(site, update(4))
    assert published(permits.run(entry)) == [("wijziging", "90000100", "Dag 4")]
    permits.organisations = {}
    publish_more(site, update(5))
    assert published(permits.run(entry)) == [("wijziging", site.host, "Dag 5")]


@pytest.mark.parametrize("first", ["", TOWN])
def test_a_page_that_moves_on_its_host_keeps_its_cases_with_and_without_a_name(
    first: str, permits: Permits, make_site: MakeSite
) -> None:
    site = make_site()
    old, new = site.url(FOLDER), site.url(OTHER_FOLDER)
    second = "" if first else TOWN
    publish(site, update(1))
    assert published(permits.run(named(permits, (first, old)))) == [
        ("aanlevering", first or site.host, "Dag 1")
    ]
    publish(site, update(2), folder=OTHER_FOLDER)
    assert published(permits.run(named(permits, (second, new)))) == [
        ("wijziging", second or site.host, "Dag 2")
    ]
    publish_more(site, update(3))
    assert published(permits.run(named(permits, (first, old)))) == [
        ("wijziging", first or site.host, "Dag 3")
    ]


def two_pages(permits: Permits, make_site: MakeSite) -> tuple[Site, Site]:
    """Return two hosts with an entry page of the same organisation, of which the first has the case."""
    one, two = make_site(), make_site()
    publish(one, update(1))
    return one, two


def test_pages_that_get_their_name_in_different_runs_are_of_one_organisation(
    permits: Permits, make_site: MakeSite
) -> None:
    one, two = two_pages(permits, make_site)
    assert published(permits.run(one.url(FOLDER))) == [("aanlevering", one.host, "Dag 1")]
    assert published(permits.run(named(permits, (TOWN, one.url(FOLDER))))) == []
    publish(two, update(2))
    run = permits.run(named(permits, (TOWN, two.url(FOLDER))))
    assert published(run) == [("wijziging", TOWN, "Dag 2")]


def test_a_run_without_the_name_does_not_make_two_organisations_of_one(
    permits: Permits, make_site: MakeSite
) -> None:
    one, two = two_pages(permits, make_site)
    assert published(permits.run(named(permits, (TOWN, one.url(FOLDER))))) == [("aanlevering", TOWN, "Dag 1")]
    publish_more(one, update(2))
    assert published(permits.run(one.url(FOLDER))) == [("wijziging", one.host, "Dag 2")]
    publish(two, update(3))
    run = permits.run(named(permits, (TOWN, two.url(FOLDER))))
    assert published(run) == [("wijziging", TOWN, "Dag 3")]


def test_a_name_is_found_in_the_register_of_a_later_day(permits: Permits, make_site: MakeSite) -> None:
    one, two = two_pages(permits, make_site)
    assert published(permits.run(named(permits, (TOWN, one.url(FOLDER))))) == [("aanlevering", TOWN, "Dag 1")]
    permits.organisations = {TOWN: ["https://www.elders.nl/woo"]}
    publish(two, update(2))
    run = permits.run(named(permits, (TOWN, two.url(FOLDER))))
    assert published(run) == [("wijziging", "90000100", "Dag 2")]


def test_a_page_without_a_name_gets_the_cases_of_none_of_two_organisations_on_its_host(
    permits: Permits, make_site: MakeSite
) -> None:
    supplier = make_site()
    pages = [supplier.url(f"/{name}/") for name in ("stad", "dorp", "iemand")]
    publish(supplier, update(1), folder="/stad/")
    dorp = {"d.xml": message(identifier=CASE + "/dorp", title="Dorp")}
    publish(supplier, dorp, folder="/dorp/")
    run = permits.run(named(permits, ("Stad", pages[0]), ("Dorp", pages[1])))
    assert [record[1] for record in published(run)] == ["Stad", "Dorp"]
    publish(supplier, update(2), folder="/iemand/")
    run = permits.run(pages[2])
    assert (run.records, run.codes) == ([], {"ipm.andere-organisatie"})
    assert run.findings[0]["organisation"] == supplier.host
