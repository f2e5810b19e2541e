"""The inventory of errors in permits: what runs found over a period, by organisation and by error.

The harvest itself gives no feedback. Now and then an organisation or its supplier gets a list of the errors.
Source: seed "Vergunningen op Internet IPM 4.0: Harvesting van metadata", "Validatie en foutmeldingen".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple

from woo_harvester.findings import Explanation, Severity, explain
from woo_harvester.inputs import parse_object
from woo_harvester.report.funnel import Account
from woo_harvester.report.losses import is_repeated
from woo_harvester.report.permit_account import PermitAccount
from woo_harvester.report.run_folder import ReportsFolder, RunFolder, complete_lines
from woo_harvester.tooi import organisaties


class ReportError(ValueError):
    """The report of a run cannot be read. The message names the file and the line."""


@dataclass(slots=True)
class Case:
    """A file or entry page with one error."""

    url: str
    since: datetime
    """Moment of the run that first found the error."""
    last: datetime
    """Moment of the run that last found the error."""
    fixed: datetime | None = None
    """End of the first run that read the entry page and no longer found the error; None if there was none."""
    line: int | None = None
    element: str | None = None
    seen: str | None = None


@dataclass(frozen=True, slots=True)
class Error:
    """All cases of one error of one organisation."""

    explanation: Explanation
    cases: list[Case]

    @property
    def since(self) -> datetime:
        """Moment at which the first of the cases was found."""
        return min(case.since for case in self.cases)

    @property
    def left(self) -> int | None:
        """Number of cases that are not fixed; None if that is not known."""
        if not is_repeated(self.explanation.code):
            return None
        return sum(case.fixed is None for case in self.cases)

    @property
    def fixed(self) -> datetime | None:
        """Moment at which the last case was fixed; None if a case is left, or if that is not known."""
        moments = [case.fixed for case in self.cases if case.fixed is not None]
        return max(moments) if len(moments) == len(self.cases) else None


@dataclass(frozen=True, slots=True)
class OrganisationErrors:
    """The errors of one organisation."""

    id: str
    """TOOI URI, systeemId, name or host: the ``organisation`` of the findings."""
    name: str
    """Name in the value lists or the register; the id if neither has it."""
    errors: list[Error]


@dataclass(frozen=True, slots=True)
class Inventory:
    """The errors that the runs of a period found."""

    first: date
    last: date
    runs: int
    organisations: list[OrganisationErrors] = field(default_factory=list)


class _Key(NamedTuple):
    organisation: str
    host: str
    code: str
    url: str


def listed_name(identifier: str) -> str:
    """Return the name of an organisation in the value lists; the identifier if they do not have it."""
    concept = organisaties().by_uri(identifier)
    return concept.label if concept else identifier


def read_inventory(
    reports: ReportsFolder, first: date, last: date, name_of: Callable[[str], str] = listed_name
) -> Inventory:
    """Return the inventory of the runs of ``vergunningen`` in *reports*, both days included.

    *name_of* returns the name of an organisation for its identifier in findings. Findings of severity
    ``info`` are left out: they need no fix. Raises :class:`ReportError`, and OSError if the folder cannot be
    read.
    """
    cases: dict[_Key, Case] = {}
    runs = 0
    for day, folder in reports.days("vergunningen"):
        if first.isoformat() <= day <= last.isoformat():
            runs += 1
            _add_run(folder, cases)
    by_organisation: dict[str, dict[str, list[Case]]] = {}
    for key, case in cases.items():
        by_organisation.setdefault(key.organisation, {}).setdefault(key.code, []).append(case)
    found = [
        OrganisationErrors(
            organisation,
            name_of(organisation),
            sorted((Error(explain(code), each) for code, each in codes.items()), key=_sort_key),
        )
        for organisation, codes in by_organisation.items()
    ]
    found.sort(
        key=lambda organisation: (-sum(error.left or 0 for error in organisation.errors), organisation.name)
    )
    return Inventory(first, last, runs, found)


def _sort_key(error: Error) -> tuple[bool, int, str]:
    """Return a key that sorts errors before warnings, and then by the number of cases left."""
    explanation = error.explanation
    return explanation.severity is not Severity.ERROR, -(error.left or 0), explanation.code


def _add_run(folder: RunFolder, cases: dict[_Key, Case]) -> None:
    """Add the findings of a run to *cases*, and note which cases it no longer found."""
    found_keys = set()
    for key, line in _findings(folder.findings):
        at = datetime.fromisoformat(line["at"])
        case = cases.get(key)
        if case is None:
            since = datetime.fromisoformat(line["since"]) if "since" in line else at
            case = cases[key] = Case(key.url, since, at)
        case.last, case.fixed = at, None
        case.line, case.element, case.seen = line.get("line"), line.get("element"), line.get("seen")
        found_keys.add(key)
    stats = _stats(folder)
    if "finish_time" not in stats:
        return  # the run was killed, so what it did not find may still be there
    ended = datetime.fromisoformat(stats["finish_time"])
    hosts = {account.host for account in _accounts(folder) if _is_complete(account)}
    for key, case in cases.items():
        if key not in found_keys and key.host in hosts and case.fixed is None and is_repeated(key.code):
            case.fixed = ended


def _findings(path: Path) -> Iterator[tuple[_Key, Mapping[str, Any]]]:
    if not path.exists():
        return
    for number, text in complete_lines(path):
        try:
            line = parse_object(text)
            for name in ("at", *({"since"} & line.keys())):
                _aware_datetime(line[name])
            if line["severity"] != Severity.INFO and line["code"].startswith(
                ("ipm.", "robots.", "tls.", "host.")
            ):
                host = line.get("host", "")
                organisation = line.get("organisation") or host
                yield _Key(organisation, host, line["code"], line.get("url", "")), line
        except (ValueError, KeyError, TypeError) as error:
            raise ReportError(
                f"{path}, line {number}: expected a finding ({type(error).__name__}: {error})"
            ) from None


def _accounts(folder: RunFolder) -> list[Account]:
    try:
        return list(folder.read_accounts())
    except ValueError as error:
        raise ReportError(str(error)) from None


def _is_complete(account: Account) -> bool:
    """Return whether a run read all entry pages of a host. Earlier versions counted only those done."""
    if not isinstance(account, PermitAccount):
        return False
    return bool(account.complete) or (not account.pages and account.entry_pages.keys() == {"complete"})


def _stats(folder: RunFolder) -> dict[str, Any]:
    try:
        stats = folder.read_stats()
        if "finish_time" in stats:
            _aware_datetime(stats["finish_time"])
    except (TypeError, ValueError) as error:
        raise ReportError(f"{folder.stats}: expected JSON ({error})") from None
    return stats


def _aware_datetime(value: Any) -> datetime:
    """Return an aware moment. Raises TypeError or ValueError for anything else."""
    moment = datetime.fromisoformat(value)
    if moment.tzinfo is None:
        raise ValueError(f"expected a moment with its offset, got {value}")
    return moment
