"""A private certificate authority, made at start and gone at the end."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path

import trustme

#: Names under which a loopback site can be reached.
LOOPBACK_NAMES = ("localhost", "*.localhost", "127.0.0.1", "::1")
#: A name that no loopback site has (RFC 2606 keeps ``.example`` free).
OTHER_NAME = "een-andere-naam.example"


class Certificate(Enum):
    """Which certificate a site shows."""

    VALID = "valid"
    EXPIRED = "expired"
    """Right name, right authority, but over its date."""
    WRONG_NAME = "wrong name"
    """In date, right authority, but for another host."""
    UNKNOWN_AUTHORITY = "unknown authority"
    """In date and the right name, but of an authority that nobody trusts."""


class Authority:
    """A certificate authority for one run; whoever trusts its bundle trusts its sites."""

    def __init__(self) -> None:
        self._ca = trustme.CA(organization_name="woo-harvester demo")

    def server_context(self, certificate: Certificate = Certificate.VALID) -> ssl.SSLContext:
        """The TLS context of a server that shows this certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._issue(certificate).configure_cert(context)
        return context

    def client_context(self) -> ssl.SSLContext:
        """The TLS context of a client that trusts this authority and no other."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._ca.configure_trust(context)
        return context

    def write_bundle(self, path: Path) -> Path:
        """Writes the authority's certificate as PEM, for ``SSL_CERT_FILE``; gives the path back."""
        self._ca.cert_pem.write_to_path(str(path))
        return path

    def write_certificate(self, path: Path) -> Path:
        """Writes a valid certificate with its key as PEM, for another server; gives the path back."""
        self._issue(Certificate.VALID).private_key_and_cert_chain_pem.write_to_path(str(path))
        return path

    def _issue(self, certificate: Certificate) -> trustme.LeafCert:
        match certificate:
            case Certificate.VALID:
                return self._ca.issue_cert(*LOOPBACK_NAMES)
            case Certificate.EXPIRED:
                return self._ca.issue_cert(*LOOPBACK_NAMES, not_after=datetime(2020, 1, 1, tzinfo=UTC))
            case Certificate.WRONG_NAME:
                return self._ca.issue_cert(OTHER_NAME)
            case Certificate.UNKNOWN_AUTHORITY:
                return trustme.CA().issue_cert(*LOOPBACK_NAMES)
