"""The same sites audited online and as folders: what both can judge, both judge in the same way."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from tests.utils.command import run_scrapy
from tests.utils.mistaken import AUDITED, SITEMAP, well
from tests.utils.publishers import INDEX, publish
from tests.utils.sites import write_register
from woo_harvester.demo.mistaken import GOOD, LASTMOD
from woo_harvester.demo.server import Authority, Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import Coded, Entry, pdf_page
from woo_harvester.report.json_file import read_hosts
from woo_harvester.report.model import HostReport

pytestmark = pytest.mark.integration

Build = Callable[[Site], object]


def with_rules(*rules: str) -> Build:
    """Return the publisher of three documents whose robots.txt has these rules."""

    def build(site: Site) -> None:
        paths = ("/a.pdf", "/besloten/b.pdf", "/c.pdf")
        entries = (Entry(loc=site.url(path), lastmod=LASTMOD, diwoo=GOOD) for path in paths)
        lines = ["User-agent: *", *rules, f"Sitemap: {site.url(INDEX)}"]
        publish(site, *entries, robots="\n".join(lines))
        site.pages |= {path: pdf_page("Besluit") for path in paths}

    return build


def with_near_misses(site: Site) -> None:
    """A publisher who misspells an element and two values."""
    category, publisher = Coded("WOO verzoek"), Coded("Gemeente Amsterdm")
    given = replace(GOOD, informatiecategorieen=[category], publisher=publisher)
    well(site)
    publish(site, Entry(loc=site.url("/documenten/besluit.pdf"), lastmod=LASTMOD, diwoo=given))
    page = site.pages[SITEMAP]
    assert isinstance(page, Page)
    text = b"".join(page.chunks()).replace(b"creatiedatum>", b"creatieDatum>")
    site.pages[SITEMAP] = Page(text, content_type="application/xml")


#: Publishers whose files show all that matters for the parts that both judge.
BUILDS: dict[str, Build] = {
    "well": well,
    "all forbidden": with_rules("Disallow: /"),
    "sitemap forbidden": with_rules(f"Disallow: {SITEMAP}"),
    "document forbidden": with_rules("Disallow: /besloten/"),
    "others forbidden": with_rules("Disallow:", "", "User-agent: ander", "Disallow: /"),
    "near misses": with_near_misses,
    **{
        code: AUDITED[code]
        for code in (
            "robots.geen-diwoo-index",
            "robots.regel-afwijkend",
            "index.naam",
            "index.geen-https",
            "sitemap.ongeldig",
            "sitemap.element-onbekend",
            "sitemap.hoofdletters",
            "sitemap.leeg",
            "loc.geen-https",
            "titel.ontbreekt",
            "titel.onbekend",
            "datum.ongeldig",
            "metadata.naamruimte",
            "waarde.label-onbekend",
        )
    },
}

Answers = dict[str, tuple[HostReport, HostReport]]
"""The answer online and that on files, by the name of the publisher."""


def save(site: Site, folder: Path) -> None:
    """Write robots.txt, indexes and sitemaps of a site to a folder, as who downloads them has them."""
    folder.mkdir()
    for path, page in site.pages.items():
        if path.endswith((".txt", ".xml")):
            assert isinstance(page, Page)
            (folder / path.rpartition("/")[2]).write_bytes(b"".join(page.chunks()))


@pytest.fixture(scope="module")
def answers(ca: Authority, ca_bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """What audits say of each publisher, online and of its files."""
    folder = tmp_path_factory.mktemp("audit")
    with ExitStack() as stack:
        sites = {name: stack.enter_context(Site(ca)) for name in BUILDS}
        for name, site in sites.items():
            BUILDS[name](site)
            save(site, folder / name)
        register = write_register(
            folder / "register.xml", {name: [site.url("/")] for name, site in sites.items()}
        )
        hosts = [site.host for site in sites.values()]
        settings = {"WOO_REGISTER": register}
        online = run_scrapy(["audit", *hosts], folder, ca_bundle, settings=settings, timeout=300)
    files = run_scrapy(["audit", "--file", *sites], folder, ca_bundle, settings=settings)
    assert (online.returncode, files.returncode) == (1, 1), files.stderr
    assert online.report is not None
    assert files.report is not None
    of_hosts = {host.host: host for host in read_hosts(online.report / "report.json")}
    of_files = {host.host: host for host in read_hosts(files.report / "report.json")}
    assert of_files.keys() == sites.keys()
    return {name: (of_hosts[site.host], of_files[name]) for name, site in sites.items()}


def parts_of(host: HostReport) -> dict[str, float]:
    """Return the share of each part that was judged."""
    parts = [part for section in host.sections for part in section.parts]
    return {part.part: part.share for part in parts if part.state not in ("not_judged", "not_applicable")}


@pytest.mark.parametrize("name", BUILDS)
def test_files_give_the_same_documents_and_shares_of_parts_as_the_host(answers: Answers, name: str) -> None:
    online, files = answers[name]
    assert (files.listed, files.harvested) == (online.listed, online.harvested)
    judged = parts_of(files)
    assert judged.items() <= parts_of(online).items()
    assert {"register", "withdrawal"}.isdisjoint(judged)
    assert (online.not_judged, files.not_judged) == (
        [],
        ["register", "connection", "documents", "withdrawal"],
    )


def test_a_site_that_forbids_all_has_the_same_score_but_for_what_was_not_judged(answers: Answers) -> None:
    online, files = answers["all forbidden"]
    assert (online.score, online.listed) == (20, 0)
    assert (files.score, files.listed) == (100 * 15 // (100 - 5 - 12 - 2), 0)
    assert [row.code for row in files.findings] == ["robots.verboden"]


def test_a_site_without_mistakes_has_no_findings_in_either(answers: Answers) -> None:
    for name in ("well", "others forbidden"):
        for host in answers[name]:
            assert (host.findings, host.score) == ([], 100)


def test_an_empty_sitemap_has_no_score_in_either(answers: Answers) -> None:
    assert [host.score for host in answers["sitemap.leeg"]] == [None, None]
