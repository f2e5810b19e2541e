from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from tests.demo.client import get
from tests.utils.sites import MakeSite
from woo_harvester.demo.server import Authority, Certificate, Page


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
def test_who_trusts_the_authority_trusts_its_sites(ca: Authority, make_site: MakeSite, name: str) -> None:
    site = make_site({"/": Page("hallo")}, name=name)
    assert site.host.startswith(f"{name}:")
    assert get(ca, site).body == b"hallo"


@pytest.mark.parametrize(
    ("certificate", "reason"),
    [
        (Certificate.EXPIRED, "certificate has expired"),
        (Certificate.WRONG_NAME, "Hostname mismatch"),
        (Certificate.UNKNOWN_AUTHORITY, "unable to get local issuer certificate"),
    ],
)
def test_a_wrong_certificate_is_wrong_in_one_way(
    ca: Authority, make_site: MakeSite, certificate: Certificate, reason: str
) -> None:
    site = make_site(certificate=certificate)
    with pytest.raises(ssl.SSLCertVerificationError, match=reason):
        get(ca, site)
    assert site.requests == []


def test_the_bundle_is_what_openssl_reads_from_ssl_cert_file(ca: Authority, ca_bundle: Path) -> None:
    context = ssl.create_default_context(cafile=str(ca_bundle))
    (certificate,) = (cert for cert in context.get_ca_certs() if "woo-harvester demo" in str(cert["subject"]))
    assert certificate["subject"] == certificate["issuer"]


def test_a_client_without_the_bundle_does_not_trust_the_authority(make_site: MakeSite) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        get(Authority(), make_site())
