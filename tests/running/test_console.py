"""``woo-harvester`` as it is typed in a folder: outside a Scrapy project, and in one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.stock_project import Project, project, template, with_addon
from tests.utils.command import ROOT, environment
from tests.utils.forked_runs import Forked
from tests.utils.sites import ca, ca_bundle
from woo_harvester.__main__ import main
from woo_harvester.utils.program import VERSION

__all__ = ["ca", "ca_bundle", "project", "template", "with_addon"]

pytestmark = pytest.mark.integration

NAME = "woo-harvester"


def as_the_script_does() -> None:
    """Run the command in this process, as the script that pip makes for it."""
    sys.argv[0] = f"/usr/bin/{NAME}"
    main()


def typed(folder: Path, *args: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder."""
    outside = {name: value for name, value in environment(None).items() if name != "SCRAPY_SETTINGS_MODULE"}
    given = {**outside, "HOME": str(folder), **environ}
    return Forked(args, folder, given, as_the_script_does).done(120)


def error_of(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one line on stderr of a command that was refused."""
    assert (done.returncode, done.stdout) == (2, ""), done
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize("args", [(), ("-h",), ("--help",)])
def test_without_a_command_it_lists_those_of_the_package_first(tmp_path: Path, args: tuple[str, ...]) -> None:
    done = typed(tmp_path, *args)
    assert (done.returncode, done.stderr) == (0, "")
    own, _, scrapys = done.stdout.partition("\nCommands of Scrapy: ")
    modules = {path.stem for path in (ROOT / "woo_harvester" / "commands").glob("*.py")}
    assert set(re.findall(r"^  ([a-z-]+)  ", own, re.MULTILINE)) == (modules | {"state"}) - {"__init__"}
    assert "shell" in scrapys
    assert "scrapy" not in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("asked", ["--version", "version"])
def test_it_reports_its_version(tmp_path: Path, asked: str) -> None:
    done = typed(tmp_path, asked)
    assert done.stdout.startswith(f"{NAME} {VERSION} (Scrapy ")
    assert done.returncode == 0


def test_an_unknown_command_gets_a_suggestion(tmp_path: Path) -> None:
    assert error_of(typed(tmp_path, "auidt")) == f"{NAME}: error: unknown command auidt: did you mean audit?"


@pytest.mark.parametrize("command", ["audit", "crawl", "demo", "fetch", "state"])
def test_the_help_of_each_command_names_what_was_typed(tmp_path: Path, command: str) -> None:
    done = typed(tmp_path, command, "-h")
    assert f"\n  {NAME} {command} " in done.stdout
    assert "scrapy " not in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("audit",), f"such as: {NAME} audit www.gemeente.nl"),
        (("crawl",), f"such as: {NAME} crawl woo"),
        (("crawl", "wo"), "unknown spider wo: did you mean woo?"),
        (("demo", "x"), f"{NAME} demo takes no arguments"),
        (("state", "forget"), f"expected: {NAME} state forget"),
        (("tooi", "--from", "x"), f"unknown option --from: {NAME} tooi -h shows the options"),
        (("index",), f"{NAME} index --rebuild records/"),
    ],
)
def test_an_error_names_what_was_typed(tmp_path: Path, args: tuple[str, ...], expected: str) -> None:
    line = error_of(typed(tmp_path, *args))
    assert line.startswith(f"{NAME} {args[0]}: error: ")
    assert expected in line
    assert "scrapy " not in line


def test_the_module_is_the_same_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "woo_harvester", "crawl", "wo"],
        cwd=tmp_path,
        env=environment(None),
        capture_output=True,
        text=True,
        check=False,
    )
    assert error_of(done) == "python -m woo_harvester crawl: error: unknown spider wo: did you mean woo?"


def test_outside_a_project_the_settings_are_those_of_the_package(tmp_path: Path) -> None:
    assert typed(tmp_path, "settings", "--get", "BOT_NAME").stdout == f"{NAME}\n"
    assert typed(tmp_path, "list").stdout.split() == ["vergunningen", "woo"]


def test_in_a_project_the_settings_are_its_own(project: Project) -> None:
    assert typed(project.folder, "settings", "--get", "BOT_NAME").stdout == "mijn\n"
    below = project.folder / "mijn" / "spiders"
    assert {"convenanten", "recent"} <= set(typed(below, "list").stdout.split())


def test_the_settings_that_the_environment_names_count(tmp_path: Path) -> None:
    (tmp_path / "eigen.py").write_text("BOT_NAME = 'eigen'\n", encoding="utf-8")
    path = f"{ROOT}:{tmp_path}"
    done = typed(tmp_path, "settings", "--get", "BOT_NAME", SCRAPY_SETTINGS_MODULE="eigen", PYTHONPATH=path)
    assert done.stdout == "eigen\n"


def test_importing_the_command_reads_no_settings(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import woo_harvester.running.console, sys; print('woo_harvester.settings' in sys.modules)",
        ],
        cwd=tmp_path,
        env=environment(None, {"SCRAPY_SETTINGS_MODULE": "weg.settings"}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_a_project_whose_settings_cannot_be_read_gets_one_line(tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = weg.settings\n", encoding="utf-8")
    done = typed(tmp_path, "list")
    assert done.stderr == f"{NAME}: error: the settings weg.settings: No module named 'weg'\n"
    assert done.returncode == 1


def test_help_that_cannot_be_written_is_an_error_of_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m woo_harvester --version > /dev/full'],
        cwd=tmp_path,
        env=environment(None),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == "python -m woo_harvester: error: standard output: No space left on device\n"
    assert done.returncode == 1


@pytest.mark.parametrize(
    "given",
    [
        ["audit", "--file", "sitemap.xml"],
        ["audit", "--file", "sitemap.xml", "--json"],
        ["tooi"],
    ],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_gone_ends_a_command_without_a_word(
    tmp_path: Path, given: list[str], unbuffered: str
) -> None:
    (tmp_path / "sitemap.xml").write_text("<urlset/>", encoding="utf-8")
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "woo_harvester", *given],
            cwd=tmp_path,
            env={**environment(None), "PYTHONUNBUFFERED": unbuffered},
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize(
    "module", ["scrapy", "woo_harvester.running.console", "woo_harvester.commands.state"]
)
def test_ctrl_c_while_it_is_imported_ends_it_without_a_traceback(tmp_path: Path, module: str) -> None:
    typed_at_import = f"""
import signal, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
sys.argv = ["woo-harvester", "state"]
from woo_harvester.__main__ import main
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", typed_at_import], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
