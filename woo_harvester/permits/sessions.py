"""Recognises the links of an earlier day when each link of a page has a new session in it.

A session is one value for all links of a page: in a parameter of any name, or in the segment ``(S(…))`` that
ASP.NET puts in paths.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

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
