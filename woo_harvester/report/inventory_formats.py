"""The inventory of errors in permits as HTML, CSV, JSON and lines for a terminal, in one language each."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from woo_harvester.findings.texts import in_words
from woo_harvester.report.csv_file import TextWriter
from woo_harvester.report.html.page import environment, page_parts
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.inventory import Case, Error, Inventory, OrganisationErrors, SupplierErrors
from woo_harvester.utils.dates import iso_datetime

#: Files that the HTML page shows for one error, and that the page of a supplier shows. The JSON has all.
_SHOWN = 20
_SHOWN_TO_SUPPLIER = 1000

#: The values of an error of an organisation, in the order of the names in ``inventory_columns``.
_VALUES = (
    *("organisation", "name", "code", "severity", "what", "fix", "since", "cases", "open", "fixed"),
    "supplier",
)
#: What the JSON has besides, in the order of the names in ``inventory_keys``.
_KEYS = (
    *("first", "last_day", "runs", "organisations", "suppliers", "errors"),
    *("url", "since", "last", "fixed", "line", "element", "seen"),
)

#: The text of the fix is long, and not in the CSV.
_NOT_IN_CSV = "fix"


def as_json(inventory: Inventory) -> str:
    """Return the complete inventory as JSON, with each case."""
    texts = Texts(inventory.lang)
    keys = dict(zip(_KEYS, texts.all("inventory_keys"), strict=True))
    columns = dict(zip(_VALUES, texts.all("inventory_columns"), strict=True))

    def organisation(found: OrganisationErrors, *, with_cases: bool = False) -> dict[str, Any]:
        errors = []
        for error in found.errors:
            row = _row(found, error, texts)
            if with_cases:
                row["cases"] = [_case_values(case, error, keys, texts) for case in error.cases]
            errors.append(_named(row, columns))
        return {columns["organisation"]: found.id, columns["name"]: found.name, keys["errors"]: errors}

    output = {
        keys["first"]: inventory.first.isoformat(),
        keys["last_day"]: inventory.last.isoformat(),
        keys["runs"]: inventory.runs,
        keys["organisations"]: [organisation(each, with_cases=True) for each in inventory.organisations],
        keys["suppliers"]: [
            {
                columns["supplier"]: supplier.name,
                keys["organisations"]: [organisation(each) for each in supplier.organisations],
            }
            for supplier in inventory.suppliers
        ],
    }
    return json.dumps(output, ensure_ascii=False, indent=2) + "\n"


def as_csv(inventory: Inventory) -> str:
    """Return the inventory as CSV, with a row for each error of each organisation of each supplier."""
    texts = Texts(inventory.lang)
    columns = dict(zip(_VALUES, texts.all("inventory_columns"), strict=True))
    del columns[_NOT_IN_CSV]
    file = io.StringIO()
    writer = TextWriter(file)
    writer.writerow(columns.values())
    for supplier in inventory.suppliers:
        for organisation in supplier.organisations:
            for error in organisation.errors:
                row = {**_row(organisation, error, texts), "supplier": supplier.name}
                writer.write_named(row, columns)
    return file.getvalue()


def as_html(inventory: Inventory, pages: Mapping[str, str] | None = None) -> str:
    """Return the inventory as an HTML page: what is wrong, since when, and how to fix it.

    *pages* are the addresses of the pages of suppliers, by name.
    """
    return _page(inventory, inventory.organisations, _SHOWN, pages=pages)


def supplier_page(inventory: Inventory, supplier: SupplierErrors, contact: str | None = None) -> str:
    """Return the HTML page for a supplier, which says nothing of others. *contact* is for its questions."""
    shown = _SHOWN_TO_SUPPLIER
    return _page(inventory, supplier.organisations, shown, supplier=supplier.name, contact=contact)


def _page(
    inventory: Inventory,
    organisations: Sequence[OrganisationErrors],
    shown: int,
    *,
    supplier: str | None = None,
    contact: str | None = None,
    pages: Mapping[str, str] | None = None,
) -> str:
    return (
        environment()
        .get_template("inventory.html")
        .render(
            t=Texts(inventory.lang),
            inventory=inventory,
            organisations=organisations,
            supplier=supplier,
            contact=contact,
            pages=pages,
            shown=shown,
            moment=iso_datetime,
            **page_parts(),
        )
    )


def _row(organisation: OrganisationErrors, error: Error, texts: Texts) -> dict[str, Any]:
    return {
        "organisation": organisation.id,
        "name": organisation.name,
        "code": error.explanation.code,
        "severity": texts("severity_" + error.explanation.severity).lower(),
        "what": error.explanation.what,
        "fix": error.explanation.mend,
        "since": iso_datetime(error.since),
        "cases": len(error.cases),
        "open": error.left,
        "fixed": None if error.fixed is None else iso_datetime(error.fixed),
    }


def _case_values(case: Case, error: Error, keys: Mapping[str, str], texts: Texts) -> dict[str, Any]:
    """Return the values of a case in the JSON, absent ones left out."""
    values = {
        "url": case.url,
        "since": iso_datetime(case.since),
        "last": iso_datetime(case.last),
        "fixed": None if case.fixed is None else iso_datetime(case.fixed),
        "line": case.line,
        "element": case.element,
        "seen": None if case.seen is None else in_words(error.explanation.code, case.seen, texts.lang),
    }
    return _named({name: value for name, value in values.items() if value is not None}, keys)


def _named(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return values under the names of a language."""
    return {names[key]: value for key, value in values.items()}


FORMATS = {"html": as_html, "csv": as_csv, "json": as_json}


def terminal_lines(inventory: Inventory, folder: Path) -> Iterator[str]:
    """Yield lines for a terminal: the period, the errors by supplier and organisation, and the *folder*."""
    texts = Texts(inventory.lang)
    first, last = texts.day(inventory.first.isoformat()), texts.day(inventory.last.isoformat())
    key = texts.noun(inventory.runs, "inventory_runs")
    yield key.format(first=first, last=last, n=texts.number(inventory.runs))
    if not inventory.organisations:
        yield texts("inventory_nothing")
    for supplier in inventory.suppliers:
        yield f"{texts('inventory_supplier')}: {supplier.name}"
        for organisation in supplier.organisations:
            yield f"  {organisation.name}"
            yield from (f"    {_terminal_line(error, texts)}" for error in organisation.errors)
    yield texts("inventory_written", folder=folder)


def _terminal_line(error: Error, texts: Texts) -> str:
    cases = len(error.cases)
    left = "" if error.left is None else texts("inventory_left", n=error.left)
    fixed = ""
    if error.fixed:
        fixed = ", " + texts("inventory_fixed_at", at=texts.moment(iso_datetime(error.fixed)))
    return texts(
        "inventory_terminal",
        code=f"{error.explanation.code:<26}",
        cases=f"{texts.number(cases):>6} {texts.noun(cases, 'inventory_case')}",
        left=left,
        since=texts.moment(iso_datetime(error.since)),
        fixed=fixed,
    )
