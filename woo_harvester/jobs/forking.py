"""Forks the processes of a run, each with a connection and a pipe for what it writes to stderr."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

from woo_harvester.running.job import Job, Messages, Plan
from woo_harvester.running.streams import flush_stderr, flush_stdout
from woo_harvester.terminal.figures import Figures


@dataclass
class Process:
    """A job, as the process that started it sees it."""

    number: int
    pid: int
    connection: socket.socket
    errors: int
    """The descriptor from which its stderr is read."""
    messages: Messages = field(default_factory=Messages)
    rest: bytes = b""
    """The unfinished last line of its stderr."""
    figures: Figures | None = None
    step: tuple[str, object] | None = None
    """The step at which it waits, and what it said there."""
    failure: tuple[int, str] | None = None
    """Exit status and line of a job that could not start or continue."""
    status: int | None = None
    """Its exit status, or minus the signal that ended it; None as long as it runs."""


def fork(plan: Plan, run: Callable[[Job], int]) -> list[Process]:
    """Start a process for each job, which waits until it may begin, and then ends with the status of *run*.

    Call it before this process has started a thread. Raises OSError, and then ends those that were started.
    """
    flush_stdout()
    flush_stderr()
    made: list[Process] = []
    try:
        for number in range(1, len(plan.parts) + 1):
            ours, theirs = socket.socketpair()
            errors, writing = os.pipe()
            pid = os.fork()
            if not pid:
                for each in made:
                    each.connection.close()
                    os.close(each.errors)
                ours.close()
                os.close(errors)
                _become(Job(number, plan, theirs), writing, run)
            theirs.close()
            os.close(writing)
            made.append(Process(number, pid, ours, errors))
    except OSError:
        for each in made:
            each.connection.close()
            os.waitpid(each.pid, 0)
        raise
    return made


def _become(job: Job, errors: int, run: Callable[[Job], int]) -> NoReturn:
    """Run a job in this process, and end it."""
    status = 1
    try:
        os.setpgid(0, 0)  # Ctrl-C goes to the process that stops the jobs, once
        os.dup2(errors, sys.stderr.fileno())
        os.close(errors)
        status = run(job) if job.may_begin() else 0
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        try:
            logging.shutdown()
            flush_stdout()
            flush_stderr()
        finally:
            os._exit(status)
