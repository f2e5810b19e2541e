"""All files of a report, made from what a run left in its folder."""

from __future__ import annotations

from pathlib import Path

from woo_harvester.findings import Language
from woo_harvester.report.assemble import assemble_report
from woo_harvester.report.atomic import replace_file
from woo_harvester.report.badge import badge
from woo_harvester.report.coverage_csv import write_coverage_csv
from woo_harvester.report.csv_file import write_csv
from woo_harvester.report.feed import feed
from woo_harvester.report.history import History
from woo_harvester.report.html import render
from woo_harvester.report.json_file import read_head
from woo_harvester.report.run_folder import RunFolder


def make_report(
    folder: RunFolder,
    *,
    lang: Language = "nl",
    history: bool = True,
    base_url: str | None = None,
    is_current: bool | None = None,
) -> Path:
    """Write the report in the folder of a run, as JSON, CSV and HTML. Return the path of the page.

    With *history*, also write in the folder of all reports: a file about the run, and a badge and a feed for
    each host. The names of those never change, so that publishers can link to them. *base_url* is the URL of
    that folder, for the links in feeds. If the report *is_current*, the pages of single hosts replace those
    in the folder of all reports too; by default it is if it has a *history*. Raises OSError, and ValueError
    for a file that a run cannot have written.
    """
    past = History(folder.reports.history) if history else None
    assemble_report(folder, history=past, lang=lang)
    write_csv(folder)
    head = read_head(folder.report)
    write_coverage_csv(folder, head)
    if is_current is None:
        is_current = history
    page = render(
        folder, lang=lang, host_pages=folder.reports.host_pages(head.run.kind) if is_current else None
    )
    if past:
        _publish(folder, past, lang, base_url)
    return page


def _publish(folder: RunFolder, history: History, lang: Language, base_url: str | None) -> None:
    """Write badges and feeds. A run whose page was removed has no link in the feeds any more."""
    run = read_head(folder.report).run
    kind = run.kind
    runs = history.until(run.name, run.kind).runs
    reports = folder.reports
    with_page = {then.run for then in runs if reports.run(then.run).page.exists()}
    for made in (reports.badges(kind), reports.feeds(kind)):
        made.mkdir(parents=True, exist_ok=True)
    for host, then in runs[-1].hosts.items():
        replace_file(reports.badge(host, kind), badge(then, lang, kind).encode())
        replace_file(
            reports.feed(host, kind),
            feed(host, runs, lang=lang, kind=kind, base_url=base_url, has_page=with_page.__contains__),
        )
