"""Trials of mutants: the tests of one folder run on a copy of the checkout, in a process for each mutant."""

from __future__ import annotations

import importlib
import json
import os
import resource
import shutil
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import coverage
import pytest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from tools.mutants.kinds import Mutant

#: Packages that take long to import: loaded once, before the processes fork.
_SLOW_IMPORTS = (
    "aiohttp",
    "hypothesis",
    "jinja2",
    "jsonschema",
    "lxml.html",
    "psycopg",
    "pydantic",
    "pyproj",
    "rich.console",
    "scrapy",
    "sqlalchemy.orm",
    "xdist.plugin",
    "yarl",
)

#: Stop at the first failure, and let it not explain itself: rewriting asserts takes longer than most tests.
_PYTEST = ("-x", "-q", "-p", "no:cacheprovider", "--assert=plain")

#: Folders of the checkout that tests do not read.
_NOT_COPIED = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", "__pycache__")

#: Bytes of address space for a mutant's tests, since a mutant may leave out a bound.
_MAX_MEMORY = 6 * 2**30


class Outcome(Enum):
    """What the tests did with a mutant."""

    NOTICED = "noticed"
    TIMEOUT = "timeout"
    SURVIVED = "survived"


class Tests:
    """The tests of one folder: how long each takes (seconds) and which lines of the package it reaches."""

    def __init__(self, seconds: dict[str, float], reached: dict[str, dict[int, list[str]]]) -> None:
        self._seconds = seconds
        self._reached = reached

    @classmethod
    def measure(cls, copy: Path, folder: str) -> Tests:
        """Run the tests of *folder* once, unchanged. Raises RuntimeError if one fails."""
        measured = copy.parent / "measured.json"
        if (process := os.fork()) == 0:
            _measure(copy, folder, measured)
        if os.waitpid(process, 0)[1]:
            said = _output(copy).read_text(encoding="utf-8")
            raise RuntimeError(f"The tests of tests/{folder} fail without a mutant:\n{said[-2000:]}")
        seconds, reached = json.loads(measured.read_text())
        return cls(
            seconds, {path: {int(line): names for line, names in at.items()} for path, at in reached.items()}
        )

    def of(self, mutant: Mutant) -> list[str]:
        """Return the names of the tests that reach a mutant's line, the fastest first."""
        lines = self._reached.get(mutant.path, {})
        # Not every line is recorded: of a statement of several lines only those of which Python executes
        # something, and of a function's signature none, since it is executed when the module is imported.
        before = max((line for line in lines if line <= mutant.line), default=0)
        after = min((line for line in lines if line >= mutant.line), default=0)
        return sorted({*lines.get(before, ()), *lines.get(after, ())}, key=self._seconds.__getitem__)

    def timeout(self, names: Iterable[str]) -> float:
        """Return the seconds that these tests may take: much more than they need on an idle machine."""
        return 20 + 6 * sum(self._seconds[name] for name in names)


@dataclass
class _Trial:
    """A mutant whose tests run."""

    mutant: Mutant
    copy: Path
    process: int
    until: float


@dataclass
class Trials:
    """The mutants of a folder, each tried in a process of its own, as many at once as there are copies."""

    tests: Tests
    copies: list[Path]
    _running: list[_Trial] = field(default_factory=list)
    _tried: int = 0

    def outcomes(self, mutants: Iterable[Mutant]) -> Iterator[tuple[Mutant, Outcome]]:
        """Yield each mutant with what the tests did with it, as soon as that is known."""
        for mutant in mutants:
            names = self.tests.of(mutant)
            if not names:
                yield mutant, Outcome.SURVIVED
                continue
            if len(self._running) == len(self.copies):
                yield self._wait()
            self._start(mutant, names)
        while self._running:
            yield self._wait()

    def _start(self, mutant: Mutant, names: list[str]) -> None:
        copy = next(each for each in self.copies if each not in {trial.copy for trial in self._running})
        changed = copy / mutant.path
        changed.rename(_original(changed))
        changed.write_text(mutant.source, encoding="utf-8")
        # A time of its own: two mutants of the same size within a second would share their bytecode.
        os.utime(changed, (self._tried, self._tried))
        self._tried += 1
        if (process := os.fork()) == 0:
            _run(copy, sorted({name.partition("::")[0] for name in names}), _Chosen(names))
        self._running.append(_Trial(mutant, copy, process, time.monotonic() + self.tests.timeout(names)))

    def _wait(self) -> tuple[Mutant, Outcome]:
        """Wait until one of the running trials has an outcome, and make its copy as it was."""
        while True:
            for trial in self._running:
                if (outcome := _outcome(trial)) is not None:
                    self._running.remove(trial)
                    changed = trial.copy / trial.mutant.path
                    _original(changed).replace(changed)
                    return trial.mutant, outcome
            time.sleep(0.02)


