from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request

from woo_portal.asking import Asking, BusyError, Download, FileDownload, Parts, begin_download
from woo_portal.engine import EngineError, SlowQuestionError


@contextmanager
def blocking() -> Iterator[tuple[Any, threading.Event]]:
    """A function that does not return until the event is set, at the latest when the test ends."""
    free = threading.Event()
    try:
        yield lambda: free.wait(60), free
    finally:
        free.set()


SCOPE = {"type": "http", "asgi": {"spec_version": "2.3"}, "method": "GET", "headers": []}
LINE = "x" * 1023 + "\n"


class Text:
    """A text of many lines, which knows how much of it was read and whether it was closed."""

    def __init__(self, lines: int, fault_after: int | None = None) -> None:
        self.read = 0
        self.is_closed = False
        self._lines, self._fault_after = lines, fault_after

    def pieces(self) -> Iterator[str]:
        while self.read < self._lines:
            if self.read == self._fault_after:
                raise EngineError("the index is gone")
            self.read += 1
            yield LINE

    def close(self) -> None:
        self.is_closed = True

    def parts(self) -> Parts:
        return Parts(self.pieces(), self.close)


class Reader:
    """A client that takes what is sent, until it goes away."""

    def __init__(self, leaves_after: int | None = None) -> None:
        self.bodies: list[bytes] = []
        self.is_complete = False
        self._leaves_after = leaves_after
        self._left = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            return
        self.bodies.append(message["body"])
        self.is_complete = not message["more_body"]
        if len(self.bodies) == self._leaves_after:
            self._left.set()
            await asyncio.Event().wait()


def asked(places: BoundedSemaphore) -> Request:
    app = Starlette()
    app.state.downloads = places
    return Request({**SCOPE, "app": app})


async def download(text: Text, places: BoundedSemaphore) -> Download:
    return await begin_download(asked(places), text.parts(), {"content-type": "text/plain"})


def has_place(places: BoundedSemaphore) -> bool:
    """Whether all places are free of which there is one."""
    is_free = places.acquire(blocking=False)
    if is_free:
        places.release()
    return is_free


def run(test: Callable[[], Coroutine[None, None, None]]) -> None:
    asyncio.run(asyncio.wait_for(test(), 60))


def test_what_the_engine_raises_is_raised() -> None:
    def fail() -> None:
        raise EngineError("away")

    asking = Asking(1, 60)
    for _ in range(20):  # each gives its thread back
        with pytest.raises(EngineError, match="away"):
            asyncio.run(asking(fail))


def test_a_question_that_takes_too_long_is_given_up() -> None:
    async def ask() -> None:
        with pytest.raises(SlowQuestionError):
            await Asking(2, 0.05)(blocked)

    with blocking() as (blocked, _):
        asyncio.run(ask())


def test_more_questions_than_there_are_places_are_refused_until_one_is_free() -> None:
    async def ask() -> None:
        asking = Asking(1, 60)  # eight places
        tasks = [asyncio.create_task(asking(blocked)) for _ in range(8)]
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await asking(blocked)
        tasks.pop().cancel()  # its client left
        await asyncio.sleep(0.01)
        tasks.append(asyncio.create_task(asking(blocked)))
        free.set()
        await asyncio.gather(*tasks)
        assert await asking(lambda: "free again") == "free again"

    with blocking() as (blocked, free):
        asyncio.run(ask())


def test_a_thread_that_was_given_up_stays_taken_until_it_returns() -> None:
    async def ask() -> None:
        asking = Asking(1, 0.05)
        with pytest.raises(SlowQuestionError):
            await asking(blocked)
        with pytest.raises(SlowQuestionError):
            await asking(lambda: "never begins")
        free.set()
        await asyncio.sleep(0.02)
        assert await asking(lambda: 2) == 2

    with blocking() as (blocked, free):
        asyncio.run(ask())


# Downloads of any size.
def test_a_text_comes_complete_in_parts_that_are_bounded() -> None:
    async def test() -> None:
        text, reader, places = Text(1000), Reader(), BoundedSemaphore(1)
        response = await download(text, places)
        assert (text.read, has_place(places)) == (64, False)
        await response(SCOPE, reader.receive, reader.send)
        assert reader.is_complete
        assert b"".join(reader.bodies).decode() == LINE * 1000
        assert max(map(len, reader.bodies)) == 64 * 1024
        assert (text.is_closed, has_place(places)) == (True, True)

    run(test)


def test_a_reader_that_goes_away_ends_the_reading() -> None:
    async def test() -> None:
        text, reader, places = Text(100_000), Reader(leaves_after=3), BoundedSemaphore(1)
        response = await download(text, places)
        await response(SCOPE, reader.receive, reader.send)
        assert text.read == 192
        assert (text.is_closed, has_place(places)) == (True, True)

    run(test)


def test_an_engine_that_stops_answering_leaves_the_file_incomplete(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        text, reader = Text(1000, fault_after=200), Reader()
        response = await download(text, BoundedSemaphore(1))
        await response(SCOPE, reader.receive, reader.send)
        assert len(reader.bodies) == 3
        assert not reader.is_complete
        assert text.is_closed

    run(test)
    assert "the index is gone" in caplog.text


def test_an_engine_that_does_not_answer_at_all_is_an_error_before_the_answer() -> None:
    async def test() -> None:
        text, places = Text(1000, fault_after=0), BoundedSemaphore(1)
        with pytest.raises(EngineError):
            await download(text, places)
        assert (text.is_closed, has_place(places)) == (True, True)

    run(test)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    (tmp_path / "groot.pdf").write_bytes(LINE.encode() * 1000)
    return tmp_path / "groot.pdf"


def test_files_and_texts_share_the_places_and_what_is_beyond_them_is_refused(large: Path) -> None:
    async def test() -> None:
        places, reader = BoundedSemaphore(2), Reader()
        response = await download(Text(1), places)
        FileDownload(asked(places), large)
        with pytest.raises(BusyError):
            FileDownload(asked(places), large)
        with pytest.raises(BusyError):
            await download(Text(1), places)
        await response(SCOPE, reader.receive, reader.send)
        await download(Text(1), places)

    run(test)


@pytest.mark.parametrize("leaves_after", [None, 3])
def test_a_file_comes_complete_unless_its_reader_goes_away(large: Path, leaves_after: int | None) -> None:
    async def test() -> None:
        reader, places = Reader(leaves_after), BoundedSemaphore(1)
        await FileDownload(asked(places), large)(SCOPE, reader.receive, reader.send)
        assert (b"".join(reader.bodies) == LINE.encode() * 1000) is (leaves_after is None)
        assert has_place(places)

    run(test)
