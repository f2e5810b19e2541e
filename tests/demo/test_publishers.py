from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from lxml import etree

from tests.demo.client import Answer, get
from woo_harvester.demo import mistaken
from woo_harvester.demo.publishers import Demo
from woo_harvester.demo.server import Authority, LoopbackServer
from woo_harvester.demo.site import Site
from woo_harvester.findings import Finding, Reporter, Severity, explain, explanations
from woo_harvester.register import read_export

LOC = ".//{*}loc"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with Demo(tmp_path_factory.mktemp("demo"), documents=2500) as running:
        yield running


def fetch(demo: Demo, site: LoopbackServer, url: str) -> Answer:
    return get(demo.authority, site, urlsplit(url).path)


def locs(answer: Answer) -> list[str]:
    return [loc.text or "" for loc in etree.fromstring(answer.body).iterfind(LOC)]


def documents(demo: Demo, site: Site) -> list[str]:
    """Return the locs of all documents, by way of robots.txt, index and sitemaps."""
    robots = get(demo.authority, site, "/robots.txt").body.decode()
    indexes = [line.split(": ")[1] for line in robots.splitlines() if line.startswith("Sitemap")]
    sitemaps = [loc for index in indexes for loc in locs(fetch(demo, site, index))]
    return [loc for url in sitemaps for loc in locs(fetch(demo, site, url))]


def test_the_register_names_every_host(demo: Demo) -> None:
    root = etree.fromstring(demo.register_path.read_bytes())
    registered = {urlsplit(url.text or "").netloc for url in root.iterfind(".//{*}url")}
    assert set(demo.hosts) <= registered
    assert len(set(demo.hosts)) == len(demo.hosts)


def test_the_harvester_reads_the_register_as_it_is_meant(demo: Demo) -> None:
    findings: list[Finding] = []
    with demo.register_path.open("rb") as file:
        register = read_export(file, Reporter(findings.append), date(2026, 1, 1))
    assert set(register.hosts) == set(demo.hosts)
    assert [finding.code for finding in findings] == ["register.url-ongeldig"]
    owner = register.organisation_of(demo.mistaken.url("/documenten/a.pdf"), demo.mistaken.host)
    assert owner.organisation == register.find("90000002")
    shared = register.organisation_of(demo.mistaken.url("/gezamenlijk/a.pdf"), demo.mistaken.host)
    assert (shared.organisation, len(shared.candidates)) == (None, 2)


def test_every_document_of_the_exemplary_publisher_exists_as_what_it_is(demo: Demo) -> None:
    found = documents(demo, demo.exemplary)
    assert len(found) == len(set(found)) == 10
    assert all(loc.startswith(demo.exemplary.url("/documenten/")) for loc in found)
    answers = [fetch(demo, demo.exemplary, loc) for loc in found]
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    assert {answer.media_type for answer in answers} == {"application/pdf", word, "text/csv", "text/plain"}
    assert {answer.status for answer in answers} == {200}


def test_the_huge_publisher_has_as_many_documents_as_asked_for(demo: Demo) -> None:
    found = documents(demo, demo.huge)
    assert len(found) == len(set(found)) == 2500
    assert fetch(demo, demo.huge, found[-1]).media_type == "application/pdf"


def test_every_expected_finding_is_in_the_catalogue(demo: Demo) -> None:
    assert all(explain(code) for code in demo.expected_codes())


def test_the_demo_shows_nearly_every_error_that_a_publisher_can_make(demo: Demo) -> None:
    """Add a new code to the demo, or below: bodies beyond limits, broken connections, second runs, names."""
    harvest = {code for code, text in explanations().items() if text.severity is Severity.ERROR}
    missing = {code for code in harvest - demo.expected_codes() if not code.startswith("ipm.")}
    assert missing == {
        "host.bestaat-niet",
        "host.prive-adres",
        "index.te-groot",
        "sitemap.te-groot",
        "sitemap.element-onbekend",
        "lastmod.heraanbod",
        "document.afgebroken",
        "document.te-groot",
        "oogst.fout",
    }


def test_no_mistake_is_made_about_a_host_that_could_exist(demo: Demo) -> None:
    for mistake in mistaken.mistakes(demo.mistaken):
        host = urlsplit(mistake.entry.loc or "").hostname
        assert host in (None, "localhost") or host.endswith(".example")


def test_the_demo_stops_all_its_sites(tmp_path: Path) -> None:
    with Demo(tmp_path, documents=1) as demo:
        pass
    for site in demo.sites:
        with pytest.raises(ConnectionRefusedError):
            get(Authority(), site)
