"""Removes old reports: what is kept, what may go, and what is left since this project did not write it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from woo_harvester.report.funnel import HarvestKind
from woo_harvester.report.history import History
from woo_harvester.report.run_folder import ReportsFolder, RunFolder
from woo_harvester.utils.atomic import made_for

Kind = Literal["report", "history file", "temporary file", "stored file"]

#: A temporary file that nobody has written for so long was left by a process that was killed.
ABANDONED_AFTER = timedelta(days=1)

#: The temporary files in the folder of history, and the folder of merged reports that are not complete.
_UNFINISHED_HISTORY = ".json.tmp"
_UNFINISHED_MERGE = ".part"


@dataclass(frozen=True, slots=True)
class Removal:
    """Something that was removed, or with a dry run would be."""

    kind: Kind
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


def prune_reports(
    reports: ReportsFolder, before: datetime, now: datetime, *, dry_run: bool
) -> Iterator[Outcome]:
    """Remove the reports of runs that began *before* a moment, their history, and temporary files.

    These stay: the newest report of each spider and those that ``latest`` and ``latest_vergunningen`` lead
    to, the history that later reports compare with, the folder of a run that goes on, symbolic links, and
    every file that no run writes.
    """
    needed = _needed(reports)
    for _, at, folder in list(reports.reports()):
        if at < before and folder.name not in needed:
            yield from _prune_run(folder, "report", dry_run=dry_run)
    for path in History(reports.history).expired(before):
        yield remove_file(path, "history file", dry_run=dry_run)
    abandoned = (now - ABANDONED_AFTER).timestamp()
    yield from _prune_files(_temporary_files(reports), now, dry_run=dry_run)
    for path in reports.path.glob(f"*{_UNFINISHED_MERGE}/"):
        unfinished = RunFolder(path)
        if not path.is_symlink() and unfinished.findings.is_file() and path.stat().st_mtime < abandoned:
            yield from _prune_run(unfinished, "temporary file", dry_run=dry_run)


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
    needed = {name for _, name in newest.values()}
    for latest in map(reports.latest, HarvestKind):
        if latest.is_symlink():
            needed.add(latest.readlink().name)
    return needed


def _prune_run(folder: RunFolder, kind: Kind, *, dry_run: bool) -> Iterator[Outcome]:
    """Remove the files that a run writes, and its folder if nothing else is in it."""
    try:
        if not folder.findings.exists():  # it was killed when it had made no more than its folder
            yield from _remove_folder(folder, kind, dry_run=dry_run)
            return
        with closing(folder.lock(alone=True)):
            yield from _remove_folder(folder, kind, dry_run=dry_run)
    except BlockingIOError:
        yield Left(folder.path, "its run goes on")
    except OSError as error:
        yield Left(folder.path, error.strerror or str(error), is_error=True)


def _remove_folder(folder: RunFolder, kind: Kind, *, dry_run: bool) -> Iterator[Outcome]:
    """Remove the files that a run writes, and the folder if nothing else is in it.

    The findings go last: until then, the folder is known as that of a run if this process is killed. Files
    are removed by the descriptor of their folder, so that nobody can put a link in its place meanwhile.
    """
    files = size = 0
    strangers: list[str] = []
    for root, folders, names, descriptor in os.fwalk(folder.path, topdown=False):
        place = Path(root).relative_to(folder.path).as_posix()
        if place not in (".", folder.host_pages.name):
            continue  # the folder itself is a stranger
        for name in sorted([*folders, *names], key=lambda each: (each == folder.findings.name, each)):
            found = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            if stat.S_ISREG(found.st_mode) and folder.is_own(name, place):
                files += 1
                size += found.st_size
                if not dry_run:
                    os.unlink(name, dir_fd=descriptor)
            elif not (stat.S_ISDIR(found.st_mode) and place == "." and name == folder.host_pages.name):
                strangers.append(name if place == "." else f"{place}/{name}")
    if not dry_run:
        for empty in (folder.host_pages, folder.path):
            with suppress(OSError):  # a stranger is in it, or it does not exist
                empty.rmdir()
    if files or not strangers:
        yield Removal(kind, folder.path, files, size)
    if strangers:
        more = f" and {len(strangers) - 1} more" if len(strangers) > 1 else ""
        yield Left(folder.path, f"no run wrote {strangers[0]}{more}")


def _prune_files(paths: Iterable[Path], now: datetime, *, dry_run: bool) -> Iterator[Outcome]:
    """Remove temporary files that nobody has written for a day."""
    for path in sorted(paths):
        found = path.lstat()
        if stat.S_ISREG(found.st_mode) and found.st_mtime < (now - ABANDONED_AFTER).timestamp():
            yield remove_file(path, "temporary file", dry_run=dry_run)


def remove_file(path: Path, kind: Kind, *, dry_run: bool) -> Outcome:
    """Remove one file."""
    try:
        size = path.lstat().st_size
        if not dry_run:
            path.unlink()
    except OSError as error:
        return Left(path, error.strerror or str(error), is_error=True)
    return Removal(kind, path, 1, size)


def _temporary_files(reports: ReportsFolder) -> Iterator[Path]:
    for folder in (reports.history, *map(reports.host_pages, HarvestKind)):
        for path in folder.glob("*tmp"):
            is_history = folder == reports.history and path.name.endswith(_UNFINISHED_HISTORY)
            if made_for(path.name) is not None or is_history:
                yield path
