from __future__ import annotations

import ast
import re
import tomllib

from scrapy.settings import default_settings

from tests.conftest import ROOT
from woo_harvester import addon
from woo_harvester import settings as project
from woo_harvester.default_settings import OPTIONS
from woo_harvester.reference.settings import IDENTITY, reasons, render


def test_every_setting_that_the_code_reads_is_an_option() -> None:
    read = {
        node.value
        for path in (ROOT / "woo_harvester").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and re.fullmatch(r"WOO_[A-Z_]+", str(node.value))
    }
    assert read == {option.name for option in OPTIONS}


def test_every_option_is_known_to_the_linter() -> None:
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scrapy-lint"]["known-settings"]
    assert {option.name for option in OPTIONS} <= set(known)


def test_every_option_stands_on_the_page_with_its_default() -> None:
    page = render()
    for each in OPTIONS:
        assert f"\n| `{each.name}` | " in page
    assert "| `WOO_SITEMAP_MAXSIZE` | `209715200` (200 MB) | bytes, decompressed |" in page
    assert "| `WOO_DATA_DIR` | unset | folder |" in page


def test_every_changed_setting_of_scrapy_stands_on_the_page_with_both_values_and_a_reason() -> None:
    changed = {name for name in vars(project) if name.isupper()} - IDENTITY | addon.SETTINGS.keys()
    rows = {
        row[1].strip("` "): row[2:-1]
        for row in (line.split("|") for line in render().splitlines())
        if row[1:]
    }
    for name in changed:
        here, scrapys, why = rows[name]
        assert here != scrapys, name
        assert why.strip(), name


def test_what_a_comment_says_of_scrapys_own_value_is_true() -> None:
    source = (ROOT / "woo_harvester" / "settings.py").read_text(encoding="utf-8")
    told = re.findall(r"# Scrapy: ([\w.]+?)\. .*\n([A-Z_]+) = ", source)
    assert len(told) > 10
    for value, name in told:
        assert value == str(getattr(default_settings, name)), name


def test_a_comment_holds_for_the_group_of_settings_below_it() -> None:
    source = "# Scrapy: 8 and 9. Fewer\n# is better.\nA_A = 1\nB_B = 2\n\nC_C = 3\n# Off.\nD_D = 4\n"
    assert reasons(source) == {"A_A": "Fewer is better.", "B_B": "Fewer is better.", "C_C": "", "D_D": "Off."}
