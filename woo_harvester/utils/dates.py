"""Read the dates and date-times that publishers write, and write those of the record.

In between, a moment is a ``datetime`` in UTC. Python compares two moments in the zone Europe/Amsterdam by
their local clock, which repeats an hour every autumn (PEP 495).
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo

from dateutil.parser import isoparser

AMSTERDAM = ZoneInfo("Europe/Amsterdam")

#: The zone used for moments before 1946: Dutch offsets then had odd seconds, which ISO 8601 cannot write.
_BEFORE_1946 = timezone(timedelta(hours=1))
#: The limits of a moment. Beyond them it has no date in UTC or in Dutch time.
_EARLIEST = datetime(1, 1, 1, tzinfo=UTC)
_LATEST = datetime(9999, 12, 31, 22, 59, 59, 999999, tzinfo=UTC)

#: Clocks of servers differ; a moment this much ahead says nothing about its publisher.
CLOCK_SLACK = timedelta(minutes=5)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"
_ZONE = "(?:Z|[+-](?:(?:0[0-9]|1[0-3]):?[0-5][0-9]|14:?00))"
#: Notations for ``datetime.fromisoformat``, which would also accept weeks and dates without hyphens.
_COMMON = re.compile(f"{_DAY}(?:[T ]{_TIME}{_ZONE}?)?")
#: A day with a zone, and a second T before the zone: an example in the seed "Tijdformaten".
_WITH_ZONE = re.compile(f"({_DAY})(?:[T ]({_TIME})T)?({_ZONE})")
_YEAR_OR_MONTH = re.compile("[0-9]{4}(?:-[0-9]{2})?")
_XS_DATE = re.compile(f"({_DAY}){_ZONE}?")
_PERIOD = re.compile(f"([0-9]{{4}})(?:-([0-9]{{2}})(?:-([0-9]{{2}})({_ZONE})?)?)?")

_iso = isoparser()


def parse_datetime(text: str) -> datetime:
    """Return the moment in a text, in UTC.

    The text is an xs:dateTime, an xs:date, or the W3C's profile of ISO 8601 (``YYYY``, ``YYYY-MM``). A space
    for the T, an offset without colon or after a second T, and any number of decimals are accepted;
    microseconds count. A text without a zone is Dutch local time, with summer time; an hour that occurs twice
    is the first one. A day without a time is its midnight. The first day of the year 1, which software writes
    for no date, begins in UTC. Raises ValueError for any other text, and for moments outside the years 1 to
    9999. Source: seed "Tijdformaten"; https://www.w3.org/TR/NOTE-datetime.
    """
    text = text.strip()
    return _midnight(text) if len(text) == len("YYYY-MM-DD") else _moment(text)


def parse_end(text: str) -> datetime:
    """Return the moment, in UTC, at which a period ends.

    A day alone belongs to the period: it ends at 23:59:59 in the zone of that day, which is Dutch time if the
    text has none. A year or month alone belongs to it in the same way. Any other text is read as by
    :func:`parse_datetime`. Raises ValueError like that function.
    """
    text = text.strip()
    match = _PERIOD.fullmatch(text)
    return _last_second(*match.groups("")) if match else parse_datetime(text)


def parse_date(text: str) -> date:
    """Return the day in a text: of an xs:date as written, without its zone; of a date-time in Dutch time.

    Raises ValueError for any other text; a year or month alone is no day.
    """
    text = text.strip()
    if match := _XS_DATE.fullmatch(text):
        return date.fromisoformat(match[1])
    if _YEAR_OR_MONTH.fullmatch(text):
        raise ValueError(f"Expected a day such as 2024-04-02, got {text!r}")
    return day_of(parse_datetime(text))


def iso_datetime(moment: datetime) -> str:
    """Return an aware date-time as the record has it: with the Dutch offset, and decimals if it has any."""
    return _dutch(moment).isoformat()


def iso_now() -> str:
    """Return the present moment as :func:`iso_datetime` does, without fractions of a second."""
    return iso_datetime(datetime.now(UTC).replace(microsecond=0))


@lru_cache(maxsize=4096)  # many records share the moment of a harvest, or a day on which many were signed
def with_dutch_offset(moment: datetime) -> datetime:
    """Return the same moment with the offset that Dutch time has then, so that it is written with that.

    The zone is the offset alone: two such moments are compared as moments.
    """
    dutch = _dutch(moment)
    return dutch.replace(tzinfo=timezone(dutch.utcoffset() or timedelta()))


def iso_seconds(seconds: int) -> str:
    """Return a moment in seconds since 1970 as ISO 8601 with its offset in Europe/Amsterdam."""
    return iso_datetime(datetime.fromtimestamp(seconds, UTC))


def day_of(moment: datetime) -> date:
    """Return the day of an aware date-time in Dutch time."""
    return _dutch(moment).date()


def moment_after(last: datetime | None, now: datetime) -> datetime:
    """Return the moment of the version after one of *last*: *now* in seconds, or a second after *last*.

    Readers of the records find the newest version by this moment. A clock that was set back must not make it
    look older than the version before.
    """
    now = now.replace(microsecond=0)
    return now if last is None or now > last else last + timedelta(seconds=1)


def is_no_date(moment: datetime) -> bool:
    """Return whether a moment is one that software writes for no date: until 1900, or 1970-01-01."""
    return moment.year <= 1900 or abs(moment - _EPOCH) < timedelta(days=1)


def to_microseconds(moment: datetime) -> int:
    """Return an aware date-time as microseconds since 1970, as the state keeps it."""
    return (moment - _EPOCH) // _MICROSECOND


def from_microseconds(value: int) -> datetime:
    """Return microseconds since 1970 as an aware date-time in UTC."""
    return _EPOCH + value * _MICROSECOND


def _moment(text: str) -> datetime:
    """Return the moment in UTC; see parse_datetime."""
    try:
        moment = _read(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=AMSTERDAM if moment.year >= 1946 else _BEFORE_1946)
        moment = moment.astimezone(UTC) if moment.date() > date.min else _EARLIEST
    except (ValueError, OverflowError) as error:
        raise ValueError(
            f"Expected a date-time such as 2024-04-02T10:00:00+02:00, got {text!r}: {error}"
        ) from None
    if not _EARLIEST <= moment <= _LATEST:
        raise ValueError(f"Expected a date-time in the years 1 to 9999, got {text!r}")
    return moment


#: A cache for days without a time: all documents of some publishers share the same days.
_midnight = lru_cache(maxsize=4096)(_moment)


@lru_cache(maxsize=4096)
def _last_second(year: str, month: str, day: str, zone: str) -> datetime:
    """Return the last second of a day, or of a month or year if the parts after it are empty."""
    month = month or "12"
    if not day:
        day = str(monthrange(int(year), int(month))[1]) if "01" <= month <= "12" else "31"
    return _moment(f"{year}-{month}-{day}T23:59:59{zone}")


def _read(text: str) -> datetime:
    """Return the date-time as written, with its zone if it has one."""
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
    """Return the same moment in Dutch time."""
    return moment.astimezone(AMSTERDAM if moment.year >= 1946 else _BEFORE_1946)
