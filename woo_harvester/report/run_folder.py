"""The folder of a run and the folder of all runs: their names, and the files in them."""

from __future__ import annotations

import errno
import fcntl
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, TextIO

from woo_harvester.findings import Finding
from woo_harvester.kinds import Kind
from woo_harvester.report.accounts import read_account
from woo_harvester.report.funnel import GAP_KINDS, Account, GapKind
from woo_harvester.utils.atomic import is_temporary, replace_file, replace_link
from woo_harvester.utils.dates import iso_datetime
from woo_harvester.utils.inputs import WITHOUT_LOCKS, check_regular, parse_object
from woo_harvester.utils.secrets import masked

#: The name of the folder of a run as run_name() makes it, or of merged runs: a spider and a day.
_NAME = re.compile(r"(?P<spider>.+)-(?P<day>\d{4}-\d\d-\d\d)(?P<time>T\d\d-\d\d-\d\d\.\d+)?")


def parse_name(name: str) -> tuple[str, datetime] | None:
    """Return the spider and the moment in the name of a run, or the spider and the day of merged runs."""
    if match := _NAME.fullmatch(name):
        with suppress(ValueError):  # there is no such moment
            moment = match["day"] + (match["time"] or "T00-00-00.0")
            return match["spider"], datetime.strptime(moment, "%Y-%m-%dT%H-%M-%S.%f").astimezone()
    return None


def run_name(spider: str) -> str:
    """Return the name of a run of *spider* that begins now, to the microsecond."""
    return f"{spider}-{datetime.now().astimezone():%Y-%m-%dT%H-%M-%S.%f}"


#: Names that messages to users also have.
FINDINGS = "findings.jsonl"
REPORT = "report.json"
#: Files that runs of earlier versions wrote; they go with their reports.
_OF_EARLIER_VERSIONS = ("run.log", "refused.jsonl", "kept-back.jsonl")

#: Scrapy's reason for the end of a run that has done all.
FINISHED = "finished"

#: The statistic with the first error of the harvester itself: what it is about, and the exception.
OWN_ERROR_FIRST = "woo/own_error"

#: The statistic of an audit, and that of a run that chooses hosts or documents.
AUDIT = "woo/audit"
FILTERED = "woo/filtered"

_HOST_PAGES = "hosts"

_NOT_IN_FILE_NAMES = re.compile(r"[^a-z0-9.-]")


