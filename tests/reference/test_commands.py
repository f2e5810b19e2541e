from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.utils.command import run_scrapy
from woo_harvester.arguments import Arguments, PermitArguments, WooArguments
from woo_harvester.reference.commands import ARGUMENTS, load_commands, render

PAGE = render()


def part(name: str) -> str:
    """Return the part of the page about one command."""
    return PAGE.partition(f"\n## {name}\n")[2].partition("\n## ")[0]


def test_it_has_the_commands_of_the_project_and_no_other() -> None:
    modules = {
        path.name.removesuffix(".py")
        for path in (Path(sys.modules["woo_harvester"].__path__[0]) / "commands").iterdir()
        if not path.name.startswith("_")
    }
    assert load_commands().keys() == modules - {"list"}  # Scrapy's own, with the spiders of add-ons


@pytest.mark.parametrize("name", load_commands())
def test_it_has_each_option_that_the_help_has(name: str, tmp_path: Path) -> None:
    done = run_scrapy([name, "--help"], tmp_path)
    assert done.returncode == 0, done.stderr
    own = done.stdout.partition("Global Options")[0]
    shown = set(re.findall(r"^  (?:-\w(?: \S+)?, )?(--?[\w-]+)", own, re.MULTILINE)) - {"--help"}
    assert shown == {
        names.split(", ")[-1].split()[0] for names in re.findall(r"^\| `(-[^`]+)`", part(name), re.MULTILINE)
    }


@pytest.mark.parametrize("name", load_commands())
def test_a_command_has_three_exit_statuses(name: str) -> None:
    assert re.findall(r"^\| (\d) \| \S", part(name), re.MULTILINE) == ["0", "1", "2"]


@pytest.mark.parametrize(("spider", "arguments"), [("woo", WooArguments), ("vergunningen", PermitArguments)])
def test_every_argument_has_a_row(spider: str, arguments: type[Arguments]) -> None:
    names = {field.alias or name for name, field in arguments.model_fields.items()}
    assert ARGUMENTS[spider].keys() == names


def test_the_examples_are_arguments_that_the_spiders_accept() -> None:
    given = {name: example for name, (example, _) in ARGUMENTS["woo"].items()}
    assert WooArguments.read(given).documents == "download"


def test_a_page_that_a_help_text_names_is_linked() -> None:
    assert "docs/" not in PAGE.replace("docs.scrapy.org", "")
    assert "[how-to/state.md](how-to/state.md)" in part("state")
