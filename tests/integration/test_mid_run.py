"""A host that was reached, and goes wrong while it is being read: its own fault, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.utils.daily import Harvester, causes, numbered, publish
from tests.utils.sites import MakeSite
from woo_harvester.demo.server import Authority, Certificate, Page, Request
from woo_harvester.demo.site import Site

PDF = Page(b"%PDF-1.4 one", content_type="application/pdf", headers={"Connection": "close"})


def issued(folder: Path, ca: Authority, certificate: Certificate) -> Path:
    """A certificate with its key, as a file."""
    path = folder / f"{certificate.name}.pem"
    ca._issue(certificate, "localhost").private_key_and_cert_chain_pem.write_to_path(str(path))
    return path


def show(site: Site, certificate: Path) -> Callable[[], None]:
    """What has each new connection to a site see this certificate."""
    return partial(site._tls.load_cert_chain, certificate)


def then(page: Page, change: Callable[[], None]) -> Callable[[Request], Page]:
    """Answer with *page* on a connection that ends with it, and make a change first."""

    def handle(_: Request) -> Page:
        change()
        return replace(page, headers={**page.headers, "Connection": "close"})

    return handle


@pytest.mark.parametrize("path", ["/robots.txt", "/sitemapindex-diwoo.xml", "/s0.xml"])
def test_a_certificate_that_changes_in_mid_run_withdraws_nothing(
    path: str, make_site: MakeSite, tmp_path: Path, ca_bundle: Path, ca: Authority
) -> None:
    expired, valid = (issued(tmp_path, ca, kind) for kind in (Certificate.EXPIRED, Certificate.VALID))
    sites = [make_site() for _ in range(10)]
    for site in sites:
        site.pages["/d/*"] = PDF
        publish(site, numbered(3))
    harvester = Harvester(tmp_path, ca_bundle, sites)
    assert len(harvester.day("-a", "documents=download").records) == 30

    for site in sites:
        publish(site, {"doc0": None, "new": None}, headers={"Connection": "close"})
        page = site.pages[path]
        assert isinstance(page, Page)
        site.pages[path] = then(page, show(site, expired))
    bad = harvester.day("-a", "documents=download")
    assert bad.returncode == 0, bad.stderr
    assert {finding["host"] for finding in bad.about("tls.ongeldig")} == {site.host for site in sites}
    if path != "/s0.xml":  # else all was read but the documents, so that what is gone is gone
        assert bad.records == []

    for site in sites:
        show(site, valid)()
        publish(site, {"doc0": None, "new": None})
    after = harvester.day("-a", "documents=download")
    assert after.returncode == 0, after.stderr
    assert {**causes(bad), **causes(after)} == {
        "new": "aanlevering",
        "doc1": "intrekking",
        "doc2": "intrekking",
    }
    assert len(bad.records) + len(after.records) == 30
