"""The inventory of errors in permits: what runs found over a period, by supplier, organisation and error.

The harvest itself gives no feedback. Now and then an organisation or its supplier gets a list of the errors.
Source: seed "Vergunningen op Internet IPM 4.0: Harvesting van metadata", "Validatie en foutmeldingen".
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from woo_harvester.findings import Language, Severity, explain
from woo_harvester.findings.common_cause import OWN_FAULT
from woo_harvester.findings.texts import in_words
from woo_harvester.permits.account import PermitAccount
from woo_harvester.permits.judging import is_repeated
from woo_harvester.report.csv_file import TextWriter
from woo_harvester.report.html.page import environment, page_parts
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.run_folder import ReportsFolder, RunFolder, complete_lines
from woo_harvester.tooi import organisaties
from woo_harvester.tooi.values import normal_label
from woo_harvester.utils.dates import iso_datetime
from woo_harvester.utils.inputs import parse_object, read_columns

#: What the codes of errors of entry pages, messages and their hosts begin with.
_CODES = ("ipm.", "robots.", "tls.", "host.")


class ReportError(ValueError):
    """The report of a run cannot be read. The message names the file and the line."""


@dataclass(slots=True)
class Case:
    """A file or entry page with one error."""

    finding: Mapping[str, Any]
    """The last finding of it."""
    since: datetime
    """Moment of the run that first found the error."""
    fixed: datetime | None = None
    """End of the first run that read the entry page and no longer found the error; None if there was none."""
    name: str = ""
    """Name of the organisation in the register or the value lists; its identifier if neither has it."""
    supplier: str = ""
    """The host of the entry page stands in for a supplier that is not known."""

    @property
    def key(self) -> tuple[str, ...]:
        """Organisation, host, code and URL."""
        organisation, host = self.finding.get("organisation", ""), self.finding.get("host", "")
        return organisation or host, host, self.finding["code"], self.finding.get("url", "")


@dataclass(frozen=True, slots=True)
class Inventory:
    """The errors that the runs of a period found, by supplier, organisation and code."""

    first: date
    last: date
    runs: int
    cases: list[Case]
    lang: Language = "nl"

    def suppliers(self) -> list[str]:
        """Return the names of the suppliers."""
        return sorted({case.supplier for case in self.cases})


def read_suppliers(data: bytes) -> dict[str, str]:
    """Return the supplier of each organisation, by its name or identifier, in CSV. Raises ValueError."""
    rows = read_columns(data, ("organisatie", "leverancier"))
    return {normal_label(organisation): supplier for _, (organisation, supplier) in rows if supplier}


def read_inventory(
    reports: ReportsFolder,
    first: date,
    last: date,
    suppliers: Mapping[str, str],
    lang: Language = "nl",
) -> Inventory:
    """Return the inventory of the runs of ``vergunningen`` in *reports*, both days included.

    Findings of severity ``info`` are left out: they need no fix. Raises :class:`ReportError`, and OSError if
    the folder cannot be read.
    """
    found: dict[tuple[str, ...], Case] = {}
    names: dict[str, str] = {}
    runs = 0
    for day, folder in reports.days("vergunningen"):
        if first.isoformat() <= day <= last.isoformat():
            runs += 1
            _add_run(folder, found, names)
    for (organisation, host, *_), case in found.items():
        concept = organisaties().by_uri(organisation)
        case.name = names.get(organisation) or (concept.label if concept else organisation)
        known = (suppliers.get(normal_label(name)) for name in (organisation, case.name))
        case.supplier = next(filter(None, known), host)
    cases = sorted(found.values(), key=lambda each: (each.supplier, each.name, each.key))
    return Inventory(first, last, runs, cases, lang)


def _add_run(folder: RunFolder, found: dict[tuple[str, ...], Case], names: dict[str, str]) -> None:
    """Add the findings of a run, and note which cases it no longer found."""
    now: set[tuple[str, ...]] = set()
    only_counted: set[tuple[str, ...]] = set()
    try:
        accounts = [each for each in folder.read_accounts() if isinstance(each, PermitAccount)]
        stats = folder.read_stats()
        ended = stats.get("finish_time")
        moment = datetime.fromisoformat(ended) if ended else None
    except (ValueError, TypeError) as error:
        raise ReportError(f"{folder.stats}: expected JSON ({error})") from None
    reached = {account.host for account in accounts} if f"woo/findings/{OWN_FAULT}" in stats else None
    for number, text in complete_lines(folder.findings) if folder.findings.exists() else ():
        try:
            line = parse_object(text)
            at, since = datetime.fromisoformat(line["at"]), line.get("since")
            case = Case(line, datetime.fromisoformat(since) if since else at)
            if line["severity"] == Severity.INFO or not line["code"].startswith(_CODES):
                continue
            if reached is not None and case.key[1] not in reached:  # the fault is on our own side
                continue
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ReportError(f"{folder.findings}, line {number}: expected a finding ({error})") from None
        if "count" in line:  # it stands for other files too, which are not named
            only_counted.add(case.key[1:3])
            continue
        case.since = found[case.key].since if case.key in found else case.since
        found[case.key] = case
        now.add(case.key)
    for account in accounts:
        names.update((each["id"], each["name"]) for each in account.organisations)
    read = {account.host for account in accounts if account.complete}
    for key, case in found.items():
        is_named = key[1:3] not in only_counted
        if moment and key not in now and is_named and key[1] in read and is_repeated(key[2]):
            case.fixed = case.fixed or moment  # a run that was killed fixes nothing


def as_csv(inventory: Inventory) -> str:
    """Return the inventory as CSV, with a row for each case."""
    texts = Texts(inventory.lang)
    file = io.StringIO()
    writer = TextWriter(file)
    writer.writerow(texts.all("inventory_columns"))
    for case in inventory.cases:
        organisation, _, code, url = case.key
        explanation, seen = explain(code, inventory.lang), case.finding.get("seen")
        row: list[Any] = [case.supplier, organisation, case.name, code]
        row += [texts("severity_" + explanation.severity).lower(), explanation.what, explanation.mend, url]
        row += [case.finding.get("line"), case.finding.get("element")]
        row += [seen and in_words(code, seen, inventory.lang), iso_datetime(case.since), case.finding["at"]]
        writer.writerow([*row, case.fixed and iso_datetime(case.fixed)])
    return file.getvalue()


def supplier_page(inventory: Inventory, supplier: str, contact: str | None = None) -> str:
    """Return the HTML page for a supplier, which says nothing of others. *contact* is for its questions."""
    errors: dict[tuple[str, str], list[Case]] = {}
    for case in inventory.cases:
        if case.supplier == supplier:
            errors.setdefault((case.name, case.key[2]), []).append(case)
    made = environment().get_template("inventory.html")
    return made.render(
        t=Texts(inventory.lang),
        inventory=inventory,
        errors=[(name, explain(code, inventory.lang), cases) for (name, code), cases in errors.items()],
        supplier=supplier,
        contact=contact,
        moment=iso_datetime,
        **page_parts(),
    )
