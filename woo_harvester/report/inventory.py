"""The inventory of errors in permits: what runs found over a period, by organisation, supplier and error.

The harvest itself gives no feedback. Now and then an organisation or its supplier gets a list of the errors.
Source: seed "Vergunningen op Internet IPM 4.0: Harvesting van metadata", "Validatie en foutmeldingen".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

from woo_harvester.findings import Explanation, Language, Severity, explain
from woo_harvester.report.accounts import PermitAccount
from woo_harvester.report.funnel import Account, is_repeated
from woo_harvester.report.run_folder import ReportsFolder, RunFolder, complete_lines
from woo_harvester.tooi import organisaties
from woo_harvester.tooi.values import normal_label
from woo_harvester.utils.inputs import check_regular, parse_object, read_columns


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

    @property
    def left(self) -> int:
        """Number of cases that are known not to be fixed."""
        return sum(error.left or 0 for error in self.errors)


@dataclass(frozen=True, slots=True)
class SupplierErrors:
    """The errors of the organisations of one supplier."""

    name: str
    organisations: list[OrganisationErrors]

    @property
    def left(self) -> int:
        """Number of cases that are known not to be fixed."""
        return sum(organisation.left for organisation in self.organisations)


@dataclass(frozen=True, slots=True)
class Inventory:
    """The errors that the runs of a period found."""

    first: date
    last: date
    runs: int
    organisations: list[OrganisationErrors] = field(default_factory=list)
    suppliers: list[SupplierErrors] = field(default_factory=list)
    """The same errors by supplier. The entry's host stands in for a supplier that is not known."""
    lang: Language = "nl"


class _Key(NamedTuple):
    organisation: str
    host: str
    code: str
    url: str


def listed_name(identifier: str) -> str | None:
    """Return the name of an organisation in the value lists, or None."""
    concept = organisaties().by_uri(identifier)
    return concept.label if concept else None


def entry_host(_organisation: str, _name: str, host: str) -> str:
    """Return the host of an entry, which stands in for a supplier that is not known."""
    return host


def read_inventory(
    reports: ReportsFolder,
    first: date,
    last: date,
    name_of: Callable[[str], str | None] = listed_name,
    *,
    supplier_of: Callable[[str, str, str], str] = entry_host,
    lang: Language = "nl",
) -> Inventory:
    """Return the inventory of the runs of ``vergunningen`` in *reports*, both days included.

    The name of an organisation is that in the register of the last run that read its entry page, else the one
    that *name_of* returns for its identifier. *supplier_of* returns the supplier for the identifier and the
    name of an organisation, and the host of its entry. Findings of severity ``info`` are left out: they need
    no fix. Raises :class:`ReportError`, and OSError if the folder cannot be read.
    """
    read = _Runs()
    for day, folder in reports.days("vergunningen"):
        if first.isoformat() <= day <= last.isoformat():
            read.add(folder)
    names: dict[str, str] = {}
    for organisation in dict.fromkeys(key.organisation for key in read.cases):
        names[organisation] = read.names.get(organisation) or name_of(organisation) or organisation
    by_supplier: dict[str, dict[_Key, Case]] = {}
    for key, case in read.cases.items():
        supplier = supplier_of(key.organisation, names[key.organisation], key.host)
        by_supplier.setdefault(supplier, {})[key] = case
    suppliers = [
        SupplierErrors(name, _by_organisation(cases, names, lang)) for name, cases in by_supplier.items()
    ]
    suppliers.sort(key=lambda each: (-each.left, each.name))
    organisations = _by_organisation(read.cases, names, lang)
    return Inventory(first, last, read.runs, organisations, suppliers, lang)


def _by_organisation(
    cases: Mapping[_Key, Case], names: Mapping[str, str], lang: Language
) -> list[OrganisationErrors]:
    """Return the errors of each organisation; the one with the most cases left first."""
    found: dict[str, dict[str, list[Case]]] = {}
    for key, case in cases.items():
        found.setdefault(key.organisation, {}).setdefault(key.code, []).append(case)
    made = [
        OrganisationErrors(
            organisation,
            names[organisation],
            sorted((Error(explain(code, lang), each) for code, each in codes.items()), key=_sort_key),
        )
        for organisation, codes in found.items()
    ]
    return sorted(made, key=lambda organisation: (-organisation.left, organisation.name))


