"""The user name, password and certificates of an audit of a test environment.

A password goes to the hosts that were typed, and nowhere else. It is in no setting, since these may be
logged, and in no file. Scrapy's HttpAuthMiddleware knows one domain, and sends its password to all hosts and
ports in that domain.
"""

from __future__ import annotations

import os
import ssl
import warnings
from base64 import b64encode
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from getpass import GetPassWarning, getpass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from woo_harvester.utils.fetch import TrustError, check_certificates
from woo_harvester.utils.secrets import hide
from woo_harvester.utils.urls import host_of

if TYPE_CHECKING:
    from scrapy import Request

#: The environment variable with the password of ``--user``.
PASSWORD = "AUDIT_PASSWORD"  # noqa: S105 -- the name of a variable


class Credentials:
    """The user name and password of an audit, which are for the hosts that were typed."""

    def __init__(self, hosts: Collection[str], user: str | None) -> None:
        """Ask for the password of *user*, if one is given. Raises UsageError."""
        self.hosts: Collection[str] = hosts if user is not None else ()
        """The hosts that ask for it."""
        if user is None:
            return
        if not user or ":" in user:
            raise UsageError("expected a user name without a colon, such as --user jan", print_help=False)
        password = _password_of(user)
        token = b64encode(f"{user}:{password}".encode()).decode()
        hide([token, password, f"{user}:{password}"])  # a server may send back what it was sent
        self._header = f"Basic {token}"

    def sign(self, request: Request) -> None:
        """Add the password of its host to a request that is about to be sent, and remove any other.

        It is called for each request, also one that follows on a redirect.
        """
        if request.url.startswith("https:") and host_of(request.url) in self.hosts:
            request.headers["Authorization"] = self._header
        else:
            request.headers.pop("Authorization", None)


def _password_of(user: str) -> str:
    """Return the password in the environment, or ask for it on the terminal. Raises UsageError."""
    if (known := os.environ.get(PASSWORD)) is not None:
        return known
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", GetPassWarning)  # it would be shown
            return getpass(f"Password of {user}: ")
    except KeyboardInterrupt:
        raise UsageError(f"no password of {user} was given", print_help=False) from None
    except (GetPassWarning, EOFError, OSError) as error:
        raise UsageError(
            f"no terminal to ask for the password of {user}: set {PASSWORD} in the environment",
            print_help=False,
        ) from error


@contextmanager
def trusting(path: str | None) -> Iterator[None]:
    """Trust the certificates in a file, if one is given, beside those that the machine trusts.

    Raises UsageError if the file has no certificate.
    """
    if path is None:
        yield
        return
    try:
        check_certificates(Path(path), "--ca")
    except TrustError as error:
        raise UsageError(str(error), print_help=False) from error
    paths = ssl.get_default_verify_paths()
    variable, before = paths.openssl_cafile_env, os.environ.get(paths.openssl_cafile_env)
    known = Path(before or paths.openssl_cafile)
    with NamedTemporaryFile(suffix=".pem") as bundle:
        for file in (known, Path(path)):
            bundle.write(file.read_bytes() + b"\n" if file.is_file() else b"")
        bundle.flush()
        os.environ[variable] = bundle.name
        try:
            yield
        finally:
            os.environ.pop(variable)
            if before is not None:
                os.environ[variable] = before
