"""Words of messages: the name of the command that was typed, and numbers with their noun."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

NAME = "woo-harvester"


def program() -> str:
    """Return what a user types before ``crawl``, ``audit`` and so on.

    That is ``scrapy`` unless the process was started by the command of this project. One that was
    typed with its folder is named so, as in ``.venv/bin/woo-harvester``: it may not be on the ``PATH``.
    """
    path = Path(sys.argv[0]) if sys.argv else Path()
    if (path.parent.name, path.name) == ("woo_harvester", "__main__.py"):
        return "python -m woo_harvester"
    if path.name.startswith(NAME):  # pipx may give the command a suffix
        return str(path if not path.is_absolute() else path.name).removesuffix(".exe")
    return "scrapy"


def counted(count: int, one: str, several: str | None = None, *, separator: str = "") -> str:
    """Return a number with its noun, such as ``1 document`` and ``3 documenten``.

    The plural is by default that of English. *separator* comes between thousands.
    """
    return f"{count:{separator}} {one if count == 1 else several or one + 's'}"


VERSION = "1.0.0.dev0"
"""Version number by https://semver.org, ``.dev`` until it is released; ``pyproject.toml`` reads it."""


def to_install(extra: str) -> str:
    """Return the command that installs an extra of ``pyproject.toml``, for messages."""
    return f'pip install "{NAME}[{extra}]"'


def suggestion(given: str, names: Iterable[str], others: Iterable[str] = ()) -> str:
    """Return a suggestion for a misspelt name, such as ``did you mean --json?``; without one, list *names*.

    *others* are further candidates for a suggestion, which are too many to list.
    """
    known = list(names)
    close = get_close_matches(given, [*known, *others], n=1)
    return f"did you mean {close[0]}?" if close else f"expected one of {', '.join(known)}"
