"""Writes batches of documents to the index: in order, and each document at least once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from elastic_transport import ConnectionError, ConnectionTimeout, TransportError
from elasticsearch import ApiError, Elasticsearch
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_after_delay,
    wait_exponential,
)
from tenacity.nap import sleep_using_event
from tenacity.stop import stop_when_event_set

from woo_harvester.elastic.connection import SearchError, reason
from woo_harvester.search.document import BulkAction

logger = logging.getLogger(__name__)

#: Seconds between two attempts: the first time, and at most.
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0

#: Statuses of a temporary failure: the server is too busy, or a node or shard is not available.
_TEMPORARY = frozenset({429, 500, 502, 503, 504})

_TOO_LARGE = 413
_CONFLICT = 409
_NOT_FOUND = 404
_BLOCKED = "cluster_block_exception"


class _UnavailableError(Exception):
    """Nothing of a batch could be written now; a retry may succeed."""


class _TooLargeError(Exception):
    """The request is larger than the server accepts."""


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
        rest, most = list(actions), len(actions)
        while rest:
            part = rest[:most]
            try:
                left = self._retrying()(self._try, part, outcome)
            except _TooLargeError as error:
                if len(part) > 1:
                    most = len(part) // 2
                    continue
                outcome.refused.append(Refused(part[0], str(error)))
                left = []
            except _UnavailableError as error:
                raise SearchError(f"{error}; given up after WOO_ELASTICSEARCH_PATIENCE") from error
            rest = [*left, *rest[len(part) :]]
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

        Raises _UnavailableError, _TooLargeError and SearchError.
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
    if error.status_code == _TOO_LARGE:
        return _TooLargeError(reason(error))
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
