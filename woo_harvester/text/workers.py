"""Worker processes that read documents, beside an asyncio event loop.

A worker is started when it is first needed, as a new Python that inherits only its pipes: no sockets, no open
files, and of the environment only what a library needs to start. What happens to it (it crashes, hangs or
grows) costs that worker and one document; the next document gets a new one.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from woo_harvester.text.extracted import (
    LENGTH_BYTES,
    Extracted,
    Limits,
    TextCrashError,
    TextFailedError,
    TextTimeoutError,
    WorkerStartError,
)

logger = logging.getLogger(__name__)

#: Documents after which a worker is replaced, so that leaks of a library do not add up.
_DOCUMENTS_MAXIMUM = 500
#: Seconds for the start of a worker, and for its end when it is asked to.
_START_TIMEOUT = 60
_STOP_TIMEOUT = 5
#: JSON of text takes at most so many bytes a character; what stands around it far less than this.
_BYTES, _AROUND = 4, 64 * 1024
#: All of the environment that a worker sees: where libraries, temporary files and Tesseract's data are.
_ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TESSDATA_PREFIX")

#: The library starts as many threads as there are cores; there are as many workers as are wanted instead.
_ONE_THREAD = {"TOKIO_WORKER_THREADS": "1", "RAYON_NUM_THREADS": "1"}

#: Has the C library give the memory of an image back when it is freed (mallopt(3)): without a fixed
#: threshold it keeps more and more of it, and after some five scans there is too little left for the next.
_GIVEN_BACK = {"MALLOC_MMAP_THRESHOLD_": str(128 * 1024)}


class _Worker:
    """One process, which reads one document at a time."""

    def __init__(self, process: Process, limits: Limits) -> None:
        self._process = process
        self._stdin = cast("asyncio.StreamWriter", process.stdin)
        self._stdout = cast("asyncio.StreamReader", process.stdout)
        self._limits = limits
        self.documents = 0
        """How many it was given."""
        self.confined = False
        """Whether the kernel keeps it from network, programs and writing."""

    @classmethod
    async def start(cls, limits: Limits) -> _Worker:
        """A worker that is ready. Raises TextCrashError where it does not come up, and WorkerStartError."""
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "woo_harvester.text.worker", json.dumps(asdict(limits))),
                stdin=PIPE,
                stdout=PIPE,
                env=_environment(os.environ),
                cwd="/",
                start_new_session=True,  # the keys of a terminal do not reach it
            )
        except OSError as error:  # such as too many processes, or too little memory
            raise WorkerStartError(str(error)) from error
        worker = cls(process, limits)
        try:
            async with asyncio.timeout(_START_TIMEOUT):
                worker.confined = (await worker._receive())["confined"]
        except TimeoutError as error:
            await worker.kill()
            raise TextCrashError(f"the worker did not start within {_START_TIMEOUT} s") from error
        except BaseException:
            await worker.kill()
            raise
        return worker

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it can be given a document."""
        return self._process.returncode is None

    async def extract(self, path: Path, filetype: str) -> Extracted:
        """As :meth:`Workers.extract`; after any exception but TextFailedError the worker is of no use."""
        self.documents += 1
        try:
            async with asyncio.timeout(self._limits.timeout):
                answer = await self._ask(_request(path, filetype))
        except TimeoutError as error:
            raise TextTimeoutError(f"not read within {self._limits.timeout:g} s") from error
        if "error" in answer:
            raise TextFailedError(answer["error"])
        return Extracted(**answer)

    async def stop(self) -> None:
        """Let it end by itself; end it where it does not."""
        self._stdin.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(_STOP_TIMEOUT):
                await self._process.wait()
        await self.kill()

    async def kill(self) -> None:
        """End it at once, whatever it is doing."""
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()

    async def _ask(self, request: bytes) -> dict[str, Any]:
        with suppress(BrokenPipeError, ConnectionResetError):  # reading tells that it is gone
            self._stdin.write(request)
            await self._stdin.drain()
        return await self._receive()

    async def _receive(self) -> dict[str, Any]:
        try:
            length = int.from_bytes(await self._stdout.readexactly(LENGTH_BYTES))
            if length > self._limits.maxlength * _BYTES + _AROUND:
                raise TextCrashError("the worker's answer is longer than it may be")
            answer: dict[str, Any] = json.loads(await self._stdout.readexactly(length))
        except asyncio.IncompleteReadError as error:
            raise TextCrashError(_ended(await self._process.wait())) from error
        return answer


class Workers:
    """At most *count* workers; a document waits until one of them has time.

    Belongs to the event loop in which it is first used; :meth:`close` ends the workers.
    """

    def __init__(self, limits: Limits, count: int = 1, documents: int = _DOCUMENTS_MAXIMUM) -> None:
        self._limits = limits
        self._documents = documents
        self._room = asyncio.Semaphore(count)
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._warned = False

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers that there are now."""
        return [worker.pid for worker in (*self._busy, *self._idle)]

    async def extract(self, path: Path, filetype: str) -> Extracted:
        """The text of the document at *path*; *filetype* is the code at the end of its type's URI: PDF.

        Raises TextTimeoutError, TextCrashError or TextFailedError: all of them a TextError. Raises
        WorkerStartError where the machine gives no process.
        """
        async with self._room:
            worker = await self._worker()
            self._busy.add(worker)
            try:
                extracted = await worker.extract(path, filetype)
            except TextFailedError:
                await self._return(worker)
                raise
            except BaseException:
                await worker.kill()
                raise
            else:
                await self._return(worker)
                return extracted
            finally:
                self._busy.discard(worker)

    async def close(self) -> None:
        """End all workers; a document that is being read is given up, with a TextCrashError."""
        await asyncio.gather(*(worker.kill() for worker in self._busy))
        idle, self._idle = self._idle, []
        await asyncio.gather(*(worker.stop() for worker in idle))

    async def _worker(self) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive:
                return worker
        worker = await _Worker.start(self._limits)
        if not worker.confined and not self._warned:
            self._warned = True
            logger.warning(
                "Documents are read with access to network and files: only Linux with libseccomp bars it"
            )
        return worker

    async def _return(self, worker: _Worker) -> None:
        if worker.documents >= self._documents:
            await worker.stop()
        else:
            self._idle.append(worker)


def _request(path: Path, filetype: str) -> bytes:
    """One line; the worker has another working folder."""
    return json.dumps({"path": str(path.absolute()), "filetype": filetype}).encode() + b"\n"


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    """What a worker gets of *given*; it finds modules where this process finds them."""
    paths = [os.path.abspath(path) for path in sys.path]  # noqa: PTH100 -- an empty one is the working folder
    kept = {name: given[name] for name in _ENVIRONMENT if name in given}
    return {**kept, **_ONE_THREAD, **_GIVEN_BACK, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1"}


def _ended(status: int) -> str:
    if status < 0:
        return f"the worker was ended by {signal.Signals(-status).name}"
    return f"the worker ended with status {status}"
