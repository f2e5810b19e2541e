"""Days, moments and sizes as a Dutch reader writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any
from urllib.parse import quote, urlencode

from jinja2.filters import do_filesizeformat

from woo_harvester.findings import Explanation, Severity, explain
from woo_harvester.utils.dates import AMSTERDAM, parse_datetime

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


def size(number: int | None) -> str:
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


#: Characters that change the direction of a text, or that nobody sees.
_UNSEEN = re.compile("[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def visible(text: str) -> str:
    """Return a text without characters that nobody sees."""
    return _UNSEEN.sub("", text)


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
    if not isinstance(moment, date):  # None, or what a record of other software has
        return None
    return datetime(moment.year, moment.month, moment.day, tzinfo=AMSTERDAM)


#: The beginning of the URIs that have a page of their own, and the path of these pages: what follows the
#: beginning of the URI follows the path.
_PAGES = {
    "organisatie": ("https://identifier.overheid.nl/tooi/id/", "/organisatie"),
    "informatiecategorie": ("https://identifier.overheid.nl/tooi/def/thes/kern/", "/categorie"),
}
_CODE = re.compile(r"[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)?")


def document_path(record_id: str) -> str:
    """Return the path of the page of a document."""
    return f"/document/{quote(record_id, safe='')}"


def path_of(facet: str, value: str) -> str:
    """Return the path of the page of a value: its own page, or a search for it; empty without a facet.

    ``/organisatie/gemeente/gm0363`` is the page of a TOOI URI. A value that is no such URI stands in the
    parameter ``waarde``.
    """
    if not facet:
        return ""
    if facet not in _PAGES:
        return search_path([(facet, value)])
    base, path = _PAGES[facet]
    code = value.removeprefix(base)
    if code != value and _CODE.fullmatch(code):
        return f"{path}/{code}"
    return f"{path}?{urlencode({'waarde': value})}"


def value_of(facet: str, code: str) -> str:
    """Return the URI of a page, of which *code* is the end of the path."""
    return _PAGES[facet][0] + code


def search_path(parameters: Sequence[tuple[str, str]], path: str = "/") -> str:
    """Return the path of a search with these parameters."""
    return f"{path}?{urlencode(parameters)}" if parameters else path


def explained(code: str) -> Explanation:
    """Return the explanation of a finding; a code that is not known explains itself."""
    try:
        return explain(code, "nl")
    except ValueError:  # of a newer version of the harvester
        return Explanation(code, Severity.INFO, code, "", "", "")


def explanations_of(record: Mapping[str, Any]) -> list[Explanation]:
    """Return the explanations of the findings about a record."""
    codes: Sequence[str] = (record.get("herkomst") or {}).get("bevindingen") or ()
    return [explained(code) for code in codes]
