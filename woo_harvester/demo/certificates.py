"""A private certificate authority, made for one run."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from tempfile import NamedTemporaryFile

import trustme

#: Names under which a loopback site can be reached.
_LOOPBACK_NAMES = ("localhost", "*.localhost", "127.0.0.1", "::1")
#: A name that no loopback site has (RFC 2606 reserves ``.example``).
_OTHER_NAME = "een-andere-naam.example"


class Certificate(Enum):
    """The kind of certificate that a site sends."""

    VALID = "valid"
    EXPIRED = "expired"
    """A certificate with the right name and authority that has expired."""
    WRONG_NAME = "wrong name"
    """A certificate of the right authority for another host."""
    UNKNOWN_AUTHORITY = "unknown authority"
    """A certificate with the right name from an untrusted authority."""
    COMPLETE_CHAIN = "complete chain"
    """A certificate of an intermediate authority, whose certificate the server sends too."""
    INCOMPLETE_CHAIN = "incomplete chain"
    """A certificate of an intermediate authority, whose certificate the server does not send."""
    SELF_SIGNED = "self-signed"
    """A certificate signed with its own key."""


class Authority:
    """A certificate authority for one run. A client that trusts its bundle trusts its sites."""

    def __init__(self) -> None:
        self._ca = trustme.CA(organization_name="woo-harvester demo")

    def server_context(
        self, certificate: Certificate = Certificate.VALID, names: Iterable[str] = _LOOPBACK_NAMES
    ) -> ssl.SSLContext:
        """Return the TLS context of a server with this kind of certificate, for these names."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if certificate is Certificate.SELF_SIGNED:
            own = trustme.CA()
            _load(context, [own.private_key_pem.bytes(), own.cert_pem.bytes()])
            return context
        issued = self._issue(certificate, *names)
        if certificate is Certificate.INCOMPLETE_CHAIN:
            _load(context, [issued.private_key_pem.bytes(), issued.cert_chain_pems[0].bytes()])
        else:
            issued.configure_cert(context)
        return context

    def client_context(self) -> ssl.SSLContext:
        """Return the TLS context of a client that trusts only this authority."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._ca.configure_trust(context)
        return context

    def write_bundle(self, path: Path) -> Path:
        """Write the authority's certificate as PEM, for ``SSL_CERT_FILE``; return the path."""
        self._ca.cert_pem.write_to_path(str(path))
        return path

    def write_certificate(self, path: Path) -> Path:
        """Write a valid certificate with its key as PEM, for another server; return the path."""
        self._issue(Certificate.VALID, *_LOOPBACK_NAMES).private_key_and_cert_chain_pem.write_to_path(
            str(path)
        )
        return path

    def _issue(self, certificate: Certificate, *names: str) -> trustme.LeafCert:
        match certificate:
            case Certificate.VALID:
                return self._ca.issue_cert(*names)
            case Certificate.EXPIRED:
                return self._ca.issue_cert(*names, not_after=datetime(2020, 1, 1, tzinfo=UTC))
            case Certificate.WRONG_NAME:
                return self._ca.issue_cert(_OTHER_NAME)
            case Certificate.UNKNOWN_AUTHORITY:
                return trustme.CA().issue_cert(*names)
            case Certificate.COMPLETE_CHAIN | Certificate.INCOMPLETE_CHAIN:
                return self._ca.create_child_ca().issue_cert(*names)
            case Certificate.SELF_SIGNED:
                raise ValueError("No authority issues it")


def _load(context: ssl.SSLContext, pems: list[bytes]) -> None:
    """Load keys and certificates by way of a file, since Python reads them only from files."""
    with NamedTemporaryFile(suffix=".pem") as file:
        file.write(b"".join(pems))
        file.flush()
        context.load_cert_chain(file.name)