def _sort_key(error: Error) -> tuple[bool, int, str]:
    """Return a key that sorts errors before warnings, and then by the number of cases left."""
    explanation = error.explanation
    return explanation.severity is not Severity.ERROR, -(error.left or 0), explanation.code


class _Runs:
    """What the runs of a period found."""

    def __init__(self) -> None:
        self.runs = 0
        self.cases: dict[_Key, Case] = {}
        self.names: dict[str, str] = {}
        """Names of organisations in the register of the last run, by identifier."""

    def add(self, folder: RunFolder) -> None:
        """Add the findings of a run, and note which cases it no longer found."""
        self.runs += 1
        found: set[_Key] = set()
        only_counted: set[tuple[str, str]] = set()
        for key, line in _findings(folder.findings):
            if "count" in line:  # it stands for other files too, which are not named
                only_counted.add((key.host, key.code))
                continue
            self._add_case(key, line)
            found.add(key)
        accounts = _accounts(folder)
        for account in accounts:
            self.names.update((each["id"], each["name"]) for each in account.organisations)
        stats = _stats(folder)
        if "finish_time" not in stats:
            return  # the run was killed, so what it did not find may still be there
        ended = datetime.fromisoformat(stats["finish_time"])
        hosts = {account.host for account in accounts if _is_complete(account)}
        for key, case in self.cases.items():
            is_named = (key.host, key.code) not in only_counted
            if key not in found and is_named and key.host in hosts and is_repeated(key.code):
                case.fixed = case.fixed or ended

    def _add_case(self, key: _Key, line: Mapping[str, Any]) -> None:
        at = datetime.fromisoformat(line["at"])
        case = self.cases.get(key)
        if case is None:
            since = datetime.fromisoformat(line["since"]) if "since" in line else at
            case = self.cases[key] = Case(key.url, since, at)
        case.last, case.fixed = at, None
        case.line, case.element, case.seen = line.get("line"), line.get("element"), line.get("seen")


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
    """Return whether a run read all entry pages of a host."""
    return isinstance(account, PermitAccount) and bool(account.complete)


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


_COLUMNS = ("organisatie", "leverancier")

#: What is no plain letter, digit, full stop or hyphen; and the maximum length of a name, in characters.
_OTHER = re.compile("[^a-z0-9.]+")
_LENGTH = 80


class SuppliersError(ValueError):
    """The file cannot be used. The message is one line that names the file, and the line if there is one."""


class Suppliers:
    """The supplier of each organisation in a CSV file.

    The organisations in it are names, TOOI URIs or systeemIds. *identifier_of* returns the identifier that
    findings have for each of these, or None if it is not known; it may raise ValueError.
    """

    def __init__(self, path: Path, identifier_of: Callable[[str], str | None]) -> None:
        try:
            check_regular(path)
            self._suppliers = _read(path.read_bytes(), identifier_of)
        except OSError as error:
            raise SuppliersError(f"{path}: {error.strerror or error}") from None
        except ValueError as error:
            raise SuppliersError(f"{path}: {error}") from None

    def of(self, organisation: str, name: str, host: str) -> str:
        """Return the supplier of an organisation by its identifier or name, else the host of its entry."""
        return self._suppliers.get(organisation) or self._suppliers.get(normal_label(name)) or host


def _read(data: bytes, identifier_of: Callable[[str], str | None]) -> dict[str, str]:
    """Return the suppliers by identifier and by name of the organisation. Raises ValueError."""
    suppliers: dict[str, str] = {}
    for line, (organisation, supplier) in read_columns(data, _COLUMNS):
        if not organisation or not supplier:
            raise ValueError(f"line {line}: expected an organisation and its supplier")
        try:
            identifier = identifier_of(organisation) or organisation
        except ValueError as error:
            raise ValueError(f"line {line}: {error}") from None
        for key in (identifier, normal_label(organisation)):
            if suppliers.setdefault(key, supplier) != supplier:
                raise ValueError(
                    f"line {line}: {organisation} has two suppliers, {suppliers[key]} and {supplier}"
                )
    return suppliers


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Return the name of the page of each supplier: its name in plain letters, different for each."""
    found: dict[str, str] = {}
    for name in names:
        letters = normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        base = _OTHER.sub("-", letters).strip("-.")[:_LENGTH] or "leverancier"
        page, number = f"{base}.html", 1
        while page in found.values():
            number += 1
            page = f"{base}-{number}.html"
        found[name] = page
    return found