def copies_of_checkout(folder: Path, count: int) -> list[Path]:
    """Copy the checkout, which is the working directory, *count* times; return the copies."""
    copies = [folder / str(number) / Path.cwd().name for number in range(count)]
    for copy in copies:
        shutil.copytree(Path.cwd(), copy, ignore=_NOT_COPIED)
        if (shared := Path.cwd().parent / "shared").exists():
            (copy.parent / "shared").symlink_to(shared)
    return copies


def load_slow_imports() -> None:
    """Import the packages that take long, so that each process has them."""
    for name in _SLOW_IMPORTS:
        with suppress(ImportError):
            importlib.import_module(name)


def _output(copy: Path) -> Path:
    """Return the file with what pytest printed in a copy of the checkout."""
    return copy.parent / "output.txt"


def _original(changed: Path) -> Path:
    """Return where the original of a changed module is kept during its trial."""
    return changed.with_suffix(".original")


def _outcome(trial: _Trial) -> Outcome | None:
    process, status = os.waitpid(trial.process, os.WNOHANG)
    if process:
        # Processes that the tests started and left.
        with suppress(ProcessLookupError):
            os.killpg(trial.process, signal.SIGKILL)
        unnoticed = {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}
        return Outcome.SURVIVED if os.waitstatus_to_exitcode(status) in unnoticed else Outcome.NOTICED
    if time.monotonic() < trial.until:
        return None
    os.killpg(trial.process, signal.SIGKILL)
    os.waitpid(trial.process, 0)
    return Outcome.TIMEOUT


class _Chosen:
    """Plugin of pytest that runs only the tests with these names, in this order."""

    def __init__(self, names: Collection[str]) -> None:
        self._order = {name: place for place, name in enumerate(names)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self._order), key=lambda item: self._order[item.nodeid]
        )


class _Measuring:
    """Plugin of pytest that tells coverage which test runs, and measures how long each takes."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self._coverage = measured
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._coverage.switch_context(item.nodeid)
        start = time.monotonic()
        result = yield
        self.seconds[item.nodeid] = time.monotonic() - start
        return result


def _measure(copy: Path, folder: str, target: Path) -> NoReturn:
    """Run the tests of a folder, write what :class:`Tests` needs of them, and end the process."""
    source = str(copy / "woo_harvester" / folder)
    measured = coverage.Coverage(data_file=None, source=[source], config_file=False)
    measuring = _Measuring(measured)
    measured.start()
    status = _pytest(copy, [f"tests/{folder}"], measuring)
    measured.stop()
    data = measured.get_data()
    reached = {
        str(Path(path).relative_to(copy)): {
            line: tests
            for line, contexts in data.contexts_by_lineno(path).items()
            # What runs while modules are imported has no name.
            if (tests := [name for name in contexts if name])
        }
        for path in data.measured_files()
    }
    target.write_text(json.dumps([measuring.seconds, reached]))
    os._exit(status)


def _run(copy: Path, files: list[str], chosen: _Chosen) -> NoReturn:
    """Run the tests of a mutant, and end the process, which must not go on with the work of its parent."""
    status = int(pytest.ExitCode.INTERNAL_ERROR)
    try:
        status = _pytest(copy, files, chosen)
    finally:
        os._exit(status)


def _pytest(copy: Path, files: list[str], plugin: object) -> int:
    """Run pytest in a copy of the checkout, in a new session; return its status."""
    os.setsid()
    os.chdir(copy)
    resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))
    sys.path[0], sys.dont_write_bytecode = str(copy), False
    output = os.open(_output(copy), os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    for stream in (0, 1, 2):
        os.dup2(output, stream)
    return int(pytest.main([*_PYTEST, *files], plugins=[plugin]))
