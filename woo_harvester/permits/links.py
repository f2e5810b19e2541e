"""Compares a file with the version that was read before: by date, conditional request or content.

A link without the extension of XML may lead to something else. That is remembered, and asked for again later.

Source: seed "Vergunningen op Internet IPM 4.0: Harvesting van metadata", "Directory of spider-pagina".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum, auto
from typing import NamedTuple

from woo_harvester.findings import Finding, Reporter
from woo_harvester.permits.listing import Link
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


#: A parameter with its value, or a session of ASP.NET with the slash before it.
_PART = re.compile(r"(/(?=\([A-Z]\()|[;?&][^=;?&/#]+=)([^;?&/#]*)")
#: A year, a date or a moment. Messages may be numbered again in each of these.
_MOMENT = re.compile(r"(?:19|20)\d\d(?:\D{0,2}\d\d?){0,5}|\d\d?\D?\d\d?\D?(?:19|20)\d\d")
#: The name of the part that is a session by its form.
_ASP_NET = ""


class _Value:
    """The value of a part in the links of one day, as long as they share one."""

    def __init__(self, value: str) -> None:
        self.text: str | None = value
        self.links = 0

    def add(self, value: str) -> None:
        self.text = self.text if value == self.text else None
        self.links += 1


def moved_links(before: Collection[str], listed: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the links of *before* that are in *listed* with another session, with their URLs there.

    A part is a session if all links of that day share its value, in both: two links at least, unless it is of
    ASP.NET. Two links of one day never become the same.
    """
    now = _shared(listed)
    then = _shared(before) if now else {}
    sessions = {name: now[name] for name in now.keys() & then.keys() if _is_session(then[name], now[name])}
    if not sessions:
        return
    urls = frozenset(listed)
    for url in before:
        moved = _PART.sub(lambda part: part[1] + sessions.get(part[1][1:], part[2]), url)
        if moved != url and moved in urls:
            yield url, moved


def may_have_session(urls: Iterable[str]) -> bool:
    """Return whether the links share the value of a part."""
    return bool(_shared(urls))


def _is_session(then: str, now: str) -> bool:
    return then != now and not (_MOMENT.fullmatch(then) and _MOMENT.fullmatch(now))


def _shared(urls: Iterable[str]) -> dict[str, str]:
    """Return the values that all links with a part of that name share."""
    values: dict[str, _Value] = {}
    for url in urls:
        if "=" in url or "/(" in url:
            for prefix, value in _PART.findall(url):
                values.setdefault(prefix[1:], _Value(value)).add(value)
    return {
        name: value.text
        for name, value in values.items()
        if value.text is not None and (value.links > 1 or name == _ASP_NET)
    }


#: Findings that may be due to messages that were not read.
_NEEDS_ALL_MESSAGES = frozenset({"ipm.zaak-onbekend", "ipm.document-onbekend", "ipm.document-zonder-zaak"})

_UNDATED = datetime.min.replace(tzinfo=UTC)


def newest_and_oldest(links: Sequence[Link], size: int) -> Sequence[Link]:
    """Return at most *size* links, half of them the newest and half the oldest, in the order of the page.

    A *size* of 0 returns all links. Links that have the extension of XML come first, then those to scripts,
    and last the others, because a menu has the others. Without dates the order of the page counts, with the
    newest files last.
    """
    if not size or len(links) <= size:
        return links
    groups: tuple[list[int], list[int], list[int]] = ([], [], [])
    for number, link in enumerate(links):
        groups[0 if link.is_xml else 1 if link.is_made_on_request else 2].append(number)
    chosen = list[int]()
    for group in groups:
        group.sort(key=lambda number: _moment(links[number]))  # stable: the order of the page stays
        chosen += _ends(group, size - len(chosen))
    return [links[number] for number in sorted(chosen)]


def without_the_rest(report: Reporter, hosts: Collection[str]) -> Reporter:
    """Return a reporter that leaves out what only messages beyond a sample can show.

    *hosts* are those of which a sample was read.
    """

    def send(finding: Finding) -> None:
        if finding.code not in _NEEDS_ALL_MESSAGES or finding.host not in hosts:
            report.send(finding)

    return Reporter(send) if hosts else report


def _ends(numbers: list[int], size: int) -> list[int]:
    """Return at most *size* numbers: half from the end, rounded up, and half from the beginning."""
    oldest = size // 2
    return numbers if len(numbers) <= size else numbers[:oldest] + numbers[len(numbers) - size + oldest :]


def _moment(link: Link) -> datetime:
    return _UNDATED if link.date is None else link.date.as_utc()
