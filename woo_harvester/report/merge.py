"""Makes one folder of what several runs left in theirs: the shards of one day as one run."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from woo_harvester.inputs import check_regular, parse_object

Stats = dict[str, Any]

FINDINGS = "findings.jsonl"
HOSTS = "hosts.jsonl"
HELD = "held.jsonl"
KEPT_BACK = "kept-back.jsonl"
STATS = "stats.json"

#: Every shard reads the whole register, so each makes these findings again.
_OF_THE_REGISTER = "register."
_FIRST, _LAST = frozenset({"start_time"}), frozenset({"finish_time"})
#: Marks of the largest value that was seen, which are not to be added up.
_HIGHEST = ("elapsed_time_seconds", "memusage/", "_max")
#: Of one process; of several side by side they say nothing.
_RATES = ("items_per_minute", "responses_per_minute")
_FINISHED = "finished"


class MergeError(ValueError):
    """Runs that cannot be one; the message is one line that says which and why."""


def merge(folders: Sequence[Path], to: Path) -> list[Path]:
    """Write to the new folder *to* what *folders* hold: findings, hosts, pending withdrawals, statistics.

    The folders are of runs over different hosts, such as shards, and stay as they are. A line that a kill has
    broken off is left out; gives the files of which that is so. *to* is there only when it is whole. Raises
    MergeError and OSError.
    """
    _check(folders, to)
    unfinished = to.with_name(f"{to.name}.part")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    try:
        torn = _write(folders, unfinished)
        unfinished.rename(to)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return torn


def _check(folders: Sequence[Path], to: Path) -> None:
    for folder in folders:
        if not (folder / FINDINGS).is_file():
            raise MergeError(f"{folder} is not the folder of a run: it has no {FINDINGS}")
    known: dict[Path, Path] = {}
    for folder in folders:
        if (same := known.setdefault(folder.resolve(), folder)) is not folder:
            raise MergeError(f"{folder} is given twice, as {same}")
    if to.exists():
        raise MergeError(f"{to} is there already")
    kinds = {_kind(folder) for folder in (*folders, to)}
    if len(kinds) > 1:
        raise MergeError(
            "the names tell what kind of run each is, and that of -o must too: expected all of them to begin "
            "with vergunningen, or none"
        )


def _kind(folder: Path) -> str:
    """By the name of the folder, which begins with that of the spider."""
    return "vergunningen" if folder.resolve().name.startswith("vergunningen") else "woo"


def _write(folders: Sequence[Path], to: Path) -> list[Path]:
    torn: list[Path] = []
    with (to / FINDINGS).open("w", encoding="utf-8") as file:
        repeated = _merge_findings(folders, file, torn)
    if any((folder / HOSTS).exists() for folder in folders):
        with (to / HOSTS).open("w", encoding="utf-8") as file:
            _merge_hosts(folders, file, torn)
    for name in (HELD, KEPT_BACK):
        if any((folder / name).exists() for folder in folders):
            with (to / name).open("w", encoding="utf-8") as file:
                for folder in folders:
                    file.writelines(_lines(folder / name, torn))
    summed = _without(sum_stats(map(_read_stats, folders)), repeated)
    (to / STATS).write_text(json.dumps(summed, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return torn


def _merge_findings(folders: Iterable[Path], file: IO[str], torn: list[Path]) -> Counter[str]:
    """Write all findings; gives by statistics key how many were left out as they were there already."""
    repeated: Counter[str] = Counter()
    written: set[str] = set()
    for folder in folders:
        for line in _lines(folder / FINDINGS, torn):
            finding = _object(line, folder / FINDINGS)
            code = str(finding.get("code"))
            if code.startswith(_OF_THE_REGISTER):
                same = json.dumps({**finding, "at": ""}, sort_keys=True)
                if same in written:
                    repeated[f"woo/findings/{code}"] += 1
                    repeated[f"woo/hosts/{finding.get('host')}/{code}"] += 1
                    continue
                written.add(same)
            file.write(line)
    return repeated


def _merge_hosts(folders: Iterable[Path], file: IO[str], torn: list[Path]) -> None:
    owners: dict[str, Path] = {}
    for folder in folders:
        for line in _lines(folder / HOSTS, torn):
            host = str(_object(line, folder / HOSTS).get("host"))
            if (owner := owners.setdefault(host, folder)) is not folder:
                raise MergeError(f"{host} is in {owner} and in {folder}: give one run of each shard")
            file.write(line)


def _lines(path: Path, torn: list[Path]) -> Iterator[str]:
    """The whole lines of a file that may not be there."""
    if not path.exists():
        return
    check_regular(path)
    with path.open(encoding="utf-8") as file:
        try:
            for line in file:
                if line.endswith("\n"):
                    yield line
                else:
                    torn.append(path)
        except UnicodeDecodeError as error:
            raise MergeError(f"{path} is not what a run writes: {error}") from error


def _object(text: str | bytes, path: Path) -> dict[str, Any]:
    try:
        return parse_object(text)
    except ValueError as error:
        raise MergeError(f"{path} is not what a run writes: {error}") from error


def _read_stats(folder: Path) -> Stats:
    """None of a run that was killed: it could not write them."""
    path = folder / STATS
    if not path.exists():
        return {}
    check_regular(path)
    stats = _object(path.read_bytes(), path)
    for name in sorted((_FIRST | _LAST) & stats.keys()):
        try:
            datetime.fromisoformat(stats[name])
        except (TypeError, ValueError):
            raise MergeError(
                f"{path} is not what a run writes: expected a moment as {name}, got {stats[name]!r}"
            ) from None
    return stats


def sum_stats(runs: Iterable[Stats]) -> Stats:
    """The statistics of runs side by side: counts added up, the first start, the last end.

    ``finish_reason`` is ``finished`` where that holds for all of them, else the first other one; it is absent
    where a run has none, as one that was killed. Of other texts that differ, the first of the alphabet.
    """
    summed: Stats = {}
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
        return other if one == _FINISHED else one
    if not isinstance(one, int | float) or not isinstance(other, int | float):
        return min(one, other, key=str)
    return max(one, other) if any(mark in name for mark in _HIGHEST) else one + other


def _without(stats: Stats, repeated: Mapping[str, int]) -> Stats:
    """Less the findings that were made by several runs."""
    return {name: value - repeated[name] if name in repeated else value for name, value in stats.items()}
