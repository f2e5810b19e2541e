from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import AsyncGenerator, Iterator

import pytest

from woo_harvester.extensions import findings
from woo_harvester.extensions.findings import RareCollections


@pytest.fixture(autouse=True)
def usual_collections() -> Iterator[None]:
    """Set the collector as it was after the test."""
    threshold = gc.get_threshold()
    yield
    gc.set_threshold(*threshold)
    gc.unfreeze()


async def numbers(closed: list[bool]) -> AsyncGenerator[int, None]:
    try:
        for number in range(10):
            yield number
    finally:
        await asyncio.sleep(0)
        closed.append(True)


async def read_one(closed: list[bool]) -> None:
    """Read one number, and leave the generator as it is."""
    async for _ in numbers(closed):
        return


@pytest.mark.parametrize("has_reactor", [True, False])
def test_a_generator_that_was_left_is_closed(has_reactor: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    async def closed_generators() -> list[bool]:
        RareCollections().engine_started()
        closed: list[bool] = []
        await read_one(closed)
        for _ in range(5):
            await asyncio.sleep(0)
        return closed

    monkeypatch.setattr(findings, "is_reactor_installed", lambda: has_reactor)
    assert asyncio.run(closed_generators()) == [True]


@pytest.mark.parametrize(("has_reactor", "listed"), [(True, 0), (False, 1)])
def test_generators_are_listed_only_without_a_reactor(
    has_reactor: bool, listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def listed_generators() -> int:
        RareCollections().engine_started()
        generator = numbers([])
        await anext(generator)
        # The list is asyncio's own: mypy does not know it.
        known = len(asyncio.get_running_loop()._asyncgens)  # type: ignore[attr-defined]
        await generator.aclose()
        return known

    monkeypatch.setattr(findings, "is_reactor_installed", lambda: has_reactor)
    assert asyncio.run(listed_generators()) == listed


def test_the_finalizer_of_the_event_loop_stays() -> None:
    async def hooks() -> tuple[object, object]:
        before = sys.get_asyncgen_hooks().finalizer
        RareCollections().engine_started()
        return before, sys.get_asyncgen_hooks().finalizer

    before, after = asyncio.run(hooks())
    assert before == after is not None


def test_a_few_thousand_new_objects_start_no_collection() -> None:
    RareCollections().engine_started()
    assert gc.get_threshold()[0] == 50_000
