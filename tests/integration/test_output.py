"""What a run leaves behind: records, findings and statistics, also when it is broken off."""

from __future__ import annotations

import json
import re
import signal
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.utils.command import start_forked
from tests.utils.disturbed_runs import GatedSite
from tests.utils.publishers import Harvest, Hosts, Publishers, entry, publish
from tests.utils.sites import MakeSite, write_register
from tests.utils.waiting import STUCK, wait_until
from tools.reference.record import differences
from woo_harvester.demo import sitemaps as values
from woo_harvester.demo.publishers import complete
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import Coded, DiWoo, Handeling, pdf, pdf_page

RUN = r"woo-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{6}"
TOOI = "https://identifier.overheid.nl/tooi"
IS_BIJLAGE_BIJ = f"{TOOI}/def/thes/kern/c_4d1ea9ba"
CODED = {"id", "label"}
BODY = {"type", *CODED}
#: Every key that a complete record has, as the interface names them.
KEYS = {
    "": {"id", "document", "documentrelaties", "versies", "herkomst"},
    "document.publisher": BODY,
    "document.verantwoordelijke": BODY,
    "document.medeverantwoordelijken": BODY,
    "document.opsteller": BODY,
    "document.geldigheid": {"begindatum", "einddatum"},
    "document.language": CODED,
    "document.format": CODED,
    "document.titelcollectie": {"officieleTitel", "verkorteTitels", "alternatieveTitels"},
    "document.classificatiecollectie": {"documentsoorten", "themas", "informatiecategorieen", "trefwoorden"},
    "document.classificatiecollectie.documentsoorten": CODED,
    "document.classificatiecollectie.themas": CODED,
    "document.classificatiecollectie.informatiecategorieen": CODED,
    "document.isPartOf": CODED,
    "document.hasParts": CODED,
    "document.documenthandelingen": {"soortHandeling", "atTime", "wasAssociatedWith"},
    "document.documenthandelingen.soortHandeling": CODED,
    "document.documenthandelingen.wasAssociatedWith": BODY,
    "document.extraMetadata": {"namespace", "prefix", "velden"},
    "document.extraMetadata.velden": {"key", "values"},
    "documentrelaties": {"relation", "role", "titel"},
    "herkomst.documentrelaties": {"relation", "role"},
    "herkomst.documentrelaties.role": CODED,
    "herkomst.redenVerwijderingVervanging": CODED,
    "versies.bestanden": {"url", "mime-type", "bestandsnaam", "grootte", "hash"},
}
hosts = Hosts()


@hosts.site
def that_gives_all(site: Site) -> None:
    given = complete(site)
    assert given.loc
    publish(site, given)
    site.pages[given.loc.removeprefix(site.url(""))] = Page(pdf("Volledig"), content_type="application/pdf")


@hosts.site
def that_open_overheid_nl_has_too(site: Site) -> None:
    publish(
        site,
        entry(
            site,
            "/kaart.pdf",
            lastmod="2026-03-21T10:23:36+01:00",
            diwoo=DiWoo(
                identifiers=["nvt"],
                publisher=values.GEMEENTE,
                verantwoordelijke=values.GEMEENTE,
                titel="Kaart van de kade",
                omschrijvingen=["Waar de kade dicht is."],
                informatiecategorieen=[values.categorie(3)],
                creatiedatum="2026-03-20",
                format=values.PDF,
                handelingen=[Handeling(values.VASTSTELLING, "2026-03-21T10:22:31+01:00", values.GEMEENTE)],
                relaties=[(Coded("", IS_BIJLAGE_BIJ), Coded("Besluit", "https://localhost/besluit.pdf"))],
            ),
        ),
    )
    site.pages["/kaart.pdf"] = Page(pdf("Kaart"), content_type="application/pdf")


@hosts.site
def that_gives_little(site: Site) -> None:
    publish(site, "/a.pdf", entry(site, "/b.pdf", lastmod="gisteren"), "/c.exe", "/d.pdf")
    site.pages |= {"/a.pdf": pdf_page("a"), "/b.pdf": pdf_page("b"), "/c.exe": Page(b"MZ")}


@hosts.site
def without_robots(site: Site) -> None:
    site.pages.clear()


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    return publishers.harvest(hosts, "-a", "documents=download")


