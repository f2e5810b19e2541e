"""The concepts of a value list, found by URI and by label; and the URIs of organisations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

_ORGANISATION = re.compile(r"https://identifier\.overheid\.nl/tooi/id/([a-z_]+)/[A-Za-z0-9_.-]+")


def organisation_type(uri: str) -> str | None:
    """Return the type (``gemeente``, ``ministerie``, ``zbo``, ...) in a TOOI URI; None for other URIs."""
    match = _ORGANISATION.fullmatch(uri)
    return match[1] if match else None


def is_tooi_organisation(uri: str) -> bool:
    """Return whether a URI has the form ``https://identifier.overheid.nl/tooi/id/<type>/<code>``."""
    return _ORGANISATION.fullmatch(uri) is not None


#: Characters that publishers write for an apostrophe: word processors make it a quotation mark.
_APOSTROPHES = dict.fromkeys(
    map(ord, "\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}\u00b4`"), "'"
)

_WEB_URI = re.compile(r"https?://(?P<host>[^/?#]+)(?P<path>/[^?#]*)", re.IGNORECASE)


#: A code of a language (ISO 639), with or without a script and a region (BCP 47).
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[-_][A-Za-z]{4})?(?:[-_](?:[A-Za-z]{2}|[0-9]{3}))?")


@dataclass(frozen=True, slots=True)
class Concept:
    """A value of a list. The label is empty if only the URI is known."""

    uri: str
    label: str


def one_line(text: str) -> str:
    """Return a text with single spaces: any white space becomes one, also line breaks and no-break spaces.

    Soft hyphens go, and a letter with an accent is one character (Unicode's NFC), so that a search finds it.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.replace("\xad", ""))
    return " ".join(text.split())


def normal_label(text: str) -> str:
    """Return a label in the form for comparison.

    Letter case, white space and the kind of apostrophe make no difference.
    """
    return one_line(text.translate(_APOSTROPHES).casefold())


def normal_uri(uri: str) -> str:
    """Return the URI of a value in the form for comparison; any other text as it is.

    http or https, letter case of scheme and host, and slashes at the end make no difference. Letter case of
    the path does, since codes may differ by that alone.
    """
    match = _WEB_URI.fullmatch(uri)
    return f"https://{match['host'].lower()}{match['path'].rstrip('/')}" if match else uri


class ValueList:
    """A TOOI waardelijst: its concepts in the order of the list, found by URI or label.

    ``unknown`` is the concept for a value that the list does not have; some lists have no such concept. The
    *former* values, which an earlier edition had, stay known. Their labels count if no other value has them.
    *codes* are other codes of values, in lower case, each with the URI of its value.
    """

    def __init__(
        self,
        name: str,
        concepts: Iterable[Concept],
        unknown: Concept | None = None,
        former: Iterable[Concept] = (),
        codes: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.name = name
        self.unknown = unknown
        self._by_uri = {concept.uri: concept for concept in concepts}
        # There were two ministries of Economische Zaken.
        self._by_label = _unambiguous((normal_label(concept.label), concept) for concept in self)
        gone = [concept for concept in former if concept.uri not in self._by_uri]
        self._by_label = _unambiguous((normal_label(each.label), each) for each in gone) | self._by_label
        self._by_uri |= {concept.uri: concept for concept in gone}
        self._codes = codes

    def __iter__(self) -> Iterator[Concept]:
        return iter(self._by_uri.values())

    def __len__(self) -> int:
        return len(self._by_uri)

    def __repr__(self) -> str:
        return f"<ValueList {self.name}: {len(self)} values>"

    def __getitem__(self, uri: str) -> Concept:
        """Return the concept with exactly this URI. Raises KeyError if the list does not have it."""
        return self._by_uri[uri]

    def by_uri(self, uri: str) -> Concept | None:
        """Return the concept with this URI, or None. The EU's http URIs are also found with https."""
        if uri.startswith("https://publications.europa.eu/"):
            uri = uri.replace("https", "http", 1)
        return self._by_uri.get(uri)

    def by_similar_uri(self, uri: str) -> Concept | None:
        """Return the only concept whose URI has the same ``normal_uri``, or None."""
        return self._by_normal_uri.get(normal_uri(uri))

    def by_code(self, code: str) -> Concept | None:
        """Return the only concept with this code, or None. The code is the end of its URI: ``gm0363``.

        Other codes are found in any letter case, and with a region behind them: ``nl-NL``, ``EN_gb``.
        """
        concept = self._by_code.get(code)
        if concept is None and self._codes and (other := _LANGUAGE.fullmatch(code)):
            concept = self._by_uri.get(self._codes.get(other[1].lower(), ""))
        return concept

    def by_label(self, label: str) -> Concept | None:
        """Return the only concept with this label, or None. Labels are compared by ``normal_label``."""
        return self._by_label.get(normal_label(label))

    @cached_property
    def _by_normal_uri(self) -> dict[str, Concept | None]:
        return _unambiguous((normal_uri(concept.uri), concept) for concept in self)

    @cached_property
    def _by_code(self) -> dict[str, Concept | None]:
        return _unambiguous((concept.uri.rstrip("/").rpartition("/")[2], concept) for concept in self)


def _unambiguous(concepts: Iterable[tuple[str, Concept]]) -> dict[str, Concept | None]:
    """Return the concept of each key; a key of two concepts identifies neither of them."""
    found: dict[str, Concept | None] = {}
    for key, concept in concepts:
        found[key] = None if key in found else concept
    return found
