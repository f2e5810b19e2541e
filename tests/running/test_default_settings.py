from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from tests.utils.command import ROOT, environment, run_scrapy
from woo_harvester.running.default_settings import SETTINGS, complete, from_environment


def test_every_setting_has_a_name_of_the_project_and_one_plain_sentence_or_more() -> None:
    for each in SETTINGS:
        assert re.fullmatch(r"WOO_[A-Z_]+", each.name)
        assert each.why.endswith("."), each.name
        assert each.unit, each.name


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
    assert {each.name: each.default for each in SETTINGS}[name] == default


def test_no_module_reads_settings_when_it_is_imported() -> None:
    command = ROOT / "woo_harvester" / "running" / "console.py"  # reads them when it is typed
    for path in {*(ROOT / "woo_harvester").rglob("*.py")} - {command}:
        assert "get_project_settings" not in path.read_text(encoding="utf-8"), path


def test_a_setting_may_stand_in_the_environment_where_an_empty_one_is_none() -> None:
    of_stores = {"AWS_SECRET_ACCESS_KEY": "a", "AWS_ENDPOINT_URL": "https://b.nl"}
    own = {"WOO_DATA_DIR": "/srv/woo", **of_stores}
    given = {**own, "WOO_STATE_URL": "", "WOO_NOTHING": "1", "AWS_USE_SSL": "", "PATH": "/bin"}
    assert from_environment(given) == own


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WOO_TEXT", "ja"),
        ("WOO_TEXT_WORKERS", "0"),
        ("WOO_TEXT_WORKERS", -1),
        ("WOO_TEXT_TIMEOUT", "1m"),
        ("WOO_HOST_BUDGET", "nan"),
        ("WOO_MONITOR_DROP", "-0.1"),
        ("WOO_DOCUMENT_MAXSIZE", "5.5"),
        ("WOO_REPORT_LANG", "fr"),
        ("WOO_ELASTICSEARCH_WITHDRAWN", "marked"),
        ("WOO_ELASTICSEARCH_INDEX", ""),
        ("WOO_METRICS_FILE", "woo.txt"),
        ("WOO_CONTACT", "beheer"),
        ("WOO_CONTACT", "https://www.a.nl/ ik"),
        ("WOO_CONTACT", "woo@a"),
    ],
)
def test_a_value_that_cannot_be_is_reported_in_one_line(name: str, value: object) -> None:
    with pytest.raises(
        ValueError, match=rf"^{name}: expected .+, got {'nothing' if value == '' else value}$"
    ):
        complete(Settings({name: value}))


def test_a_url_that_cannot_be_one_is_reported_without_its_password() -> None:
    for name, wrong, right in (
        (
            "WOO_STATE_URL",
            ("foo", "-1", "mysql://u:geheim@host/woo", "/srv/woo/geheim.sqlite"),
            (
                "",
                "sqlite://",
                "sqlite:///a b.sqlite",
                "postgresql+psycopg://u:p@host:5432/woo?sslmode=require",
            ),
        ),
        (
            "WOO_ELASTICSEARCH_URL",
            ("foo", "https://host", "http://user:geheim@localhost:92oo", "http://a:9200,geheim", ["geheim"]),
            (
                "",
                "http://[::1]:9200",
                "https://a:9200/es, https://b:9200",
                ["http://a:9200", "http://b:9200/"],
            ),
        ),
    ):
        for value in wrong:
            with pytest.raises(ValueError, match=rf"^{name}: expected .*URLs? ") as raised:
                complete(Settings({name: value}))
            assert "geheim" not in str(raised.value), value
        for given in right:
            complete(Settings({name: given}))


NUMBERS = [each for each in SETTINGS if each.number is not None]


def test_a_number_that_is_none_or_out_of_bounds_is_refused_in_one_line() -> None:
    texts = ("1e300", "1e400", "nan", "inf", "-inf", "-1", "9" * 6000, "1\x002")
    for each in NUMBERS:
        bounds = re.escape(f"from {each.least} to {each.most:,}, got ")
        wrong: tuple[Any, ...] = (*texts, 1e300, math.nan, -math.inf, -1, 10**400, each.most + 1, [], dict)
        for value in wrong:
            with pytest.raises(ValueError, match=f"^{each.name}: expected .+ {bounds}.") as raised:
                complete(Settings({each.name: value}))
            assert "\n" not in str(raised.value)
            assert len(str(raised.value)) < 200, each.name
        for value in (each.least, each.most, each.default):
            complete(Settings({each.name: value}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RETRY_ENABLED", "nee"),
        ("DELTAFETCH_ENABLED", "uit"),
        ("DOWNLOAD_TIMEOUT", "lang"),
        ("RETRY_TIMES", None),
    ],
)
def test_a_number_or_flag_of_scrapy_that_is_none_is_refused_by_its_name(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: expected (0 or 1|a number), got "):
        complete(Settings({name: value}))
    complete(Settings({"RETRY_ENABLED": "False", "DELTAFETCH_ENABLED": "0", "DOWNLOAD_TIMEOUT": "2.5"}))


@pytest.mark.parametrize("contact", ["woo@a.nl\r\nHost: b.nl", "https://www.a.nl/\n", "https://www.á.nl/"])
def test_a_contact_that_would_break_a_header_is_refused(contact: str) -> None:
    with pytest.raises(ValueError, match=r"^WOO_CONTACT: expected URL or e-mail address, got ") as raised:
        complete(Settings({"WOO_CONTACT": contact}))
    assert len(str(raised.value).splitlines()) == 1


def test_values_as_a_command_line_and_a_project_give_them_are_taken() -> None:
    given = {"WOO_TEXT": "1", "WOO_SUMMARY": False, "WOO_TEXT_TIMEOUT": "0.5", "WOO_TEXT_WORKERS": "4"}
    settings = Settings(given)
    complete(settings)
    assert {name: settings[name] for name in given} == given
    assert settings["WOO_REPORT_LANG"] == "nl"


@pytest.mark.integration
@pytest.mark.parametrize("command", ["crawl", "index", "monitor", "inventory"])
@pytest.mark.parametrize(
    ("setting", "line"),
    [
        ("WOO_TXT=1", "unknown setting WOO_TXT: docs/settings.md has all"),
        ("WOO_TEXT_TIMEOUT=1m", "WOO_TEXT_TIMEOUT: expected seconds from 0 to 2,000,000, got 1m"),
    ],
)
def test_a_setting_that_is_none_or_cannot_be_ends_a_command_with_one_line(
    tmp_path: Path, command: str, setting: str, line: str
) -> None:
    name, value = setting.split("=")
    args = [command, "woo"] if command == "crawl" else [command]
    done = run_scrapy(args, tmp_path, settings={name: value})
    assert (done.returncode, done.stderr) == (2, f"scrapy {command}: error: {line}\n")


@pytest.mark.integration
@pytest.mark.parametrize(("args", "value"), [((), "of-environment"), (("-s", "WOO_REPORT_DIR=of-s"), "of-s")])
def test_the_command_line_beats_the_environment(tmp_path: Path, args: tuple[str, ...], value: str) -> None:
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
