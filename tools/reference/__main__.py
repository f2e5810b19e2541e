"""Writes the reference pages in ``docs/`` from the code, and the linter's list of settings.

``make docs`` runs it: ``python -m tools.reference docs pyproject.toml``. The text of a page is its template;
the module of the same name has the values in it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined, select_autoescape

from tools.reference import commands, findings, record, score, settings
from tools.reference.markdown import code, table
from woo_harvester.findings import Language
from woo_harvester.report.html.page import environment
from woo_harvester.report.model import Report
from woo_harvester.tooi.lists import (
    CATEGORY_COUNT,
    article_of_category,
    category_of_index,
    informatiecategorieen,
)

_TEMPLATES = FileSystemLoader(Path(__file__).parent / "templates")

_ENVIRONMENT = Environment(
    loader=_TEMPLATES,
    autoescape=select_autoescape(),  # none for Markdown
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_ENVIRONMENT.filters["code"] = code
_ENVIRONMENT.globals["table"] = table

#: A page in the style of a report.
_REPORT = environment().overlay(loader=ChoiceLoader([_TEMPLATES, *filter(None, [environment().loader])]))


def schema() -> str:
    """Return the JSON Schema of ``report.json``."""
    made: dict[str, Any] = Report.model_json_schema(by_alias=True)
    made["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


def _categories() -> dict[str, Any]:
    """Return the informatiecategorieën in the order of their indexes, with their articles."""
    named = {category_of_index(number).uri: number for number in range(1, CATEGORY_COUNT + 1)}

    def rows() -> Iterator[tuple[str, ...]]:
        last = CATEGORY_COUNT + 1
        for concept in sorted(informatiecategorieen(), key=lambda each: named.get(each.uri, last)):
            number = named.get(concept.uri)
            name = f"sitemapindex-diwoo-infocat{number:03}.xml" if number else ""
            yield concept.label, article_of_category(concept.uri) or "", code(name), code(concept.uri)

    return {"rows": rows()}


_VALUES: dict[str, Callable[[], dict[str, Any]]] = {
    "bevindingen.md": partial(findings.values, "nl"),
    "categories.md": _categories,
    "commands.md": commands.values,
    "findings.md": partial(findings.values, "en"),
    "record.md": record.values,
    "score.md": partial(score.values, "en"),
    "scoretelling.md": partial(score.values, "nl"),
    "settings.md": settings.values,
}

#: The pages that explain the findings, with their languages.
EXPLAINED: dict[str, Language] = {"explained.html": "en", "uitleg.html": "nl"}

#: The names of all files that are made in ``docs/``.
PAGES = (*_VALUES, *EXPLAINED, "report.schema.json")


def render(name: str) -> str:
    """Return the text of a page."""
    if name in EXPLAINED:
        return _REPORT.get_template("explained.html").render(findings.explained(EXPLAINED[name])) + "\n"
    return _ENVIRONMENT.get_template(name).render(_VALUES[name]()) if name in _VALUES else schema()


def main(arguments: list[str]) -> None:
    """Write the pages to a folder, and update the list of settings in each ``pyproject.toml``.

    *arguments* are the folder, and the paths of the files to update.
    """
    folder, *configurations = map(Path, arguments)
    for name in PAGES:
        (folder / name).write_text(render(name), encoding="utf-8")
    for path in configurations:
        before = path.read_text(encoding="utf-8")
        if (after := settings.with_known_settings(before)) != before:  # make installs anew after any write
            path.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
