from __future__ import annotations

import re
import sys
from pathlib import Path

from tests.utils.command import run_scrapy
from tools.reference.__main__ import render
from tools.reference.commands import load_commands
from woo_harvester.permits.entry_pages import PermitArguments
from woo_harvester.running.arguments import Arguments, WooArguments

PAGE = render("commands.md")


def part(name: str) -> str:
    """Return the part of the page about one command."""
    return PAGE.partition(f"\n## {name}\n")[2].partition("\n## ")[0]


def test_it_has_the_commands_of_the_project_and_no_other() -> None:
    modules = {
        path.name.removesuffix(".py")
        for path in (Path(sys.modules["woo_harvester"].__path__[0]) / "commands").iterdir()
        if not path.name.startswith("_")
    }
    assert load_commands().keys() == modules - {"list"}  # which is Scrapy's


def test_it_has_each_option_that_the_help_has(tmp_path: Path) -> None:
    for name in load_commands():
        done = run_scrapy([name, "--help"], tmp_path)
        assert done.returncode == 0, done.stderr
        own = done.stdout.partition("Global Options")[0]
        shown = set(re.findall(r"^  (?:-\w(?: \S+)?, )?(--?[\w-]+)", own, re.MULTILINE)) - {"--help"}
        assert shown == {
            names.split(", ")[-1].split()[0]
            for names in re.findall(r"^\| `(-[^`]+)`", part(name), re.MULTILINE)
        }, name


def arguments_of(spider: str) -> dict[str, str]:
    """Return the examples in the table of a spider's arguments, by their names."""
    table = PAGE.partition(f"\n### `crawl {spider}`\n")[2].partition("\n#")[0]
    return dict(re.findall(r"^\| `-a (\w+)=([^`]+)` \|", table, re.MULTILINE))


def test_every_argument_has_a_row() -> None:
    cases: list[tuple[str, type[Arguments]]] = [("woo", WooArguments), ("vergunningen", PermitArguments)]
    for spider, arguments in cases:
        names = {field.alias or name for name, field in arguments.model_fields.items()}
        assert arguments_of(spider).keys() == names, "the template commands.md has a row for each"


def test_the_examples_are_arguments_that_the_spiders_accept() -> None:
    assert WooArguments.read(arguments_of("woo")).documents == "download"


def test_a_page_that_a_help_text_names_is_linked() -> None:
    assert "docs/" not in PAGE.replace("docs.scrapy.org", "")
    assert "[See and correct what is known](how-to/state.md)" in part("state")
