"""Bulk requests to Elasticsearch: the connection, what became of each action, and errors in one line."""

from __future__ import annotations

import logging
import ssl
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import shorten
from typing import TYPE_CHECKING, Any, cast

from elastic_transport import ConnectionError, ConnectionTimeout, TlsError, Transport, TransportError
from elasticsearch import ApiError, AuthenticationException, AuthorizationException, Elasticsearch
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_delay, wait_exponential
from tenacity.nap import sleep_using_event
from tenacity.stop import stop_when_event_set

from woo_harvester.outputs.document import BulkAction

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


#: The API version that the client requests, and the older one that a server 8.19 also has.
_CLIENT_VERSION, _OLDER_VERSION = "compatible-with=9", "compatible-with=8"

#: Seconds for the answer to a request.
TIMEOUT = 60

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
            request_timeout=TIMEOUT,
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
        return "Elasticsearch did not answer in time"
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


logger = logging.getLogger(__name__)

#: Seconds between two attempts: the first time, and at most.
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0

#: Statuses of a temporary failure: the server is too busy, or a node or shard is not available.
_TEMPORARY = frozenset({429, 500, 502, 503, 504})

_CONFLICT = 409
_NOT_FOUND = 404
_BLOCKED = "cluster_block_exception"


class _UnavailableError(Exception):
    """Nothing of a batch could be written now; a retry may succeed."""


@dataclass(slots=True)
class Refused:
    """A document that the server refuses for good."""

    action: BulkAction
    reason: str


@dataclass(slots=True)
class BulkOutcome:
    """The result of writing a batch."""

    acknowledged: list[BulkAction] = field(default_factory=list)
    """Documents that the index has, in this version or a newer one."""
    refused: list[Refused] = field(default_factory=list)
    newer: int = 0
    """The number of acknowledged documents that the index has in a newer version."""


class BulkWriter:
    """A writer of batches, one after another, which retries while the server is unavailable or too busy.

    It blocks, so run it in its own thread. A batch of which nothing can be written is retried for
    *retry_seconds*. Set ``give_up`` from another thread to end the retries.
    """

    def __init__(
        self, client: Elasticsearch, index: str, retry_seconds: float, *, aliased: bool = True
    ) -> None:
        self._client = client
        self._index = index
        self._retry_seconds = retry_seconds
        self._aliased = aliased
        self.give_up = threading.Event()
        self.retries = 0
        """Number of retries so far."""

    def write(self, actions: Sequence[BulkAction]) -> BulkOutcome:
        """Write *actions*, which must have different ids, and return the result.

        What fails temporarily is retried before anything else is written, so that the order is kept. Raises
        SearchError if the server stays unavailable, or refuses every request.
        """
        outcome = BulkOutcome()
        rest = list(actions)
        while rest:
            try:
                rest = self._retrying()(self._try, rest, outcome)
            except _UnavailableError as error:
                raise SearchError(f"{error}; given up after WOO_ELASTICSEARCH_PATIENCE") from error
        return outcome

    def _retrying(self) -> Retrying:
        return Retrying(
            retry=retry_if_exception_type(_UnavailableError),
            stop=stop_after_delay(self._retry_seconds) | stop_when_event_set(self.give_up),
            wait=wait_exponential(multiplier=_FIRST_WAIT, max=_LONGEST_WAIT),
            sleep=sleep_using_event(self.give_up),
            before_sleep=self._waits,
            reraise=True,
        )

    def _try(self, actions: list[BulkAction], outcome: BulkOutcome) -> list[BulkAction]:
        """Send one request; return the actions to retry.

        Raises _UnavailableError and SearchError.
        """
        try:
            answer = self._client.bulk(
                operations=cast("Any", [action.lines for action in actions]),  # as they are sent
                index=self._index,
                require_alias=self._aliased,
                filter_path="items.*.status,items.*.error",
            )
        except ApiError as error:
            raise _request_error(error) from error
        except (ConnectionError, ConnectionTimeout) as error:
            raise _UnavailableError(reason(error)) from error
        except TransportError as error:
            raise SearchError(reason(error)) from error
        left, last = [], ""
        for action, item in zip(actions, answer["items"], strict=True):
            ((_, result),) = item.items()
            if why := _record_result(action, result, outcome):
                left.append(action)
                last = why
        if len(left) == len(actions):
            raise _UnavailableError(f"Elasticsearch takes nothing now: {last}")
        return left

    def _waits(self, state: RetryCallState) -> None:
        self.retries += 1
        error = state.outcome.exception() if state.outcome else None
        rest = state.next_action.sleep if state.next_action else 0
        logger.warning("%(error)s; tried again in %(rest).0f seconds", {"error": error, "rest": rest})


def _request_error(error: ApiError) -> Exception:
    """Return the exception for a request that failed completely."""
    if error.status_code in _TEMPORARY or _BLOCKED in str(error.body):
        return _UnavailableError(reason(error))
    return SearchError(reason(error))


def _record_result(action: BulkAction, result: Mapping[str, Any], outcome: BulkOutcome) -> str | None:
    """Add the result of *action* to *outcome*. Return None, or why the action must be retried."""
    status, error = result["status"], result.get("error") or {}
    if error and (status in _TEMPORARY or error.get("type") == _BLOCKED):
        return str(error.get("reason"))
    if not error or status == _CONFLICT:  # deleting a document that is not there gives no error
        outcome.acknowledged.append(action)
        outcome.newer += status == _CONFLICT
    elif status in (401, 403, _NOT_FOUND):
        raise SearchError(f"Elasticsearch refuses to write ({status}: {error.get('reason')})")
    else:
        cause = (error.get("caused_by") or {}).get("reason")
        outcome.refused.append(Refused(action, " ".join(filter(None, (error.get("reason"), cause)))))
    return None
