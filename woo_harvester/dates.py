"""Dates and moments: read from what publishers write, written as the record has them.

Between reading and writing a moment is a ``datetime`` in UTC. Two moments in the zone Europe/Amsterdam would
be compared by their clocks, which repeat an hour every autumn (PEP 495).
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo

from dateutil.parser import isoparser

AMSTERDAM = ZoneInfo("Europe/Amsterdam")

#: Dutch time before 1946, where it had offsets with odd seconds, which ISO 8601 cannot write.
_BEFORE_1946 = timezone(timedelta(hours=1))
#: Beyond these a moment has no date in one zone or another.
EARLIEST = datetime(1, 1, 1, tzinfo=UTC)
LATEST = datetime(9999, 12, 31, 22, 59, 59, 999999, tzinfo=UTC)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"
_ZONE = "(?:Z|[+-](?:(?:0[0-9]|1[0-3]):?[0-5][0-9]|14:?00))"
#: What ``datetime.fromisoformat`` reads right. It alone would also take weeks and dates without hyphens.
_COMMON = re.compile(f"{_DAY}(?:[T ]{_TIME}{_ZONE}?)?")
#: A day with a zone, and a second T before the zone: an example in the seed page "Tijdformaten".
_WITH_ZONE = re.compile(f"({_DAY})(?:[T ]({_TIME})T)?({_ZONE})")
_YEAR_OR_MONTH = re.compile("[0-9]{4}(?:-[0-9]{2})?")
_XS_DATE = re.compile(f"({_DAY}){_ZONE}?")

_iso = isoparser()


def parse_datetime(text: str) -> datetime:
    """The moment that a text stands for, in UTC.

    Reads xs:dateTime, xs:date and the W3C's profile of ISO 8601 (``YYYY``, ``YYYY-MM``), with a space for the
    T, an offset without colon or after a second T, and any number of decimals (microseconds count). Without a
    zone it is Dutch local time, summer time included; of an hour that comes twice, the first. A day without a
    time is its midnight. Raises ValueError for anything else, and for moments outside of the years 1 to 9999.
    Source: seed "Tijdformaten"; https://www.w3.org/TR/NOTE-datetime.
    """
    text = text.strip()
    return _midnight(text) if len(text) == len("YYYY-MM-DD") else _moment(text)


def parse_date(text: str) -> date:
    """The day that a text stands for: an xs:date as written, whatever its zone; a date-time's Dutch day.

    Raises ValueError for anything else; a year or month alone is no day.
    """
    text = text.strip()
    if match := _XS_DATE.fullmatch(text):
        return date.fromisoformat(match[1])
    if _YEAR_OR_MONTH.fullmatch(text):
        raise ValueError(f"Expected a day such as 2024-04-02, got {text!r}")
    return day_of(parse_datetime(text))


def iso_datetime(moment: datetime) -> str:
    """An aware date-time as the record has it: with the Dutch offset, decimals only where it has some."""
    return _dutch(moment).isoformat()


def iso_seconds(seconds: int) -> str:
    """A moment in seconds since 1970 as ISO 8601 with its offset in Europe/Amsterdam."""
    return iso_datetime(datetime.fromtimestamp(seconds, UTC))


def iso_date(day: date) -> str:
    """A day as the record has it: ``YYYY-MM-DD``. Of an aware date-time, its day in Dutch time."""
    return day_of(day).isoformat() if isinstance(day, datetime) else day.isoformat()


def day_of(moment: datetime) -> date:
    """The day on which an aware date-time falls in the Netherlands."""
    return _dutch(moment).date()


def moment_after(last: datetime | None, now: datetime) -> datetime:
    """The moment of a version after one of *last*: *now*, in whole seconds, or else a second after *last*.

    By their moments whoever reads the records tells the newer version: a clock that was set back must not
    make it look older than the one before.
    """
    now = now.replace(microsecond=0)
    return now if last is None or now > last else last + timedelta(seconds=1)


def to_microseconds(moment: datetime) -> int:
    """Return an aware date-time as microseconds since 1970, as the state keeps it."""
    return (moment - _EPOCH) // _MICROSECOND


def from_microseconds(value: int) -> datetime:
    """Return microseconds since 1970 as an aware date-time in UTC."""
    return _EPOCH + value * _MICROSECOND


def _moment(text: str) -> datetime:
    """The moment in UTC; see parse_datetime."""
    try:
        moment = _read(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=AMSTERDAM if moment.year >= 1946 else _BEFORE_1946)
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(
            f"Expected a date-time such as 2024-04-02T10:00:00+02:00, got {text!r}: {error}"
        ) from None
    if not EARLIEST <= moment <= LATEST:
        raise ValueError(f"Expected a date-time in the years 1 to 9999, got {text!r}")
    return moment


#: The same days come by for every document of a publisher that gives no times.
_midnight = lru_cache(maxsize=4096)(_moment)


def _read(text: str) -> datetime:
    """The date-time that stands there, with its zone where it has one."""
    if _COMMON.fullmatch(text):
        # fromisoformat learns to read 24:00 in Python 3.14 only.
        return _iso.isoparse(text) if text[11:13] == "24" else datetime.fromisoformat(text)
    if match := _WITH_ZONE.fullmatch(text):
        day, time, zone = match.groups("00:00")
        return _iso.isoparse(f"{day}T{time}{zone}")
    if _YEAR_OR_MONTH.fullmatch(text):
        return _iso.isoparse(text)
    raise ValueError("no such notation")


def _dutch(moment: datetime) -> datetime:
    """The same moment on Dutch clocks."""
    return moment.astimezone(AMSTERDAM if moment.year >= 1946 else _BEFORE_1946)
