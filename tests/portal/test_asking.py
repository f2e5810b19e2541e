from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request

from woo_portal.asking import Asking, BusyError, Download, Downloads, FileDownload, Parts, begin_download
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
    """A client that takes what is sent, until it goes away or takes nothing more."""

    def __init__(self, stops_after: int | None = None, leaves_after: int | None = None) -> None:
        self.bodies: list[bytes] = []
        self.is_complete = False
        self._stops_after, self._leaves_after = stops_after, leaves_after
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
        if len(self.bodies) in (self._stops_after, self._leaves_after):
            await asyncio.Event().wait()


def asked_by(client: str, downloads: Downloads) -> Request:
    app = Starlette()
    app.state.downloads = downloads
    return Request({**SCOPE, "app": app, "client": (client, 1)})


async def download(text: Text, downloads: Downloads, client: str = "192.0.2.1") -> Download:
    return await begin_download(asked_by(client, downloads), text.parts(), {"content-type": "text/plain"})


def run(test: Callable[[], Coroutine[None, None, None]]) -> None:
    asyncio.run(asyncio.wait_for(test(), 60))


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


# Downloads of any size to readers of any speed.
def test_a_text_comes_complete_in_parts_that_are_bounded() -> None:
    async def test() -> None:
        text, reader, downloads = Text(1000), Reader(), Downloads()
        response = await download(text, downloads)
        assert text.read == 64
        await response(SCOPE, reader.receive, reader.send)
        assert reader.is_complete
        assert b"".join(reader.bodies).decode() == LINE * 1000
        assert max(map(len, reader.bodies)) == 64 * 1024
        assert (text.is_closed, downloads.under_way) == (True, 0)

    run(test)


def test_a_reader_that_stops_is_disconnected(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        text, reader, downloads = Text(100_000), Reader(stops_after=2), Downloads(stalled=0.05)
        response = await download(text, downloads)
        await response(SCOPE, reader.receive, reader.send)
        assert not reader.is_complete
        assert text.read == 128
        assert (text.is_closed, downloads.under_way) == (True, 0)

    run(test)
    assert "stopped reading" in caplog.text


def test_a_reader_that_goes_away_ends_the_reading() -> None:
    async def test() -> None:
        text, reader, downloads = Text(100_000), Reader(leaves_after=3), Downloads()
        response = await download(text, downloads)
        await response(SCOPE, reader.receive, reader.send)
        assert text.read == 192
        assert (text.is_closed, downloads.under_way) == (True, 0)

    run(test)


def test_a_download_does_not_take_for_ever(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        text, reader, downloads = Text(100_000), Reader(stops_after=2), Downloads(longest=0.05)
        response = await download(text, downloads)
        await response(SCOPE, reader.receive, reader.send)
        assert not reader.is_complete
        assert text.is_closed

    run(test)
    assert "took longer" in caplog.text


def test_an_engine_that_stops_answering_leaves_the_file_incomplete(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        text, reader = Text(1000, fault_after=200), Reader()
        response = await download(text, Downloads())
        await response(SCOPE, reader.receive, reader.send)
        assert len(reader.bodies) == 3
        assert not reader.is_complete
        assert text.is_closed

    run(test)
    assert "the index is gone" in caplog.text


def test_an_engine_that_does_not_answer_at_all_is_an_error_before_the_answer() -> None:
    async def test() -> None:
        text, downloads = Text(1000, fault_after=0), Downloads()
        with pytest.raises(EngineError):
            await download(text, downloads)
        assert (text.is_closed, downloads.under_way) == (True, 0)

    run(test)


def test_downloads_beyond_the_bound_are_refused_and_the_place_is_free_again() -> None:
    async def test() -> None:
        downloads, reader = Downloads(most=2), Reader()
        responses = [await download(Text(1), downloads, client) for client in "ab"]
        with pytest.raises(BusyError):
            await download(Text(1), downloads, "c")
        await responses[0](SCOPE, reader.receive, reader.send)
        await download(Text(1), downloads, "c")
        assert downloads.under_way == 2

    run(test)


def test_one_client_has_at_most_half_of_the_downloads() -> None:
    async def test() -> None:
        downloads, reader = Downloads(most=4), Reader()
        responses = [await download(Text(1), downloads, "a") for _ in range(2)]
        with pytest.raises(BusyError):
            await download(Text(1), downloads, "a")
        await download(Text(1), downloads, "b")
        await responses[0](SCOPE, reader.receive, reader.send)
        await download(Text(1), downloads, "a")

    run(test)


def test_slow_readers_take_no_thread_from_a_quick_one() -> None:
    async def test() -> None:
        downloads = Downloads()
        slow = [Reader(stops_after=1) for _ in range(7)]
        waiting = [
            asyncio.create_task(
                (await download(Text(100_000), downloads, str(number)))(SCOPE, one.receive, one.send)
            )
            for number, one in enumerate(slow)
        ]
        quick, text = Reader(), Text(5000)
        response = await download(text, downloads)
        await response(SCOPE, quick.receive, quick.send)
        assert quick.is_complete
        assert downloads.under_way == len(slow)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert downloads.under_way == 0

    run(test)


# Files, which have the same places and the same bounds.
@pytest.fixture
def large(tmp_path: Path) -> Path:
    (tmp_path / "groot.pdf").write_bytes(LINE.encode() * 1000)
    return tmp_path / "groot.pdf"


@pytest.mark.parametrize("spec_version", ["2.3", "2.4"])
def test_a_file_comes_complete(large: Path, spec_version: str) -> None:
    async def test() -> None:
        reader, downloads = Reader(), Downloads()
        response = FileDownload(asked_by("a", downloads), large)
        assert downloads.under_way == 1
        scope = {**SCOPE, "asgi": {"spec_version": spec_version}}
        await response(scope, reader.receive, reader.send)
        assert reader.is_complete
        assert b"".join(reader.bodies) == LINE.encode() * 1000
        assert downloads.under_way == 0

    run(test)


@pytest.mark.parametrize("spec_version", ["2.3", "2.4"])
@pytest.mark.parametrize(
    "bounds", [Downloads(stalled=0.05), Downloads(longest=0.05)], ids=["stalled", "longest"]
)
def test_the_reader_of_a_file_that_stops_is_disconnected(
    large: Path, spec_version: str, bounds: Downloads, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        reader, downloads = Reader(stops_after=2), replace(bounds)
        scope = {**SCOPE, "asgi": {"spec_version": spec_version}}
        await FileDownload(asked_by("a", downloads), large)(scope, reader.receive, reader.send)
        assert (len(reader.bodies), reader.is_complete, downloads.under_way) == (2, False, 0)

    run(test)
    assert "stopped reading" in caplog.text


def test_a_reader_of_a_file_that_goes_away_leaves_its_place(large: Path) -> None:
    async def test() -> None:
        reader, downloads = Reader(leaves_after=3), Downloads()
        await FileDownload(asked_by("a", downloads), large)(SCOPE, reader.receive, reader.send)
        assert (len(reader.bodies), downloads.under_way) == (3, 0)

    run(test)


def test_files_and_texts_share_the_places(large: Path) -> None:
    async def test() -> None:
        downloads = Downloads(most=2)
        await download(Text(1), downloads, "a")
        FileDownload(asked_by("b", downloads), large)
        with pytest.raises(BusyError):
            FileDownload(asked_by("c", downloads), large)
        assert downloads.under_way == 2

    run(test)
