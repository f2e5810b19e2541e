from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

from tests.conftest import ROOT, skip_or_fail
from tests.documents import pdfs
from tests.documents.pools import TXT, busy, in_pool, is_running
from tests.samples import SAMPLES, SCAN, SENTENCE
from tests.utils.waiting import wait_until
from woo_harvester.documents.extracted import (
    MB,
    Limits,
    TextCrashError,
    TextError,
    TextFailedError,
    TextTimeoutError,
)
from woo_harvester.documents.text_workers import Workers

pytestmark = pytest.mark.integration

linux_only = pytest.mark.skipif(
    sys.platform != "linux", reason="what the kernel forbids is known of Linux only"
)


def test_documents_of_all_types_are_read_by_one_worker() -> None:
    async def test(workers: Workers) -> None:
        for code, path in SAMPLES.items():
            extracted = await workers.extract(path, code)
            assert extracted.text in ("besluit.txt", "") or SENTENCE in " ".join(extracted.text.split())
        assert len(workers.pids) == 1

    in_pool(test)


def test_no_worker_is_started_before_the_first_document() -> None:
    async def test(workers: Workers) -> None:
        assert workers.pids == []

    in_pool(test)


def test_no_more_workers_are_started_than_are_wanted() -> None:
    async def test(workers: Workers) -> None:
        read = await asyncio.gather(*(workers.extract(TXT, "TXT") for _ in range(20)))
        assert {extracted.language for extracted in read} == {"nl"}
        assert len(workers.pids) == 2

    in_pool(test, count=2)


def test_a_relative_path_is_that_of_the_crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("brief.txt").write_text("Geachte", encoding="utf-8")

    async def test(workers: Workers) -> None:
        assert (await workers.extract(Path("brief.txt"), "TXT")).text == "Geachte"

    in_pool(test)


def test_a_name_that_is_no_utf_8_is_found(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9 \n.txt"))
    path.write_text("Geachte", encoding="utf-8")

    async def test(workers: Workers) -> None:
        assert (await workers.extract(path, "TXT")).text == "Geachte"

    in_pool(test)


def test_a_long_text_arrives_completely(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("“é” €\n" * 500_000, encoding="utf-8")

    async def test(workers: Workers) -> None:
        extracted = await workers.extract(path, "TXT")
        assert extracted.text == ("“é” €\n" * 500_000).strip()

    in_pool(test)


def test_what_the_library_refuses_costs_no_worker(tmp_path: Path) -> None:
    damaged = tmp_path / "a.pdf"
    damaged.write_bytes(b"%PDF-1.7 en niets meer")

    async def test(workers: Workers) -> None:
        with pytest.raises(TextFailedError, match="PDF"):
            await workers.extract(damaged, "PDF")
        (pid,) = workers.pids
        assert (await workers.extract(TXT, "TXT")).has_text
        assert workers.pids == [pid]

    in_pool(test)


def test_a_document_without_end_costs_a_worker_and_no_other_document(tmp_path: Path) -> None:
    endless = pdfs.endless(tmp_path / "endless.pdf")

    async def test(workers: Workers) -> None:
        first = asyncio.create_task(workers.extract(endless, "PDF"))
        others = await asyncio.gather(*(workers.extract(TXT, "TXT") for _ in range(10)))
        assert all(extracted.has_text for extracted in others)
        with pytest.raises(TextTimeoutError, match="not read within 5 s"):
            await first

    in_pool(test, count=2, timeout=5)


def test_a_worker_that_is_ended_is_replaced(tmp_path: Path) -> None:
    endless = pdfs.endless(tmp_path / "endless.pdf")

    async def test(workers: Workers) -> None:
        for name in (signal.SIGKILL, signal.SIGSEGV):
            task, pid = await busy(workers, endless)
            os.kill(pid, name)
            with pytest.raises(TextCrashError, match=f"ended by {name.name}"):
                await task
            assert not is_running(pid)
        assert (await workers.extract(TXT, "TXT")).has_text

    in_pool(test)


def test_a_worker_that_was_ended_while_it_was_idle_costs_nothing() -> None:
    async def test(workers: Workers) -> None:
        await workers.extract(TXT, "TXT")
        (pid,) = workers.pids
        os.kill(pid, signal.SIGKILL)
        while is_running(pid):
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.5)  # the event loop hears of it
        assert (await workers.extract(TXT, "TXT")).has_text

    in_pool(test)


def test_a_worker_that_stands_still_is_ended(tmp_path: Path) -> None:
    async def test(workers: Workers) -> None:
        await workers.extract(TXT, "TXT")
        (pid,) = workers.pids
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(TextTimeoutError):
            await workers.extract(TXT, "TXT")
        assert not is_running(pid)

    in_pool(test, timeout=5)


@linux_only
def test_a_document_that_takes_all_memory_costs_a_worker(tmp_path: Path) -> None:
    greedy = pdfs.greedy(tmp_path / "greedy.pdf")

    async def test(workers: Workers) -> None:
        with pytest.raises(TextCrashError, match="SIGABRT"):
            await workers.extract(greedy, "PDF")
        assert (await workers.extract(TXT, "TXT")).has_text

    in_pool(test, memory=256 * MB)


def test_a_fault_of_the_library_costs_a_worker(tmp_path: Path) -> None:
    """The library panics at a truncated workbook, after which its process should not continue."""
    path = tmp_path / "a.xls"
    path.write_bytes(SAMPLES["XLS"].read_bytes()[:1843])

    async def test(workers: Workers) -> None:
        with pytest.raises(TextError):
            await workers.extract(path, "XLS")
        assert (await workers.extract(TXT, "TXT")).has_text

    in_pool(test)


def test_a_worker_is_replaced_after_so_many_documents() -> None:
    async def test(workers: Workers) -> None:
        seen = []
        for _ in range(5):
            await workers.extract(TXT, "TXT")
            seen += workers.pids
        assert len(seen) == 3  # after the second and the fourth there is none
        assert len(set(seen)) == 3

    in_pool(test, documents=2)


def test_a_document_that_is_given_up_ends_its_worker(tmp_path: Path) -> None:
    endless = pdfs.endless(tmp_path / "endless.pdf")

    async def test(workers: Workers) -> None:
        task, pid = await busy(workers, endless)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not is_running(pid)
        assert (await workers.extract(TXT, "TXT")).has_text

    in_pool(test)


def test_closing_ends_what_is_being_read(tmp_path: Path) -> None:
    endless = pdfs.endless(tmp_path / "endless.pdf")

    async def test(workers: Workers) -> None:
        task, pid = await busy(workers, endless)
        await asyncio.sleep(1)
        await workers.close()
        with pytest.raises(TextCrashError):
            await task
        assert not is_running(pid)

    in_pool(test)


def test_the_keys_that_end_a_crawl_do_not_end_its_workers() -> None:
    """The crawl ends its workers after its last document."""

    async def test(workers: Workers) -> None:
        await workers.extract(TXT, "TXT")
        (pid,) = workers.pids
        assert os.getpgid(pid) != os.getpgid(0)  # Ctrl-C goes to the group
        for name in (signal.SIGINT, signal.SIGTERM):  # a service manager's goes to all processes
            os.kill(pid, name)
            assert (await workers.extract(TXT, "TXT")).has_text
        assert workers.pids == [pid]

    in_pool(test)


ORPHANS = """
import asyncio, sys
from pathlib import Path
from woo_harvester.documents.extracted import Limits
from woo_harvester.documents.text_workers import Workers

async def main():
    workers = Workers(Limits(timeout=600), 2)
    await workers.extract(Path(sys.argv[1]), "TXT")
    reading = asyncio.create_task(workers.extract(Path(sys.argv[2]), "PDF"))
    while len(workers.pids) < 2:
        await asyncio.sleep(0.05)
        await workers.extract(Path(sys.argv[1]), "TXT")
    print(*workers.pids, flush=True)
    await reading

asyncio.run(main())
"""


@linux_only
def test_no_worker_outlives_a_crawl_that_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ORPHANS, str(TXT), str(pdfs.endless(tmp_path / "endless.pdf"))]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        try:
            pids = [int(pid) for pid in parent.stdout.readline().split()]
            assert len(pids) == 2
            assert all(map(is_running, pids))
        finally:
            parent.kill()
    wait_until(lambda: not any(map(is_running, pids)), "they have ended")


