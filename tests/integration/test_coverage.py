"""The coverage of the whole register: what a run over all its hosts does not find."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.utils.command import Run, run_scrapy
from tests.utils.daily import FIRST, INDEX
from tests.utils.daily import publish as publish_documents
from tests.utils.ports import free_port
from tests.utils.sites import MakeSite
from woo_harvester.demo.server import Certificate, Page
from woo_harvester.demo.site import Location, RooEntry, Site, register_xml
from woo_harvester.demo.sitemaps import robots_txt

GEMEENTE = "https://identifier.overheid.nl/tooi/id/gemeente/gm0363"


@dataclass
class Country:
    """An installation with a register of its own."""

    folder: Path
    ca: Path
    entries: list[RooEntry] = field(default_factory=list)

    def register(self, name: str, *urls: str, tooi: str | None = None, kind: str = "Gemeente") -> None:
        """Register an organisation with these locations."""
        number = str(len(self.entries) + 1)
        locations = [Location(url) for url in urls]
        self.entries.append(RooEntry(naam=name, systeem_id=number, tooi=tooi, type=kind, locations=locations))

    def run(self, *args: str, **settings: object) -> Run:
        """Harvest, and return the run, which must have ended well."""
        path = self.folder / "roo.xml"
        path.write_text(register_xml(self.entries), encoding="utf-8")
        given = ["crawl", "woo", "-a", f"register={path}", "-a", "documents=none", *args]
        patience = {"RETRY_TIMES": 0, "WOO_RETRY_BACKOFF": 0}
        run = run_scrapy(given, self.folder, self.ca, settings={**patience, **settings})
        assert run.returncode == 0, run.stderr
        return run


@pytest.fixture
def country(tmp_path: Path, ca_bundle: Path) -> Country:
    return Country(tmp_path, ca_bundle)


def coverage_of(folder: Path | None) -> dict[str, Any] | None:
    assert folder is not None
    found: dict[str, Any] | None = json.loads((folder / "report.json").read_text(encoding="utf-8"))[
        "coverage"
    ]
    return found


def hosts_of(coverage: dict[str, Any] | None, kind: str) -> dict[str, tuple[str, str | None]]:
    """Return the code and what was seen of each host with a gap."""
    assert coverage is not None
    return {gap["host"]: (gap["code"], gap["seen"]) for gap in coverage[kind]}


def good(site: Site) -> Site:
    publish_documents(site, {"a": FIRST})
    return site


def test_a_run_over_the_register_shows_every_organisation_and_host_that_gives_nothing(
    country: Country, make_site: MakeSite
) -> None:
    well, without_robots, failing, without_index = good(make_site()), make_site(), make_site(), make_site()
    misnamed, lost, expired = make_site(), make_site(), make_site(certificate=Certificate.EXPIRED)
    gone = f"localhost:{free_port()}"
    failing.pages["/robots.txt"] = Page(status=503)
    without_index.pages["/robots.txt"] = Page("User-agent: *\n")
    misnamed.pages["/robots.txt"] = Page(robots_txt(misnamed.url("/sitemapindex_diwoo.xml")))
    lost.pages["/robots.txt"] = Page(robots_txt(lost.url(INDEX)))
    country.register("gemeente Amsterdam", well.url("/d"), without_robots.url("/woo"), tooi=GEMEENTE)
    country.register("gemeente Utrecht", without_robots.url("/utrecht"), failing.url("/"), lost.url("/"))
    country.register(
        "Waterschap", without_index.url("/"), misnamed.url("/"), expired.url("/"), kind="Waterschap"
    )
    country.register("Dienst", f"https://{gone}/publicaties", f"https://{gone}/woo")
    country.register("Adviesraad", kind="Adviescollege")
    run = country.run()
    coverage = coverage_of(run.report)
    assert coverage is not None
    assert (coverage["organisations"], coverage["with_location"], coverage["hosts"]) == (5, 4, 8)
    assert coverage["hosts_not_reached"] == 0
    assert [one["name"] for one in coverage["no_location"]] == ["Adviesraad"]
    assert hosts_of(coverage, "no_robots") == {
        without_robots.host: ("robots.ontbreekt", "HTTP 404"),
        failing.host: ("robots.onbereikbaar", "HTTP 503"),
    }
    assert hosts_of(coverage, "no_index") == {
        without_index.host: ("robots.geen-diwoo-index", None),
        misnamed.host: ("index.naam", misnamed.url("/sitemapindex_diwoo.xml")),
        lost.host: ("index.onbereikbaar", "HTTP 404"),
    }
    dead = {gap["host"]: gap for gap in coverage["dead"]}
    assert {host: gap["code"] for host, gap in dead.items()} == {
        expired.host: "tls.ongeldig",
        gone: "robots.onbereikbaar",
    }
    (owner,) = dead[gone]["organisations"]
    assert (owner["name"], len(owner["locations"])) == ("Dienst", 2)
    assert {"kind": "Adviescollege", "organisations": 1, "with_location": 0} in coverage["kinds"]

    assert run.report is not None
    with (run.report / "coverage-no-robots.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {(row["host"], row["organisation"]): row for row in csv.DictReader(file)}
    assert rows.keys() == {
        (without_robots.host, "gemeente Amsterdam"),
        (without_robots.host, "gemeente Utrecht"),
        (failing.host, "gemeente Utrecht"),
    }
    row = rows[without_robots.host, "gemeente Amsterdam"]
    assert (row["systeemId"], row["uri"], row["locations"]) == ("1", GEMEENTE, without_robots.url("/woo"))
    page = (run.report / "coverage.html").read_text(encoding="utf-8")
    assert "4 van de 5 organisaties in het ROO hebben een locatie in de Woo-index" in page
