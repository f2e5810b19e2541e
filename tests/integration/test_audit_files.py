"""The same sites audited online and as folders: what both can judge, both judge in the same way.

And what only folders have: files that are not there or that nothing names, and files without a robots.txt.
"""

from __future__ import annotations

import gzip
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
from woo_harvester.demo.sitemaps import Coded, DiWoo, Entry, pdf_page, robots_txt, sitemap, sitemapindex
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
    files = run_scrapy(["audit", "--file", *sites], folder, settings=settings)
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


def test_files_give_the_same_documents_and_shares_of_parts_as_the_host(answers: Answers) -> None:
    for name, (online, files) in answers.items():
        assert (files.listed, files.harvested) == (online.listed, online.harvested), name
        judged = parts_of(files)
        assert judged.items() <= parts_of(online).items(), name
        assert (online.not_judged, files.not_judged) == (
            [],
            ["register", "connection", "documents", "withdrawal"],
        ), name


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


# What only files have

HOST = "https://www.a.nl"
INDEX_URL = f"{HOST}{INDEX}"
NO_CATEGORY = replace(GOOD, informatiecategorieen=[])


def entry(name: str, diwoo: DiWoo | None = GOOD) -> Entry:
    return Entry(loc=f"{HOST}/{name}.pdf", lastmod=LASTMOD, diwoo=diwoo)


def site(*locs: str, **more: bytes) -> dict[str, bytes]:
    """The files of a site whose index lists these sitemaps; those in *more* are XML."""
    files = {
        "robots.txt": robots_txt(INDEX_URL).encode(),
        "sitemapindex-diwoo.xml": sitemapindex([f"{HOST}/{loc}" for loc in locs]).encode(),
    }
    return files | {f"{name}.xml": body for name, body in more.items()}


INFOCAT = "sitemapindex-diwoo-infocat002.xml"
OF_INFOCAT = sitemapindex([f"{HOST}/a.xml"]).encode()
WRONG = sitemap(entry("1")).replace(b"<diwoo:creatiedatum>", b"<diwoo:creatiedatum soort='x'>")

Found = tuple[str, str | None, str | None, int | None]
"""The code of a finding, what it is about, and its sitemap and line."""

#: The files in a folder; the documents listed and harvested, and whether it is read completely; the findings.
FOLDERS: dict[str, tuple[dict[str, bytes], tuple[int, int, bool], list[Found]]] = {
    "missing": (
        site("a.xml", "weg.xml", a=sitemap(entry("1"))),
        (1, 1, False),
        [("bestand.ontbreekt", f"{HOST}/weg.xml", None, None)],
    ),
    "unnamed": (
        site("a.xml", a=sitemap(entry("1")), los=sitemap(entry("2")), pom=b"<project/>"),
        (1, 1, True),
        [("bestand.niet-genoemd", "unnamed/los.xml", None, None)],
    ),
    "schema": (
        site("a.xml", a=WRONG),
        (1, 1, True),
        [("metadata.schema", f"{HOST}/1.pdf", "schema/a.xml", 3)],
    ),
    "rules of another host": (
        site("a.xml", a=sitemap(entry("1"), Entry(loc="https://b.nl/2.pdf", lastmod=LASTMOD, diwoo=GOOD))),
        (2, 2, True),
        [],
    ),
    "type unknown": (
        site("a.xml", a=sitemap(Entry(loc=f"{HOST}/1", lastmod=LASTMOD, diwoo=replace(GOOD, format=None)))),
        (1, 1, True),
        [],
    ),
    "robots too large": (
        site("a.xml", a=sitemap(entry("1")))
        | {"robots.txt": robots_txt(INDEX_URL).encode() + b"#\n" * 300_000},
        (1, 1, False),
        [("robots.te-groot", "robots too large/robots.txt", None, None)],
    ),
    "packed": (
        {**site("a.xml"), "a.xml.gz": gzip.compress(sitemap(entry("1")))},
        (1, 1, True),
        [],
    ),
    "loose": (
        {INFOCAT: OF_INFOCAT, "a.xml": sitemap(entry("1", NO_CATEGORY)), "b.xml": sitemap(entry("2"))},
        (2, 2, True),
        [("metadata.schema", f"{HOST}/1.pdf", "loose/a.xml", 3)],
    ),
    "loose and broken": (
        {"a.xml": sitemap(entry("1")).replace(b"</loc>", b"</lok>")},
        (0, 0, False),
        [("sitemap.ongeldig", "loose and broken/a.xml", None, 3)],
    ),
    "loose and misnamed": (
        {"sitemap-diwoo.xml": OF_INFOCAT, "a.xml": sitemap(entry("1"))},
        (1, 1, True),
        [("index.naam", "loose and misnamed/sitemap-diwoo.xml", None, None)],
    ),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, HostReport]:
    """What an audit says of each folder."""
    root = tmp_path_factory.mktemp("files")
    for name, (files, _, _) in FOLDERS.items():
        (root / name).mkdir()
        for file, body in files.items():
            (root / name / file).write_bytes(body)
    run = run_scrapy(["audit", "--file", *FOLDERS], root)
    assert run.report is not None, run.stderr
    assert [path.name for path in (root / "reports").iterdir()] == [run.report.name], "one report of all"
    return {host.host: host for host in read_hosts(run.report / "report.json")}


def test_of_a_folder_all_that_files_show_is_judged(folders: dict[str, HostReport]) -> None:
    for name, (_, counts, findings) in FOLDERS.items():
        host = folders[name]
        found = [(row.code, row.url, row.sitemap, row.line) for row in host.findings]
        assert ((host.listed, host.harvested, host.complete), found) == (counts, findings), name


def test_what_a_folder_does_not_show_is_not_judged(folders: dict[str, HostReport]) -> None:
    always = ["register", "connection", "documents", "withdrawal"]
    more = {"missing": ["files"], "rules of another host": ["other_hosts"]}
    for name, host in folders.items():
        robots = ["robots"] if name.startswith("loose") else []
        assert host.not_judged == [*always, *robots, *more.get(name, [])], name
