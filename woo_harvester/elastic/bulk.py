"""Batches of documents, and how they come into the index: in order, each at least once."""

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

#: Seconds between two tries: the first, and the longest.
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0

#: The server is there, and will take the same later: too busy, a node or a shard is away.
_TEMPORARY = frozenset({429, 500, 502, 503, 504})

_TOO_LARGE = 413
_CONFLICT = 409
_NOT_FOUND = 404
_BLOCKED = "cluster_block_exception"


class _UnavailableError(Exception):
    """Nothing of a batch could be written now; later it may."""


class _TooLargeError(Exception):
    """The request is larger than the server takes."""


@dataclass(slots=True)
class Refused:
    """A document that the server will never take."""

    action: BulkAction
    reason: str


@dataclass(slots=True)
class BulkOutcome:
    """What became of a batch."""

    acknowledged: list[BulkAction] = field(default_factory=list)
    """In the index, or a newer version of it is."""
    refused: list[Refused] = field(default_factory=list)
    newer: int = 0
    """How many of those that are acknowledged the index has in a newer version."""


class BulkWriter:
    """Writes batches one after another, and waits while the server is away or too busy.

    It blocks, so it belongs in a thread of its own. *retry_seconds* is in seconds: so long a batch of which
    nothing is written is tried again. ``give_up`` ends the waiting from another thread.
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
        """How often it had to wait."""

    def write(self, actions: Sequence[BulkAction]) -> BulkOutcome:
        """Write *actions*, whose ids differ, and tell what became of them.

        What must wait is tried again before anything else is written, so that the order holds. Raises
        SearchError where the server stays away, or will not take anything at all.
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
        """What is left after one request. Raises _UnavailableError, _TooLargeError and SearchError."""
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
    """What it means that a request is answered with an error as a whole."""
    if error.status_code == _TOO_LARGE:
        return _TooLargeError(reason(error))
    if error.status_code in _TEMPORARY or _BLOCKED in str(error.body):
        return _UnavailableError(reason(error))
    return SearchError(reason(error))


def _record_result(action: BulkAction, result: Mapping[str, Any], outcome: BulkOutcome) -> str | None:
    """Put *action* where it belongs; why it has to wait, or None where it need not."""
    status, error = result["status"], result.get("error") or {}
    if error and (status in _TEMPORARY or error.get("type") == _BLOCKED):
        return str(error.get("reason"))
    if not error or status == _CONFLICT:  # what was not there to be deleted is no error
        outcome.acknowledged.append(action)
        outcome.newer += status == _CONFLICT
    elif status in (401, 403, _NOT_FOUND):
        raise SearchError(f"Elasticsearch refuses to write ({status}: {error.get('reason')})")
    else:
        cause = (error.get("caused_by") or {}).get("reason")
        outcome.refused.append(Refused(action, " ".join(filter(None, (error.get("reason"), cause)))))
    return None
