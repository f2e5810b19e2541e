from __future__ import annotations

import ast
import re
import tomllib
from os import environ

import pytest
from scrapy.settings import default_settings

from tests.conftest import ROOT
from tools.reference.__main__ import render
from tools.reference.settings import BEGIN, END, IDENTITY, PLACED, reasons, with_known_settings
from woo_harvester import addon
from woo_harvester import settings as project
from woo_harvester.running.default_settings import SETTINGS, from_environment


def test_every_setting_that_the_code_reads_is_a_setting_of_the_project() -> None:
    read = {
        node.value
        for path in [*(ROOT / "woo_harvester").rglob("*.py"), *(ROOT / "woo_portal").rglob("*.py")]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and re.fullmatch(r"WOO_[A-Z_]+", str(node.value))
    }
    assert read == {setting.name for setting in SETTINGS}


def test_the_linter_knows_exactly_the_settings_that_there_are() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert with_known_settings(text) == text, "Run `make docs`"
    known = tomllib.loads(text)["tool"]["scrapy-lint"]["known-settings"]
    assert {name for name in known if name.startswith("WOO_")} == {setting.name for setting in SETTINGS}


def test_the_list_of_the_linter_is_made_anew_between_its_marks() -> None:
    text = f'a = [\n    "SCRAPYS",\n    {BEGIN}\n    "WOO_GONE",\n    {END}\n]\n'
    made = with_known_settings(text)
    assert made.startswith(f'a = [\n    "SCRAPYS",\n    {BEGIN}\n    "WOO_ALLOW_PRIVATE_HOSTS",\n')
    assert made.endswith(f'    "WOO_WITHDRAW_SHARE",\n    {END}\n]\n')
    assert "WOO_GONE" not in made


def test_a_list_without_marks_is_refused() -> None:
    with pytest.raises(ValueError, match=re.escape(BEGIN)):
        with_known_settings("known-settings = []\n")


def test_every_setting_stands_on_the_page_with_its_default() -> None:
    page = render("settings.md")
    for each in SETTINGS:
        assert f"\n| `{each.name}` | " in page
    assert "| `WOO_SITEMAP_MAXSIZE` | `209715200` bytes, decompressed (200 MB) |" in page
    assert "| `WOO_DATA_DIR` | unset (folder) |" in page


def test_every_changed_setting_of_scrapy_stands_on_the_page_with_both_values_and_a_reason() -> None:
    given = from_environment(environ).keys()  # what this machine has of the settings of others
    changed = {
        name for name in vars(project) if name.isupper()
    } - IDENTITY - PLACED - given | addon.SETTINGS.keys()
    rows = {
        row[1].strip("` "): row[2:-1]
        for row in (line.split("|") for line in render("settings.md").splitlines())
        if row[1:]
    }
    for name in changed:
        here, scrapys, why = rows[name]
        assert here != scrapys, name
        assert why.strip(), name


def test_what_a_comment_says_of_scrapys_own_value_is_true() -> None:
    source = (ROOT / "woo_harvester" / "settings.py").read_text(encoding="utf-8")
    said = re.findall(r"# Scrapy: ([\w.]+?)\. .*\n([A-Z_]+) = ", source)
    assert len(said) > 10
    for value, name in said:
        assert value == str(getattr(default_settings, name)), name


def test_a_comment_applies_to_the_group_of_settings_below_it() -> None:
    source = "# Scrapy: 8 and 9. Fewer\n# is better.\nA_A = 1\nB_B = 2\n\nC_C = 3\n# Off.\nD_D = 4\n"
    assert reasons(source) == {"A_A": "Fewer is better.", "B_B": "Fewer is better.", "C_C": "", "D_D": "Off."}
