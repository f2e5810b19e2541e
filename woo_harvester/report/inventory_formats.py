"""The inventory of errors in permits as HTML, CSV, JSON and lines for a terminal."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from woo_harvester.dates import iso_datetime
from woo_harvester.report.csv_file import cell
from woo_harvester.report.html.environment import environment, page_parts
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.inventory import Case, Error, Inventory, OrganisationErrors

#: Files that the HTML page shows for one error. The JSON has all of them.
_SHOWN = 20

_HEADS = ("organisatie", "naam", "code", "ernst", "wat", "sinds", "gevallen", "open", "hersteld")


def as_json(inventory: Inventory) -> str:
    """Return the complete inventory as JSON, with each case."""
    output = {
        "van": inventory.first.isoformat(),
        "tot": inventory.last.isoformat(),
        "rondes": inventory.runs,
        "organisaties": [
            {
                "organisatie": organisation.id,
                "naam": organisation.name,
                "fouten": [
                    {**_row(organisation, error), "gevallen": [_case_values(case) for case in error.cases]}
                    for error in organisation.errors
                ],
            }
            for organisation in inventory.organisations
        ],
    }
    return json.dumps(output, ensure_ascii=False, indent=2, default=_written) + "\n"


def as_csv(inventory: Inventory) -> str:
    """Return the inventory as CSV, with a row for each error of each organisation."""
    file = io.StringIO()
    writer = csv.DictWriter(file, _HEADS, lineterminator="\r\n", extrasaction="ignore")
    writer.writeheader()
    for organisation in inventory.organisations:
        for error in organisation.errors:
            writer.writerow(
                {name: cell(value) for name, value in _row(organisation, error).items() if value is not None}
            )
    return file.getvalue()


def as_html(inventory: Inventory) -> str:
    """Return the inventory as an HTML page: what is wrong, since when, and how to fix it."""
    template = environment().get_template("inventory.html")
    return template.render(
        t=Texts("nl"), inventory=inventory, shown=_SHOWN, moment=iso_datetime, **page_parts()
    )


def _row(organisation: OrganisationErrors, error: Error) -> dict[str, Any]:
    return {
        "organisatie": organisation.id,
        "naam": organisation.name,
        "code": error.explanation.code,
        "ernst": str(error.explanation.severity),
        "wat": error.explanation.what,
        "herstel": error.explanation.mend,
        "sinds": iso_datetime(error.since),
        "gevallen": len(error.cases),
        "open": error.left,
        "hersteld": None if error.fixed is None else iso_datetime(error.fixed),
    }


def _case_values(case: Case) -> dict[str, Any]:
    """Return the values of a case in the JSON, absent ones left out."""
    values = {
        "url": case.url,
        "since": case.since,
        "last": case.last,
        "mended": case.fixed,
        "line": case.line,
        "element": case.element,
        "seen": case.seen,
    }
    return {name: value for name, value in values.items() if value is not None}


def _written(value: datetime) -> str:
    return iso_datetime(value)


def _to_the_minute(value: datetime | None) -> str:
    return "" if value is None else iso_datetime(value)[:16].replace("T", " ")


FORMATS = {"html": as_html, "csv": as_csv, "json": as_json}


def terminal_lines(inventory: Inventory) -> Sequence[str]:
    """Return lines for a terminal: for each organisation its name and a line for each error."""
    lines = []
    for organisation in inventory.organisations:
        lines.append(organisation.name)
        for error in organisation.errors:
            left = "" if error.left is None else f", {error.left} open"
            fixed = f", hersteld {_to_the_minute(error.fixed)}" if error.fixed else ""
            lines.append(
                f"  {error.explanation.code:<26} {len(error.cases):>6} gevallen{left}, "
                f"sinds {_to_the_minute(error.since)}{fixed}"
            )
    return lines
