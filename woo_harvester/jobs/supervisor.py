"""Watches over the jobs of a run: their steps, their end, and what they show together."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from woo_harvester.extensions.progress import REDRAW
from woo_harvester.findings.common_cause import CommonCause
from woo_harvester.jobs.feeds import SharedFiles
from woo_harvester.jobs.forking import Process
from woo_harvester.running.deadline import OVERDUE, Deadline
from woo_harvester.running.job import FEEDS, STEPS, send
from woo_harvester.running.streams import write_stderr
from woo_harvester.state.store import StateError
from woo_harvester.terminal.figures import Figures, figures_from, together
from woo_harvester.terminal.progress import Speed, progress_line, progress_table
from woo_harvester.terminal.screen import Screen, can_show

if TYPE_CHECKING:
    from rich.console import RenderableType
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

#: The shares of ``WOO_STOP_TIMEOUT`` in which the jobs end by themselves, and after which they are killed.
JOBS_STOP, _KILL = 0.7, 0.8

_BLOCK = 65_536

_STOPPING = "Received %(name)s: the jobs end what they do; a second signal ends them at once"


class Supervisor:
    """Watches over the processes of a run until the last has ended."""

    def __init__(
        self,
        processes: Sequence[Process],
        files: SharedFiles,
        common_cause: CommonCause,
        settings: BaseSettings,
    ) -> None:
        self._processes = processes
        self._files = files
        self._common_cause = common_cause
        self._timeout = settings.getfloat("WOO_STOP_TIMEOUT")
        self._shows_progress = settings.getbool("WOO_PROGRESS")
        self._interval = settings.getfloat("WOO_PROGRESS_INTERVAL")
        self._speed = Speed()
        self._screen: Screen | None = None
        self._deadline = Deadline()
        self.stopped_by: str | None = None
        """The name of the signal that has stopped the run; None for no signal."""

    async def watch(self) -> None:
        """Let the jobs begin, and return when all have ended. Call it as the first in an event loop."""
        loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop, number)
        loop.add_signal_handler(signal.SIGCHLD, self._reap)
        for process in self._processes:
            process.connection.send(b"\0")
            loop.add_reader(process.connection.fileno(), self._receive, process)
            loop.add_reader(process.errors, self._show_errors, process)
        tasks = [asyncio.create_task(each) for each in (self._show_progress(), self._beat())]
        self._reap()  # one may have ended before there was a handler
        await self._ended.wait()
        for task in tasks:
            task.cancel()
        if self._screen is not None:
            self._screen.leave(self._draw)
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
            signal.signal(number, self._stop_late)

    def _stop(self, number: signal.Signals) -> None:
        """Have the jobs end; at the second signal, end them at once."""
        if self.stopped_by is not None:
            self._kill()
            return
        self.stopped_by = number.name
        logger.info(_STOPPING, {"name": number.name})
        self._deadline.start(self._timeout, OVERDUE.format(seconds=self._timeout))
        for process in self._processes:
            send(process.connection, "stop")
        asyncio.get_running_loop().call_later(self._timeout * _KILL, self._kill)

    def _stop_late(self, number: int, frame: object) -> None:
        """Set a time for what is left when all jobs have ended: the files and the report."""
        self._deadline.start(self._timeout, OVERDUE.format(seconds=self._timeout))

    def _kill(self) -> None:
        for process in self._processes:
            if process.status is None:
                os.kill(process.pid, signal.SIGKILL)

    def _reap(self) -> None:
        """Note which jobs have ended. Only our own processes are waited for."""
        for process in self._processes:
            if process.status is None:
                pid, status = os.waitpid(process.pid, os.WNOHANG)
                if pid:
                    self._end(process, os.waitstatus_to_exitcode(status))
        self._pass_step()
        if all(process.status is not None for process in self._processes):
            self._ended.set()

    def _end(self, process: Process, status: int) -> None:
        """Read what a job has left, and note its end."""
        loop = asyncio.get_running_loop()
        for descriptor, read in (
            (process.connection.fileno(), self._receive),
            (process.errors, self._show_errors),
        ):
            os.set_blocking(descriptor, False)
            while read(process):
                pass
            loop.remove_reader(descriptor)
        if process.rest:
            self._write(process, [process.rest])
        process.connection.close()
        os.close(process.errors)
        process.status = status

    def _receive(self, process: Process) -> bool:
        """Read the messages of a job; return whether there may be more."""
        messages = process.messages.read(process.connection)
        if messages is None:
            asyncio.get_running_loop().remove_reader(process.connection.fileno())
            return False
        for kind, value in messages:
            if kind == "figures":
                process.figures = figures_from(value)
            elif kind == "failed":
                process.failure = value[0], value[1]
            elif kind == "tried":
                self._common_cause.tried(*value)
                for other in self._processes:
                    if other is not process and other.status is None:
                        send(other.connection, "tried", value)
            elif kind == "arrived":
                process.step = value[0], value[1]
                self._pass_step()
        return True

    def _pass_step(self) -> None:
        """Let the jobs go on if all that run have come to the same step."""
        running = [process for process in self._processes if process.status is None]
        if not running or any(process.step is None for process in running):
            return
        name = min((process.step[0] for process in running if process.step), key=STEPS.index)
        there = [process for process in running if process.step and process.step[0] == name]
        answer: object = {}
        if name == FEEDS:
            answer = self._files.join([(each.number, each.step[1]) for each in there if each.step])  # type: ignore[misc]
        for process in there:
            process.step = None
            send(process.connection, "passed", [name, answer])

    def _show_errors(self, process: Process) -> bool:
        """Write the complete lines of the stderr of a job; return whether there may be more."""
        try:
            block = os.read(process.errors, _BLOCK)
        except OSError:
            block = b""
        if not block:
            asyncio.get_running_loop().remove_reader(process.errors)
            return False
        *lines, process.rest = (process.rest + block).split(b"\n")
        self._write(process, lines)
        return True

    def _write(self, process: Process, lines: Sequence[bytes]) -> None:
        if lines:
            text = (f"[{process.number}] {line.decode(errors='replace')}" for line in lines)
            Screen.write_lines("\n".join(text))

    async def _beat(self) -> None:
        """Show other runs that the locks on the files are those of a run that goes on."""
        while (interval := self._files.heartbeat) is not None:
            await asyncio.sleep(interval)
            try:
                self._files.beat()
            except StateError as error:
                logger.warning("%s", error)
                return

    async def _show_progress(self) -> None:
        """Show the figures of all jobs, from the first request on."""
        interval = self._interval
        shows = can_show(sys.stderr)
        if not self._shows_progress or (not shows and interval <= 0):
            return
        while True:
            await asyncio.sleep(REDRAW if shows else interval)
            if not any(process.figures and process.figures.requests for process in self._processes):
                continue
            if not shows:
                now = self._figures()
                write_stderr(progress_line(now, self._speed(now)))
                continue
            if self._screen is None:
                self._screen = Screen.join(self._draw, sys.stderr)
            self._screen.refresh()

    def _draw(self) -> RenderableType:
        now = self._figures()
        return progress_table(now, self._speed(now))

    def _figures(self) -> Figures:
        return together([process.figures for process in self._processes if process.figures is not None])