def walk(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Each value in a record with the path of its keys; positions in lists do not count."""
    yield path, value
    if isinstance(value, dict):
        for key, part in value.items():
            yield from walk(part, f"{path}.{key}".removeprefix("."))
    elif isinstance(value, list):
        for part in value:
            yield from walk(part, path)


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_complete_record_has_the_keys_of_the_interface(harvest: Harvest) -> None:
    (record,) = harvest[that_gives_all].records
    found: dict[str, set[str]] = {}
    for path, value in walk(record):
        if isinstance(value, dict):
            found.setdefault(path, set()).update(value)
    assert {path: keys for path, keys in found.items() if path in KEYS} == KEYS
    assert found["document"] >= {
        "weblocatie",
        "creatiedatum",
        "identifiers",
        "naamOpsteller",
        "omschrijvingen",
    }
    assert found["versies"] >= {"oorzaak", "openbaarmakingsdatum", "mutatiedatumtijd", "bestanden"}
    assert found["herkomst"] >= {"index", "sitemap", "lastmod", "opgehaald", "organisatie"}


def live(loc: str) -> dict[str, Any]:
    """Return what open.overheid.nl answers about a document, by what it answered about one of March 2026."""
    pid = "https://open.overheid.nl/documenten/eef2edec-0000-4000-8000-000000000001"
    gemeente = {"type": "overheid:Gemeente", "id": values.GEMEENTE.uri, "label": values.GEMEENTE.label}
    category = values.categorie(3)
    return {
        "document": {
            "pid": pid,
            "weblocatie": loc,
            "creatiedatum": "2026-03-20",
            "identifiers": ["nvt"],
            "verantwoordelijke": gemeente,
            "medeverantwoordelijken": [],
            "publisher": gemeente,
            "opsteller": {"id": f"{TOOI}/id/organisatie_onbekend", "label": "Onbekend"},
            "language": {"type": "eu:Taal", "id": values.NEDERLANDS.uri, "label": "Nederlands"},
            "format": {"id": values.PDF.uri, "label": "PDF"},
            "onderwerpen": [],
            "omschrijvingen": ["Waar de kade dicht is."],
            "titelcollectie": {
                "officieleTitel": "Kaart van de kade",
                "verkorteTitels": [],
                "alternatieveTitels": [],
            },
            "classificatiecollectie": {
                "documentsoorten": [{"id": f"{TOOI}/id/documentsoort_onbekend", "label": "Onbekend"}],
                "themas": [{"id": f"{TOOI}/id/thema_onbekend", "label": "Onbekend"}],
                "onderwerpenRonl": [{"id": "https://opendata.rijksoverheid.nl/x", "label": "Kades"}],
                "informatiecategorieen": [
                    {"type": "woo:Informatiecategorie", "id": category.uri, "label": category.label}
                ],
                "trefwoorden": [],
                "wooinformatiecategorie": [],
            },
            "hasParts": [],
            "documenthandelingen": [
                {
                    "soortHandeling": {"id": values.VASTSTELLING.uri, "label": "vaststelling"},
                    "atTime": "2026-03-21T09:22:31.000Z",
                    "wasAssociatedWith": {"id": values.GEMEENTE.uri, "label": values.GEMEENTE.label},
                }
            ],
            "extraMetadata": [],
            "publicatiebestemming": ["rijksoverheid.nl"],
        },
        "plooiIntern": {"dcnId": "plooi-api-eef2edec", "publicatiestatus": "gepubliceerd"},
        "documentrelaties": [
            {"relation": "https://localhost/besluit.pdf", "role": IS_BIJLAGE_BIJ, "titel": "Besluit"}
        ],
        "versies": [
            {
                "nummer": 1,
                "oorzaak": "aanlevering",
                "openbaarmakingsdatum": "2026-03-22",
                "mutatiedatumtijd": "2026-03-21T09:23:36.000Z",
                "blokkades": [],
                "bestanden": [
                    {
                        "id": f"{pid}/file",
                        "gepubliceerd": True,
                        "label": "file",
                        "mime-type": "application/pdf",
                        "bestandsnaam": "kaart.pdf",
                        "mutatiedatumtijd": "2026-03-21T09:23:36.515964209Z",
                        "grootte": len(pdf("Kaart")),
                        "paginas": 1,
                        "hash": "0c2f34fe8af84928dc2ea835836ca6ed1c457f4d",
                    }
                ],
            }
        ],
    }


def leaves(record: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the values of each key of a record; those of an empty list are that list."""
    found: dict[str, list[Any]] = {}
    for path, value in walk(record):
        if not isinstance(value, dict | list) or value == []:
            found.setdefault(path, []).append(value)
    return found


def test_a_record_differs_from_that_of_open_overheid_nl_as_the_page_about_records_says(
    harvest: Harvest,
) -> None:
    (record,) = harvest[that_open_overheid_nl_has_too].records
    ours, theirs = leaves(record), leaves(live(record["document"]["weblocatie"]))
    rows = [(key, number) for number, row in enumerate(differences()) for key in row["keys"]]
    used, unexplained = set(), []
    for path in sorted(ours.keys() | theirs.keys()):
        if ours.get(path) != theirs.get(path):
            name = "[]" if theirs.get(path) == [[]] and path not in ours else path
            whose = {(key, number) for key, number in rows if f"{name}.".startswith(f"{key}.")}
            whose |= {(key, number) for key, number in rows if f"{path}.".startswith(f"{key}.")}
            used |= whose
            unexplained += [] if whose else [path]
    assert unexplained == []
    assert set(rows) - used == set()  # no row says more than is so
    for path in ("document.documenthandelingen.atTime", "versies.mutatiedatumtijd"):
        assert [*map(datetime.fromisoformat, ours[path])] == [*map(datetime.fromisoformat, theirs[path])]


def test_findings_are_counted_by_code_in_the_statistics_and_by_host_in_hosts_jsonl(harvest: Harvest) -> None:
    stats = harvest.run.stats
    by_code = Counter(found["code"] for found in harvest.run.findings)
    hosts = {line["host"]: line["findings"] for line in harvest.run.hosts}
    by_host = Counter((found["host"], found["code"]) for found in harvest.run.findings)
    assert {code: stats[f"woo/findings/{code}"] for code in by_code} == by_code
    assert {(host, code): count for host in hosts for code, count in hosts[host].items()} == by_host
    assert not [key for key in stats if any(host in key for host in hosts)]


def test_statistics_count_hosts_documents_and_defaults(harvest: Harvest) -> None:
    stats = harvest.run.stats
    assert stats["finish_reason"] == "finished"
    assert (stats["woo/hosts/selected"], stats["woo/hosts/done"]) == (4, 4)
    assert (stats["woo/hosts/complete"], stats["woo/hosts/incomplete"]) == (3, 1)
    assert stats["woo/entries"] == 6
    assert stats["item_scraped_count"] == 4
    assert stats["woo/defaults/document.publisher"] >= 2


def test_records_and_report_of_a_run_have_the_same_name(harvest: Harvest) -> None:
    assert harvest.run.report is not None
    assert re.fullmatch(RUN, harvest.run.report.name)
    folder = harvest.run.report.parents[1]
    assert [path.name for path in (folder / "records").iterdir()] == [f"{harvest.run.report.name}.jsonl"]
    assert {path.name for path in harvest.run.report.iterdir()} >= {"findings.jsonl", "stats.json"}


def test_findings_are_written_as_they_occur(
    ca_bundle: Path, make_site: MakeSite, gated: GatedSite, tmp_path: Path
) -> None:
    quick, slow = make_site(), gated
    slow.pages["/robots.txt"] = Page("User-agent: *\n")
    slow.gates.add("/robots.txt")
    register = write_register(tmp_path / "register.xml", {"Gemeente": [quick.url(), slow.url()]})
    process = start_forked(["crawl", "woo", "-a", f"register={register}"], tmp_path, ca_bundle)

    def told() -> list[str]:
        return [path.read_text() for path in tmp_path.glob("reports/woo-*/findings.jsonl")]

    wait_until(lambda: any("robots.ontbreekt" in text for text in told()), "the finding is written")
    wait_until(lambda: "/robots.txt" in slow.waiting, "the other host is asked")
    assert not process.ended
    process.send(signal.SIGINT)
    slow.gates.clear()
    process.done(STUCK)
    assert [line["code"] for line in lines(told()[0])] == ["robots.ontbreekt", "robots.geen-diwoo-index"]
