"""The units in deploy/systemd: systemd accepts them, they may do little, and the installer installs them."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT, skip_or_fail

FOLDER = ROOT / "deploy" / "systemd"
UNITS = sorted(path for path in FOLDER.iterdir() if path.suffix in (".service", ".timer"))
SERVICES = [path for path in UNITS if path.suffix == ".service"]


def tool(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)


def test_the_units_are_what_systemd_accepts(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        skip_or_fail("needs systemd-analyze (on Debian: apt install systemd)")
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for unit in UNITS:  # the program need not be installed here
        text = re.sub(r"^(ExecStart=)\S+", rf"\g<1>{program}", unit.read_text(), flags=re.MULTILINE)
        (tmp_path / unit.name).write_text(text, encoding="utf-8")
    done = tool("systemd-analyze", "verify", "--man=no", *(tmp_path / unit.name for unit in UNITS))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("service", SERVICES, ids=lambda path: path.name)
def test_a_service_may_do_little_more_than_it_needs(service: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        skip_or_fail("needs systemd-analyze (on Debian: apt install systemd)")
    done = tool("systemd-analyze", "security", "--offline=true", "--threshold=30", "--no-pager", service)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def machine(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """Return a folder in the place of a machine's root, and an environment of which each command is noted."""
    root, programs = tmp_path / "root", tmp_path / "bin"
    programs.mkdir()
    note = f'#!/bin/sh\necho "$(basename "$0") $*" >> {tmp_path}/commands\n'
    venv = 'mkdir -p "$3/bin" && cp "$(dirname "$0")/pip" "$3/bin/pip"\n'
    bodies = {"id": "exit 1\n", "useradd": "", "chown": "", "systemctl": "", "pip": "", "python3": venv}
    for name, body in bodies.items():
        (programs / name).write_text(note + body)
        (programs / name).chmod(0o755)
    environ = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "DESTDIR": str(root)}
    for name in ("PYTHON", "WOO_CONTACT"):
        environ.pop(name, None)
    return root, environ


