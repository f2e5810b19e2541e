"""Lines of XML as a publisher writes them: an entry of a sitemap, with the elements of its DiWoo."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from woo_harvester.tooi import lists
from woo_harvester.tooi.values import Concept, ValueList

FindingLine = Mapping[str, Any]
"""A finding as a line of ``findings.jsonl``."""

Lines = tuple[list[str], list[str]]
"""The lines before and after a fix."""

Maker = Callable[[FindingLine], Lines | None]
"""Makes the fix of a finding; None if the finding does not show how."""

MOMENT = "2026-01-31T09:00:00+01:00"
DAY = "2026-01-31"

#: A value as it is written in findings: a label, a URI, or ``label (URI)``.
_VALUE = re.compile(
    r"(?:(?P<label>.*?) ?)(?:\((?P<uri>https?://[^()\s]+)\)|(?P<bare>https?://\S+))?",
    re.DOTALL | re.IGNORECASE,
)

#: The value list of the last element of a path.
_LISTS: dict[str, Callable[[], ValueList]] = {
    **dict.fromkeys(("publisher", "verantwoordelijke", "medeverantwoordelijke"), lists.organisaties),
    **dict.fromkeys(("opsteller", "wasAssociatedWith"), lists.organisaties),
    "informatiecategorie": lists.informatiecategorieen,
    "documentsoort": lists.documentsoorten,
    "thema": lists.themas,
    "language": lists.talen,
    "soortHandeling": lists.handelingen,
    "format": lists.filetypes,
    "role": lists.documentrelaties,
    "redenVerwijderingVervanging": lists.redenen,
}

#: The example value of a list, by the last element of a path.
_EXAMPLES = {
    "informatiecategorie": "https://identifier.overheid.nl/tooi/def/thes/kern/c_3baef532",
    "documentsoort": "https://identifier.overheid.nl/tooi/def/thes/kern/c_465163c9",
    "thema": "https://identifier.overheid.nl/tooi/def/thes/top/c_d96f9cd3",
    "language": "http://publications.europa.eu/resource/authority/language/NLD",
    "soortHandeling": "https://identifier.overheid.nl/tooi/def/thes/kern/c_641ecd76",
    "format": "http://publications.europa.eu/resource/authority/file-type/PDF",
}


def entry(loc: str, *inside: str, name: str = "url") -> list[str]:
    """Return a ``url`` of a sitemap, or a ``sitemap`` of an index, with the lines *inside* after its loc."""
    return [f"<{name}>", f"  <loc>{escape(loc)}</loc>", *("  " + line for line in inside), f"</{name}>"]


def nested(path: str, *leaf: str) -> list[str]:
    """Return the lines *leaf* inside the other elements of a path: ``titelcollectie/officieleTitel``."""
    lines = list(leaf)
    for name in reversed(path.split("/")[:-1]):
        lines = [f"<diwoo:{name}>", *("  " + line for line in lines), f"</diwoo:{name}>"]
    return lines


def described(loc: str, *inside: str) -> list[str]:
    """Return a ``url`` of a sitemap, with the lines *inside* in its ``diwoo:DiWoo``."""
    return entry(loc, *nested("Document/DiWoo/x", *inside))


def text_element(path: str, text: str) -> str:
    """Return the last element of a path, with a text."""
    name = path.rpartition("/")[2]
    return f"<diwoo:{name}>{escape(text)}</diwoo:{name}>"


def coded_element(path: str, label: str, uri: str) -> str:
    """Return the last element of a path, with a label and the URI of a value."""
    name = path.rpartition("/")[2]
    resource = f" resource={quoteattr(uri)}" if uri else ""
    return f"<diwoo:{name}{resource}>{escape(label)}</diwoo:{name}>"


def example_of(path: str) -> Concept | None:
    """Return an example value for the last element of a path, or None if there is none."""
    values, uri = list_of(path), _EXAMPLES.get(path.rpartition("/")[2])
    return values[uri] if values is not None and uri else None


def list_of(path: str) -> ValueList | None:
    """Return the value list of the last element of a path, or None if it has none."""
    source = _LISTS.get(path.rpartition("/")[2])
    return source() if source else None


def label_and_uri(text: str) -> tuple[str, str]:
    """Return the label and the URI of a value in a finding; either may be empty."""
    match = _VALUE.fullmatch(text.strip())
    if match is None:
        return text, ""
    return match["label"] or "", match["uri"] or match["bare"] or ""
