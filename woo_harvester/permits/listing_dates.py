"""Reads dates in directory listings, by a table of the notations of web servers in Dutch and English.

All web servers show a file's date with a time of day. A date without a time is not read: a page may show days
that have nothing to do with its files, such as the day of a permit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from woo_harvester.utils.dates import AMSTERDAM

#: Characters of a row's text in which a date is searched.
SEARCHED = 400

#: First letters of the months in Dutch and English.
_BEGINNINGS = "jan feb mrt/maa/mar apr mei/may jun jul aug sep okt/oct nov dec"
_MONTHS = {name: n for n, names in enumerate(_BEGINNINGS.split(), start=1) for name in names.split("/")}
_NAME = f"(?P<name>{'|'.join(_MONTHS)})[a-z]{{0,6}}\\.?"
_DAY, _MONTH, _YEAR = r"(?P<day>\d{1,2})", r"(?P<month>\d{1,2})", r"(?P<year>\d{4})"

#: The notations of a day.
_NOTATIONS = (
    rf"{_YEAR}[-/]{_MONTH}[-/]{_DAY}",  # Apache 2.4, and the attribute of a time element
    rf"{_DAY}-{_NAME}-{_YEAR}",  # nginx, Apache 2.2
    rf"{_YEAR}-{_NAME}-{_DAY}",  # lighttpd, nginx's fancyindex
    rf"{_MONTH}/{_DAY}/{_YEAR}(?=\D{{1,20}}[\d:]{{4,8}}.?[ap]\.?m)",  # IIS in American English
    rf"{_DAY}[/.-]{_MONTH}[/.-]{_YEAR}",  # IIS elsewhere
    rf"{_DAY}\.? {_NAME} {_YEAR}",  # IIS with long dates, Tomcat
    rf"{_NAME} {_DAY}, ?{_YEAR}",  # IIS with long dates in English, Jetty
)
_GAP = r"(?:T|,?[ \u00a0\t]{1,20}(?:(?:at|om)[ \u00a0]+)?)"
_TIME = r"(?P<hour>\d{1,2}):(?P<rest>\d\d(?P<second>:\d\d)?)(?:\.\d+)?"
_HALF = r"(?:[ \u00a0\u202f]?(?P<half>[ap])\.?m\b\.?)?"
_ZONE = r"(?:[ \u00a0]?(?P<zone>GMT|UTC|Z\b|[+-]\d{2}:?\d{2}\b))?"
_CLOCK = _GAP + _TIME + _HALF + _ZONE
_PATTERNS = [re.compile(rf"(?<![\w.:/-]){each}{_CLOCK}", re.IGNORECASE) for each in _NOTATIONS]
_TIME_OF_DAY = re.compile(r"\d:\d\d")


@dataclass(frozen=True, slots=True)
class Stamp:
    """The date of a file in a listing."""

    moment: datetime
    """Naive if the listing shows no time zone, as is usual."""
    to_the_second: bool
    """True if the listing shows seconds; most show minutes."""

    def as_utc(self) -> datetime:
        """Return the moment in UTC. Without time zone it is Dutch time, as Apache and IIS write it."""
        return (self.moment if self.moment.tzinfo else self.moment.replace(tzinfo=AMSTERDAM)).astimezone(UTC)

    def readings(self) -> tuple[datetime, ...]:
        """Return the moments in UTC that it can stand for: nginx writes UTC, Apache and IIS local time."""
        return (self.as_utc(),) if self.moment.tzinfo else (self.moment.replace(tzinfo=UTC), self.as_utc())

    def __str__(self) -> str:
        """Return the form that the state keeps, so that two runs can compare it."""
        return self.moment.isoformat(timespec="seconds" if self.to_the_second else "minutes")


def find_date(text: str) -> Stamp | None:
    """Return the first date with a time in the *text* of a row; None if there is none, or no possible one."""
    if not _TIME_OF_DAY.search(text):
        return None
    match = next(filter(None, (pattern.search(text[:SEARCHED]) for pattern in _PATTERNS)), None)
    if match is None:
        return None
    part = match.groupdict()
    month = _MONTHS[part["name"].lower()] if "name" in part else int(part["month"])
    hour = int(part["hour"])
    if part["half"]:
        hour = hour % 12 + 12 * (part["half"] in "pP")
    zone = (part["zone"] or "").upper().replace("GMT", "Z").replace("UTC", "Z")
    day = f"{part['year']}-{month:02}-{int(part['day']):02}"
    try:
        moment = datetime.fromisoformat(f"{day}T{hour:02}:{part['rest']}{zone}")
    except ValueError:
        return None
    # No file has another year, and in another time zone it may be none.
    return Stamp(moment, part["second"] is not None) if 1970 <= moment.year < 9999 else None
