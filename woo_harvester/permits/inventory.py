"""The inventory of errors in permits: what runs found over a period, by supplier, organisation and error.

The harvest itself gives no feedback. Now and then an organisation or its supplier gets a list of the errors.
Source: seed "Vergunningen op Internet IPM 4.0: Harvesting van metadata", "Validatie en foutmeldingen".
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from woo_harvester.findings import Language, Severity, explain
from woo_harvester.findings.common_cause import OWN_FAULT
from woo_harvester.findings.texts import in_words
from woo_harvester.kinds import Kind
from woo_harvester.permits.account import PermitAccount
from woo_harvester.permits.judging import PREFIX, is_repeated
from woo_harvester.report.csv_file import TextWriter
from woo_harvester.report.html.page import environment, page_parts
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.run_folder import ReportsFolder, RunFolder, complete_lines, slug
from woo_harvester.tooi.lists import organisaties
from woo_harvester.tooi.values import normal_label
from woo_harvester.utils.atomic import replace_file
from woo_harvester.utils.dates import iso_datetime
from woo_harvester.utils.inputs import check_regular, parse_object, read_columns

#: What the codes of errors of entry pages, messages and their hosts begin with.
_CODES = (PREFIX, "robots.", "tls.", "host.")


@dataclass(slots=True)
class Case:
    """A file or entry page with one error."""

    finding: Mapping[str, Any]
    """The last finding of it."""
    since: datetime
    """Moment of the run that first found the error."""
    fixed: datetime | None = None
    """End of the first run that read the entry page and no longer found the error."""
    name: str = ""
    """Name of the organisation; its identifier if neither the register nor the value lists have it."""
    supplier: str = ""
    """Its supplier; the host of the entry page if that is not known."""

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


def read_suppliers(path: Path) -> dict[str, str]:
    """Return the supplier of each organisation, by its name or identifier. Raises ValueError and OSError."""
    check_regular(path)
    rows = read_columns(path.read_bytes(), ("organisatie", "leverancier"))
    return {normal_label(organisation): supplier for _, (organisation, supplier) in rows if supplier}


def read_inventory(
    reports: ReportsFolder, first: date, last: date, suppliers: Mapping[str, str], lang: Language = "nl"
) -> Inventory:
    """Return the errors in the runs of these days and those between. Raises ValueError and OSError."""
    found, names = dict[tuple[str, ...], Case](), dict[str, str]()
    days = reports.days(Kind.vergunningen)
    runs = [folder for day, folder in days if first.isoformat() <= day <= last.isoformat()]
    if not runs:
        raise ValueError(f"no run of vergunningen from {first} to {last}: nothing was judged")
    for folder in runs:
        _add_run(folder, found, names)
    for (organisation, host, *_), case in found.items():
        concept = organisaties().by_uri(organisation)
        case.name = names.get(organisation) or (concept.label if concept else organisation)
        known = (suppliers.get(normal_label(name)) for name in (organisation, case.name))
        case.supplier = next(filter(None, known), host)
    cases = sorted(found.values(), key=lambda each: (each.supplier, each.name, each.key))
    return Inventory(first, last, len(runs), cases, lang)


def _add_run(folder: RunFolder, found: dict[tuple[str, ...], Case], names: dict[str, str]) -> None:
    """Add the findings of a run, and note which cases it no longer found."""
    now, only_counted = set[tuple[str, ...]](), set[tuple[str, ...]]()
    try:
        accounts = [each for each in folder.read_accounts() if isinstance(each, PermitAccount)]
        stats = folder.read_stats()
        moment = datetime.fromisoformat(stats["finish_time"]) if "finish_time" in stats else None
    except (ValueError, TypeError) as error:
        raise ValueError(f"{folder.stats}: expected JSON ({error})") from None
    reached = {account.host for account in accounts} if f"woo/findings/{OWN_FAULT}" in stats else None
    for number, text in complete_lines(folder.findings) if folder.findings.exists() else ():
        try:
            line = parse_object(text)
            since = min(map(datetime.fromisoformat, filter(None, (line["at"], line.get("since")))))
            case = Case(line, since)
            if line["severity"] == Severity.INFO or not line["code"].startswith(_CODES):
                continue
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{folder.findings}, line {number}: expected a finding ({error})") from None
        if reached is not None and case.key[1] not in reached:  # the fault is on our own side
            continue
        if "count" in line:  # it stands for other files too, which are not named
            only_counted.add(case.key[1:3])
            continue
        now.add(case.key)
        case.since = found.get(case.key, case).since
        found[case.key] = case
    names.update((each["id"], each["name"]) for account in accounts for each in account.organisations)
    read = {account.host for account in accounts if account.complete}
    for key, case in found.items():
        is_gone = key not in now and key[1:3] not in only_counted and key[1] in read
        if moment and is_gone and is_repeated(key[2]):  # a run that was killed fixes nothing
            case.fixed = case.fixed or moment


def write(inventory: Inventory, reports: Path, contact: str | None) -> Path:
    """Write the pages and the CSV to a folder in *reports*, and return that. Raises OSError."""
    folder = reports / f"inventory-{inventory.first}-{inventory.last}"
    (folder / "suppliers").mkdir(parents=True, exist_ok=True)
    for old in (folder / "suppliers").glob("*.html"):  # of suppliers that were named otherwise
        old.unlink()
    for number, name in enumerate(inventory.suppliers(), start=1):
        text = supplier_page(inventory, name, contact)
        replace_file(folder / "suppliers" / f"{number}-{slug(name[:80])}.html", text.encode())
    replace_file(folder / "inventory.csv", as_csv(inventory).encode("utf-8-sig"))  # for spreadsheets
    return folder


def as_csv(inventory: Inventory) -> str:
    """Return the inventory as CSV, with a row for each case."""
    texts, file = Texts(inventory.lang), io.StringIO()
    writer = TextWriter(file)
    writer.writerow(texts.all("inventory_columns"))
    for case in inventory.cases:
        organisation, _, code, url = case.key
        error, seen = explain(code, inventory.lang), case.finding.get("seen")
        severity = texts("severity_" + error.severity).lower()
        row: list[Any] = [case.supplier, organisation, case.name, code, severity, error.what, error.mend, url]
        row += [case.finding.get("line"), case.finding.get("element")]
        row += [seen and in_words(code, seen, inventory.lang), iso_datetime(case.since), case.finding["at"]]
        writer.writerow([*row, case.fixed and iso_datetime(case.fixed)])
    return file.getvalue()


def supplier_page(inventory: Inventory, supplier: str, contact: str | None = None) -> str:
    """Return the HTML page for a supplier, which says nothing of others. *contact* is for its questions."""
    errors: dict[tuple[str, str], list[Case]] = {}
    for case in (each for each in inventory.cases if each.supplier == supplier):
        errors.setdefault((case.name, case.key[2]), []).append(case)
    found = [(name, explain(code, inventory.lang), cases) for (name, code), cases in errors.items()]
    shared = {"t": Texts(inventory.lang), "moment": iso_datetime, **page_parts()}
    template = environment().get_template("inventory.html")
    return template.render(shared, inventory=inventory, errors=found, supplier=supplier, contact=contact)
