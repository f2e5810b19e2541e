"""Pages of the documentation, read as a list of steps and played as a reader would, from an empty folder."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.utils.command import ROOT, environment
from tests.utils.guard import Server
from tests.utils.typed_runs import program
from tests.utils.waiting import STUCK, wait_until

#: A fenced block: its language, its other words (such as ``title="kaart.py"``) and its text.
_BLOCK = re.compile(r"^( *)```(\w+)?([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')
#: What a command says of its own exit status on a page, where that is not 0.
_STATUS = re.compile(r"\s+# exit status (\d+)$", re.MULTILINE)
#: What differs from run to run.
_CHANGING = re.compile(
    r"(?:woo|vergunningen|audit)-\d{4}-[\dT:.-]+|\d{4}-\d\d-\d\d(?:[T ]\d\d:[\d:.]+(?:[+-]\d\d:\d\d|Z)?)?|"
    # pytest adds the minutes to a run that takes longer than one.
    r"\b\d\d:\d\d:\d\d\b|[\d.]+ ?(?:seconds?|s|ms)\b(?: \(\d+:\d\d:\d\d\))?|localhost:\d+|"
    r"\b127\.0\.0\.1:\d+|[\d.,]+ [kM]B\b"
)
#: Stands for any lines of output.
_ANYTHING = "…"


@dataclass(frozen=True, slots=True)
class Written:
    """A file that the reader writes."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command that the reader types, and the lines that the page shows after it (``None``: no lines)."""

    text: str
    shown: tuple[str, ...] | None
    status: int = 0

    @property
    def background(self) -> bool:
        """Whether it goes on while the reader types the next one (``&``)."""
        return self.text.endswith("&")


def steps(page: str) -> Iterator[Written | Command]:
    """Yield the files and commands of a page, in their order.

    A block of ``console`` has commands after ``$``; a block with a title is a file. Others are only read.
    """
    for indent, language, words, text in _BLOCK.findall(page):
        block = re.sub(rf"^{indent}", "", text, flags=re.MULTILINE)
        if language == "console":
            yield from _commands(block)
        elif title := _TITLE.search(words):
            yield Written(title[1], block)


def _commands(block: str) -> Iterator[Command]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        typed = re.match(r"(?:.*\\\n)*.*", part)
        assert typed
        status = _STATUS.search(typed[0])
        shown = tuple(line.rstrip() for line in part[typed.end() :].strip("\n").splitlines())
        yield Command(
            _STATUS.sub("", typed[0]).strip(), shown or None, status=int(status[1]) if status else 0
        )


@dataclass(slots=True)
class Reader:
    """Somebody who does what a page says, in a folder of her own.

    A context manager: it ends what she started.
    *stand_ins* maps what the page names to what is there for the test, such as a host to a host and port.
    *programs* are the folders of what she installed. Without any she has this checkout with all extras, in
    processes that start sooner.
    """

    folder: Path
    ca: Path | None = None
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    programs: Sequence[Path] = ()
    _here: Path = field(init=False)
    _started: list[subprocess.Popen[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._here = self.folder

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        ended = [process.args for process in self._started if process.poll() is not None]
        for process in self._started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(STUCK)
        assert error is not None or not ended, f"it ended before the page did: {ended}"

    def play(self, page: Path) -> None:
        """Do each step of a page. Raises AssertionError if a command does otherwise than the page says."""
        for step in steps(page.read_text(encoding="utf-8")):
            self.do(step)

    def do(self, step: Written | Command) -> None:
        """Write a file, or type a command and compare what it shows."""
        if isinstance(step, Written):
            path = self._here / step.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self._given(step.text), encoding="utf-8")
        elif step.background:
            self._start(step)
        else:
            self._type(step)

    def _type(self, command: Command) -> None:
        place = self.folder.parent / f"{self.folder.name}-place"
        script = f"{self._given(command.text)}\nstatus=$?; pwd > {shlex.quote(str(place))}; exit $status"
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", script],
            cwd=self._here,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == command.status, f"{command.text}: {done.returncode}\n{done.stdout}"
        self._compare(command, done.stdout)
        self._here = Path(place.read_text(encoding="utf-8").strip())

    def _start(self, command: Command) -> None:
        log = self.folder.parent / f"{self.folder.name}-{len(self._started)}.log"
        with log.open("w", encoding="utf-8") as output:
            process = Server(
                ["bash", "-c", "exec " + self._given(command.text).removesuffix("&")],
                cwd=self._here,
                env=self._environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        self._started.append(process)
        wanted = command.shown or ()
        wait_until(
            lambda: process.poll() is not None or alike(wanted, self._seen(log.read_text(encoding="utf-8"))),
            f"what {command.text} shows",
        )
        self._compare(command, log.read_text(encoding="utf-8"))

    def _compare(self, command: Command, output: str) -> None:
        if command.shown is not None:
            seen = self._seen(output)
            assert alike(command.shown, seen), "\n".join([f"{command.text} shows", *seen])

    def _given(self, text: str) -> str:
        for named, there in self.stand_ins.items():
            text = text.replace(named, there)
        return text

    def _seen(self, output: str) -> list[str]:
        for named, there in self.stand_ins.items():
            output = output.replace(there, named)
        return [line.rstrip() for line in output.strip("\n").splitlines()]

    @property
    def _environment(self) -> dict[str, str]:
        loopback = {"WOO_ALLOW_PRIVATE_HOSTS": 1, "WOO_CONTACT": "https://www.beheerder.example/woo"}
        given = {name: str(value) for name, value in {**loopback, **self.settings}.items()}
        if self.programs:
            given["PYTHONPATH"] = ""  # only what she installed
        programs = self.programs or [
            _programs_of_the_tests(self.folder.parent / f"{self.folder.name}-programs")
        ]
        path = os.pathsep.join([*map(str, programs), os.environ["PATH"]])
        return environment(self.ca, {**given, "PATH": path, "COLUMNS": "96"})


def _programs_of_the_tests(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    python = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n'
    texts = {"python": python, **{name: program(name) for name in ("scrapy", "woo-harvester")}}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


def alike(shown: tuple[str, ...], seen: list[str]) -> bool:
    """Return whether output is what a page shows, except times and ports; ``…`` stands for any lines."""
    pattern = "".join(
        r"(?:.*\n)*" if line == _ANYTHING else re.escape(_plain(line)) + r"\n" for line in shown
    )
    return re.fullmatch(pattern, "".join(f"{_plain(line)}\n" for line in seen)) is not None


def _plain(line: str) -> str:
    # Columns are as wide as what changes in them.
    return re.sub(r"[ ─]{2,}", "  ", _CHANGING.sub("~", line)).strip()


def pages() -> list[Path]:
    """Return every page with commands: README and all below ``docs``."""
    found = [ROOT / "README.md", ROOT / "README.nl.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if page.exists() and "```console" in page.read_text(encoding="utf-8")]
