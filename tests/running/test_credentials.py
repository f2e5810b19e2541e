"""The passwords of an audit: for whom they are, and where they come from."""

from __future__ import annotations

import getpass
import os
import ssl
from base64 import b64decode
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.exceptions import UsageError

from woo_harvester.demo.server import Authority
from woo_harvester.running.credentials import PASSWORD, Credentials, trusting


def sent(credentials: Credentials, url: str, **headers: str) -> str | None:
    """Return the user name and password that go with a request."""
    request = Request(url, headers=headers)
    credentials.sign(request)
    value = request.headers.get("Authorization")
    return b64decode(value.removeprefix(b"Basic ")).decode() if value else None


def test_a_password_goes_to_its_own_hosts_only_and_over_https_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "geheim")
    credentials = Credentials(["test.a.nl:8443", "b.nl"], "jan")
    assert sent(credentials, "https://test.a.nl:8443/b") == sent(credentials, "https://b.nl") == "jan:geheim"
    for other in ("https://test.a.nl/", "https://x.test.a.nl:8443/", "http://test.a.nl:8443/", "data:,"):
        assert sent(credentials, other) is None
        assert sent(credentials, other, Authorization="Basic amFuOmdlaGVpbQ==") is None
    assert sent(Credentials(["b.nl"], None), "https://b.nl/") is None


def test_a_password_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return "getypt"

    monkeypatch.delenv(PASSWORD, raising=False)
    monkeypatch.setattr("woo_harvester.running.credentials.getpass", answer)
    credentials = Credentials(["a.nl", "b.nl"], "jan")
    assert asked == ["Password of jan: "]
    assert sent(credentials, "https://b.nl/") == "jan:getypt"


def test_without_a_terminal_the_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(prompt: str) -> str:
        raise getpass.GetPassWarning

    monkeypatch.delenv(PASSWORD, raising=False)
    monkeypatch.setattr("woo_harvester.running.credentials.getpass", refuse)
    with pytest.raises(UsageError, match=f"no terminal to ask for the password of jan: set {PASSWORD}"):
        Credentials(["a.nl"], "jan")


@pytest.mark.parametrize("user", ["", "jan:geheim"])
def test_a_user_name_that_cannot_be_is_refused(user: str) -> None:
    with pytest.raises(UsageError, match="expected a user name without a colon"):
        Credentials(["a.nl"], user)


def test_a_certificate_is_trusted_for_the_block_beside_what_was_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ca_bundle = Authority().write_bundle(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(ca_bundle))
    own = tmp_path / "own.pem"
    own.write_bytes(ca_bundle.read_bytes())
    with trusting(str(own)):
        bundle = Path(os.environ["SSL_CERT_FILE"])
        assert bundle.read_bytes().count(b"BEGIN CERTIFICATE") == 2 * own.read_bytes().count(
            b"BEGIN CERTIFICATE"
        )
        assert ssl.create_default_context().cert_store_stats()["x509"]
    assert os.environ["SSL_CERT_FILE"] == str(ca_bundle)
    assert not bundle.exists()


@pytest.mark.parametrize("content", [None, b"", b"geen certificaat"])
def test_a_file_without_a_certificate_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "own.pem"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=r"--ca is .*own\.pem, which cannot be used"), trusting(str(path)):
        pass
