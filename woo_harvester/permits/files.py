"""Whether a file is new: by the date of a listing, by a conditional request, or by its content.

Source: seed "Vergunningen op Internet IPM 4.0: Harvesting van metadata", "Directory of spider-pagina".
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import NamedTuple

from woo_harvester.permits.listing_dates import Stamp

#: Listings tell the minute: a file that is younger than this may be written again with the same date.
SETTLED_AFTER = timedelta(minutes=2)


class Ask(Enum):
    """How a file is asked for."""

    FETCH = auto()
    """It is new, or may be."""
    CONDITIONALLY = auto()
    """With the Last-Modified and ETag of last time: nothing here tells."""
    NOT = auto()
    """It is the file that was read before."""


@dataclass(frozen=True, slots=True)
class FileKnown:
    """What is remembered of a file that was read, valid or not."""

    digest: str
    """Of its content."""
    date: str | None = None
    """Its date by the listing, as ``str(Stamp)``."""
    now: bool = False
    """Its date was the moment of the request, so the date says nothing: the content decides."""


class Judged(NamedTuple):
    """What a file that was fetched turns out to be."""

    known: FileKnown
    """To be remembered."""
    changed: bool
    """Its content is new, so it is to be processed."""
    always_now: bool
    """``ipm.datum-nu``: its date was that of the request in two runs running, with the same content."""


def how_to_ask(date: Stamp | None, known: FileKnown | None) -> Ask:
    """How to ask for a file, by its date in the listing of now and what is remembered of it."""
    if known is None or known.now:
        return Ask.FETCH
    if date is None:
        return Ask.CONDITIONALLY
    return Ask.NOT if str(date) == known.date else Ask.FETCH


def judge(
    known: FileKnown | None,
    digest: str,
    date: Stamp | None,
    asked: datetime,
    last_modified: datetime | None = None,
) -> Judged:
    """What a fetched file turns out to be.

    *date* is that of the listing, which was asked for at the moment *asked*; without one, *last_modified* is
    the header of the file, which then was. Both moments are aware.
    """
    moments = date.readings() if date is not None else (last_modified,) if last_modified is not None else ()
    now = any(abs(asked - moment) < SETTLED_AFTER for moment in moments)
    same = known is not None and known.digest == digest
    always_now = known is not None and known.now and same and now
    return Judged(FileKnown(digest, None if date is None else str(date), now), not same, always_now)
