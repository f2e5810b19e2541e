"""A portal of several processes, as a user types it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL

import httpx
import pytest

from tests.integration.test_portal import found, write
from tests.integration.test_stop_own_side import children
from tests.portal.records import bare, full
from tests.utils.command import environment, in_project
from tests.utils.guard import Server, is_alive
from tests.utils.portals import START
from tests.utils.waiting import STUCK, wait_until

pytestmark = pytest.mark.integration


@contextmanager
def portal(folder: Path) -> Iterator[tuple[Server, str]]:
    """Give a portal of two processes over a record, and its address; what it prints is in the folder."""
    write(folder / "records" / "woo-1.jsonl", full())
    arguments = in_project(["portal", "--port", "0"], folder, {"WOO_PORTAL_PROCESSES": 2})
    out = folder / "out"
    with out.open("w") as stdout, (folder / "err").open("w") as stderr:
        process = Server(
            [sys.executable, "-m", "scrapy", *arguments],
            cwd=folder, env=environment(None), stdin=DEVNULL, stdout=stdout, stderr=stderr,
        )  # fmt: skip
    try:
        wait_until(lambda: "\n" in out.read_text() or process.poll() is not None, "it says where it is")
        assert out.read_text().startswith(START), (folder / "err").read_text()
        yield process, out.read_text().removeprefix(START).split()[0]
    finally:
        process.kill()
        process.wait(STUCK)


def test_processes_answer_alike_are_replaced_and_end_together(tmp_path: Path) -> None:
    with portal(tmp_path) as (process, address):

        def ask(path: str) -> httpx.Response:
            return httpx.get(address + path.lstrip("/"), trust_env=False, timeout=STUCK)

        wait_until(lambda: len(answering(process.pid)) == 2, "both answer")
        first, second = answering(process.pid)
        write(tmp_path / "records" / "woo-2.jsonl", bare())
        wait_until(lambda: found(ask, "kaart") == "1 document", "new records are found")
        tags = {ask("/api/v0/zoek?zoektekst=kaart").headers["etag"] for _ in range(10)}
        assert len(tags) == 1
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: len({*answering(process.pid)} - {first}) == 2, "the process is replaced")
        assert ask("/gezond").text == "gezond\n"
        process.terminate()
        assert process.wait(STUCK) == 0
        assert "Traceback" not in (tmp_path / "err").read_text()
        assert not is_alive(second)


def test_processes_end_with_the_one_that_started_them_however_it_ends(tmp_path: Path) -> None:
    with portal(tmp_path) as (process, _):
        wait_until(lambda: len(answering(process.pid)) == 2, "both answer")
        started = answering(process.pid)
        process.kill()
        process.wait(STUCK)
        wait_until(lambda: not any(map(is_alive, started)), "the processes have ended")


def answering(parent: int | None) -> list[int]:
    """The processes that answer; another one keeps account of what these share."""
    return [
        number
        for number in children(parent)
        if is_alive(number) and "spawn_main" in Path(f"/proc/{number}/cmdline").read_text(encoding="utf-8")
    ]
