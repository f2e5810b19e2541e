"""Certificates that cannot be used end a run before its first request, and blame no publisher."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.utils.command import run_scrapy
from tests.utils.daily import Harvester, numbered, publish
from tests.utils.sites import MakeSite
from tests.utils.vergunningen import FOLDER, Permits
from woo_harvester.demo.site import Site


@pytest.fixture
def publisher(make_site: MakeSite) -> Site:
    made = make_site()
    publish(made, numbered(2))
    return made


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("away.pem", None, "No such file or directory"),
        ("empty.pem", b"", "NO_CERTIFICATE_OR_CRL_FOUND"),
        ("text.pem", b"geen certificaat\n", "NO_CERTIFICATE_OR_CRL_FOUND"),
        ("broken.pem", b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", "PEM"),
    ],
)
@pytest.mark.parametrize("command", ["crawl", "audit", "vergunningen"])
def test_a_bundle_that_cannot_be_used_ends_the_run_before_the_first_request(
    command: str, name: str, content: bytes | None, reason: str, publisher: Site, tmp_path: Path
) -> None:
    bundle = tmp_path / name
    if content is not None:
        bundle.write_bytes(content)
    arguments = Harvester(tmp_path, bundle, [publisher]).arguments()
    given = {
        "crawl": arguments,
        "audit": ["audit", publisher.host, *("-s", f"WOO_REGISTER={tmp_path / 'register.xml'}")],
        "vergunningen": Permits(tmp_path, bundle).arguments(publisher.url(FOLDER)),
    }[command]
    run = run_scrapy(given, tmp_path, bundle, settings={"LOG_LEVEL": "WARNING"})
    assert run.returncode == 1
    (line,) = run.stderr.splitlines()
    assert f"error: SSL_CERT_FILE is {bundle}, which cannot be used: " in line
    assert reason in line
    assert publisher.requests == []
    assert run.findings == []


def test_a_register_is_not_asked_for_with_a_bundle_that_cannot_be_used(site: Site, tmp_path: Path) -> None:
    run = run_scrapy(
        ["crawl", "woo", "-a", f"register={site.url('/roo.xml')}"], tmp_path, tmp_path / "away.pem"
    )
    assert run.returncode == 1
    assert "SSL_CERT_FILE is" in run.stderr.splitlines()[-1]
    assert site.requests == []
