"""Runs of the real ``scrapy`` command in a project folder of their own, and what they leave."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.utils.forked_runs import Forked

ROOT = Path(__file__).parents[2]
REPORTS = "reports"
DATA = ".scrapy"
#: Loopback is allowed, nobody has to be told where to complain, and no test waits for the sake of politeness;
#: ``settings`` of a run come over these.
SETTINGS: Mapping[str, object] = {
    "WOO_CONTACT": "https://www.beheerder.example/woo",
    "WOO_ALLOW_PRIVATE_HOSTS": 1,
    "AUTOTHROTTLE_ENABLED": 0,
    "DOWNLOAD_DELAY": 0,
}

Line = dict[str, Any]
"""One line of a JSON Lines file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The outcome of a command."""

    returncode: int
    stdout: str
    stderr: str
    records: list[Line] = field(default_factory=list)
    """The records of ``-O``/``-o``, else of the file in ``records/`` that this run wrote."""
    findings: list[Line] = field(default_factory=list)
    stats: Line = field(default_factory=dict)
    report: Path | None = None
    """The folder of this run's report."""

    @property
    def hosts(self) -> list[Line]:
        """The figures of hosts, in ``hosts.jsonl``."""
        return read_lines(self.report / "hosts.jsonl") if self.report else []

    def host(self, name: str) -> Line:
        """The figures of one host."""
        (found,) = [line for line in self.hosts if line["host"] == name]
        return found

    @property
    def codes(self) -> set[str]:
        """The codes of the findings."""
        return {finding["code"] for finding in self.findings}

    @property
    def locs(self) -> list[str]:
        """The weblocaties of the records, in order."""
        return [record["document"]["weblocatie"] for record in self.records]

    def about(self, code: str) -> list[Line]:
        """The findings with this code."""
        return [finding for finding in self.findings if finding["code"] == code]

    def record(self, loc: str) -> Line:
        """The one record of this document."""
        (found,) = [record for record in self.records if record["document"]["weblocatie"] == loc]
        return found


def run_scrapy(
    args: Sequence[str],
    cwd: Path,
    ca: Path | None = None,
    *,
    settings: Mapping[str, object] | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 120,
    fresh: bool = False,
) -> Run:
    """Run ``scrapy <args>`` in ``cwd``, which becomes a project of its own. Raises TimeoutExpired.

    ``ca`` is the certificate bundle that is trusted besides the public ones. Two runs in one folder
    share state and reports, as two runs of one installation do. A run is forked from a process that has
    imported the packages. With *fresh* an interpreter is started, as a user does: for a test of what
    happens then, or of the memory of the process.
    """
    before = written(cwd)
    argv, environ = in_project(args, cwd, with_log(args, settings)), environment(ca, env)
    run = _interpreted if fresh else _forked
    return read_run(args, cwd, before, run(argv, cwd, environ, timeout))


def _forked(
    argv: Sequence[str], cwd: Path, environ: Mapping[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    return Forked(argv, cwd, environ).done(timeout)


def _interpreted(
    argv: Sequence[str], cwd: Path, environ: Mapping[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scrapy", *argv],
        cwd=cwd,
        env=environ,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def with_log(args: Sequence[str], settings: Mapping[str, object] | None) -> dict[str, object]:
    """Return the settings of a command that prints its log, of which tests read what a run does."""
    return {**({"LOG_LEVEL": "INFO"} if args[0] == "crawl" and "-L" not in args else {}), **(settings or {})}


def in_project(args: Sequence[str], cwd: Path, settings: Mapping[str, object] | None = None) -> list[str]:
    """Make ``cwd`` a project of its own; return the arguments of a command that writes only there."""
    if counted := os.environ.get("WOO_TEST_RUNS"):  # a file that gets a line for each run of the suite
        with Path(counted).open("a", encoding="utf-8") as file:
            file.write(f"{args[0]} {os.environ.get('PYTEST_CURRENT_TEST', '')}\n")
    config = cwd / "scrapy.cfg"
    if not config.exists():  # else a run that starts at the same moment may find it empty
        config.write_text("[settings]\ndefault = woo_harvester.settings\n", encoding="utf-8")
    paths = {"WOO_REPORT_DIR": cwd / REPORTS, "WOO_DATA_DIR": cwd / DATA}
    return [*args, *_options({**SETTINGS, **paths, **(settings or {})})]


def read_run(
    args: Sequence[str], cwd: Path, before: Collection[Path], done: subprocess.CompletedProcess[str]
) -> Run:
    """Return what a command that has ended left in ``cwd``; *before* is what ``written()`` gave earlier."""
    new = [path for path in written(cwd) if path not in before]
    report = next((path for path in new if path.is_dir()), None)
    feeds = _feeds(args, cwd) or [path for path in new if path.suffix == ".jsonl"]
    return Run(
        returncode=done.returncode,
        stdout=done.stdout,
        stderr=done.stderr,
        records=[line for feed in feeds for line in read_lines(feed)],
        findings=read_lines(report / "findings.jsonl") if report else [],
        stats=_read_object(report / "stats.json") if report else {},
        report=report,
    )


def start_forked(
    args: Sequence[str], cwd: Path, ca: Path | None = None, *, settings: Mapping[str, object] | None = None
) -> Forked:
    """Start ``scrapy <args>`` for a test that does something while it runs."""
    return Forked(in_project(args, cwd, with_log(args, settings)), cwd, environment(ca))


def read_lines(path: Path) -> list[Line]:
    """Return the lines of a JSON Lines file; none if there is no such file."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


def _read_object(path: Path) -> Line:
    found: Line = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def _options(settings: Mapping[str, object]) -> Iterable[str]:
    for name, value in settings.items():
        yield from ("-s", f"{name}={value}")


def environment(ca: Path | None, given: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a command that trusts the certificates in ``ca`` besides the public ones."""
    trusted = {} if ca is None else {"SSL_CERT_FILE": str(ca)}
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "NO_PROXY": "localhost,127.0.0.1",
        **trusted,
        **(given or {}),
    }


def written(cwd: Path) -> list[Path]:
    """Return the files of records and the folders of reports that exist."""
    return [*cwd.glob("records/*.jsonl"), *cwd.glob(f"{REPORTS}/*-*/")]


def _feeds(args: Sequence[str], cwd: Path) -> list[Path]:
    """Return the JSON Lines files that the arguments ask for."""
    asked = (value for option, value in pairwise(args) if option in ("-o", "-O"))
    return [
        cwd / value.removesuffix(":jsonlines") for value in asked if not value.endswith((".csv", ".geojson"))
    ]
