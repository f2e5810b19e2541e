"""A job: one process of a run that several processes share (``scrapy crawl --jobs``)."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from woo_harvester.register import Register
from woo_harvester.report.run_name import part_name
from woo_harvester.state.claims import Claims, ClaimSet
from woo_harvester.state.document_set import DocumentSet
from woo_harvester.state.shared_file import Turns

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

#: The steps at which a job waits until the other jobs have come there too, or have ended.
READ = "read"
READ_AGAIN = "read again"
COUNTED = "counted"
COMPARED = "compared"
FEEDS = "records written"
STEPS = (READ, READ_AGAIN, COUNTED, COMPARED, FEEDS)

#: Bytes per read of the connection.
_BLOCK = 65_536


@dataclass(frozen=True, slots=True)
class SharedFeed:
    """A local file that the jobs of a run write together."""

    number: int
    """Its place among the files of the run, from 0."""
    uri: str
    """Its name in the setting FEEDS of the jobs."""
    path: Path
    options: dict[str, Any]
    """The options of the feed, with Scrapy's defaults."""
    in_lines: bool
    """True if the file is complete after each record, so that jobs append to it in turns."""
    made: bool
    """True if the file was not there when the run began."""
    parts: tuple[IO[bytes], ...] = ()
    """Files without a name, one for the records of each job; none for a file in lines."""


@dataclass(frozen=True)
class Plan:
    """What all jobs of a run know; made before they are forked."""

    run_name: str
    """The name of the run: its spider, and when it began."""
    began: datetime
    register: Register
    parts: tuple[frozenset[str], ...]
    """The hosts of each job."""
    feeds: tuple[SharedFeed, ...]
    claims: Claims = field(default_factory=Claims)
    """The documents of which a job makes a record, and those that are delivered again."""
    turns: Turns = field(default_factory=Turns)

    @cached_property
    def hosts(self) -> frozenset[str]:
        """The hosts of all jobs."""
        return frozenset().union(*self.parts)


class Messages:
    """JSON values that come over a socket, one a line."""

    def __init__(self) -> None:
        self._rest = b""

    def read(self, connection: socket.socket) -> list[Any] | None:
        """Return the complete messages that have come; None if the other side is gone."""
        try:
            block = connection.recv(_BLOCK)
        except OSError:  # reset
            block = b""
        if not block:
            return None
        *lines, self._rest = (self._rest + block).split(b"\n")
        return [json.loads(line) for line in lines]


def send(connection: socket.socket, kind: str, value: Any = None) -> None:
    """Send a message; one to a process that is gone is dropped, since its end is noticed elsewhere."""
    with suppress(OSError):
        connection.sendall(json.dumps([kind, value]).encode() + b"\n")


class Job:
    """One of the processes of a run, and its connection with the process that started it."""

    def __init__(self, number: int, plan: Plan, connection: socket.socket) -> None:
        self.number = number
        """Its place among the jobs, from 1."""
        self.plan = plan
        self.hosts = plan.parts[number - 1]
        """The hosts that this job reads."""
        self.on_stop: Callable[[], None] = lambda: None
        """Called when the run is to be stopped, or the process that started the jobs is gone."""
        self.on_tried: Callable[[str, Any], None] = lambda host, cause: None
        """Called with the outcome of another job's first request to a host."""
        self._connection = connection
        self._messages = Messages()
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._passed: dict[str, Any] = {}
        self._is_alone = False

    @property
    def folder_name(self) -> str:
        """The name of the folder with the findings of this job, which no other job of any run has."""
        return part_name(self.plan.run_name, self.number)

    def is_read_elsewhere(self, host: str) -> bool:
        """Return whether another job may still be reading *host*."""
        return READ not in self._passed and host in self.plan.hosts and host not in self.hosts

    def may_begin(self) -> bool:
        """Wait until the run begins; return False if it does not."""
        with suppress(OSError):
            return bool(self._connection.recv(1))
        return False

    def listen(self) -> None:
        """Read messages from now on, in the running event loop."""
        asyncio.get_running_loop().add_reader(self._connection.fileno(), self._receive)

    def send(self, kind: str, value: Any = None) -> None:
        """Send a message to the process that started this one."""
        send(self._connection, kind, value)

    async def wait(self, step: str, value: Any = None) -> Any:
        """Wait until all jobs have come to *step*, or have ended; return the answer.

        It is None if the process that started the jobs is gone: then nobody knows of the other jobs.
        """
        if self._is_alone:
            return None
        self._waiting[step] = asyncio.get_running_loop().create_future()
        self.send("arrived", [step, value])
        return await self._waiting[step]

    def _receive(self) -> None:
        messages = self._messages.read(self._connection)
        if messages is None:
            self._is_alone = True
            asyncio.get_running_loop().remove_reader(self._connection.fileno())
            for future in self._waiting.values():
                if not future.done():
                    future.set_result(None)
            self.on_stop()
        for kind, value in messages or ():
            if kind == "stop":
                self.on_stop()
            elif kind == "tried":
                self.on_tried(*value)
            elif kind == "passed":
                step, answer = value
                self._passed[step] = answer
                if (waiting := self._waiting.get(step)) is not None and not waiting.done():
                    waiting.set_result(answer)


def quiet_start() -> None:
    """Leave out of the log what each job would say of itself at its start: the first one says it."""
    for name in ("scrapy.addons", "scrapy.crawler", "scrapy.middleware", "scrapy.utils.log"):
        logging.getLogger(name).setLevel(logging.WARNING)


def set_job(crawler: Crawler, job: Job) -> None:
    """Make a crawl that of a job; call it before the crawl starts."""
    crawler.woo_job = job  # type: ignore[attr-defined]


def job_of(crawler: Crawler) -> Job | None:
    """Return the job of a crawl; None if the run is one process."""
    return getattr(crawler, "woo_job", None)


def delivered_documents(crawler: Crawler) -> tuple[DocumentSet | ClaimSet, DocumentSet | ClaimSet]:
    """Return two sets of documents, which the jobs of a run share; empty when the run begins.

    The first is of those of which the run makes a record, the second of those of them whose known version it
    delivers again.
    """
    if (job := job_of(crawler)) is None:
        return DocumentSet(), DocumentSet()
    return job.plan.claims.of_bit(0), job.plan.claims.of_bit(1)
