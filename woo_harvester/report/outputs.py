"""All files of a report, made from what a run left in its folder."""

from __future__ import annotations

from pathlib import Path

from woo_harvester.findings import Language
from woo_harvester.report.assemble import assemble_report
from woo_harvester.report.coverage_csv import write_coverage_csv
from woo_harvester.report.csv_file import write_csv
from woo_harvester.report.history import History
from woo_harvester.report.html import render
from woo_harvester.report.json_file import read_head
from woo_harvester.report.run_folder import RunFolder


def make_report(
    folder: RunFolder,
    *,
    lang: Language = "nl",
    history: bool = True,
    is_current: bool | None = None,
) -> Path:
    """Write the report in the folder of a run, as JSON, CSV and HTML. Return the path of the page.

    With *history*, also write a file about the run in the folder of all reports. If the report *is_current*,
    the pages of single hosts replace those in that folder too; by default it is if it has a *history*. Raises
    OSError, and ValueError for a file that a run cannot have written.
    """
    past = History(folder.reports.history) if history else None
    assemble_report(folder, history=past, lang=lang)
    write_csv(folder)
    head = read_head(folder.report)
    write_coverage_csv(folder, head)
    if is_current is None:
        is_current = history
    host_pages = folder.reports.host_pages(head.run.kind) if is_current else None
    return render(folder, lang=lang, host_pages=host_pages)
