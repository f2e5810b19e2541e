"""The inventory of errors in permits: what runs found over a period, by organisation and by error.

Harvesting gives no direct feedback; an organisation or its supplier is told now and then what was wrong.
Source: seed "Vergunningen op Internet IPM 4.0: Harvesting van metadata", "Validatie en foutmeldingen".
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader

from woo_harvester.dates import iso_datetime
from woo_harvester.findings import Explanation, Severity, explain
from woo_harvester.inputs import parse_object
from woo_harvester.report.run_folder import ReportsFolder, RunFolder, complete_lines
from woo_harvester.tooi import lists

#: Files that the page shows of one error; JSON has all of them.
SHOWN = 20

#: What is told in each run although it is only a warning.
REPEATED = frozenset({"ipm.datum-nu"})

#: Statistics of a run: the entry pages on a host that were read to their end, and those that were not.
_ENTRIES = re.compile("woo.ingangen.(complete|incomplete).(.+)")


class ReportError(ValueError):
    """A report of a run cannot be read; the message names file and line."""


@dataclass(slots=True)
class Case:
    """One file, or entry page, with one error."""

    url: str
    since: datetime
    last: datetime
    """When a run told it last."""
    mended: datetime | None = None
    """The first run that read the entry page, and did not find it any more."""
    line: int | None = None
    element: str | None = None
    seen: str | None = None


@dataclass(frozen=True, slots=True)
class Error:
    """One kind of error of one organisation."""

    explanation: Explanation
    cases: list[Case]

    @property
    def since(self) -> datetime:
        """When the first of its cases began."""
        return min(case.since for case in self.cases)

    @property
    def left(self) -> int | None:
        """How many cases are not mended; None where that is not known."""
        if not is_repeated(self.explanation.code):
            return None
        return sum(case.mended is None for case in self.cases)

    @property
    def mended(self) -> datetime | None:
        """When the last of its cases was mended; None where one is left, or it is not known."""
        moments = [case.mended for case in self.cases if case.mended is not None]
        return max(moments) if len(moments) == len(self.cases) else None


@dataclass(frozen=True, slots=True)
class Organisation:
    """What was found of one organisation."""

    id: str
    """TOOI URI, systeemId, name or host, as findings name it."""
    errors: list[Error]

    @property
    def name(self) -> str:
        """By the value lists, else the id."""
        concept = lists.organisaties().by_uri(self.id)
        return concept.label if concept else self.id


@dataclass(frozen=True, slots=True)
class Inventory:
    """What the runs of a period found."""

    first: date
    last: date
    runs: int
    organisations: list[Organisation] = field(default_factory=list)


class _Key(NamedTuple):
    organisation: str
    host: str
    code: str
    url: str


def is_repeated(code: str) -> bool:
    """Whether an error is told in each run until it is mended."""
    return code in REPEATED or explain(code).severity is Severity.ERROR


def take_inventory(reports: ReportsFolder, first: date, last: date) -> Inventory:
    """The inventory of the runs of ``vergunningen`` in the folder *reports*, both days included.

    Findings of severity ``info`` are left out: nothing is to be mended. Raises :class:`ReportError`, and
    OSError where the folder cannot be read.
    """
    cases: dict[_Key, Case] = {}
    runs = 0
    for day, folder in reports.days("vergunningen"):
        if first.isoformat() <= day <= last.isoformat():
            runs += 1
            _add_run(folder, cases)
    by_body: dict[str, dict[str, list[Case]]] = {}
    for key, case in cases.items():
        by_body.setdefault(key.organisation, {}).setdefault(key.code, []).append(case)
    found = [
        Organisation(body, sorted((Error(explain(code), each) for code, each in codes.items()), key=_weight))
        for body, codes in by_body.items()
    ]
    found.sort(key=lambda body: (-sum(error.left or 0 for error in body.errors), body.name))
    return Inventory(first, last, runs, found)


def _weight(error: Error) -> tuple[bool, int, str]:
    """Errors before warnings, those with the most cases left first."""
    explanation = error.explanation
    return explanation.severity is not Severity.ERROR, -(error.left or 0), explanation.code


def _add_run(folder: RunFolder, cases: dict[_Key, Case]) -> None:
    """Add what a run told, and what it did not tell any more."""
    told = set()
    for key, line in _findings(folder.findings):
        at = datetime.fromisoformat(line["at"])
        case = cases.get(key)
        if case is None:
            since = datetime.fromisoformat(line["since"]) if "since" in line else at
            case = cases[key] = Case(key.url, since, at)
        case.last, case.mended = at, None
        case.line, case.element, case.seen = line.get("line"), line.get("element"), line.get("seen")
        told.add(key)
    stats = _stats(folder)
    if "finish_time" not in stats:
        return  # killed: what it would have told nobody knows
    ended = datetime.fromisoformat(stats["finish_time"])
    read: dict[str, set[str]] = {}
    for found in filter(None, map(_ENTRIES.fullmatch, stats)):
        read.setdefault(found[1], set()).add(found[2])
    hosts = read.get("complete", set()) - read.get("incomplete", set())
    for key, case in cases.items():
        if key not in told and key.host in hosts and case.mended is None and is_repeated(key.code):
            case.mended = ended


def _findings(path: Path) -> Iterator[tuple[_Key, Mapping[str, Any]]]:
    if not path.exists():
        return
    for number, text in complete_lines(path):
        try:
            line = parse_object(text)
            for name in ("at", *({"since"} & line.keys())):
                _moment_of(line[name])
            if line["severity"] != Severity.INFO and line["code"].startswith(
                ("ipm.", "robots.", "tls.", "host.")
            ):
                host = line.get("host", "")
                body = line.get("organisation") or host
                yield _Key(body, host, line["code"], line.get("url", "")), line
        except (ValueError, KeyError, TypeError) as error:
            raise ReportError(
                f"{path}, line {number}: expected a finding ({type(error).__name__}: {error})"
            ) from None


def _stats(folder: RunFolder) -> dict[str, Any]:
    try:
        stats = folder.read_stats()
        if "finish_time" in stats:
            _moment_of(stats["finish_time"])
    except (TypeError, ValueError) as error:
        raise ReportError(f"{folder.stats}: expected JSON ({error})") from None
    return stats


def _moment_of(value: Any) -> datetime:
    """Return an aware moment. Raises TypeError or ValueError for anything else."""
    moment = datetime.fromisoformat(value)
    if moment.tzinfo is None:
        raise ValueError(f"expected a moment with its offset, got {value}")
    return moment


# What is written of it.

HEADS = ("organisatie", "naam", "code", "ernst", "wat", "sinds", "gevallen", "open", "hersteld")


def as_json(inventory: Inventory) -> str:
    """All of it, each case with its file."""
    output = {
        "van": inventory.first.isoformat(),
        "tot": inventory.last.isoformat(),
        "rondes": inventory.runs,
        "organisaties": [
            {
                "organisatie": body.id,
                "naam": body.name,
                "fouten": [
                    {**_row(body, error), "gevallen": [_without_none(asdict(case)) for case in error.cases]}
                    for error in body.errors
                ],
            }
            for body in inventory.organisations
        ],
    }
    return json.dumps(output, ensure_ascii=False, indent=2, default=_written) + "\n"


def as_csv(inventory: Inventory) -> str:
    """A row for each error of each organisation."""
    file = io.StringIO()
    writer = csv.DictWriter(file, HEADS, lineterminator="\r\n", extrasaction="ignore")
    writer.writeheader()
    for body in inventory.organisations:
        for error in body.errors:
            writer.writerow(
                {name: _safe(value) for name, value in _row(body, error).items() if value is not None}
            )
    return file.getvalue()


def as_html(inventory: Inventory) -> str:
    """A page for people: what is wrong, since when, and how to mend it."""
    environment = Environment(
        loader=PackageLoader("woo_harvester.report", "templates"), autoescape=True, trim_blocks=True
    )
    environment.filters["moment"] = _moment
    return environment.get_template("inventory.html").render(inventory=inventory, shown=SHOWN)


def _row(body: Organisation, error: Error) -> dict[str, Any]:
    return {
        "organisatie": body.id,
        "naam": body.name,
        "code": error.explanation.code,
        "ernst": str(error.explanation.severity),
        "wat": error.explanation.what,
        "herstel": error.explanation.mend,
        "sinds": iso_datetime(error.since),
        "gevallen": len(error.cases),
        "open": error.left,
        "hersteld": None if error.mended is None else iso_datetime(error.mended),
    }


def _safe(value: Any) -> Any:
    """A spreadsheet takes a text that begins with one of these for a formula."""
    return (
        f"'{value}"
        if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
        else value
    )


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _written(value: datetime) -> str:
    return iso_datetime(value)


def _moment(value: datetime | None) -> str:
    return "" if value is None else iso_datetime(value)[:16].replace("T", " ")


FORMATS = {"html": as_html, "csv": as_csv, "json": as_json}


def shown(inventory: Inventory) -> Sequence[str]:
    """A line for each error, for a terminal."""
    lines = []
    for body in inventory.organisations:
        lines.append(body.name)
        for error in body.errors:
            left = "" if error.left is None else f", {error.left} open"
            mended = f", hersteld {_moment(error.mended)}" if error.mended else ""
            lines.append(
                f"  {error.explanation.code:<26} {len(error.cases):>6} gevallen{left}, "
                f"sinds {_moment(error.since)}{mended}"
            )
    return lines
