"""Removes old reports: what is kept, what may go, and what is left since this project did not write it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from woo_harvester.kinds import Kind
from woo_harvester.report.history import History
from woo_harvester.report.run_folder import ReportsFolder, RunFolder

RemovedKind = Literal["report", "history file", "stored file"]


@dataclass(frozen=True, slots=True)
class Removal:
    """Something that was removed, or with a dry run would be."""

    kind: RemovedKind
    path: Path
    files: int
    size: int
    """The bytes of its files."""


@dataclass(frozen=True, slots=True)
class Left:
    """Something that is old enough and stays."""

    path: Path
    why: str
    is_error: bool = False


Outcome = Removal | Left


def prune_reports(reports: ReportsFolder, before: datetime, *, dry_run: bool) -> Iterator[Outcome]:
    """Remove the reports of runs that began *before* a moment, and their history.

    These stay: the newest report of each spider and those that ``latest`` and ``latest_<spider>`` lead
    to, the history that later reports compare with, the folder of a run that goes on, symbolic links, and
    every file that no run writes.
    """
    needed = _needed(reports)
    for _, at, folder in list(reports.reports()):
        if at < before and folder.name not in needed:
            yield from _prune_run(folder, dry_run=dry_run)
    for path in History(reports.history).expired(before):
        yield remove_file(path, "history file", dry_run=dry_run)


def _needed(reports: ReportsFolder) -> set[str]:
    """Return the names of the folders to keep: for each spider the newest run, report and harvest.

    The newest may be of a run that was killed or goes on, and the newest report may be that of an audit.
    """
    harvests = History(reports.history).names()
    newest: dict[tuple[str, str], tuple[datetime, str]] = {}
    for spider, at, folder in reports.reports():
        ways = {"any": True, "report": folder.report.exists(), "harvest": folder.name in harvests}
        for way in (way for way, is_one in ways.items() if is_one):
            newest[spider, way] = max(newest.get((spider, way), (at, folder.name)), (at, folder.name))
    links = (reports.latest(kind) for kind in Kind)
    return {name for _, name in newest.values()} | {
        link.readlink().name for link in links if link.is_symlink()
    }


def _prune_run(folder: RunFolder, *, dry_run: bool) -> Iterator[Outcome]:
    """Remove the files that a run writes, and its folder if nothing else is in it.

    The findings go last: until then, the folder is known as that of a run if this process is killed.
    """
    try:
        with closing(folder.lock(alone=True)) if folder.findings.exists() else nullcontext():
            inside = [] if folder.host_pages.is_symlink() else list(folder.host_pages.glob("*"))
            paths = sorted(
                [*inside, *folder.path.iterdir()], key=lambda path: (path == folder.findings, path)
            )
            own = [path for path in paths if folder.is_own(path)]
            size = sum(path.stat().st_size for path in own)
            for path in own if not dry_run else ():
                path.unlink()
            if not dry_run:
                for empty in (folder.host_pages, folder.path):
                    with suppress(OSError):  # something else is in it, or it does not exist
                        empty.rmdir()
    except BlockingIOError:
        yield Left(folder.path, "its run goes on")
        return
    except OSError as error:
        yield Left(folder.path, error.strerror or str(error), is_error=True)
        return
    strangers = [
        path for path in paths if path not in own and (path != folder.host_pages or path.is_symlink())
    ]
    if own or not strangers:
        yield Removal("report", folder.path, len(own), size)
    if strangers:
        yield Left(folder.path, f"no run wrote {strangers[0].relative_to(folder.path)}")


def remove_file(path: Path, kind: RemovedKind, *, dry_run: bool) -> Outcome:
    """Remove one file."""
    try:
        size = path.lstat().st_size
        if not dry_run:
            path.unlink()
    except OSError as error:
        return Left(path, error.strerror or str(error), is_error=True)
    return Removal(kind, path, 1, size)
