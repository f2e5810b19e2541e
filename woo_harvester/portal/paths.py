"""The paths of pages in the portal: of documents, organisations, categories and searches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote, urlencode

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
