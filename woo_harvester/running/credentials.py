"""The user names, passwords and certificates of an audit of a test environment.

A password goes to the host that it was typed for, and nowhere else. It is in no setting, since these may be
logged, and in no file. Scrapy's HttpAuthMiddleware knows one domain, and sends its password to all hosts and
ports in that domain.
"""

from __future__ import annotations

import os
import re
import ssl
import warnings
from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from getpass import GetPassWarning, getpass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING
from urllib.parse import unquote

from scrapy.exceptions import UsageError

from woo_harvester.utils.fetch import TrustError, check_certificates
from woo_harvester.utils.secrets import hide
from woo_harvester.utils.urls import host_of

if TYPE_CHECKING:
    from scrapy import Request

#: The environment variable with the password of ``--user``.
PASSWORD = "AUDIT_PASSWORD"  # noqa: S105 -- the name of a variable

#: A host or URL with a user name, and perhaps a password, before the last @ of its authority.
_WITH_USER = re.compile(r"((?:https?://)?)([^/?#]*)@([^/?#@]*.*)", re.IGNORECASE | re.DOTALL)


class Credentials:
    """The user names and passwords of an audit, by host."""

    def __init__(self) -> None:
        self._by_host: dict[str, str] = {}
        self._asked: dict[str, str] = {}
        """The password of each user name that came without one."""

    def __bool__(self) -> bool:
        """Return whether a host has any."""
        return bool(self._by_host)

    @property
    def hosts(self) -> Collection[str]:
        """The hosts that have any."""
        return self._by_host.keys()

    def take(self, given: str) -> str:
        """Return a host or URL as it was typed, without user name and password, and keep these.

        Raises UsageError.
        """
        match = _WITH_USER.fullmatch(given.strip())
        if match is None:
            return given
        scheme, user_info, rest = match.groups()
        user, colon, password = user_info.partition(":")
        with suppress(ValueError):  # no host, which is reported with the other arguments
            self._add(host_of(f"https://{rest}"), unquote(user), unquote(password) if colon else None)
        return f"{scheme}{rest}"

    def add(self, hosts: Iterable[str], user: str) -> None:
        """Use the user name of ``--user`` for *hosts* that were typed without one. Raises UsageError."""
        for host in hosts:
            if host not in self._by_host:
                self._add(host, user, None)

    def _add(self, host: str, user: str, password: str | None) -> None:
        if not user or ":" in user:
            raise UsageError("expected a user name without a colon, such as --user jan", print_help=False)
        if password is None:
            if user not in self._asked:
                self._asked[user] = _password_of(user)
            password = self._asked[user]
        token = b64encode(f"{user}:{password}".encode()).decode()
        hide([token, password, f"{user}:{password}"])  # a server may send back what it was sent
        self._by_host[host] = f"Basic {token}"

    def sign(self, request: Request) -> None:
        """Add the password of its host to a request that is about to be sent, and remove any other.

        It is called for each request, also one that follows on a redirect.
        """
        is_secure = request.url.startswith("https:")
        if is_secure and (known := self._by_host.get(host_of(request.url))) is not None:
            request.headers["Authorization"] = known
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
