"""Runs of the command that are disturbed: killed, ended, on a full disk, without memory.

Each run is a process of its own, which costs so little to start that a test can kill many.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from aiohttp import web

from tests.conftest import skip_or_fail
from tests.utils.command import DATA, Line, Run, environment, in_project, read_run, written
from tests.utils.daily import FIRST, Harvester, publish
from tests.utils.forked_runs import Before, Forked
from tests.utils.waiting import STUCK, wait_until
from woo_harvester.demo.server import Authority
from woo_harvester.demo.site import Site
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.outputs import feeds
from woo_harvester.outputs.feeds import RecordStorage
from woo_harvester.pipelines import folder
from woo_harvester.pipelines.folder import DurableFolder
from woo_harvester.state import outputs
from woo_harvester.state.outputs import Outputs

Fault = Before
"""A change that is made to the process of a run before the command begins."""

KILLED = -signal.SIGKILL
#: Has the state learn of records almost as soon as they are written.
SOON: dict[str, Any] = {"WOO_DURABLE_INTERVAL": 0.05}


class Started(Forked):
    """A run that is going on."""

    def __init__(
        self, args: Sequence[str], folder: Path, environ: dict[str, str], fault: Fault | None
    ) -> None:
        self._folder = folder
        self._before = written(folder)
        super().__init__(args, folder, environ, fault)
        self._since = time.monotonic()

    def kill(self, after: float) -> bool:
        """Kill it so many seconds after its start; return False if it had ended before."""
        self.process.join(max(0.0, self._since + after - time.monotonic()))
        self.process.kill()
        self.process.join(STUCK)
        return self.process.exitcode == KILLED

    def wait_until(self, condition: Callable[[], bool], what: str) -> None:
        """Return when *condition* holds; fail at once when the run ends before."""
        try:
            wait_until(condition, what, self.process.is_alive)
        except AssertionError as error:
            raise AssertionError(f"{error}: {self.stderr}") from error

    def status(self) -> int:
        """Wait until the run has ended; return its exit status, or minus the signal that ended it."""
        return self._end().returncode

    def wait(self) -> Run:
        """Wait until the run has ended; return what it left."""
        return read_run(self.args, self._folder, self._before, self._end())

    def _end(self) -> subprocess.CompletedProcess[str]:
        try:
            return self.done(STUCK)
        except subprocess.TimeoutExpired as error:
            raise AssertionError(f"the run does not end: {self.stderr}") from error


@dataclass
class Fallible(Harvester):
    """An installation to whose runs something happens."""

    def start(self, *args: str, fault: Fault | None = None, **settings: object) -> Started:
        """Begin a run; *settings* that are no strings or numbers are given as JSON."""
        given = {
            name: json.dumps(value) if isinstance(value, dict) else value for name, value in settings.items()
        }
        argv = in_project(self.arguments(*args), self.folder, given)
        return Started(argv, self.folder, environment(self.ca_bundle), fault)

    def run(self, *args: str, fault: Fault | None = None, **settings: object) -> Run:
        """One run, from beginning to end."""
        return self.start(*args, fault=fault, **settings).wait()


class GatedSite(Site):
    """A site that gives the answers to some paths only when the test opens their gate."""

    def __init__(self, authority: Authority) -> None:
        super().__init__(authority)
        self.gates: set[str] = set()
        """Paths whose answers wait; taking one out opens its gate."""
        self.waiting: set[str] = set()
        """Paths whose request waits for its answer."""

    async def _answer(self, raw: web.BaseRequest) -> web.StreamResponse:
        path = raw.path
        while path in self.gates:
            self.waiting.add(path)
            await asyncio.sleep(0.01)
        self.waiting.discard(path)
        return await super()._answer(raw)


def errors(run: Run | Started) -> list[str]:
    """Return the lines with which the command said why it failed."""
    return [line for line in run.stderr.splitlines() if line.startswith("scrapy crawl: error: ")]


def harvested(folder: Path, *, data: str = DATA, missing_ok: bool = False) -> set[str]:
    """Return the documents that the state of the installation in *folder* counts as harvested.

    It must be there, unless *missing_ok*: then a run may not have made it yet.
    """
    path = folder / data / "woo-state.sqlite"
    if missing_ok and not path.exists():
        return set()
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True)) as connection:
        return {loc for (loc,) in connection.execute("SELECT loc FROM documents WHERE harvested IS NOT NULL")}


def locs(files: Iterable[Path]) -> list[str]:
    """Return the documents of the records in files, in order."""
    return [line["document"]["weblocatie"] for line in lines(files)]


def latest(files: Iterable[Path]) -> dict[str, Line]:
    """Return the last version of each document, without the moments of its run."""
    found: dict[str, Line] = {}
    for line in lines(files):
        found[line["id"]] = timeless(line)
    return found


def timeless(record: Line) -> Line:
    """Return a record without the moments of its run."""
    (version,) = record["versies"]
    if version["oorzaak"] == "intrekking":
        version = {**version, "mutatiedatumtijd": "when it was noticed"}
    return {**record, "versies": [version], "herkomst": {**record["herkomst"], "opgehaald": "in its run"}}


def lines(files: Iterable[Path]) -> Iterator[Line]:
    """Return the records of files in this order, in which no line is truncated.

    The last one of a run that failed may be: the next run cuts its own file there.
    """
    for path in files:
        text = path.read_bytes()
        if path.suffix == ".unfinished":
            text = text[: text.rfind(b"\n") + 1]
        assert not text or text.endswith(b"\n"), f"{path} ends in a truncated line: {text[-80:]!r}"
        yield from map(json.loads, text.splitlines())


@contextmanager
def small_disk(folder: Path, size: int, mode: Literal["rw", "ro"] = "rw") -> Iterator[Path]:
    """Give a file system of *size* bytes; needs the right to mount, and skips the test without."""
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},{mode}", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        skip_or_fail(f"needs the right to mount a tmpfs ({done.stderr.strip()})")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@dataclass(frozen=True)
class KillAt:
    """A fault: the process kills itself when it comes to a point for the *count*-th time."""

    point: str
    count: int = 1

    def __call__(self) -> None:
        owner, name, moment = {**REPLACE_POINTS, **ADD_POINTS, **POINTS, **STORE_POINTS}[self.point]
        original = getattr(owner, name)
        calls = itertools.count(1)

        def reached() -> None:
            if next(calls) == self.count:
                os.kill(os.getpid(), signal.SIGKILL)

        def patched(*args: Any, **kwargs: Any) -> Any:
            if moment == "before":
                reached()
            elif moment == "halfway" and next(calls) == self.count:
                own, file = args
                content = own.read()
                file.write(content[: len(content) // 2])
                file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
            result = original(*args, **kwargs)
            if moment == "after":
                reached()
            return result

        setattr(owner, name, patched)


#: What is called, and on which side of it.
_Point = tuple[Any, str, Literal["before", "halfway", "after"]]

#: From the fsync of an output to the commit of the state.
POINTS: dict[str, _Point] = {
    "before the fsync": (feeds, "fsync", "before"),
    "after the fsync": (feeds, "fsync", "after"),
    "before the state learns of it": (StateKeeper, "durable", "before"),
    "when the state has written up to where the file is durable": (Outputs, "keep_durable", "after"),
    "when the state has written the documents, before the commit": (StateKeeper, "_confirm", "after"),
    "after the commit": (StateKeeper, "durable", "after"),
}

#: From the last record of a run's own file to its place (-O).
REPLACE_POINTS: dict[str, _Point] = {
    "before the file is in its place": (RecordStorage, "_replace", "before"),
    "when the file is in its place": (Outputs, "close", "before"),
    "when the state has forgotten the file": (Outputs, "close", "after"),
}

#: From the last record of a run's own file to its end in the file of the user (-o).
ADD_POINTS: dict[str, _Point] = {
    "before records are added": (outputs, "append", "before"),
    "when half of the records are added": (outputs, "append", "halfway"),
    "when the records are added": (outputs, "append", "after"),
    "when the run's own file is removed": (Outputs, "close", "before"),
}

#: The same from a document to its name in the store.
STORE_POINTS: dict[str, _Point] = {
    "before a document is written": (DurableFolder, "write", "before"),
    "when a document has its name": (folder, "_sync_names", "before"),
    "when the name of a document is durable": (DurableFolder, "write", "after"),
}


@dataclass(frozen=True)
class FailAt:
    """A fault: a method raises *error* at the end of its *count*-th call."""

    owner: type
    name: str
    count: int
    error: Exception

    def __call__(self) -> None:
        original = getattr(self.owner, self.name)
        calls = itertools.count(1)

        def patched(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            if next(calls) == self.count:
                raise self.error
            return result

        setattr(self.owner, self.name, patched)


def state_of(installation: Fallible) -> Path:
    """Return the file of the state."""
    return installation.folder / DATA / "woo-state.sqlite"


def kill_when(started: Started, progress: Callable[[], int], comes_to: int, later: float = 0) -> bool:
    """Kill a run when its *progress* comes to so much, or *later* seconds after; return False if it ended."""
    while progress() < comes_to and not started.ended:
        time.sleep(0.001)
    time.sleep(later)
    return started.kill(after=0)


def two_sitemaps(site: GatedSite) -> None:
    """Publish twelve documents, and three whose sitemap is not answered until the gate opens."""
    publish(site, {f"a{number}": FIRST for number in range(12)}, {f"b{number}": FIRST for number in range(3)})
    site.gates.add("/s1.xml")


def until_half(started: Started, site: GatedSite, installation: Fallible) -> None:
    """Return when the first sitemap is harvested and confirmed, and the second is asked for."""
    started.wait_until(lambda: "/s1.xml" in site.waiting, "the second sitemap is asked for")
    started.wait_until(
        lambda: len(harvested(installation.folder, missing_ok=True)) == 12, "the first is confirmed"
    )
