"""Days, moments and sizes as a Dutch reader writes them."""

from __future__ import annotations

from datetime import date, datetime

from jinja2.filters import do_filesizeformat

from woo_harvester.dates import AMSTERDAM, parse_datetime

_MONTHS = (
    "januari", "februari", "maart", "april", "mei", "juni",
    "juli", "augustus", "september", "oktober", "november", "december",
)  # fmt: skip


def day(moment: str | date | None) -> str:
    """Return a day such as ``9 januari 2024``, in Dutch time; a text that is no date stays as it is."""
    found = _local(moment)
    return f"{found.day} {_MONTHS[found.month - 1]} {found.year}" if found else str(moment or "")


def day_and_time(moment: str | datetime | None) -> str:
    """Return a day with its time, such as ``9 januari 2024, 8:05 uur``; the day alone for one without."""
    found = _local(moment)
    if found is None or (isinstance(moment, str) and len(moment) <= len("YYYY-MM-DD")):
        return day(moment)
    return f"{day(moment)}, {found.hour}:{found.minute:02} uur"


def size(number: float | None) -> str:
    """Return a size such as ``20,5 kB``; empty if it is not known."""
    if number is None:
        return ""
    return do_filesizeformat(number).replace(".", ",").replace("Byte", "byte")


def number(value: int) -> str:
    """Return a number such as ``12.345``."""
    return f"{value:,}".replace(",", ".")


def counted(value: int, one: str, many: str) -> str:
    """Return a number with its noun, such as ``1 document`` and ``12 documenten``."""
    return f"{number(value)} {one if value == 1 else many}"


def capitalised(text: str) -> str:
    """Return a text with its first letter as a capital, and the others as they are."""
    return text[:1].upper() + text[1:]


def _local(moment: str | date | None) -> datetime | None:
    if isinstance(moment, str):
        try:
            moment = parse_datetime(moment)
        except ValueError:
            return None
    if isinstance(moment, datetime):
        return moment.astimezone(AMSTERDAM)
    return None if moment is None else datetime(moment.year, moment.month, moment.day, tzinfo=AMSTERDAM)
