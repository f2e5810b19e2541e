"""The connection to Elasticsearch, made from the settings, and its errors in one line each."""

from __future__ import annotations

import logging
import ssl
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from elastic_transport import (
    ConnectionError,
    ConnectionTimeout,
    TlsError,
    Transport,
    TransportError,
)
from elasticsearch import ApiError, AuthenticationException, AuthorizationException, Elasticsearch

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

#: The API version that the client requests, and the older one that a server 8.19 also has.
_CLIENT_VERSION, _OLDER_VERSION = "compatible-with=9", "compatible-with=8"

#: The longest description of an error that the server's JSON does not give, in characters.
_LONGEST_DETAIL = 200

_BAD_URL = (
    "WOO_ELASTICSEARCH_URL cannot be used: expected scheme, host and port of each URL, such as "
    "https://search.example.nl:9200, and user and password as settings of their own"
)


class SearchError(Exception):
    """The index cannot be used; the message is one line that names the setting to change."""


class _CompatibleTransport(Transport):
    """A transport that requests the API of version 8, which servers 8 and 9 both have."""

    def perform_request(self, *args: Any, **kwargs: Any) -> Any:
        headers = kwargs.get("headers")
        if headers:
            for name, value in headers.items():
                headers[name] = value.replace(_CLIENT_VERSION, _OLDER_VERSION)
        return super().perform_request(*args, **kwargs)


def connect(settings: BaseSettings) -> Elasticsearch:
    """Return a client made from the settings. It sends no request yet. Raises SearchError."""
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)  # errors are reported by reason()
    urls = settings.getlist("WOO_ELASTICSEARCH_URL")
    timeout = settings.getfloat("WOO_ELASTICSEARCH_TIMEOUT")
    options: dict[str, Any] = {}
    if key := settings["WOO_ELASTICSEARCH_API_KEY"]:
        options["api_key"] = key
    elif user := settings["WOO_ELASTICSEARCH_USER"]:
        options["basic_auth"] = (user, settings["WOO_ELASTICSEARCH_PASSWORD"] or "")
    try:
        if any(url.startswith("https:") for url in urls):
            options["ssl_context"] = _trust(settings["WOO_ELASTICSEARCH_CA"])
        return Elasticsearch(
            urls,
            transport_class=_CompatibleTransport,
            request_timeout=timeout,
            max_retries=len(urls) - 1,
            **options,
        )
    except ValueError:  # the client's own text repeats the URL, which may have a password in it
        raise SearchError(_BAD_URL) from None


def reason(error: Exception) -> str:
    """Return one line about an error of the client, with the setting to change."""
    if isinstance(error, AuthenticationException | AuthorizationException):
        what = f"refuses the request ({error.status_code}: {_detail(error)})"
        return f"Elasticsearch {what}: see WOO_ELASTICSEARCH_API_KEY, or _USER and _PASSWORD"
    if isinstance(error, ApiError):
        return f"Elasticsearch answered {error.status_code}: {_detail(error)}"
    if isinstance(error, TlsError) or "CERTIFICATE_VERIFY_FAILED" in str(error):
        return (
            f"the certificate of Elasticsearch cannot be verified ({_first(error)}): see WOO_ELASTICSEARCH_CA"
        )
    if isinstance(error, ConnectionTimeout):
        return "Elasticsearch did not answer in time: see WOO_ELASTICSEARCH_TIMEOUT"
    if isinstance(error, ConnectionError):
        return f"Elasticsearch cannot be reached ({_first(error)}): see WOO_ELASTICSEARCH_URL"
    return f"Elasticsearch cannot be used: {_first(error)}"


def _detail(error: ApiError) -> str:
    """Return the server's own description of an error."""
    body = error.body
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        return str(body["error"].get("reason") or body["error"].get("type"))
    # What stands between may answer with a page of HTML.
    return shorten(str(error.message), _LONGEST_DETAIL)


def _first(error: Exception) -> str:
    """Return the message of an error, without the list of earlier errors that the client adds."""
    return str(error.message if isinstance(error, TransportError) else error).splitlines()[0]


def _trust(authority: str | None) -> ssl.SSLContext:
    """Return a TLS context with the system's certificates, or those in the PEM file *authority*."""
    try:
        return ssl.create_default_context(cafile=authority or None)
    except OSError as error:  # also SSLError, for a file that is not a certificate
        raise SearchError(f"WOO_ELASTICSEARCH_CA, {authority}, cannot be read: {error}") from error
