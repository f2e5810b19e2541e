"""Merges the folders of several runs into one: the shards of one day as one run."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import IO, Any

from woo_harvester.kinds import Kind
from woo_harvester.report.coverage import RunRegister, together
from woo_harvester.report.run_folder import FINDINGS, FINISHED, RunFolder
from woo_harvester.utils.inputs import check_regular, parse_object

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


def merge(folders: Sequence[RunFolder], to: RunFolder) -> list[Path]:
    """Write the findings, hosts, pending withdrawals and statistics of *folders* to the new folder *to*.

    The folders are of runs over different hosts, such as shards, and stay as they are. A last line that was
    truncated when its run was killed is left out; return the files that end in such a line. *to* appears only
    once it is complete. Raises MergeError and OSError.
    """
    _check(folders, to)
    return join(folders, to)


def join(folders: Sequence[RunFolder], to: RunFolder) -> list[Path]:
    """Do what :func:`merge` does, without its checks: the runs may be of several kinds."""
    unfinished = RunFolder(to.path.with_name(f"{to.name}.{token_hex(8)}.part"))
    unfinished.path.mkdir(parents=True)
    try:
        truncated = _write(folders, unfinished)
        unfinished.path.rename(to.path)
    finally:
        shutil.rmtree(unfinished.path, ignore_errors=True)
    return truncated


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


def _write(folders: Sequence[RunFolder], to: RunFolder) -> list[Path]:
    truncated: list[Path] = []
    with to.findings.open("w", encoding="utf-8") as file:
        repeated = _merge_findings(folders, file, truncated)
    if any(folder.accounts.exists() for folder in folders):
        with to.accounts.open("w", encoding="utf-8") as file:
            _merge_accounts(folders, file, truncated)
    _merge_registers(folders, to)
    if any(folder.pending.exists() for folder in folders):
        with to.pending.open("w", encoding="utf-8") as file:
            for folder in folders:
                file.writelines(_lines(folder.pending, truncated))
    to.write_stats(_without(sum_stats(map(_read_stats, folders)), repeated))
    return truncated


def _merge_findings(folders: Iterable[RunFolder], file: IO[str], truncated: list[Path]) -> Counter[str]:
    """Write all findings once. Return by statistics key how many were left out as repeated."""
    repeated: Counter[str] = Counter()
    written: set[str] = set()
    for folder in folders:
        for line in _lines(folder.findings, truncated):
            finding = _object(line, folder.findings)
            code = str(finding.get("code"))
            if code.startswith(_OF_THE_REGISTER):
                same = json.dumps({**finding, "at": ""}, sort_keys=True)
                if same in written:
                    repeated[f"woo/findings/{code}"] += finding.get("count", 1)
                    continue
                written.add(same)
            file.write(line)
    return repeated


def _merge_accounts(folders: Iterable[RunFolder], file: IO[str], truncated: list[Path]) -> None:
    owners: dict[str, RunFolder] = {}
    for folder in folders:
        for line in _lines(folder.accounts, truncated):
            host = str(_object(line, folder.accounts).get("host"))
            if (owner := owners.setdefault(host, folder)) is not folder:
                both = f"{owner.path} and in {folder.path}"
                raise MergeError(f"{host} is in {both}: give one run of each shard")
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


def _lines(path: Path, truncated: list[Path]) -> Iterator[str]:
    """Return the complete lines of a file, and none if it does not exist; add it to *truncated* if it is."""
    if not path.exists():
        return
    check_regular(path)
    with path.open(encoding="utf-8") as file, _written_by_a_run(path):
        for line in file:
            if line.endswith("\n"):
                yield line
            else:
                truncated.append(path)


def _object(text: str | bytes, path: Path) -> dict[str, Any]:
    with _written_by_a_run(path):
        return parse_object(text)


@contextmanager
def _written_by_a_run(path: Path) -> Iterator[None]:
    """Raise MergeError with the path for a ValueError about its content."""
    try:
        yield
    except ValueError as error:
        raise MergeError(f"{path} is not what a run writes: {error}") from error


def _read_stats(folder: RunFolder) -> _Stats:
    """Return the statistics of a run, empty if it was killed before it wrote them. Raises MergeError."""
    with _written_by_a_run(folder.stats):
        stats = folder.read_stats()
        for name in sorted((_FIRST | _LAST) & stats.keys()):
            try:
                datetime.fromisoformat(stats[name])
            except (TypeError, ValueError):
                raise ValueError(f"expected a moment as {name}, got {stats[name]!r}") from None
    return stats


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


def _without(stats: _Stats, repeated: Mapping[str, int]) -> _Stats:
    """Return the statistics minus the repeated findings."""
    return {name: value - repeated[name] if name in repeated else value for name, value in stats.items()}
