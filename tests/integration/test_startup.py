"""Whatever keeps a run from its start: the last line on stderr names it, and the exit status is not 0."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from scrapy.settings import Settings, iter_default_settings

from tests.utils.command import environment, in_project, read_lines, run_scrapy
from tests.utils.daily import Harvester, numbered, publish
from tests.utils.sites import write_register
from tests.utils.vergunningen import Permits
from woo_harvester.addon import SETTINGS
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site

#: A component that cannot be made, in a module of the test's own folder.
BROKEN = """
class Raises:
    lazy = False

    def __init__(self, *args, **kwargs):
        raise ValueError("the disk\\nis on fire")
"""
#: A module that somebody else has broken.
SYNTAX = "def wrong(:\n"

NOWHERE = "No module named 'nowhere'"
ON_FIRE = "ValueError: the disk is on fire"

#: Setting, value, exit status, and what the last line says of the cause. ``tests/running`` has more values.
WRONG = [
    ("ADDONS", {"nowhere.X": 1}, 1, NOWHERE),
    ("EXTENSIONS", {"broken.Raises": 1}, 1, ON_FIRE),
    ("DOWNLOAD_HANDLERS", {"https": "broken.Raises"}, 1, "'https': the disk is on fire"),
    ("SPIDER_MODULES", "nowhere", 1, NOWHERE),
    ("STATS_CLASS", "broken.Raises", 1, ON_FIRE),
    ("LOG_LEVEL", "FOO", 1, "ValueError: Unknown level: 'FOO'"),
    ("LOG_FILE", "no/folder/run.log", 1, "no/folder/run.log: No such file or directory"),
    ("FEEDS", {"/proc/no/a.jsonl": {"format": "jsonlines"}}, 1, "/proc/no: No such file or directory"),
    (
        "WOO_STATE_URL",
        "postgresql://a@b:c/d",
        2,
        "WOO_STATE_URL: expected a URL such as sqlite:///state.sqlite",
    ),
    ("FILES_STORE", "/proc/no", 1, "FILES_STORE /proc/no"),
    ("WOO_DATA_DIR", "/proc/no", 1, "/proc/no"),
    ("WOO_REPORT_DIR", "/proc/no", 1, "/proc/no"),
    ("RETRY_TIMES", "often", 2, "RETRY_TIMES: expected a number, got often"),
]

#: What each command of the project that runs a spider is given.
Arguments = Callable[[Path], Sequence[str]]


def crawl(folder: Path) -> Sequence[str]:
    """The command of a run without a host that answers."""
    register = write_register(folder / "register.xml", {"Raad": ["https://localhost:9/"]})
    return ["crawl", "woo", "-a", f"register={register}"]


def permits(folder: Path) -> Sequence[str]:
    """The same for permits."""
    return Permits(folder, folder / "no.pem").arguments("https://localhost:9/")


def audit(folder: Path) -> Sequence[str]:
    """An audit of that host."""
    register = write_register(folder / "register.xml", {"Raad": ["https://localhost:9/"]})
    return ["audit", "localhost:9", "-s", f"WOO_REGISTER={register}"]


#: No try takes long, and none is made again.
QUICK = {"RETRY_TIMES": 0, "WOO_RETRY_BACKOFF": 0}


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    """A folder with modules that are wrong."""
    (tmp_path / "broken.py").write_text(BROKEN, encoding="utf-8")
    (tmp_path / "syntax.py").write_text(SYNTAX, encoding="utf-8")
    return tmp_path


def given(value: object) -> object:
    """The value of a setting, as it is typed."""
    return json.dumps(value) if isinstance(value, dict) else value


@pytest.mark.parametrize(("name", "value", "status", "cause"), WRONG)
def test_the_last_line_names_what_is_wrong_with_a_setting(
    name: str, value: object, status: int, cause: str, modules: Path
) -> None:
    done = run_scrapy(crawl(modules), modules, settings={**QUICK, name: given(value)})
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, done.records) == (status, [])
    assert last.startswith("scrapy crawl: error: ")
    assert cause in last


def test_a_run_with_each_of_scrapys_values_given_as_a_text_ends_as_any_other(
    tmp_path: Path, ca_bundle: Path, site: Site
) -> None:
    publish(site, numbered(2))
    here = Settings()
    here.setmodule("woo_harvester.settings")
    names = [name for name, default in iter_default_settings() if isinstance(default, bool | int | float)]
    texts = {name: str(here[name]) for name in names if name not in SETTINGS}
    run = Harvester(tmp_path, ca_bundle, [site]).day(**{**texts, "TELNETCONSOLE_ENABLED": "False"})
    assert run.returncode == 0, run.stderr
    assert " ERROR: " not in run.stderr, run.stderr


@pytest.mark.parametrize("arguments", [permits, audit])
def test_other_commands_name_what_is_wrong_too(arguments: Arguments, modules: Path) -> None:
    args = arguments(modules)
    done = run_scrapy(args, modules, settings={**QUICK, "EXTENSIONS": '{"nowhere.X": 1}'})
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1
    assert last.startswith(f"scrapy {args[0]}: error: ")
    assert NOWHERE in last


def test_a_log_file_ends_with_the_cause_of_a_component_that_raises(modules: Path) -> None:
    settings = {"EXTENSIONS": '{"broken.Raises": 1}', "LOG_FILE": modules / "run.log"}
    done = run_scrapy(crawl(modules), modules, settings=settings)
    log = (modules / "run.log").read_text(encoding="utf-8")
    assert log.splitlines()[-1].endswith(f"ERROR: {ON_FIRE} (exit status 1)")
    assert "Traceback" in log
    assert done.stderr == f"scrapy crawl: error: {ON_FIRE}\n"


#: Shell words that break standard streams.
STREAMS = {
    "stderr on a full disk": "2>/dev/full",
    "stdout on a full disk": ">/dev/full",
}


def shell(args: Sequence[str], folder: Path, ca: Path, words: str) -> subprocess.CompletedProcess[str]:
    """A command, started by a shell with *words* after it."""
    argv = [sys.executable, "-m", "scrapy", *in_project(args, folder, QUICK)]
    script = f'exec "$@" {words}'
    return subprocess.run(
        ["bash", "-c", script, "bash", *argv],
        cwd=folder,
        env=environment(ca),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("words", STREAMS.values(), ids=STREAMS)
def test_a_run_works_whatever_its_standard_streams_are(
    words: str, tmp_path: Path, ca_bundle: Path, site: Site
) -> None:
    publish(site, numbered(3))
    harvester = Harvester(tmp_path, ca_bundle, [site])
    done = shell([*harvester.arguments(), "-o", "a.jsonl"], tmp_path, ca_bundle, words)
    assert done.returncode == 0
    assert len(read_lines(tmp_path / "a.jsonl")) == 3
    (state,) = tmp_path.glob(".scrapy/woo-state.sqlite")
    assert state.read_bytes().startswith(b"SQLite format 3\0"), "nothing else was written into it"
    assert (tmp_path / "reports").exists()


def test_progress_and_summary_that_stderr_does_not_take_are_no_error_of_the_run(
    tmp_path: Path, ca_bundle: Path, site: Site
) -> None:
    publish(site, numbered(3))
    site.pages["/d/*"] = Page(b"%PDF-1.7", content_type="application/pdf", delay=0.5)
    log = tmp_path / "run.log"
    settings = ("-s", f"LOG_FILE={log}", "-s", "WOO_PROGRESS_INTERVAL=0.1")
    args = Harvester(tmp_path, ca_bundle, [site]).arguments("-a", "documents=head", *settings)
    assert shell(args, tmp_path, ca_bundle, "2>/dev/full").returncode == 0
    assert "Spider closed (finished)" in log.read_text(encoding="utf-8")
    assert "ERROR" not in log.read_text(encoding="utf-8")


def test_records_that_stdout_does_not_take_end_the_run_with_status_1(
    tmp_path: Path, ca_bundle: Path, site: Site
) -> None:
    publish(site, numbered(3))
    harvester = Harvester(tmp_path, ca_bundle, [site])
    done = shell([*harvester.arguments(), "-o", "-:jsonlines"], tmp_path, ca_bundle, ">/dev/full")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("scrapy crawl: error: an output could not be written (")


def test_an_answer_that_stdout_does_not_take_ends_with_status_1(tmp_path: Path, ca_bundle: Path) -> None:
    (tmp_path / "sitemap.xml").write_text("<urlset/>", encoding="utf-8")
    done = shell(["audit", "--file", "sitemap.xml"], tmp_path, ca_bundle, ">/dev/full")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == ("scrapy audit: error: standard output: No space left on device")


def test_a_pid_file_that_cannot_be_written_is_one_line_of_every_command(tmp_path: Path) -> None:
    for command in ("crawl", "audit", "state", "monitor", "demo"):
        done = run_scrapy([command, "--pidfile", "no/folder/pid"], tmp_path)
        assert (done.returncode, done.stderr) == (
            1,
            f"scrapy {command}: error: no/folder/pid: No such file or directory\n",
        )
