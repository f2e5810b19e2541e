"""The parts of Markdown that the reference pages share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def head(source: str, title: str) -> str:
    """Return the first lines of a page that is made from *source*."""
    return f"<!-- Made from {source} by `make docs`: do not edit. -->\n\n# {title}\n"


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Return the lines of a table, with an empty line after it."""
    names = list(heads)
    yield _row(names)
    yield _row(["---"] * len(names))
    for row in rows:
        yield _row(cell.replace("|", "\\|") for cell in row)
    yield ""


def code(text: str) -> str:
    """Return a text as code; an empty text stays empty."""
    return f"`{text}`" if text else ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
