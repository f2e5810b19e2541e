"""Makes everything that a run's report is, from what the run left in its folder."""

from __future__ import annotations

import os
from pathlib import Path

from woo_harvester.findings import Language
from woo_harvester.report.badge import badge
from woo_harvester.report.build import build
from woo_harvester.report.feed import feed
from woo_harvester.report.file import read_head
from woo_harvester.report.history import History
from woo_harvester.report.html import render
from woo_harvester.report.html.page import slug
from woo_harvester.report.table import write_csv


def make_report(
    folder: Path, *, lang: Language = "nl", history: bool = True, base_url: str | None = None
) -> Path:
    """Make ``report.json``, ``report.csv``, ``index.html`` and ``hosts/`` in the folder of a run.

    With *history*, ``history/`` beside it gets a file about the run, ``badges/`` a badge and ``feeds/`` a
    feed of each host: their names stay the same, so that publishers can refer to them. *base_url* is where
    the folder of all reports is published, for the links in feeds. Returns the path of ``index.html``. Raises
    OSError, and ValueError for files that are not what a run writes.
    """
    reports = folder.parent
    past = History(reports / "history") if history else None
    report = build(folder, history=past, lang=lang)
    write_csv(report)
    page = render(report, lang=lang)
    if past:
        _publish(report, reports, past, lang, base_url)
    return page


def _publish(report: Path, reports: Path, history: History, lang: Language, base_url: str | None) -> None:
    """Write badges and feeds; somebody may be reading the old ones, so each is replaced as a whole."""
    run = read_head(report).run
    runs = history.until(run.name, run.kind).runs
    badges, feeds = reports / "badges", reports / "feeds"
    badges.mkdir(exist_ok=True)
    feeds.mkdir(exist_ok=True)
    for host, then in runs[-1].hosts.items():
        _replace(badges / f"{slug(host)}.svg", badge(then, lang).encode())
        _replace(feeds / f"{slug(host)}.xml", feed(host, runs, lang=lang, base_url=base_url))


def _replace(path: Path, content: bytes) -> None:
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.tmp")  # runs may end at the same time
    unfinished.write_bytes(content)
    unfinished.replace(path)
