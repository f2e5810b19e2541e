"""The trusted certificates: those of the machine, or those of SSL_CERT_FILE and SSL_CERT_DIR."""

from __future__ import annotations

import os
import re
import ssl
from pathlib import Path

#: Names of the certificates that OpenSSL finds in a folder: a hash of the subject, and a number.
_HASHED = re.compile(r"[0-9a-f]{8}\.\d+")


class TrustError(Exception):
    """The trusted certificates cannot be used, so no server can be verified; the message is one line."""


def trusted_context() -> ssl.SSLContext:
    """Return a TLS context for a client that trusts what OpenSSL trusts on this machine.

    OpenSSL itself ignores a file or a folder that it cannot read. Every server would then seem to have a
    wrong certificate. So this raises TrustError if the file in SSL_CERT_FILE cannot be used, or if neither
    the file nor the folder has a certificate.
    """
    paths = ssl.get_default_verify_paths()
    context = ssl.create_default_context()
    if named := os.environ.get(paths.openssl_cafile_env):
        _check_file(Path(named), paths.openssl_cafile_env)
    file = os.environ.get(paths.openssl_cafile_env, paths.openssl_cafile)
    folders = os.environ.get(paths.openssl_capath_env, paths.openssl_capath)
    if context.cert_store_stats()["x509"] or any(
        _has_certificates(Path(folder)) for folder in folders.split(os.pathsep) if folder
    ):
        return context
    raise TrustError(
        f"no certificate is trusted, so that no server can be: expected some in the file {file or '(none)'} "
        f"({paths.openssl_cafile_env}) or, under the names that openssl rehash makes, in the folder "
        f"{folders or '(none)'} ({paths.openssl_capath_env}). Most systems have them in ca-certificates"
    )


def _check_file(path: Path, variable: str) -> None:
    """Raise TrustError unless OpenSSL can read the file, and finds a certificate in it."""
    probe = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        probe.load_verify_locations(cafile=path)
        wrong = "" if probe.cert_store_stats()["x509"] else "it has no certificate"
    except ssl.SSLError as error:
        wrong = f"expected complete certificates in PEM format ({error.reason or error})"
    except OSError as error:
        wrong = error.strerror or str(error)
    if wrong:
        raise TrustError(f"{variable} is {path}, which cannot be used: {wrong}")


def _has_certificates(folder: Path) -> bool:
    try:
        return any(
            _HASHED.fullmatch(entry.name) and entry.is_file() and os.access(entry, os.R_OK)
            for entry in folder.iterdir()
        )
    except OSError:
        return False