class _File:
    """A file that a run writes in its folder; the attribute of a folder is its path."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, folder: RunFolder, owner: type[RunFolder]) -> Path:
        return folder.path / self.name


@dataclass(frozen=True)
class RunFolder:
    """The folder of one run. The run makes the files one by one, so any of them may be absent."""

    path: Path

    findings = _File(FINDINGS)
    """The file with one finding a line, written while the run goes on."""
    pending = _File("pending.jsonl")
    """The file with the documents that are gone, and whose withdrawal is pending."""
    register = _File("organisations.json")
    """The file with the organisations of the register; only a run over the register writes it."""
    accounts = _File("hosts.jsonl")
    """The file with the figures of one host a line, written at the end of the run."""
    stats = _File("stats.json")
    """The file with the statistics; a run that was killed has none."""
    report = _File(REPORT)
    """The report that all other forms of it are made from."""
    csv = _File("report.csv")
    """The findings of the report for a spreadsheet."""
    page = _File("index.html")
    """The report for a browser."""
    coverage_page = _File("coverage.html")
    """The page of what the register has and the run did not find."""
    host_pages = _File(_HOST_PAGES)
    """The folder with a page for each host, for a report that is not the current one of its hosts."""

    @property
    def name(self) -> str:
        """The name of the run: its spider, and when it began."""
        return self.path.name

    @property
    def kind(self) -> Kind:
        """The kind of documents that the run harvested: the name of the folder begins with the spider's."""
        return Kind.of_run(self.path.resolve().name)

    @property
    def reports(self) -> ReportsFolder:
        """The folder of all reports, in which this one lies."""
        return ReportsFolder(self.path.parent)

    def coverage_csv(self, kind: GapKind) -> Path:
        """Return the path of a table of that page as CSV."""
        return self.path / f"coverage-{kind.replace('_', '-')}.csv"

    def is_own(self, path: Path) -> bool:
        """Return whether a run wrote this file in its folder, or in that of pages in it."""
        names = {each.name for each in vars(RunFolder).values() if isinstance(each, _File)}
        names.update(_OF_EARLIER_VERSIONS, (self.coverage_csv(kind).name for kind in GAP_KINDS))
        is_known = path.suffix == ".html" if path.parent == self.host_pages else path.name in names
        return (is_known or is_temporary(path)) and path.is_file() and not path.is_symlink()

    def lock(self, *, alone: bool = False) -> IO[bytes]:
        """Lock the folder until the returned file is closed: for its run, or with *alone* to remove it.

        Raises OSError, and with *alone* BlockingIOError if it is in use. A run waits until :meth:`is_active`
        has looked at its new folder. A file system without locks has none.
        """
        file = self.findings.open("rb+")
        try:
            fcntl.flock(file, (fcntl.LOCK_EX | fcntl.LOCK_NB) if alone else fcntl.LOCK_SH)
        except OSError as error:
            if error.errno not in WITHOUT_LOCKS or alone:
                file.close()
                raise
        return file

    def is_active(self) -> bool | None:
        """Return whether the run goes on, by its lock; None if the file system has no locks. Raises OSError.

        The lock of a run ends with its process, also if that is killed.
        """
        if not self.findings.is_file():
            return False
        with self.findings.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            except OSError as error:
                if error.errno not in WITHOUT_LOCKS | {errno.EBADF}:  # EBADF: NFS locks what is open to write
                    raise
                return None
        return False

    def last_write(self) -> datetime:
        """Return when a file of the run was last written: of a killed run, shortly before. Raises OSError."""
        written = (path.lstat().st_mtime for path in (self.path, *self.path.iterdir()))
        return datetime.fromtimestamp(max(written), UTC)

    def open_findings(self) -> TextIO:
        """Open the findings for writing, line-buffered: a run that is killed has written all that it made."""
        return self.findings.open("w", encoding="utf-8", buffering=1)

    def read_findings(self) -> Iterator[dict[str, Any]]:
        """Return the findings one by one. Raises OSError and ValueError."""
        return (parse_object(line) for _, line in complete_lines(self.findings))

    def write_accounts(self, accounts: Iterable[Account]) -> None:
        """Write the accounts of the hosts; no file if there are none. Raises OSError."""
        if made := [f"{account.model_dump_json()}\n" for account in accounts]:
            with self.accounts.open("w", encoding="utf-8") as lines:
                lines.writelines(made)

    def read_accounts(self) -> Iterator[Account]:
        """Return the accounts of the hosts one by one; none if the run wrote none.

        Raises OSError, and ValueError with the path and the line for a line that is no account.
        """
        if not self.accounts.exists():
            return
        check_regular(self.accounts)
        with self.accounts.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    yield read_account(parse_object(line))
                except (TypeError, ValueError) as error:
                    raise ValueError(
                        f"{self.accounts}, line {number}: expected an account of a host: {error}"
                    ) from error

    def write_stats(self, stats: Mapping[str, Any]) -> None:
        """Write the statistics in one step: a run that has them ended. Raises OSError."""
        text = json.dumps(stats, default=_json_value, indent=2, sort_keys=True)
        replace_file(self.stats, f"{text}\n".encode())

    @property
    def is_filtered(self) -> bool:
        """True if the statistics can be read, and say that the run chose hosts or documents."""
        try:
            return FILTERED in self.read_stats()
        except (OSError, ValueError):  # somebody else wrote them
            return False

    def read_stats(self) -> dict[str, Any]:
        """Return the statistics; an empty dict if the run wrote none. Raises OSError and ValueError."""
        if not self.stats.exists():
            return {}
        check_regular(self.stats)
        return parse_object(self.stats.read_bytes())


