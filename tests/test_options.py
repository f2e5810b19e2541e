from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import ROOT, environment
from woo_harvester.options import OPTIONS, Option, from_environment


@pytest.mark.parametrize("each", OPTIONS, ids=lambda each: each.name)
def test_every_option_has_a_name_of_the_project_and_one_plain_sentence_or_more(each: Option) -> None:
    assert re.fullmatch(r"WOO_[A-Z_]+", each.name)
    assert each.why.endswith(".")
    assert each.unit


def test_names_are_unique() -> None:
    assert len({each.name for each in OPTIONS}) == len(OPTIONS)


@pytest.mark.parametrize(
    ("name", "default"),
    [
        ("WOO_REGISTER", "https://organisaties.overheid.nl/archive/exportOO.xml"),
        ("WOO_REPORT_DIR", "reports"),
        ("WOO_ALLOW_PRIVATE_HOSTS", False),
        ("WOO_INDEX_MAXSIZE", 50 * 1024 * 1024),
        ("WOO_SITEMAP_MAXSIZE", 200 * 1024 * 1024),
        ("WOO_DOCUMENT_MAXSIZE", 500 * 1024 * 1024),
        ("WOO_DOCUMENT_TIMEOUT", 600),
    ],
)
def test_defaults_that_others_rely_on_stay(name: str, default: object) -> None:
    assert {each.name: each.default for each in OPTIONS}[name] == default


def test_no_module_reads_settings_when_it_is_imported() -> None:
    for path in (ROOT / "woo_harvester").rglob("*.py"):
        assert "get_project_settings" not in path.read_text(encoding="utf-8"), path


def test_a_setting_may_stand_in_the_environment_where_an_empty_one_is_none() -> None:
    given = {"WOO_DATA_DIR": "/srv/woo", "WOO_STATE_URL": "", "WOO_NOTHING": "1", "PATH": "/bin"}
    assert from_environment(given) == {"WOO_DATA_DIR": "/srv/woo"}


@pytest.mark.integration
@pytest.mark.parametrize(("args", "value"), [((), "of-environment"), (("-s", "WOO_REPORT_DIR=of-s"), "of-s")])
def test_the_command_line_wins_over_the_environment(
    tmp_path: Path, args: tuple[str, ...], value: str
) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = woo_harvester.settings\n")
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "settings", "--get", "WOO_REPORT_DIR", *args],
        cwd=tmp_path,
        env=environment(None, {"WOO_REPORT_DIR": "of-environment"}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == value
