"""The name of the command that was typed, for messages: ``woo-harvester``, or ``scrapy`` in a project."""

from __future__ import annotations

import sys
from pathlib import Path

NAME = "woo-harvester"


def program() -> str:
    """Return what a user types before ``crawl``, ``audit`` and so on.

    That is ``scrapy`` unless the process was started by the command of this project.
    """
    path = Path(sys.argv[0]) if sys.argv else Path()
    if (path.parent.name, path.name) == ("woo_harvester", "__main__.py"):
        return "python -m woo_harvester"
    # pipx may give the command a suffix.
    return path.name.removesuffix(".exe") if path.name.startswith(NAME) else "scrapy"
