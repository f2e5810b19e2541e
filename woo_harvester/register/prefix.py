"""Find the registered URL that is the longest prefix of a location, by complete segments and parameters.

Source: "Publisher by register" in the interface description. RFC 3986, section 6.2.2, defines equal URLs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from urllib.parse import quote

from woo_harvester.register.organisations import Location, Match, Organisation, RegisteredUrl

_Parts = tuple[str, ...]

#: Scheme, authority, path and query of an absolute URL. The fragment makes no difference.
_URL = re.compile(r"https?://([^/?#]*)([^?#]*)(?:\?([^#]*))?", re.IGNORECASE)
_RESERVED = ":/?#[]@!$&'()*+,;="
#: A text in normal form: no escapes, and only characters that a path or a query may have.
_NORMALISED = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@/?]*")
_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")
_UNRESERVED = re.compile(r"[A-Za-z0-9\-._~]")


def split_url(url: str) -> tuple[str, str, str]:
    """Return authority, path and query of an absolute http or https URL, as given.

    Raises ValueError for any other text.
    """
    match = _URL.match(url.strip())
    if match is None:
        raise ValueError(f"Expected an absolute URL such as https://www.a.nl/x, got {url!r}")
    return match[1], match[2], match[3] or ""


def _segments(path: str) -> _Parts:
    """Return the segments of an absolute path in their normal form. A final slash makes no difference.

    ``/a/./b/../c/`` and ``/%61/c`` are both ``("a", "c")``. An escaped slash stays within its segment.
    """
    path = _normal(path)
    parts = path.split("/")[1:]
    if "/." in path:
        parts = _without_dots(parts)
    if parts and not parts[-1]:
        parts.pop()
    return tuple(parts)


def _parameters(query: str) -> _Parts:
    """Return the parameters of a query in normal form, in the given order, without empty ones at the end."""
    query = _normal(query).rstrip("&")
    return tuple(query.split("&")) if query else ()


class HostLocations:
    """The registered URLs of one host, at least one, indexed to find the longest prefix of a location."""

    __slots__ = ("_deepest", "_most", "_urls", "only", "organisations")

    def __init__(self, locations: Iterable[Location]) -> None:
        urls: dict[tuple[_Parts, _Parts], list[Location]] = {}
        for location in locations:
            _, path, query = split_url(location.url)
            urls.setdefault((_segments(path), _parameters(query)), []).append(location)
        self._urls = {key: _match_of_url(found) for key, found in urls.items()}
        # These bound the steps of a search by the register, however long the location is.
        self._deepest = max((len(path) for path, given in urls if not given), default=-1)
        self._most = max(len(given) for _, given in urls)
        every = chain.from_iterable(urls.values())
        self.organisations = tuple(dict.fromkeys(location.organisation for location in every))
        """The organisations on the host, in the order of the register."""
        self.only = _match(self.organisations)
        """The match of the whole host: its organisation if there is one only, else the candidates."""

    def longest_prefix(self, path: str, query: str) -> Match | None:
        """Return the match of the longest registered URL that is a prefix of the location, or None.

        A registered URL with a query is a prefix only of a location with the same path, if the query of the
        location begins with all its parameters.
        """
        key = _segments(path)
        given = _parameters(query)[: self._most] if self._most else ()
        for length in range(len(given), 0, -1):
            if (found := self._urls.get((key, given[:length]))) is not None:
                return found
        for length in range(min(len(key), self._deepest), -1, -1):
            if (found := self._urls.get((key[:length], ()))) is not None:
                return found
        return None


def _match_of_url(locations: Sequence[Location]) -> Match:
    """Return the match of one URL, which all *locations* have."""
    categories = {location.category for location in locations}
    known = frozenset(category for category in categories if category is not None)
    registered = RegisteredUrl(locations[0].url, known if len(known) == len(categories) else frozenset())
    return _match((location.organisation for location in locations), registered)


def _match(organisations: Iterable[Organisation], registered: RegisteredUrl | None = None) -> Match:
    different = tuple(dict.fromkeys(organisations))
    if len(different) == 1:
        return Match(different[0], registered=registered)
    return Match(candidates=different, registered=registered)


def _normal(text: str) -> str:
    """Return a text in the normal form of RFC 3986: only necessary escapes, in capitals."""
    if _NORMALISED.fullmatch(text):
        return text
    return _ESCAPE.sub(_normal_escape, quote(text, safe=f"%{_RESERVED}", errors="replace"))


def _normal_escape(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return character if _UNRESERVED.fullmatch(character) else escape[0].upper()


def _without_dots(parts: Iterable[str]) -> list[str]:
    """Remove the segments ``.`` and ``..`` (RFC 3986, section 5.2.4)."""
    kept: list[str] = []
    for part in parts:
        if part == "..":
            del kept[-1:]
        elif part != ".":
            kept.append(part)
    return kept
