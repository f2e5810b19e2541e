"""Values, dates and references that are not written by the letter: read as meant, with a finding."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.utils.command import run_scrapy
from tests.utils.publishers import Harvest, Host, Hosts, Publishers, document, publish
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import Coded
from woo_harvester.outputs.definition import WOO
from woo_harvester.outputs.document import document_of
from woo_harvester.utils.dates import day_of

TOOI = "https://identifier.overheid.nl/tooi/"
AMSTERDAM = {"type": "gemeente", "id": f"{TOOI}id/gemeente/gm0363", "label": "gemeente Amsterdam"}
ADVIEZEN = {"id": f"{TOOI}def/thes/kern/c_99a836c7", "label": "adviezen"}
ENGLISH = {"id": "http://publications.europa.eu/resource/authority/language/ENG", "label": "Engels"}
PDF = {"id": "http://publications.europa.eu/resource/authority/file-type/PDF", "label": "PDF"}
UNKNOWN_URI = "waarde.uri-onbekend"
RELATION = Coded("verwijst naar", f"{TOOI}def/thes/kern/c_75fac459")
hosts = Hosts()

#: Notations of one value each, by the path of the document: label and URI as given, and the bronwaarde.
NOTATIONS = {
    "/http.pdf": ("gemeente Amsterdam", AMSTERDAM["id"].replace("https:", "http:")),
    "/streep.pdf": ("gemeente Amsterdam", AMSTERDAM["id"] + "/"),
    "/hoofdletters.pdf": ("gemeente Amsterdam", AMSTERDAM["id"].replace("identifier", "Identifier")),
    "/code.pdf": ("gemeente Amsterdam", "gm0363"),
    "/code-zonder-label.pdf": ("", "gm0363"),
    "/code-als-tekst.pdf": ("gm0363", None),
}


TODAY = day_of(datetime.now(UTC))
#: A creatiedatum that is not in the future and one that is, also after the next midnight.
DAYS = {"/vandaag.pdf": TODAY.isoformat(), "/toekomst.pdf": (TODAY + timedelta(days=2)).isoformat()}


@hosts.site
def with_other_notations(site: Site) -> None:
    publish(
        site,
        *(document(site, path, publisher=Coded(*given)) for path, given in NOTATIONS.items()),
        document(
            site,
            "/andere-lijsten.pdf",
            informatiecategorieen=[Coded("", "c_99a836c7")],
            themas=[Coded("", "c_99a836c7")],
            language=Coded("ENG"),
            format=Coded("PDF", PDF["id"] + "/"),
        ),
        document(site, "/eu.pdf", language=Coded("Engels", ENGLISH["id"].replace("http:", "https:"))),
    )


@hosts.site
def with_white_space(site: Site) -> None:
    title = "Besluit\n        over\u00a0\u00a0de  kade"
    publish(
        site,
        document(
            site,
            "/wit.pdf",
            titel=title,
            verkorte_titels=[title],
            publisher=Coded("Gemeente\n  Amsterdam"),
            is_part_of=Coded("Bundel\u00a0\n 1"),
        ),
    )


@hosts.site
def with_odd_dates(site: Site) -> None:
    publish(
        site,
        *(document(site, path, creatiedatum=day) for path, day in DAYS.items()),
        document(site, "/zomer.pdf", begindatum="2024-07-01", einddatum="2024-07-31"),
        document(site, "/winter.pdf", einddatum="2024-12-31"),
        document(site, "/omgekeerd.pdf", begindatum="2024-12-31T00:00:00", einddatum="2024-07-31"),
    )


@hosts.site
def with_references(site: Site) -> None:
    here, other = Coded("Bundel", "http://www.a.nl/bundel.pdf"), Coded("Taal", ENGLISH["id"])
    references: dict[str, Any] = {"has_parts": [here, other], "relaties": [(RELATION, here)]}
    publish(
        site,
        document(site, "/http.pdf", is_part_of=here, **references),
        document(site, "/lijst.pdf", is_part_of=other, has_parts=[other], relaties=[(RELATION, other)]),
    )


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    return publishers.harvest(hosts, "-a", "documents=none")


def noted(host: Host, path: str) -> list[tuple[str, str | None]]:
    """Return the code and element of the findings about a document, without those about what is absent."""
    about = [found for found in host.findings if found.get("url") == host.site.url(path)]
    return [(found["code"], found["element"]) for found in about if not found["code"].endswith("ontbreekt")]


@pytest.mark.parametrize(("path", "given"), NOTATIONS.items())
def test_an_organisation_is_known_in_any_notation_and_what_was_given_is_kept(
    harvest: Harvest, path: str, given: tuple[str, str | None]
) -> None:
    host = harvest[with_other_notations]
    label, uri = given
    assert host.record(path)["document"]["publisher"] == {**AMSTERDAM, "bronwaarde": uri or label}
    assert noted(host, path) == [(UNKNOWN_URI, "publisher")]


def test_a_code_is_one_of_the_fields_own_list(harvest: Harvest) -> None:
    host = harvest[with_other_notations]
    found = host.record("/andere-lijsten.pdf")["document"]
    assert found["language"] == {**ENGLISH, "bronwaarde": "ENG"}
    assert found["format"] == {**PDF, "bronwaarde": PDF["id"] + "/"}
    assert found["classificatiecollectie"] == {
        "informatiecategorieen": [{**ADVIEZEN, "bronwaarde": "c_99a836c7"}],
        "themas": [{"id": f"{TOOI}id/thema_onbekend", "label": "Onbekend", "bronwaarde": "c_99a836c7"}],
    }
    assert {code for code, _ in noted(host, "/andere-lijsten.pdf")} == {UNKNOWN_URI, "waarde.label-onbekend"}


def test_the_eus_uri_with_https_is_as_right_as_with_http(harvest: Harvest) -> None:
    host = harvest[with_other_notations]
    assert host.record("/eu.pdf")["document"]["language"] == ENGLISH
    assert noted(host, "/eu.pdf") == []


def test_white_space_in_titles_and_labels_is_one_space(harvest: Harvest) -> None:
    host = harvest[with_white_space]
    found = host.record("/wit.pdf")["document"]
    title = "Besluit over de kade"
    assert found["titelcollectie"] == {"officieleTitel": title, "verkorteTitels": [title]}
    assert found["publisher"] == AMSTERDAM
    assert found["isPartOf"] == {"label": "Bundel 1"}
    assert noted(host, "/wit.pdf") == []


def test_a_creatiedatum_in_the_future_is_kept_and_reported_and_that_of_today_is_right(
    harvest: Harvest,
) -> None:
    host = harvest[with_odd_dates]
    for path, day in DAYS.items():
        assert host.record(path)["document"]["creatiedatum"] == day
    assert noted(host, "/toekomst.pdf") == [("creatiedatum.toekomst", "creatiedatum")]
    assert noted(host, "/vandaag.pdf") == []


@pytest.mark.parametrize(
    ("path", "end"),
    [("/zomer.pdf", "2024-07-31T23:59:59+02:00"), ("/winter.pdf", "2024-12-31T23:59:59+01:00")],
)
def test_an_einddatum_that_is_only_a_day_includes_it_in_the_record_and_in_the_search_index(
    harvest: Harvest, path: str, end: str
) -> None:
    host = harvest[with_odd_dates]
    record = host.record(path)
    assert record["document"]["geldigheid"]["einddatum"] == end
    assert document_of(WOO, record)["geldigheid"]["lte"] == end
    assert noted(host, path) == []


def test_a_geldigheid_that_ends_before_it_begins_is_kept_and_reported_and_no_period_to_search_by(
    harvest: Harvest,
) -> None:
    host = harvest[with_odd_dates]
    record = host.record("/omgekeerd.pdf")
    assert record["document"]["geldigheid"] == {
        "begindatum": "2024-12-31T00:00:00+01:00",
        "einddatum": "2024-07-31T23:59:59+02:00",
    }
    assert "geldigheid" not in document_of(WOO, record)
    assert noted(host, "/omgekeerd.pdf") == [("geldigheid.omgekeerd", "geldigheid")]


def test_a_reference_with_http_is_kept_and_reported_and_the_uri_of_a_value_list_is_none(
    harvest: Harvest,
) -> None:
    host = harvest[with_references]
    record = host.record("/http.pdf")
    reference = {"id": "http://www.a.nl/bundel.pdf", "label": "Bundel"}
    assert record["document"]["isPartOf"] == record["document"]["hasParts"][0] == reference
    assert record["documentrelaties"][0]["relation"] == reference
    elements = ("isPartOf", "hasParts/hasPart", "documentrelaties/documentrelatie/relation")
    assert noted(host, "/http.pdf") == [("verwijzing.geen-https", element) for element in elements]
    assert noted(host, "/lijst.pdf") == []


def test_none_of_it_costs_a_document_or_makes_a_read_incomplete(harvest: Harvest) -> None:
    for build in (with_other_notations, with_white_space, with_odd_dates, with_references):
        assert harvest[build].errors == set()


def test_an_audit_of_the_same_sitemaps_as_files_finds_the_same(harvest: Harvest, tmp_path: Path) -> None:
    builds = (with_other_notations, with_white_space, with_odd_dates, with_references)
    files = {str(tmp_path / f"{build.__name__}.xml"): harvest[build] for build in builds}
    for name, host in files.items():
        page = host.site.pages["/sitemapindex-diwoo.xml/sitemap.xml"]
        assert isinstance(page, Page)
        Path(name).write_bytes(b"".join(page.chunks()))
    done = run_scrapy(["audit", "--file", *files, "--json"], tmp_path)
    audited = {host["host"]: host["findings"] for host in json.loads(done.stdout)["hosts"]}
    about = re.compile(r"waarde\..+|creatiedatum\.toekomst|geldigheid\..+|verwijzing\..+")
    for name, host in files.items():
        found = {row["code"]: row["count"] for row in audited[name] if about.fullmatch(row["code"])}
        assert found == Counter(each["code"] for each in host.findings if about.fullmatch(each["code"]))
