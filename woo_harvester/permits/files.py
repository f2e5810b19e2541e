"""Compares a file with the version that was read before: by date, conditional request or content.

A link without the extension of XML may lead to something else. That is remembered, and asked for again later.

Source: seed "Vergunningen op Internet IPM 4.0: Harvesting van metadata", "Directory of spider-pagina".
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import NamedTuple

from woo_harvester.permits.listing_dates import Stamp

#: Most listings show minutes. A file younger than this may be written again and keep the same date.
_MAY_CHANGE = timedelta(minutes=2)

#: After so long a link that gave no message is asked for again: one to a script, which may have failed on
#: that day, and one of a menu. Both are shorter than the week in which a message is offered.
_SCRIPT_AGAIN = timedelta(hours=20)
_MENU_AGAIN = timedelta(days=3)


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


def is_due_again(
    first: datetime, last: datetime, now: datetime, *, is_made_on_request: bool, most: timedelta
) -> bool:
    """Return whether a link that led to no message is to be asked for again.

    It was asked for *first* and *last* at these moments. The time until the next request is as long as it has
    led to no message, and *most* at the longest: a server may send an error page as if all is well for a day.
    """
    least = _SCRIPT_AGAIN if is_made_on_request else _MENU_AGAIN
    wait = max(least, min(last - first, most))
    return not timedelta() <= now - last < wait  # a clock may have been set back
