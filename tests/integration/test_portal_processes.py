"""A portal of several processes, as a user types it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import httpx
import pytest

from tests.integration.test_portal import found, write
from tests.integration.test_stop_own_side import children
from tests.portal.records import bare, full
from tests.utils.command import start_forked
from tests.utils.guard import is_alive
from tests.utils.portals import START
from tests.utils.waiting import STUCK, wait_until

pytestmark = pytest.mark.integration


def test_processes_answer_alike_are_replaced_and_end_together(tmp_path: Path) -> None:
    write(tmp_path / "records" / "woo-1.jsonl", full())
    process = start_forked(["portal", "--port", "0"], tmp_path, settings={"WOO_PORTAL_PROCESSES": 2})
    wait_until(lambda: "\n" in process.stdout or process.ended, "the portal says where it is")
    assert process.stdout.startswith(START), process.stderr
    address = process.stdout.removeprefix(START).split()[0]

    def ask(path: str) -> httpx.Response:
        return httpx.get(address + path.lstrip("/"), trust_env=False, timeout=STUCK)

    first, second = children(process.process.pid)
    write(tmp_path / "records" / "woo-2.jsonl", bare())
    wait_until(lambda: found(ask, "kaart") == "1 document", "new records are found")
    tags = set()
    for one, other in ((first, second), (second, first)):
        os.kill(other, signal.SIGSTOP)  # so that the other one answers
        assert found(ask, "stikstof") == "1 document", one
        tags.add(ask("/api/v0/zoek?zoektekst=kaart").headers["etag"])
        os.kill(other, signal.SIGCONT)
    assert len(tags) == 1
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: "is replaced" in process.stderr, "the process is replaced")
    assert ask("/gezond").text == "gezond\n"
    process.send(signal.SIGTERM)
    done = process.done(STUCK)
    assert done.returncode == 0
    assert [line for line in done.stderr.splitlines() if "records read" not in line] == [
        "scrapy portal: a process that answers ended (-9), and is replaced"
    ]
    assert not Path(f"/proc/{second}").exists()


def test_processes_end_with_the_one_that_started_them_however_it_ends(tmp_path: Path) -> None:
    write(tmp_path / "records" / "woo-1.jsonl", full())
    process = start_forked(["portal", "--port", "0"], tmp_path, settings={"WOO_PORTAL_PROCESSES": 2})
    wait_until(lambda: "\n" in process.stdout or process.ended, "the portal says where it is")
    started = children(process.process.pid)
    assert len(started) == 2
    process.send(signal.SIGKILL)
    process.done(STUCK)
    wait_until(lambda: not any(map(is_alive, started)), "the processes have ended")
