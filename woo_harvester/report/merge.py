"""Merges the folders of several runs into one: the shards of one day as one run."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import Any

from woo_harvester.kinds import Kind
from woo_harvester.report.coverage import RunRegister, together
from woo_harvester.report.run_folder import FINDINGS, FINISHED, RunFolder, complete_lines
from woo_harvester.utils.inputs import parse_object

_Stats = dict[str, Any]

#: Findings of the register: every shard reads all of it, so each shard makes the same ones.
_OF_THE_REGISTER = "register."
_FIRST, _LAST = frozenset({"start_time"}), frozenset({"finish_time"})
#: Parts of the keys of maxima: the largest value counts, not the sum.
_HIGHEST = ("elapsed_time_seconds", "memusage/", "_max", "woo/tooi/outdated", "woo/tooi/unusable")
#: Rates of one process; they have no meaning for several processes together.
_RATES = ("items_per_minute", "responses_per_minute")


class MergeError(ValueError):
    """The runs cannot be merged; the message is one line that says which run and why."""


def merge(folders: Sequence[RunFolder], to: RunFolder) -> None:
    """Write the findings, hosts, pending withdrawals and statistics of *folders* to the new folder *to*.

    The folders are of runs over different hosts, such as shards, and stay as they are. A last line that was
    truncated when its run was killed is left out. *to* appears only once it is complete. Raises MergeError
    and OSError.
    """
    _check(folders, to)
    join(folders, to)


def join(folders: Sequence[RunFolder], to: RunFolder) -> None:
    """Do what :func:`merge` does, without its checks: the runs may be of several kinds."""
    unfinished = RunFolder(to.path.with_name(f"{to.name}.{token_hex(8)}.part"))
    unfinished.path.mkdir(parents=True)
    try:
        _write(folders, unfinished)
        unfinished.path.rename(to.path)
    finally:
        shutil.rmtree(unfinished.path, ignore_errors=True)


def _check(folders: Sequence[RunFolder], to: RunFolder) -> None:
    for folder in folders:
        if not folder.findings.is_file():
            raise MergeError(f"{folder.path} is not the folder of a run: it has no {FINDINGS}")
    known: dict[Path, Path] = {}
    for folder in folders:
        if (same := known.setdefault(folder.path.resolve(), folder.path)) is not folder.path:
            raise MergeError(f"{folder.path} is given twice, as {same}")
    if to.path.exists():
        raise MergeError(f"{to.path} is there already")
    if len({folder.kind for folder in (*folders, to)}) > 1:
        raise MergeError(
            "the names say what kind of run each is, and that of -o must too: expected all of them to begin "
            f"with {' or '.join(kind for kind in Kind if kind.package)}, or none"
        )


def _write(folders: Sequence[RunFolder], to: RunFolder) -> None:
    repeated: Counter[str] = Counter()  # findings that were left out, by statistics key
    written: set[str] = set()
    owners: dict[str, Path] = {}

    def is_new(path: Path, finding: dict[str, Any]) -> bool:
        """Return whether a finding is not about the register, or is the first one of its kind."""
        code = str(finding.get("code"))
        if not code.startswith(_OF_THE_REGISTER):
            return True
        same = json.dumps({**finding, "at": ""}, sort_keys=True)
        if same in written:
            repeated[f"woo/findings/{code}"] += finding.get("count", 1)
            return False
        written.add(same)
        return True

    def is_of_one_run(path: Path, account: dict[str, Any]) -> bool:
        """Return True for a host that only one run has. Raises MergeError."""
        if (owner := owners.setdefault(account.get("host", ""), path)) is not path:
            both = f"{owner.parent} and in {path.parent}"
            raise MergeError(f"{account['host']} is in {both}: give one run of each shard")
        return True

    _merge_lines([folder.findings for folder in folders], to.findings, is_new)
    _merge_lines([folder.accounts for folder in folders], to.accounts, is_of_one_run)
    _merge_lines([folder.pending for folder in folders], to.pending, lambda *_: True)
    _merge_registers(folders, to)
    stats = sum_stats(map(_read_stats, folders))
    to.write_stats(stats | {name: stats[name] - count for name, count in repeated.items() if name in stats})


def _merge_lines(paths: Iterable[Path], to: Path, keeps: Callable[[Path, dict[str, Any]], bool]) -> None:
    """Write the complete lines of these files that *keeps* chooses; no file if there are none."""
    for path in filter(Path.exists, paths):
        with to.open("ab") as file:
            for number, line in complete_lines(path):
                try:
                    value = parse_object(line)
                except ValueError as error:
                    raise MergeError(f"{path}, line {number}, is not what a run writes: {error}") from error
                if keeps(path, value):
                    file.write(line)


def _merge_registers(folders: Iterable[RunFolder], to: RunFolder) -> None:
    """Write the register of all runs together; none if one of them was not over the register."""
    try:
        registers = [RunRegister.read(folder.register) for folder in folders]
    except ValueError as error:
        raise MergeError(str(error)) from error
    known = [register for register in registers if register is not None]
    if len(known) == len(registers):
        together(known).write(to.register)


def _read_stats(folder: RunFolder) -> _Stats:
    """Return the statistics of a run, empty if it was killed before it wrote them. Raises MergeError."""
    try:
        return folder.read_stats()
    except ValueError as error:
        raise MergeError(f"{folder.stats} is not what a run writes: {error}") from error


def sum_stats(runs: Iterable[_Stats]) -> _Stats:
    """Return the statistics of several runs together: sums of counts, the first start, the last end.

    ``finish_reason`` is ``finished`` if all runs finished, else the first other reason. It is absent if a run
    has none, because it was killed. Of other texts that differ, the first in alphabetical order is kept.
    """
    summed: _Stats = {}
    unfinished = False
    for stats in runs:
        unfinished |= "finish_reason" not in stats
        for name, value in stats.items():
            if value is not None and name not in _RATES:
                summed[name] = _together(name, summed[name], value) if name in summed else value
    if unfinished:
        summed.pop("finish_reason", None)
    return summed


def _together(name: str, one: Any, other: Any) -> Any:
    if name in _FIRST:
        return min(one, other, key=datetime.fromisoformat)
    if name in _LAST:
        return max(one, other, key=datetime.fromisoformat)
    if name == "finish_reason":
        return other if one == FINISHED else one
    if not isinstance(one, int | float) or not isinstance(other, int | float):
        return min(one, other, key=str)
    return max(one, other) if any(mark in name for mark in _HIGHEST) else one + other
