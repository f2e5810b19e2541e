"""The parts of Markdown that the templates of the reference pages share."""

from __future__ import annotations

from collections.abc import Iterable


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table, without a line end after it."""
    names = list(heads)
    escaped = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    return "\n".join(f"| {' | '.join(row)} |" for row in (names, ["---"] * len(names), *escaped))


def code(text: str) -> str:
    """Return a text as code; an empty text stays empty."""
    return f"`{text}`" if text else ""