@linux_only
def test_a_worker_inherits_no_secrets_files_or_sockets(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WOO_STATE_URL", "postgresql://user:geheim@localhost/woo")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "geheim")
    state = (tmp_path / "woo-state.sqlite").open("w", encoding="ascii")
    with state, socket.create_server(("127.0.0.1", 0)) as server:
        for file in (state, server):
            os.set_inheritable(file.fileno(), True)

        async def test(workers: Workers) -> None:
            await workers.extract(SAMPLES["PDF"], "PDF")
            process = Path(f"/proc/{workers.pids[0]}")
            environment = (process / "environ").read_bytes()
            assert b"geheim" not in environment
            assert b"PATH=" in environment
            opened = {str(link.readlink()) for link in (process / "fd").iterdir()}
            assert f"socket:[{os.fstat(server.fileno()).st_ino}]" not in opened
            assert not [name for name in opened if name.startswith("/") and name != "/dev/null"]
            assert (process / "cwd").readlink() == Path("/")

        in_pool(test)


@linux_only
def test_a_worker_is_confined_by_the_kernel() -> None:
    async def test(workers: Workers) -> None:
        await workers.extract(TXT, "TXT")
        process = Path(f"/proc/{workers.pids[0]}")
        status = dict(line.split(":\t") for line in (process / "status").read_text().splitlines())
        if status["Seccomp"] != "2":
            skip_or_fail("needs libseccomp")
        assert status["NoNewPrivs"] == "1"
        assert f"{300 * MB}" in (process / "limits").read_text().split("Max data size")[1].splitlines()[0]

    in_pool(test, memory=300 * MB)


def test_a_worker_that_does_not_start_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(workers: Workers) -> None:
        with pytest.raises(TextCrashError, match="status 1"):
            await workers.extract(TXT, "TXT")

    in_pool(test, memory="much")


# Scans, read by long-lived workers.


def test_a_worker_reads_many_scans_in_the_memory_that_one_takes() -> None:
    """The tenth scan is read: memory of the scans before it was returned to the system."""
    if which("tesseract") is None:
        skip_or_fail("needs tesseract-ocr and tesseract-ocr-nld")

    async def main() -> None:
        workers = Workers(Limits(timeout=600, ocr=True))
        try:
            await workers.extract(SCAN, "PDF")
            pids = workers.pids
            for _ in range(9):
                extracted = await workers.extract(SCAN, "PDF")
                assert SENTENCE in " ".join(extracted.text.split())
            assert workers.pids == pids
        finally:
            await workers.close()

    asyncio.run(main())
