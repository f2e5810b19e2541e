"""Reads what a search in the index found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tantivy import DocAddress, Query, Searcher, SearchResult


def total_of(found: SearchResult) -> int:
    """Return the number of all that a search found, beyond its limit too."""
    return int(found.count)  # type: ignore[attr-defined]  # the type hints of tantivy lack it


def count_of(searcher: Searcher, query: Query) -> int:
    """Return how many documents of the index a query finds."""
    return total_of(searcher.search(query, 1))


def addresses_of(searcher: Searcher, query: Query) -> list[DocAddress]:
    """Return all that a query finds, in no order."""
    limit = max(1, count_of(searcher, query))
    return [address for _, address in searcher.search(query, limit, count=False).hits]


def stored_json(searcher: Searcher, address: DocAddress) -> Any:
    """Return the JSON of a document of the index."""
    return _json(searcher.doc(address).get_first("document"))


def stored_texts(searcher: Searcher, address: DocAddress) -> tuple[Mapping[str, Any], list[str]]:
    """Return a search document without its text, and the text."""
    found = searcher.doc(address)
    document: Mapping[str, Any] = _json(found.get_first("document"))
    return document, [text.decode() for text in found.get_all("tekst")]


def _json(stored: Any) -> Any:
    return json.loads(stored)
