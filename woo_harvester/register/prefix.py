"""Which registered URL is the longest prefix of a location: by whole path segments, and by whole parameters.

Source: "Publisher by register" in the interface description; equal URLs by RFC 3986, section 6.2.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from urllib.parse import quote

from woo_harvester.register.organisations import Location, Match, Organisation

_Parts = tuple[str, ...]

#: Scheme, authority, path and query of an absolute URL; the fragment says nothing about the location.
_URL = re.compile(r"https?://([^/?#]*)([^?#]*)(?:\?([^#]*))?", re.IGNORECASE)
_RESERVED = ":/?#[]@!$&'()*+,;="
#: Nothing to normalise in it: no escapes, and only characters that may stand in a path or a query.
_PLAIN = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@/?]*")
_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")
_UNRESERVED = re.compile(r"[A-Za-z0-9\-._~]")


def split_url(url: str) -> tuple[str, str, str]:
    """Authority, path and query of an absolute http or https URL, as they stand there.

    Raises ValueError for anything else.
    """
    match = _URL.match(url.strip())
    if match is None:
        raise ValueError(f"Expected an absolute URL such as https://www.a.nl/x, got {url!r}")
    return match[1], match[2], match[3] or ""


def segments(path: str) -> _Parts:
    """The segments of an absolute path in their normal form; a final slash makes no difference.

    ``/a/./b/../c/`` and ``/%61/c`` are both ``("a", "c")``; an escaped slash stays within its segment.
    """
    path = _normal(path)
    parts = path.split("/")[1:]
    if "/." in path:
        parts = _without_dots(parts)
    if parts and not parts[-1]:
        parts.pop()
    return tuple(parts)


def parameters(query: str) -> _Parts:
    """The parameters of a query in their normal form, in the order given, without empty ones at the end."""
    query = _normal(query).rstrip("&")
    return tuple(query.split("&")) if query else ()


class HostLocations:
    """What is registered on one host, ready for looking up the longest prefix."""

    __slots__ = ("_deepest", "_most", "_urls", "bodies", "only")

    def __init__(self, locations: Iterable[Location]) -> None:
        urls: dict[tuple[_Parts, _Parts], list[Organisation]] = {}
        for location in locations:
            _, path, query = split_url(location.url)
            urls.setdefault((segments(path), parameters(query)), []).append(location.organisation)
        self._urls = {key: _match(bodies) for key, bodies in urls.items()}
        # However long a location is, no more steps are taken than the register itself has.
        self._deepest = max((len(path) for path, given in urls if not given), default=-1)
        self._most = max((len(given) for _, given in urls), default=0)
        self.bodies = tuple(dict.fromkeys(chain.from_iterable(urls.values())))
        """In the order of the register."""
        self.only = _match(self.bodies)
        """The only body on the host, if there is only one."""

    def longest_prefix(self, path: str, query: str) -> Match | None:
        """Whose the longest registered URL is that is a prefix; None where none is.

        A registered URL with a query is a prefix only of a location with the same path, whose query begins
        with it by whole parameters.
        """
        key = segments(path)
        given = parameters(query)[: self._most] if self._most else ()
        for length in range(len(given), 0, -1):
            if (match := self._urls.get((key, given[:length]))) is not None:
                return match
        for length in range(min(len(key), self._deepest), -1, -1):
            if (match := self._urls.get((key[:length], ()))) is not None:
                return match
        return None


def _match(bodies: Iterable[Organisation]) -> Match:
    different = tuple(dict.fromkeys(bodies))
    return Match(different[0]) if len(different) == 1 else Match(candidates=different)


def _normal(text: str) -> str:
    """Percent-encoding in the one form of RFC 3986: escapes only where needed, with capitals."""
    if _PLAIN.fullmatch(text):
        return text
    return _ESCAPE.sub(_normal_escape, quote(text, safe=f"%{_RESERVED}", errors="replace"))


def _normal_escape(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return character if _UNRESERVED.fullmatch(character) else escape[0].upper()


def _without_dots(parts: Iterable[str]) -> list[str]:
    """RFC 3986, section 5.2.4, on a path that is split already."""
    kept: list[str] = []
    for part in parts:
        if part == "..":
            del kept[-1:]
        elif part != ".":
            kept.append(part)
    return kept
