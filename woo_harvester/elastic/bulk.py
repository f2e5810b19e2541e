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
from woo_harvester.search.document import Action

logger = logging.getLogger(__name__)

#: Seconds between two tries: the first, and the longest.
FIRST_REST, LONGEST_REST = 0.5, 30.0

#: The server is there, and will take the same later: too busy, a node or a shard is away.
LATER = frozenset({429, 500, 502, 503, 504})

TOO_LARGE = 413
CONFLICT = 409
NOT_FOUND = 404
BLOCKED = "cluster_block_exception"


class AwayError(Exception):
    """Nothing of a batch could be written now; later it may."""


class TooLargeError(Exception):
    """The request is larger than the server takes."""


@dataclass(slots=True)
class Refused:
    """A document that the server will never take."""

    action: Action
    reason: str


@dataclass(slots=True)
class Outcome:
    """What became of a batch."""

    acknowledged: list[Action] = field(default_factory=list)
    """In the index, or a newer version of it is."""
    refused: list[Refused] = field(default_factory=list)
    newer: int = 0
    """How many of those that are acknowledged the index has in a newer version."""


class Writer:
    """Writes batches one after another, and waits while the server is away or too busy.

    It blocks, so it belongs in a thread of its own. *patience* is in seconds: so long a batch of which
    nothing is written is tried again. ``give_up`` ends the waiting from another thread.
    """

    def __init__(self, client: Elasticsearch, index: str, patience: float, *, aliased: bool = True) -> None:
        self._client = client
        self._index = index
        self._patience = patience
        self._aliased = aliased
        self.give_up = threading.Event()
        self.retries = 0
        """How often it had to wait."""

    def write(self, actions: Sequence[Action]) -> Outcome:
        """Write *actions*, whose ids differ, and tell what became of them.

        What must wait is tried again before anything else is written, so that the order holds. Raises
        SearchError where the server stays away, or will not take anything at all.
        """
        outcome = Outcome()
        rest, most = list(actions), len(actions)
        while rest:
            part = rest[:most]
            try:
                left = self._retrying()(self._try, part, outcome)
            except TooLargeError as error:
                if len(part) > 1:
                    most = len(part) // 2
                    continue
                outcome.refused.append(Refused(part[0], str(error)))
                left = []
            except AwayError as error:
                raise SearchError(f"{error}; given up after WOO_ELASTICSEARCH_PATIENCE") from error
            rest = [*left, *rest[len(part) :]]
        return outcome

    def _retrying(self) -> Retrying:
        return Retrying(
            retry=retry_if_exception_type(AwayError),
            stop=stop_after_delay(self._patience) | stop_when_event_set(self.give_up),
            wait=wait_exponential(multiplier=FIRST_REST, max=LONGEST_REST),
            sleep=sleep_using_event(self.give_up),
            before_sleep=self._waits,
            reraise=True,
        )

    def _try(self, actions: list[Action], outcome: Outcome) -> list[Action]:
        """What is left after one request. Raises AwayError, TooLargeError and SearchError."""
        try:
            answer = self._client.bulk(
                operations=cast("Any", [action.lines for action in actions]),  # as they are sent
                index=self._index,
                require_alias=self._aliased,
                filter_path="items.*.status,items.*.error",
            )
        except ApiError as error:
            raise _of_all(error) from error
        except (ConnectionError, ConnectionTimeout) as error:
            raise AwayError(reason(error)) from error
        except TransportError as error:
            raise SearchError(reason(error)) from error
        left, last = [], ""
        for action, item in zip(actions, answer["items"], strict=True):
            ((_, result),) = item.items()
            if why := _judge(action, result, outcome):
                left.append(action)
                last = why
        if len(left) == len(actions):
            raise AwayError(f"Elasticsearch takes nothing now: {last}")
        return left

    def _waits(self, state: RetryCallState) -> None:
        self.retries += 1
        error = state.outcome.exception() if state.outcome else None
        rest = state.next_action.sleep if state.next_action else 0
        logger.warning("%(error)s; tried again in %(rest).0f seconds", {"error": error, "rest": rest})


def _of_all(error: ApiError) -> Exception:
    """What it means that a request is answered with an error as a whole."""
    if error.status_code == TOO_LARGE:
        return TooLargeError(reason(error))
    if error.status_code in LATER or BLOCKED in str(error.body):
        return AwayError(reason(error))
    return SearchError(reason(error))


def _judge(action: Action, result: Mapping[str, Any], outcome: Outcome) -> str | None:
    """Put *action* where it belongs; why it has to wait, or None where it need not."""
    status, error = result["status"], result.get("error") or {}
    if error and (status in LATER or error.get("type") == BLOCKED):
        return str(error.get("reason"))
    if not error or status == CONFLICT:  # what was not there to be deleted is no error
        outcome.acknowledged.append(action)
        outcome.newer += status == CONFLICT
    elif status in (401, 403, NOT_FOUND):
        raise SearchError(f"Elasticsearch refuses to write ({status}: {error.get('reason')})")
    else:
        cause = (error.get("caused_by") or {}).get("reason")
        outcome.refused.append(Refused(action, " ".join(filter(None, (error.get("reason"), cause)))))
    return None