@dataclass(frozen=True, slots=True)
class ReportsFolder:
    """The folder of ``WOO_REPORT_DIR``: the folders of runs, and what is made of several of them."""

    path: Path

    @property
    def history(self) -> Path:
        """The folder with a file about each run, from which later reports say what changed."""
        return self.path / "history"

    def host_pages(self, kind: Kind = Kind.woo) -> Path:
        """Return the folder with the current page of each host, if a run has too many hosts for one page."""
        return self.path / kind.beside_documents(_HOST_PAGES, "/")

    def latest(self, kind: Kind = Kind.woo) -> Path:
        """Return the symbolic link to the folder of the newest report of a kind."""
        return self.path / kind.beside_documents("latest", "_")

    def lead_to(self, folder: RunFolder) -> None:
        """Have :meth:`latest` lead to a folder in this one. Raises OSError.

        A filtered run takes the place of no other. Without a report about documents, the link to it leads to
        the newest one of another kind.
        """
        latest = self.latest(folder.kind)
        before = RunFolder(latest)
        if folder.is_filtered and latest.exists() and before.kind is folder.kind and not before.is_filtered:
            return
        replace_link(latest, folder.name)
        first = self.latest()
        if folder.kind is not Kind.woo and not (first.is_symlink() and RunFolder(first).kind is Kind.woo):
            replace_link(first, folder.name)

    def run(self, name: str) -> RunFolder:
        """Return the folder of the run with this name."""
        return RunFolder(self.path / name)

    def runs(self) -> Iterator[tuple[str, RunFolder]]:
        """Return the folders that runs made themselves by name, each with the name of its spider."""
        for path in sorted(self.path.glob("*/")):
            if (match := _NAME.fullmatch(path.name)) and match["time"]:
                yield match["spider"], RunFolder(path)

    def reports(self) -> Iterator[tuple[str, datetime, RunFolder]]:
        """Return the folders of runs and of merged runs, each with its spider and the moment in its name.

        A folder that is a symbolic link is left out, and so is one without findings, unless it is empty.
        """
        for path in sorted(self.path.iterdir()) if self.path.exists() else ():
            named, folder = parse_name(path.name), RunFolder(path)
            if named is None or not path.is_dir() or path.is_symlink():
                continue
            if folder.findings.is_file() or not any(path.iterdir()):
                yield *named, folder

    def days(self, spider: str) -> Iterator[tuple[str, RunFolder]]:
        """Return the folders of a spider by name, each with its day in ISO 8601.

        A folder that was merged from several runs counts too; its name may be only the spider and the day.
        """
        prefix = f"{spider}-"
        for path in sorted(self.path.glob(f"{prefix}*/")):
            yield path.name.removeprefix(prefix)[:10], RunFolder(path)


def host_page(folder: Path, host: str) -> Path:
    """Return the path of the page of *host* in a folder of such pages."""
    return folder / f"{slug(host)}.html"


def slug(host: str) -> str:
    """Return the name of a host's files: the same in each run, and different for each host."""
    return _NOT_IN_FILE_NAMES.sub(lambda match: f"_{ord(match[0]):x}", host)


def finding_line(finding: Finding, count: int | None = None) -> str:
    """Return a finding as a line of the files with findings; with *count*, one that stands for so many.

    It is without passwords in what publishers wrote, or servers sent back.
    """
    given = finding.as_dict()
    for name in {"url", "sitemap", "seen"} & given.keys():
        given[name] = masked(given[name])
    return json_line(given if count is None else {**given, "count": count})


def json_line(value: Mapping[str, Any]) -> str:
    """Return a JSON object as one line, with its line end."""
    return json.dumps(value, ensure_ascii=False) + "\n"


def complete_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Return the lines of a file with their numbers, from 1. Raises OSError.

    A last line without its line end is left out: a run that was killed may leave such a truncated line.
    """
    check_regular(path)
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                return
            yield number, line


def _json_value(value: Any) -> str:
    return iso_datetime(value) if isinstance(value, datetime) else str(value)
