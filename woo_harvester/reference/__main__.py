"""Writes the reference pages in ``docs/`` from the code, and the linter's list of settings.

``make docs`` runs it: ``python -m woo_harvester.reference docs pyproject.toml``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from woo_harvester.findings import reference as findings
from woo_harvester.reference import categories, commands, linter, record, score, settings, statistics
from woo_harvester.report import json_file

PAGES: dict[str, Callable[[], str]] = {
    "categories.md": categories.render,
    "commands.md": commands.render,
    "findings.md": findings.render,
    "record.md": record.render,
    "report.schema.json": json_file.schema,
    "score.md": score.render,
    "settings.md": settings.render,
    "statistics.md": statistics.render,
}


def main(arguments: list[str]) -> None:
    """Write the pages to a folder, and update the list of settings in each ``pyproject.toml``.

    *arguments* are the folder, and the paths of the files to update.
    """
    folder, *configurations = map(Path, arguments)
    for name, render in PAGES.items():
        (folder / name).write_text(render(), encoding="utf-8")
    for path in configurations:
        path.write_text(linter.with_known_settings(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
