"""An audit of a test environment: with a password, and with a certificate of its own."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest

from tests.integration.audits import Auditor, answer_of, words
from tests.utils.publishers import INDEX, entries_of, index_of, robots_of
from tests.utils.sites import MakeSite
from woo_harvester.demo.mistaken import GOOD, LASTMOD
from woo_harvester.demo.server import Authority, Handler, Page, Request, redirect
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import Entry, pdf_page

pytestmark = pytest.mark.integration

USER, PASSWORD = "jan", "geheim-7f3a"
RIGHT = f"Basic {b64encode(f'{USER}:{PASSWORD}'.encode()).decode()}"


@pytest.fixture(autouse=True)
def _password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIT_PASSWORD", PASSWORD)


def behind_a_password(page: Page) -> Handler:
    def answer(request: Request) -> Page:
        if request.headers.get("authorization") == RIGHT:
            return page
        return Page("Wachtwoord?", status=401, headers={"WWW-Authenticate": 'Basic realm="test"'})

    return answer


def staging(site: Site, other: Site) -> None:
    """Publish two documents behind a password; one redirects to another host."""
    locs = (site.url("/1.pdf"), site.url("/2.pdf"))
    pages = {
        "/robots.txt": robots_of(site, INDEX),
        INDEX: index_of(site, "/sitemap.xml"),
        "/sitemap.xml": entries_of(site, *(Entry(loc=loc, lastmod=LASTMOD, diwoo=GOOD) for loc in locs)),
        "/1.pdf": pdf_page("Besluit"),
        "/2.pdf": redirect(other.url("/elders.pdf")),
    }
    site.pages |= {path: behind_a_password(page) for path, page in pages.items()}
    other.pages["/elders.pdf"] = pdf_page("Elders")


def test_a_password_in_the_url_is_for_that_host_and_is_nowhere_else(
    auditor: Auditor, make_site: MakeSite
) -> None:
    site, other = make_site(), make_site()
    staging(site, other)
    auditor.register(site, other)
    refused = auditor(site.host)
    assert refused.returncode == 1
    assert "wachtwoord" in refused.stdout
    assert "--user NAAM" in words(refused.stdout)
    assert "--user NAME" in words(auditor(site.host, "--lang", "en").stdout)
    run = auditor(site.host, "--user", USER, "-L", "DEBUG", "--logfile", "log.txt")
    (host,) = answer_of(run).hosts.values()
    assert (host.host, host.listed, host.harvested) == (site.host, 2, 2)
    assert "wachtwoord" not in run.stdout
    assert [request.path for request in other.requests if "authorization" in request.headers] == []
    assert "/elders.pdf" in [request.path for request in other.requests]
    written = [path for path in auditor.folder.rglob("*") if path.is_file()]
    assert auditor.folder / "log.txt" in written
    for secret in (PASSWORD, RIGHT.removeprefix("Basic ")):
        assert secret not in run.stdout + run.stderr
        assert [path for path in written if secret.encode() in path.read_bytes()] == []


def test_what_a_server_sends_back_of_a_password_is_in_no_report(
    auditor: Auditor, make_site: MakeSite
) -> None:
    site, other = make_site(), make_site()
    staging(site, other)
    given = f"{RIGHT} {RIGHT.removeprefix('Basic ')} {USER}:{PASSWORD} Authorization: Basic eWFuOmVsc2U="
    site.pages["/sitemap.xml"] = entries_of(site, Entry(loc=f"terug {given}", lastmod=LASTMOD, diwoo=GOOD))
    auditor.register(site)
    run = auditor(site.host, "--user", USER)
    shown = "terug%20Basic%20…%20…%20…%20Authorization:…"
    assert shown in [finding.get("seen") for finding in run.findings]
    written = [path for path in auditor.folder.rglob("*") if path.is_file()]
    for secret in (PASSWORD, RIGHT.removeprefix("Basic "), "eWFuOmVsc2U="):
        assert secret not in run.stdout + run.stderr
        assert [path for path in written if secret.encode() in path.read_bytes()] == []


def test_the_password_of_a_user_name_may_be_in_the_environment(
    auditor: Auditor, make_site: MakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, other = make_site(), make_site()
    staging(site, other)
    auditor.register(site, other)
    (host,) = answer_of(auditor(site.host, "--user", USER)).hosts.values()
    assert host.harvested == 2
    monkeypatch.setenv("AUDIT_PASSWORD", "fout")
    assert "een ander dan u gaf" in words(auditor(site.host, "--user", USER).stdout)


def test_a_certificate_of_an_authority_of_your_own(tmp_path: Path, ca_bundle: Path) -> None:
    own = Authority()
    bundle = own.write_bundle(tmp_path / "own.pem")
    auditor = Auditor(tmp_path, ca_bundle)
    with Site(own) as site:
        site.pages |= {
            "/robots.txt": robots_of(site, INDEX),
            INDEX: index_of(site, "/sitemap.xml"),
            "/sitemap.xml": entries_of(site, Entry(loc=site.url("/1.pdf"), lastmod=LASTMOD, diwoo=GOOD)),
            "/1.pdf": pdf_page("Besluit"),
        }
        auditor.register(site)
        refused = auditor(site.host)
        assert "--ca BESTAND" in words(refused.stdout)
        (host,) = answer_of(refused).hosts.values()
        assert (host.score, host.listed) == (None, 0)
        run = auditor(site.host, "--ca", str(bundle))
        (host,) = answer_of(run).hosts.values()
        assert (host.harvested, host.score) == (1, 100)
        wrong = auditor(site.host, "--ca", "weg.pem")
        assert (wrong.returncode, wrong.stdout) == (2, "")
        assert wrong.stderr.startswith("scrapy audit: error: --ca is weg.pem, which cannot be used")
