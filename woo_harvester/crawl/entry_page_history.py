"""Reports what an entry page does wrong over the days: files that go too soon, or never; cases that ended."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from woo_harvester.dates import day_of, iso_seconds
from woo_harvester.state.permit_history import (
    GoneFile,
    PageHistory,
    ended_cases,
    missing_files,
    note_complete_read,
)
from woo_harvester.urls import host_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from woo_harvester.crawl.entry_pages import EntryPageVisit

_DAY = 86_400  # seconds

#: A file is offered for so long at least. Source: seed "Vergunningen op Internet IPM 4.0", section "Hoe lang
#: moet u de bestanden blijven aanbieden?".
_OFFERED = 7 * _DAY
#: A listing with more files than this grows for ever if none has gone for so long.
_MANY_FILES = 1000
_GROWING = 365 * _DAY


def report_undated(visit: EntryPageVisit) -> None:
    """Report once that files of a page have no date at all, and are fetched completely in each run."""
    if visit.undated:
        seen = f"{_files(visit.undated)} zonder datum, Last-Modified en ETag"
        visit.report("ipm.zonder-datum", url=visit.page.url, seen=seen, action="de inhoud is vergeleken")


def note_files(connection: Connection, visit: EntryPageVisit, now: datetime) -> None:
    """Note which files a page lists after a complete read, and report those that went too soon or never."""
    moment = int(now.timestamp())
    gone = missing_files(connection, visit.number, visit.listed, lambda url: host_of(url) in visit.page.hosts)
    history = note_complete_read(connection, visit.number, [file.number for file in gone], moment)
    _report_short(visit, gone, moment)
    _report_growing(visit, history, moment)


def report_ended(connection: Connection, visit: EntryPageVisit, now: datetime, days: float) -> None:
    """Report the cases of a page whose period ended more than so many *days* ago, if the page was read."""
    if not visit.complete:
        return
    ended = ended_cases(connection, visit.number, day_of(now) - timedelta(days=days))
    if ended is not None:
        cases = "1 zaak" if ended.cases == 1 else f"{ended.cases} zaken"
        seen = f"{cases}; het eerst afgelopen: {ended.identifier}, op {ended.ends}"
        visit.report("ipm.verlopen", url=visit.page.url, seen=seen, action="de zaken blijven staan")


def _report_short(visit: EntryPageVisit, gone: Sequence[GoneFile], now: int) -> None:
    """Report the files that a page listed for less than a week.

    A file that is invalid, or about another organisation's case, may go at any time: that fixes it.
    """
    began = ((file.url, file.began()) for file in gone if file.is_message)
    short = [url for url, moment in began if moment is not None and 0 <= now - moment < _OFFERED]
    if short:
        seen = f"{_files(len(short))}, zoals {short[0]}"
        visit.report("ipm.te-kort", url=visit.page.url, seen=seen, action="de zaken blijven staan")


def _report_growing(visit: EntryPageVisit, history: PageHistory, now: int) -> None:
    since = max(history.complete_since, history.gone_at or 0)
    if visit.files > _MANY_FILES and now - since >= _GROWING:
        seen = f"{_files(visit.files)}; sinds {iso_seconds(since)[:10]} is er geen verdwenen"
        visit.report("ipm.groeiend", url=visit.page.url, seen=seen)


def _files(count: int) -> str:
    return "1 bestand" if count == 1 else f"{count} bestanden"
