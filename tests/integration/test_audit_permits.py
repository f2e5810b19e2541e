"""``scrapy audit`` of entry pages and permit messages: what a supplier learns before connecting."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.integration.audits import Auditor, answer_of
from tests.utils.sites import write_register
from tests.utils.vergunningen import FOLDER, about, case, publish
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.permits.demo_messages import document_message
from woo_harvester.report.model import FindingRow, HostReport

pytestmark = pytest.mark.integration

#: A message with each mistake that makes it invalid, by code.
INVALID = {
    "ipm.schema": about(1).replace(b"dcterms:title", b"dcterms:titel"),
    "ipm.ongeldig": about(2)[:-40],
    "ipm.doctype": about(3).replace(b"?>\n", b'?>\n<!DOCTYPE message [<!ENTITY a "b">]>\n', 1),
    "ipm.te-groot": about(4).replace(b"</dcterms:title>", b"x" * 30_000 + b"</dcterms:title>"),
    "ipm.transactie": about(5, "Wijziging"),
    "ipm.identifier": about(6, identifier="zaken/6"),
    "ipm.datum": about(7, aanmaakdatum="1-4-2026"),
    "ipm.datum-toekomst": about(8, aanmaakdatum="2099-01-01"),
}
SMALL = {"WOO_MESSAGE_MAXSIZE": 20_000}


@pytest.fixture
def auditor(auditor: Auditor, tmp_path: Path) -> Auditor:
    write_register(tmp_path / "register.xml", {"Gemeente Elders": ["https://www.elders.nl/woo"]})
    return auditor


def unwrapped(output: str) -> str:
    """Return output without the line ends that depend on the width of the terminal."""
    return " ".join(output.split())


def supplier(site: Site, files: Mapping[str, bytes | Page], robots: str = "User-agent: *\nAllow: /") -> Site:
    """Have the site list these messages."""
    site.pages["/robots.txt"] = Page(robots, content_type="text/plain")
    publish(site, files)
    return site


def written(folder: Path, files: Mapping[str, bytes]) -> Path:
    folder.mkdir(parents=True)
    for name, body in files.items():
        (folder / name).write_bytes(body)
    return folder


def rows(host: HostReport) -> dict[str, FindingRow]:
    return {row.code: row for row in host.findings}


def test_a_good_supplier_can_be_connected(auditor: Auditor, site: Site) -> None:
    besluit = document_message(case=case(1), identifier=case(1) + "/b.pdf")
    supplier(site, {"1.xml": about(1), "1-besluit.xml": besluit})
    answer = answer_of(run := auditor("--permits", site.url(FOLDER)))
    assert run.returncode == 0
    assert "Aansluitbaar: 2 berichten beoordeeld, zonder fouten." in unwrapped(run.stdout)
    host = answer.hosts[site.host]
    assert (host.kind, host.listed, host.harvested, host.score) == ("vergunningen", 2, 2, 100)
    assert (host.findings, host.complete, host.beyond_sample) == ([], True, 0)
    assert host.verdict is not None
    assert (host.verdict.connectable, host.verdict.in_the_way) == (True, [])
    assert host.verdict.text in answer.page(site)


def test_each_mistake_has_its_line_what_was_expected_and_the_fix(auditor: Auditor, site: Site) -> None:
    supplier(
        site, {f"{number}.xml": body for number, body in enumerate(INVALID.values())} | {"9.xml": about(9)}
    )
    answer = answer_of(run := auditor("--permits", site.url(FOLDER), **SMALL))
    assert run.returncode == 1
    host = answer.hosts[site.host]
    assert (host.listed, host.harvested) == (9, 1)
    found = rows(host)
    assert found.keys() >= INVALID.keys()
    assert host.verdict is not None
    assert host.verdict.connectable is False
    assert set(host.verdict.in_the_way) == INVALID.keys()
    page = answer.page(site)
    for number, code in enumerate(INVALID):
        row = found[code]
        assert row.url == site.url(f"{FOLDER}{number}.xml")
        assert code in page
        if code != "ipm.te-groot":
            assert row.line, code
        if code not in ("ipm.te-groot", "ipm.ongeldig"):
            assert (row.snippet is None) is (code == "ipm.schema"), code


def test_a_sample_is_the_first_and_the_last_of_the_page(auditor: Auditor, site: Site) -> None:
    supplier(site, {f"{number}.xml": about(number) for number in range(10)})
    run = auditor("--permits", site.url(FOLDER), "--sample", "3")
    host = answer_of(run).hosts[site.host]
    asked = {request.path.rpartition("/")[2] for request in site.requests if request.path.endswith(".xml")}
    assert asked == {"0.xml", "8.xml", "9.xml"}
    assert (host.listed, host.harvested, host.beyond_sample) == (3, 3, 7)
    assert "een steekproef: de ingang noemt er 10" in unwrapped(run.stdout)


def test_a_page_that_robots_txt_forbids_cannot_be_connected(auditor: Auditor, site: Site) -> None:
    supplier(site, {"1.xml": about(1)}, robots=f"User-agent: *\nDisallow: {FOLDER}")
    host = answer_of(run := auditor("--permits", site.url(FOLDER))).hosts[site.host]
    assert run.returncode == 1
    assert host.verdict is not None
    assert (host.verdict.connectable, host.verdict.in_the_way) == (False, ["robots.verboden"])
    assert not [request for request in site.requests if request.path != "/robots.txt"]


@pytest.mark.parametrize(
    ("page", "code"),
    [
        (Page("<p>Welkom</p>", content_type="text/html"), "ipm.ingang-zonder-links"),
        (Page(status=500), "ipm.ingang-onbereikbaar"),
    ],
    ids=["no links", "error"],
)
def test_an_entry_page_without_messages_cannot_be_connected(
    auditor: Auditor, site: Site, page: Page, code: str
) -> None:
    site.pages |= {"/robots.txt": Page("User-agent: *"), FOLDER: page}
    run = auditor("--permits", site.url(FOLDER), RETRY_TIMES=0)
    host = answer_of(run).hosts[site.host]
    assert (run.returncode, host.listed) == (1, 0)
    assert host.verdict is not None
    assert (host.verdict.connectable, host.verdict.in_the_way) == (False, [code])


def test_a_private_address_is_audited_and_said_to_be_out_of_reach(auditor: Auditor, site: Site) -> None:
    supplier(site, {"1.xml": about(1)})
    run = auditor("--permits", site.url(FOLDER), WOO_ALLOW_PRIVATE_HOSTS=False)
    host = answer_of(run).hosts[site.host]
    assert rows(host).keys() == {"host.intern-adres"}
    assert host.harvested == 1
    assert host.verdict is not None
    assert host.verdict.in_the_way == ["host.intern-adres"]


def test_a_wrong_argument_is_one_line(auditor: Auditor) -> None:
    run = auditor("--permits", "www.a.nl/xml")
    assert run.returncode == 2
    assert "--permits: expected the URL of an entry page, got 'www.a.nl/xml'" in run.stderr
    assert "Traceback" not in run.stderr


def test_the_same_mistake_in_a_file_has_the_same_finding(auditor: Auditor, site: Site) -> None:
    supplier(site, {f"{code}.xml": body for code, body in INVALID.items()})
    online = rows(answer_of(auditor("--permits", site.url(FOLDER), **SMALL)).hosts[site.host])
    written(auditor.folder / "klaar", {f"{code}.xml": body for code, body in INVALID.items()})
    offline = rows(answer_of(auditor("--file", "klaar", **SMALL)).hosts["klaar"])
    assert offline.keys() == online.keys() == INVALID.keys()
    for code in INVALID:
        mine, other = offline[code], online[code]
        assert (mine.line, mine.element, mine.seen, mine.action) == (
            other.line,
            other.element,
            other.seen,
            other.action,
        )
        assert (mine.snippet is None) == (other.snippet is None)