def run_installer(environ: dict[str, str], *names: str) -> subprocess.CompletedProcess[str]:
    script = FOLDER / "install.sh"
    return subprocess.run(
        ["sh", script, *names],
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def install(environ: dict[str, str], *names: str) -> None:
    done = run_installer(environ, *names)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_installer_makes_the_user_the_program_and_the_units(
    machine: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    root, environ = machine
    install(environ)
    commands = (tmp_path / "commands").read_text().splitlines()
    assert commands[1].startswith("useradd --system --user-group ")
    assert commands[2:5] == [
        f"python3 -m venv {root}/opt/woo-harvester/.venv",
        f"pip install --quiet -r {ROOT}/requirements-all.txt",
        f"pip install --quiet --no-deps --force-reinstall {ROOT}",
    ]
    assert commands[-2] == "systemctl daemon-reload", "nothing was named, so nothing is enabled"
    assert commands[-1] == "systemctl try-restart woo-harvester-portal.service", "not started by itself"
    installed = {path.name for path in (root / "etc" / "systemd" / "system").iterdir()}
    assert installed == {path.name for path in UNITS} - {"scrapyd.service"}
    assert (root / "etc" / "woo-harvester.env").stat().st_mode & 0o777 == 0o600
    data = root / "var" / "lib" / "woo-harvester"
    assert data.stat().st_mode & 0o777 == 0o750
    conf = configparser.ConfigParser()
    conf.read(data / "scrapy.cfg")
    assert conf["settings"]["default"] == "woo_harvester.settings"


#: What may be named, and the unit that is then enabled.
NAMED = {
    "woo": "woo-harvester.timer",
    "vergunningen": "woo-harvester-vergunningen.timer",
    "monitor": "woo-harvester-monitor.timer",
    "prune": "woo-harvester-prune.timer",
    "tooi": "woo-harvester-tooi.timer",
    "portal": "woo-harvester-portal.service",
}


def test_what_is_named_is_enabled_once_publishers_can_see_who_harvests(
    machine: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    root, environ = machine
    for contact in ({}, {"WOO_CONTACT": "mij"}, {"WOO_CONTACT": "https://a.nl/\nX=1"}):
        refused = run_installer({**environ, **contact}, "woo")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr.startswith("install.sh: expected a URL or an e-mail address of yours")
    assert not (tmp_path / "commands").exists()
    assert not root.exists()
    install({**environ, "WOO_CONTACT": "https://www.example.nl/woo?a=1&b=2"}, *NAMED)
    commands = (tmp_path / "commands").read_text().splitlines()
    assert commands[-2] == f"systemctl enable --now {' '.join(NAMED.values())}"
    assert NAMED.keys() - {"portal"} == {
        path.stem.removeprefix("woo-harvester").lstrip("-") or "woo"
        for path in UNITS
        if path.suffix == ".timer"
    }
    settings = root / "etc" / "woo-harvester.env"
    assert settings.read_text().endswith("\nWOO_CONTACT=https://www.example.nl/woo?a=1&b=2\n")
    assert settings.stat().st_mode & 0o777 == 0o600
    before = settings.read_text()
    install(environ, "portal")
    assert (tmp_path / "commands").read_text().splitlines()[-2] == f"systemctl enable --now {NAMED['portal']}"
    assert settings.read_text() == before, "it is asked for once"


def test_a_name_that_is_none_changes_nothing(machine: tuple[Path, dict[str, str]]) -> None:
    root, environ = machine
    done = run_installer({**environ, "WOO_CONTACT": "a@b.nl"}, "woo", "permits")
    assert done.returncode == 2
    assert done.stderr == (
        "install.sh: unknown permits: expected woo, vergunningen, monitor, prune, tooi or portal\n"
    )
    assert not root.exists()


def test_a_second_installation_changes_no_settings_of_it(machine: tuple[Path, dict[str, str]]) -> None:
    root, environ = machine
    install(environ)
    mine = {"etc/woo-harvester.env": "WOO_CONTACT=x\n", "var/lib/woo-harvester/scrapy.cfg": "[settings]\n"}
    for name, text in mine.items():
        (root / name).write_text(text)
    install(environ)
    assert {name: (root / name).read_text() for name in mine} == mine


def test_the_paths_of_the_units_are_those_that_the_installer_makes() -> None:
    script = (FOLDER / "install.sh").read_text(encoding="utf-8")
    for path in SERVICES:
        if path.name != "scrapyd.service":
            text = path.read_text(encoding="utf-8")
            assert "WorkingDirectory=/var/lib/woo-harvester\n" in text
            assert "ExecStart=/opt/woo-harvester/.venv/bin/woo-harvester " in text
    assert "program=$root/opt/woo-harvester\ndata=$root/var/lib/woo-harvester\n" in script


def test_permits_are_harvested_by_the_settings_and_in_the_folder_of_documents() -> None:
    documents, permits = (
        (FOLDER / f"woo-harvester{name}.service").read_text(encoding="utf-8")
        for name in ("", "-vergunningen")
    )
    lines = set(permits.splitlines()) - set(documents.splitlines())
    own = dict(line.split("=", 1) for line in lines if line[:1] != "#")
    assert own.keys() == {"Description", "ConditionFileNotEmpty", "ExecStart", "SystemCallFilter"}
    entries = own["ConditionFileNotEmpty"]
    assert own["ExecStart"].endswith(f"/woo-harvester crawl vergunningen -a entries={entries}")
    assert entries in (FOLDER / "install.sh").read_text(encoding="utf-8")


def test_the_portal_may_write_its_own_index_only_and_gets_no_secret_of_the_harvest() -> None:
    unit = (FOLDER / "woo-harvester-portal.service").read_text(encoding="utf-8")
    for line in (
        "DynamicUser=true",
        "SupplementaryGroups=woo",
        "ProtectSystem=strict",
        "StateDirectory=woo-harvester-portal",
        "Environment=WOO_DATA_DIR=/var/lib/woo-harvester-portal",
        "EnvironmentFile=-/etc/woo-harvester-portal.env",
        "IPAddressDeny=any",
    ):
        assert f"\n{line}\n" in unit
    assert "ReadWritePaths" not in unit
