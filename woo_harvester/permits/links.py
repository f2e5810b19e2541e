"""Decides which links of an entry page are requested: by date, by what the link led to before, by sample.

Source: seed "Vergunningen op Internet IPM 4.0: Harvesting van metadata", "Directory of spider-pagina".
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import NamedTuple

from woo_harvester.findings import Finding, Reporter
from woo_harvester.permits.listing import Link
from woo_harvester.permits.listing_dates import Stamp

#: Most listings show minutes. A file younger than this may be written again and keep the same date.
_MAY_CHANGE = timedelta(minutes=2)

#: After so long a link that gave no message is asked for again for the first time: in the next day's run.
_AGAIN = timedelta(hours=20)


class Ask(Enum):
    """Way to request a file."""

    FETCH = auto()
    """Without conditions: it is new, or may be."""
    CONDITIONALLY = auto()
    """With the Last-Modified and ETag of last time: the listing has no date."""
    NOT = auto()
    """Not at all: it is the file that was read before."""


@dataclass(frozen=True, slots=True)
class RememberedFile:
    """A file that was read, valid or not, as the state keeps it."""

    digest: str
    """SHA-256 of its content, in hexadecimals; ``NO_MESSAGE`` for a link that led to something else."""
    date: str | None = None
    """Its date in the listing, as ``str(Stamp)``; None if the listing has none."""
    now: bool = False
    """True if its date was the moment of the request. Then the date says nothing, and the content decides."""


#: A link that led to no message, as the state keeps it: without a content.
NO_MESSAGE = ""


class Comparison(NamedTuple):
    """A fetched file, compared with what was remembered of it."""

    known: RememberedFile
    """The file as the state is to keep it."""
    changed: bool
    """True if its content is new, so that the message in it has to be read."""
    always_now: bool
    """True if its date was the moment of the request in two runs in a row, with the same content.

    That is the finding ``ipm.datum-nu``.
    """


def how_to_ask(date: Stamp | None, known: RememberedFile | None) -> Ask:
    """Return how to request a file, by its *date* in the listing of now and what is remembered of it."""
    if known is None or known.now:
        return Ask.FETCH
    if date is None:
        return Ask.CONDITIONALLY
    return Ask.NOT if str(date) == known.date else Ask.FETCH


def compare_file(
    known: RememberedFile | None,
    digest: str,
    date: Stamp | None,
    asked: datetime,
    last_modified: datetime | None = None,
) -> Comparison:
    """Compare a fetched file with what is known of it.

    *date* is its date in the listing, and *asked* the moment of the request for the listing. If the listing
    has no date, *last_modified* is the header of the file, and *asked* the moment of the request for the
    file. Both moments are aware.
    """
    moments = date.readings() if date is not None else (last_modified,) if last_modified is not None else ()
    now = any(abs(asked - moment) < _MAY_CHANGE for moment in moments)
    same = known is not None and known.digest == digest
    always_now = known is not None and known.now and same and now
    return Comparison(RememberedFile(digest, None if date is None else str(date), now), not same, always_now)


def is_due_again(first: datetime, last: datetime, now: datetime, most: timedelta) -> bool:
    """Return whether a link that led to no message is to be asked for again.

    It was asked for *first* and *last* at these moments. The time until the next request is as long as it has
    led to no message, and *most* at the longest: a server may send an error page as if all is well for a day.
    """
    wait = max(_AGAIN, min(last - first, most))
    return not timedelta() <= now - last < wait  # a clock may have been set back


#: Findings that may be due to messages that were not read.
_NEEDS_ALL_MESSAGES = frozenset({"ipm.zaak-onbekend", "ipm.document-onbekend", "ipm.document-zonder-zaak"})


def first_and_last(links: Sequence[Link], size: int) -> Sequence[Link]:
    """Return at most *size* links, half of them the first and half the last of the page.

    A *size* of 0 returns all links. Links that have the extension of XML come first.
    """
    if not size or len(links) <= size:
        return links
    chosen = list[Link]()
    for is_xml in (True, False):
        group = [link for link in links if link.is_xml is is_xml]
        left = min(size - len(chosen), len(group))
        chosen += group[: left // 2] + group[len(group) - left + left // 2 :]
    return chosen


def without_the_rest(report: Reporter, hosts: Collection[str]) -> Reporter:
    """Return a reporter that leaves out what only messages beyond a sample can show.

    *hosts* are those of which a sample was read.
    """

    def send(finding: Finding) -> None:
        if finding.code not in _NEEDS_ALL_MESSAGES or finding.host not in hosts:
            report.send(finding)

    return Reporter(send) if hosts else report
