"""Run worker processes that read documents, from an asyncio event loop.

A worker is started on first use, as a new Python process. It inherits only its pipes and a few variables of
the environment, no sockets and no open files. If a worker crashes, hangs or uses too much memory, only its
document is lost. The next document gets a new worker.
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

from woo_harvester.documents.extracted import (
    LENGTH_BYTES,
    Extracted,
    Limits,
    TextCrashError,
    TextFailedError,
    TextTimeoutError,
    WorkerStartError,
)

logger = logging.getLogger(__name__)

#: Documents after which a worker is replaced, since libraries may leak memory.
_DOCUMENTS_MAXIMUM = 500
#: Seconds in which a worker must start.
_START_TIMEOUT = 60
#: Bytes of a character in JSON at most, and bytes around the text at most.
_BYTES, _AROUND = 4, 64 * 1024
#: Variables of the environment that a worker inherits: paths of libraries, temporary files, Tesseract's data.
_ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TESSDATA_PREFIX")

#: Keeps the library from starting a thread for each core: WOO_TEXT_WORKERS sets the number of workers.
_ONE_THREAD = {"TOKIO_WORKER_THREADS": "1", "RAYON_NUM_THREADS": "1"}

#: Has the C library return the memory of an image to the system when it is freed (mallopt(3)). Without a
#: fixed threshold it keeps ever more memory, and after some five scans too little is left for the next.
_RETURN_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(128 * 1024)}


class _Worker:
    """One worker process, which reads one document at a time."""

    def __init__(self, process: Process, limits: Limits) -> None:
        self._process = process
        self._stdin = cast("asyncio.StreamWriter", process.stdin)
        self._stdout = cast("asyncio.StreamReader", process.stdout)
        self._limits = limits
        self.documents = 0
        """Number of documents that it got."""
        self.confined = False
        """True if the kernel forbids it network and programs."""

    @classmethod
    async def start(cls, limits: Limits) -> _Worker:
        """Start a worker; return it when it is ready. Raises TextCrashError or WorkerStartError."""
        try:
            process = await asyncio.create_subprocess_exec(
                *(
                    sys.executable,
                    "-P",
                    "-m",
                    "woo_harvester.documents.text_worker",
                    json.dumps(asdict(limits)),
                ),
                stdin=PIPE,
                stdout=PIPE,
                env=_environment(os.environ),
                cwd="/",
                start_new_session=True,  # so that Ctrl-C in a terminal does not reach it
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
        """Process id of the worker."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """True if the process has not ended."""
        return self._process.returncode is None

    async def extract(self, path: Path, filetype: str) -> Extracted:
        """Extract as :meth:`Workers.extract`. Kill the worker after any error but TextFailedError."""
        self.documents += 1
        try:
            async with asyncio.timeout(self._limits.timeout):
                answer = await self._ask(_request(path, filetype))
        except TimeoutError as error:
            raise TextTimeoutError(f"not read within {self._limits.timeout:g} s") from error
        if "error" in answer:
            raise TextFailedError(answer["error"])
        return Extracted(**answer)

    async def kill(self) -> None:
        """Kill the process at once."""
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()

    async def _ask(self, request: bytes) -> dict[str, Any]:
        with suppress(BrokenPipeError, ConnectionResetError):  # _receive raises if the process has ended
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
    """A pool of at most *count* workers. A document waits until a worker is free.

    A pool belongs to the event loop in which it is first used. :meth:`close` ends the workers.
    """

    def __init__(self, limits: Limits, count: int = 1, documents: int = _DOCUMENTS_MAXIMUM) -> None:
        self._limits = limits
        self._documents = documents
        self._capacity = asyncio.Semaphore(count)
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._warned = False

    @property
    def pids(self) -> list[int]:
        """Process ids of the current workers."""
        return [worker.pid for worker in (*self._busy, *self._idle)]

    async def extract(self, path: Path, filetype: str) -> Extracted:
        """Return the text of the document at *path*; *filetype* is the code of its type, such as PDF.

        Raises TextTimeoutError, TextCrashError or TextFailedError, which are all a TextError. Raises
        WorkerStartError if no process can be started.
        """
        async with self._capacity:
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
        """End all workers. Reading a document at that moment raises TextCrashError."""
        idle, self._idle = self._idle, []
        await asyncio.gather(*(worker.kill() for worker in (*self._busy, *idle)))

    async def _worker(self) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive:
                return worker
        worker = await _Worker.start(self._limits)
        if not worker.confined and not self._warned:
            self._warned = True
            logger.warning(
                "Documents are read with access to the network: only Linux with libseccomp prevents it"
            )
        return worker

    async def _return(self, worker: _Worker) -> None:
        if worker.documents >= self._documents:
            await worker.kill()
        else:
            self._idle.append(worker)


def _request(path: Path, filetype: str) -> bytes:
    """Return a request as one line. The path is absolute, since the worker has another working folder."""
    return json.dumps({"path": str(path.absolute()), "filetype": filetype}).encode() + b"\n"


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a worker, which finds modules where this process finds them."""
    paths = [os.path.abspath(path) for path in sys.path]  # noqa: PTH100 -- an empty one is the working folder
    kept = {name: given[name] for name in _ENVIRONMENT if name in given}
    return {**kept, **_ONE_THREAD, **_RETURN_MEMORY, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1"}


def _ended(status: int) -> str:
    if status < 0:
        return f"the worker was ended by {signal.Signals(-status).name}"
    return f"the worker ended with status {status}"
