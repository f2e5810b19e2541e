"""The results of earlier runs, one small file per run in ``reports/history``, and what changed since.

A run does not read the metadata of an unchanged document again, nor the entries of a skipped sitemap. A
finding that it could not make again may still be true, so it stays open and is not reported as fixed.
"""

from __future__ import annotations

import gzip
import json
import logging
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from woo_harvester.findings import Severity, explain
from woo_harvester.kinds import Kind
from woo_harvester.report.funnel import Account
from woo_harvester.report.model import Changes, Point
from woo_harvester.report.run_folder import parse_name
from woo_harvester.report.score import FindingKey, Score, part_of
from woo_harvester.utils.atomic import replace_file
from woo_harvester.utils.inputs import parse_object

_log = logging.getLogger(__name__)

#: The number of runs that a chart shows.
_SHOWN_RUNS = 30

_SUFFIX = ".json.gz"


@dataclass(slots=True)
class HostResult:
    """The result of one run for one host."""

    listed: int
    harvested: int
    score: int | None = None
    open: list[tuple[str, bool]] = field(default_factory=list)
    """The findings of this run, and earlier ones that this run could not check again."""


@dataclass(slots=True)
class RunResult:
    """The result of one run for all its hosts."""

    run: str
    kind: Kind
    at: str
    hosts: dict[str, HostResult] = field(default_factory=dict)
    comparable: bool = True
    """False if hosts were left out because of a fault on our own side: charts then skip the totals."""

    @property
    def point(self) -> Point:
        """The totals of all its hosts."""
        return Point(
            at=self.at,
            listed=sum(host.listed for host in self.hosts.values()),
            harvested=sum(host.harvested for host in self.hosts.values()),
        )


class History:
    """The runs in a folder, each in its own file, so that runs at the same time do not collide."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> set[str]:
        """Return the names of the runs that are kept."""
        return {path.name.removesuffix(_SUFFIX) for path in self._folder.glob(f"*{_SUFFIX}")}

    def before(self, run: str, kind: Kind, shown: int = _SHOWN_RUNS) -> EarlierRuns:
        """Return the last runs of this kind before *run*, without files that are damaged. Raises OSError."""
        names = sorted((name for name in self.names() if name < run), reverse=True)
        runs = (then for name in names if (then := _read(self._folder / (name + _SUFFIX))))
        return EarlierRuns([*islice((then for then in runs if then.kind == kind), shown)][::-1])

    def expired(self, before: datetime) -> list[Path]:
        """Return the files about runs that began *before* a moment, and that no later report reads."""
        spiders: dict[str, list[tuple[Path, datetime]]] = {}
        for path in sorted(self._folder.glob(f"*{_SUFFIX}")):
            named = parse_name(path.name.removesuffix(_SUFFIX))
            if named is not None and path.is_file() and not path.is_symlink():
                spiders.setdefault(named[0], []).append((path, named[1]))
        return [path for each in spiders.values() for path, at in each[:-_SHOWN_RUNS] if at < before]

    def save(self, then: RunResult) -> None:
        """Save a run. Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / (then.run + _SUFFIX)
        text = json.dumps(asdict(then), ensure_ascii=False, separators=(",", ":"))
        replace_file(path, gzip.compress(text.encode(), mtime=0))


class EarlierRuns:
    """The runs before the current one, oldest first."""

    def __init__(self, runs: Iterable[RunResult] = ()) -> None:
        self.runs = list(runs)

    def last(self, host: str) -> tuple[str, HostResult] | None:
        """Return the time and the result of the last visit to a host, or None if there was none."""
        for run in reversed(self.runs):
            if host in run.hosts:
                return run.at, run.hosts[host]
        return None

    def points(self, host: str) -> list[Point]:
        """Return the history of one host, oldest first."""
        return [
            Point(at=run.at, listed=then.listed, harvested=then.harvested, score=then.score)
            for run in self.runs
            if (then := run.hosts.get(host)) is not None
        ]


def compare(
    account: Account,
    score: Score,
    found: Mapping[FindingKey, int],
    past: EarlierRuns,
) -> tuple[HostResult, Changes | None]:
    """Return the result of this run for a host, and the changes since its last visit (None if none)."""
    now = HostResult(
        listed=account.listed,
        harvested=account.harvested,
        score=score.shown,
        open=sorted(found),
    )
    last = past.last(account.host)
    if last is None:
        return now, None
    since, then = last
    before = {(code, about_document) for code, about_document in then.open}
    waiting = {key for key in before - found.keys() if not _would_find_again(key, account, score)}
    now.open = sorted({*found, *waiting})
    changes = Changes(
        since=since,
        listed=then.listed,
        harvested=then.harvested,
        score=then.score,
        came=_codes(found.keys() - before),
        stayed=_codes(found.keys() & before),
        mended=_codes(before - found.keys() - waiting),
        not_looked_at=_codes(waiting),
    )
    return now, changes


def _would_find_again(key: FindingKey, account: Account, score: Score) -> bool:
    """Return whether this run would have made the finding again if it were still true."""
    code, about_document = key
    part = part_of(code, about_document, account.kind)
    states = {each.part: each.state for each in score.parts}
    if not states or (part in states and states[part] == "not_reached"):
        return False
    return account.kind.own("would_find_again", _is_found_again)(code, about_document, account)


def _is_found_again(code: str, about_document: bool, account: Account) -> bool:
    """Return whether this run has read what a finding would be about."""
    area = code.partition(".")[0]
    if not about_document and area not in ("register", "sitemap"):
        return True
    # An error is found in each run, unless it is in a file that was skipped.
    if explain(code).severity is Severity.ERROR and area not in ("loc", "lastmod"):
        return area == "sitemap" or bool(account.complete)
    return bool(account.complete) and not account.unchanged and not account.sitemaps_unchanged


_READER = TypeAdapter(RunResult)


def _codes(keys: Iterable[FindingKey]) -> list[str]:
    return sorted({code for code, _ in keys})


def _read(path: Path) -> RunResult | None:
    """Return the run in a file; None if that is damaged: the file is then put aside, and later runs go on."""
    try:
        kept: dict[str, Any] = parse_object(gzip.decompress(path.read_bytes()))
        return _READER.validate_python(kept)  # names of another version are left out
    except (EOFError, gzip.BadGzipFile, zlib.error, ValueError) as error:
        aside = path.replace(path.with_name(path.name + ".damaged"))
        _log.warning("a damaged history of a run is now %s: %s", aside, " ".join(str(error).split()))
        return None
