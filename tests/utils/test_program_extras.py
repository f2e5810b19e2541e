"""The commands that messages give to install an extra."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.conftest import ROOT
from woo_harvester.utils.program import to_install, to_install_also


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment with pip in a folder with a space, in place of that of the tests."""
    folder = tmp_path / "een map" / "woo"
    folder.mkdir(parents=True)
    monkeypatch.setattr(sys, "prefix", str(folder))
    monkeypatch.setattr(sys, "executable", str(folder / "bin" / "python"))
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    return folder


def test_an_extra_is_installed_with_the_python_that_runs(
    environment: Path,
) -> None:
    assert to_install("text") == f"'{environment}/bin/python' -m pip install \"woo-harvester[text]\""


def test_an_extra_is_installed_with_pip_where_the_environment_is_active(
    environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", str(environment))
    assert to_install("text") == 'pip install "woo-harvester[text]"'


def test_an_extra_is_injected_where_pipx_made_the_environment(environment: Path) -> None:
    (environment / "pipx_metadata.json").touch()
    assert to_install("permits") == 'pipx inject woo "pyproj<4,>=3.7"'
    assert to_install("speed") == 'pipx inject woo "uvloop>=0.21"'
    assert to_install("demo").count('"') == 2 * 2
    assert to_install_also("scrapy[gcs]") == 'pipx inject woo "scrapy[gcs]"'


def test_an_extra_is_installed_by_uv_where_uv_made_the_environment(environment: Path) -> None:
    (environment / "uv-receipt.toml").touch()
    assert to_install("text") == f"uv pip install --python '{environment}' \"woo-harvester[text]\""


def test_a_checkout_has_all_extras_after_make_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(ROOT / ".venv"))
    assert to_install("text") == f"make -C {ROOT} install"


def test_every_message_names_an_extra_that_is_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "woo_harvester").rglob("*.py")]
    named = {name for source in sources for name in re.findall(r"to_install\(['\"](\w+)", source)}
    assert named == project["optional-dependencies"].keys() - {"deploy", "speed"}  # nothing asks for these


def test_a_command_imports_what_takes_long_only_when_it_runs() -> None:
    program = (
        "import sys; from scrapy.cmdline import execute; sys.argv = ['scrapy', 'version']\n"
        "try: execute()\n"
        "finally: print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = {*done.stdout.split()}
    assert "woo_harvester.commands.audit" in loaded
    heavy = "aiohttp", "elasticsearch", "jinja2", "kreuzberg", "rich", "sqlalchemy", "tantivy"
    parts = "crawl", "documents", "extensions", "outputs", "permits.spider", "pipelines", "spiders"
    assert not loaded & {*heavy, *(f"woo_harvester.{part}" for part in parts), "woo_harvester.report.model"}


def test_commands_and_spiders_are_there_without_any_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {
        re.split(r"[^\w.-]", each)[0] for extra in project["optional-dependencies"].values() for each in extra
    }
    extras -= {
        "cryptography",
        "setuptools",
    }  # Scrapy needs the one, and the tools that install need the other
    missing = sorted(name for name, owners in packages_distributions().items() if extras & {*owners})
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({missing}))\n"
        "from scrapy.utils.misc import walk_modules_iter as walk\n"
        "import woo_harvester.settings\n"
        "parts = 'audit', 'commands', 'crawl', 'report', 'spiders'\n"
        "print(len([module for part in parts for module in walk(f'woo_harvester.{part}')]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert {"kreuzberg", "tantivy", "elasticsearch"} <= {*missing}
    assert int(done.stdout) > 50
