"""The audit against publishers with each finding: told with its place and how to mend it, and mended."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from shutil import which
from subprocess import run
from typing import get_args

import pytest

from tests.integration.audits import Answer, Auditor, answer_of, words
from tests.utils.mistaken import AUDITED, BOUNDS, DOCUMENT, SITEMAP, well
from tests.utils.publishers import INDEX, index_of, publish
from tests.utils.sites import MakeSite, write_register
from tools.reference.findings import area_of
from woo_harvester.demo.mistaken import GOOD, LASTMOD
from woo_harvester.demo.server import Authority, Page, redirect
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import Entry, pdf_page
from woo_harvester.findings import Language, explain, explanations
from woo_harvester.report.html.texts import Texts

pytestmark = pytest.mark.integration

#: Codes that need more than one host or one run; each has a test of its own, here or where it says.
ELSEWHERE = {
    "oogst.fout": "tests/integration/test_own_errors.py",
    "oogst.eigen-verbinding": "tests/integration/test_own_side.py",
    "register.onbereikbaar": "test_a_register_that_cannot_be_had",
    "register.url-ongeldig": "tests/register/test_reader.py",
    "register.domein-ontbreekt": "test_a_host_that_is_not_registered",
    "register.categorie-strijdig": "tests/integration/test_reading.py",
    "register.meerdere-organisaties": "tests/diwoo/test_metadata_defaults.py",
    "publisher.andere-organisatie": "tests/integration/test_reading.py",
    "tls.ongeldig": "tests/integration/test_hostile_hosts.py",
    "host.bestaat-niet": "test_a_name_that_does_not_exist",
    "host.prive-adres": "test_a_private_address",
    "host.intern-adres": "test_a_private_address",
    "bestand.niet-genoemd": "tests/integration/test_audit_files.py",
    "bestand.ontbreekt": "tests/integration/test_audit_files.py",
    "host.achterstand": "tests/integration/test_host_budget.py",
    "metadata.schema": "tests/integration/test_audit_files.py",
    "loc.andere-host": "tests/integration/test_days.py",
    "lastmod.heraanbod": "tests/integration/test_days.py",
    "lastmod.ouder": "tests/integration/test_days.py",
    "index.verdwenen": "tests/crawl/test_withdrawals.py",
    "intrekking.massaal": "tests/integration/test_days.py",
    "intrekking.onvolledig": "tests/integration/test_days.py",
    "document.leeg": "tests/integration/test_hostile_hosts.py",
    "document.afgebroken": "tests/integration/test_hostile_hosts.py",
    "format.strijdig": "tests/diwoo/test_filetype.py",
    "document.geen-tekst": "tests/pipelines/test_text.py",
    "document.tekst-mislukt": "tests/pipelines/test_text.py",
}


@pytest.fixture(scope="module")
def sites(ca: Authority) -> Iterator[dict[str, Site]]:
    """A host for each mistake."""
    with ExitStack() as stack:
        yield {code: stack.enter_context(Site(ca)) for code in AUDITED}


@pytest.fixture(scope="module")
def answers(
    sites: dict[str, Site], ca_bundle: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Answer, Answer]:
    """What an audit of all these tells, before and after they are mended."""
    auditor = Auditor(tmp_path_factory.mktemp("audit"), ca_bundle)
    auditor.register(*sites.values())
    told = []
    for mended in (False, True):
        for code, site in sites.items():
            (well if mended else AUDITED[code])(site)
        told.append(answer_of(auditor(*(site.host for site in sites.values()), "--json", **BOUNDS)))
    return told[0], told[1]


def test_every_finding_about_documents_has_a_test() -> None:
    codes = {code for code in explanations() if area_of(code, "nl") != "Vergunningen"}
    assert AUDITED.keys() | ELSEWHERE.keys() == codes
    assert not AUDITED.keys() & ELSEWHERE.keys()
    source = Path(__file__).read_text(encoding="utf-8")
    root = Path(__file__).parents[2]
    for code, place in ELSEWHERE.items():
        assert f"def {place}" in source or f'"{code}"' in (root / place).read_text(encoding="utf-8"), code


def test_each_mistake_is_reported_with_its_place_and_how_to_mend_it(
    answers: tuple[Answer, Answer], sites: dict[str, Site]
) -> None:
    wrong, mended = answers
    for code, site in sites.items():
        row = wrong.rows(site)[code]
        page = wrong.page(site)
        explained = explain(code)
        after = row.snippet.after.splitlines() if row.snippet is not None else []
        place = row.sitemap or row.url
        assert place, f"{code} has no place"
        for text in (explained.what, explained.why, explained.mend, code, place, *after):
            assert words(text) in page, (code, text)
        assert code not in mended.rows(site)


def test_an_error_costs_a_document_and_a_warning_does_not(
    answers: tuple[Answer, Answer], sites: dict[str, Site]
) -> None:
    wrong, _ = answers
    about_names = {"index.naam", "index.infocat-onbekend", "index.geen-https", "host.niet-geregistreerd"}
    before_an_entry = {"index.genest", "index.gemengd", "sitemap.gemengd", "index.te-groot"}
    for code, site in sites.items():
        host = wrong.hosts[site.host]
        if explain(code).severity == "error" and code not in about_names | before_an_entry:
            assert host.harvested < max(host.listed, 1) or code in (
                "sitemap.afgebroken",
                "sitemap.te-groot",
            ), code
        else:
            assert host.harvested == host.listed, code


def test_once_all_is_mended_everything_is_harvested(
    answers: tuple[Answer, Answer], sites: dict[str, Site]
) -> None:
    wrong, mended = answers
    assert (wrong.run.returncode, mended.run.returncode) == (1, 0)
    for site in sites.values():
        host = mended.hosts[site.host]
        assert (host.listed, host.harvested, host.score) == (1, 1, 100), host.findings
        assert not host.findings


def test_the_json_is_that_of_the_report(answers: tuple[Answer, Answer]) -> None:
    wrong, _ = answers
    told = json.loads(wrong.run.stdout)
    assert [host["host"] for host in told["hosts"]] == list(wrong.hosts)
    for host in told["hosts"]:
        assert {"host", "listed", "harvested", "score", "findings"} <= host.keys()
    assert wrong.run.report is not None
    assert told["report"] == str(wrong.run.report / "index.html")
    assert wrong.run.stderr == ""


# What needs more than one host


def test_a_register_that_cannot_be_had(auditor: Auditor, make_site: MakeSite) -> None:
    site, register = make_site(), make_site()
    well(site)
    text = auditor.register(site).read_text()
    register.pages["/roo.xml"] = Page(text, content_type="application/xml")
    given = {"WOO_REGISTER": register.url("/roo.xml")}
    assert "register.onbereikbaar" not in auditor(site.host, **given).codes
    del register.pages["/roo.xml"]
    done = auditor(site.host, "--fail-on", "warning", **given)
    assert "register.onbereikbaar" in done.codes
    assert done.returncode == 0, "nothing that its publisher can mend"
    page = answer_of(done).page(site)
    assert words(explain("register.onbereikbaar").mend) in page
    assert register.url("/roo.xml") in page


def test_a_host_that_is_not_registered(auditor: Auditor, make_site: MakeSite) -> None:
    site, other = make_site(), make_site()
    well(site)
    auditor.register(other)
    done = auditor(site.host)
    row = answer_of(done).rows(site)["register.domein-ontbreekt"]
    assert row.url == site.url("/")
    assert explain(row.code).mend in words(done.stdout)
    assert done.returncode == 0
    assert auditor(site.host, "--fail-on", "warning").returncode == 1
    auditor.register(other, site)
    assert auditor(site.host, "--fail-on", "warning").returncode == 0


def test_a_name_that_does_not_exist(auditor: Auditor) -> None:
    name = "bestaat-niet.invalid"
    write_register(auditor.folder / "register.xml", {"Publicist": [f"https://{name}/"]})
    run = auditor(name)
    (found,) = answer_of(run).hosts[name].findings
    assert (found.code, found.url) == ("host.bestaat-niet", f"https://{name}/robots.txt")
    assert "Kijk eerst of de naam goed gespeld is" in words(run.stdout)
    assert "firewall" not in run.stdout
    write_register(auditor.folder / "register.xml", {"Publicist": [f"https://www.{name}/"]})
    run = auditor(name)
    assert answer_of(run).hosts.keys() == {f"www.{name}"}, "which is in the register"
    assert f"scrapy audit: www.{name} wordt gelezen: {name} staat niet in het register\n" in run.stderr


@pytest.mark.parametrize("lang", get_args(Language))
def test_a_machine_without_a_connection_blames_no_publisher(tmp_path: Path, lang: Language) -> None:
    if which("unshare") is None or run(["unshare", "-rn", "true"], check=False).returncode:
        pytest.skip("no network namespaces")
    write_register(tmp_path / "register.xml", {"Publicist": ["https://www.gemeente.nl/"]})
    for register in ("register.xml", "https://register.example/roo.xml"):
        command = ["unshare", "-rn", sys.executable, "-m", "woo_harvester", "audit", "www.gemeente.nl"]
        given = ["--lang", lang, "-s", f"WOO_REGISTER={register}", "-s", "RETRY_TIMES=0"]
        done = run([*command, *given], check=False, cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (1, "")
        (line,) = done.stderr.splitlines()
        assert line.endswith(Texts(lang)("audit_offline"))


def test_a_private_address(auditor: Auditor, make_site: MakeSite) -> None:
    """One that was typed is audited; one that a file names is not, also if it was typed too."""
    typed, named = make_site(), make_site()
    for site in (typed, named):
        well(site)
    locs = (typed.url(DOCUMENT), typed.url("/weg.pdf"), named.url("/geheim.pdf"))
    publish(typed, *(Entry(loc=loc, lastmod=LASTMOD, diwoo=GOOD) for loc in locs))
    typed.pages["/weg.pdf"] = redirect(named.url("/geheim.pdf"))
    named.pages["/geheim.pdf"] = pdf_page("Geheim")
    auditor.register(typed, named)
    for hosts in ((typed.host,), (typed.host, named.host)):
        done = auditor(*hosts, WOO_ALLOW_PRIVATE_HOSTS=0)
        answer = answer_of(done)
        assert answer.rows(typed)["host.intern-adres"].url == typed.url("/robots.txt")
        assert "een oogst over het internet bereikt hem niet" in words(done.stdout)
        assert (answer.hosts[typed.host].listed, answer.hosts[typed.host].harvested) == (3, 1)
        refused = answer.rows(typed)["host.prive-adres"]
        assert {refused.url, *(refused.also or ())} == set(locs[1:])
        assert explain("host.prive-adres").mend in answer.page(typed)
        assert "/geheim.pdf" not in [request.path for request in named.requests]
    assert answer.hosts[named.host].harvested == 1
    silent = auditor("localhost:1", WOO_ALLOW_PRIVATE_HOSTS=0)
    assert {"robots.onbereikbaar", "host.intern-adres"} <= silent.codes
    well(typed)
    assert not answer_of(auditor(typed.host)).rows(typed)


# The verdict


def test_a_host_that_cannot_be_reached_has_no_score_but_a_cause(auditor: Auditor) -> None:
    write_register(auditor.folder / "register.xml", {"Publicist": ["https://localhost:1/"]})
    run = auditor("localhost:1")
    lines = run.stdout.splitlines()
    assert lines[0] == "localhost:1  Score: geen score"
    assert lines[1].startswith("Niet beoordeeld. De robots.txt van dit domein kon niet worden opgehaald")
    assert "0 van de 0" not in run.stdout
    answer = answer_of(run)
    assert answer.hosts["localhost:1"].score is None
    unreached = answer.hosts["localhost:1"].unreached
    assert unreached is not None
    assert words(" ".join(lines[1:])).startswith(unreached)
    assert run.returncode == 1
    assert "Not judged." in auditor("localhost:1", "--lang", "en", "--format", "junit").stdout


def test_an_audit_says_nothing_of_withdrawals(auditor: Auditor, make_site: MakeSite) -> None:
    site = make_site()
    well(site)
    auditor.register(site)
    site.pages[INDEX] = index_of(site, SITEMAP, "/weg.xml")
    run = auditor(site.host)
    assert "sitemap.onbereikbaar" in run.codes
    assert answer_of(run).hosts[site.host].harvested == 1
    assert "intrekking.onvolledig" not in run.codes


def test_files_and_hosts_are_answered_together(auditor: Auditor, make_site: MakeSite) -> None:
    site = make_site()
    well(site)
    auditor.register(site)
    page = site.pages[SITEMAP]
    assert isinstance(page, Page)
    (auditor.folder / "sitemap.xml").write_bytes(b"".join(page.chunks()))
    answer = answer_of(auditor(site.host, "--file", "sitemap.xml"))
    assert {name: (host.listed, host.harvested) for name, host in answer.hosts.items()} == {
        site.host: (1, 1),
        "sitemap.xml": (1, 1),
    }
