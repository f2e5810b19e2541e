from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.requests import Request

from woo_portal.asking import Asking, BusyError
from woo_portal.engine import EngineError, SlowQuestionError


def request_of(client: str) -> Request:
    return Request({"type": "http", "client": (client, 1), "headers": []})


@contextmanager
def blocking() -> Iterator[tuple[Any, threading.Event]]:
    """A function that does not return until the event is set, at the latest when the test ends."""
    free = threading.Event()
    try:
        yield lambda: free.wait(60), free
    finally:
        free.set()


def test_a_question_is_answered_in_a_thread() -> None:
    asking = Asking(2, 60)
    found = asyncio.run(
        asking(request_of("a"), lambda left, right: (left + right, threading.current_thread().name), 1, 2)
    )
    assert found[0] == 3
    assert found[1].startswith("portal-question")


def test_what_the_engine_raises_is_raised() -> None:
    def fail() -> None:
        raise EngineError("away")

    asking = Asking(1, 60)
    for _ in range(20):  # each gives its thread back
        with pytest.raises(EngineError, match="away"):
            asyncio.run(asking(request_of("a"), fail))


def test_a_question_that_takes_too_long_is_given_up() -> None:
    async def ask() -> None:
        with pytest.raises(SlowQuestionError):
            await Asking(2, 0.05)(request_of("a"), blocked)

    with blocking() as (blocked, _):
        asyncio.run(ask())


def test_the_slow_questions_of_one_client_delay_no_other() -> None:
    async def ask() -> int:
        asking = Asking(4, 60)
        slow = [asyncio.create_task(asking(request_of("slow"), blocked)) for _ in range(10)]
        await asyncio.sleep(0)
        answer = await asking(request_of("other"), lambda: 42)
        assert not any(each.done() for each in slow)
        free.set()
        await asyncio.gather(*slow)
        return answer

    with blocking() as (blocked, free):
        assert asyncio.run(ask()) == 42


def test_one_client_cannot_take_all_places_and_all_clients_together_no_more_than_there_are() -> None:
    async def ask() -> None:
        asking = Asking(2, 60)  # sixteen places, eight for one client
        tasks = []
        for client in ("a", "b"):
            tasks += [asyncio.create_task(asking(request_of(client), blocked)) for _ in range(8)]
            await asyncio.sleep(0)
            with pytest.raises(BusyError):
                await asking(request_of(client), blocked)
        with pytest.raises(BusyError):
            await asking(request_of("c"), blocked)
        free.set()
        await asyncio.gather(*tasks)
        assert await asking(request_of("c"), lambda: "free again") == "free again"

    with blocking() as (blocked, free):
        asyncio.run(ask())


def test_a_thread_that_was_given_up_stays_taken_until_it_returns() -> None:
    async def ask() -> None:
        asking = Asking(2, 0.05)
        with pytest.raises(SlowQuestionError):
            await asking(request_of("a"), blocked)  # has the only thread of this client
        with pytest.raises(SlowQuestionError):
            await asking(request_of("a"), lambda: "never begins")
        assert await asking(request_of("b"), lambda: 1) == 1
        free.set()
        while asking._clients:
            await asyncio.sleep(0.001)
        assert await asking(request_of("a"), lambda: 2) == 2

    with blocking() as (blocked, free):
        asyncio.run(ask())


def test_a_client_that_leaves_gives_its_place_back() -> None:
    async def ask() -> None:
        asking = Asking(2, 60)
        tasks = [asyncio.create_task(asking(request_of("a"), blocked)) for _ in range(3)]
        await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        free.set()
        while asking._clients:
            await asyncio.sleep(0.001)

    with blocking() as (blocked, free):
        asyncio.run(ask())
