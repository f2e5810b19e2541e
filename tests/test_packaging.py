"""The package works far from the checkout: as a wheel, and as the egg that Scrapyd loads."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TypedDict

import pytest

from tests.conftest import ROOT


class Seen(TypedDict):
    """What LOOK prints."""

    where: str
    dutch: int
    english: int
    categories: int
    spiders: list[str]
    entry_points: list[str]


#: What a process far from the checkout sees of the package, as JSON.
LOOK = """
import json
from importlib.metadata import entry_points
from scrapy.spiderloader import SpiderLoader
from scrapy.utils.project import get_project_settings
import woo_harvester
from woo_harvester import tooi
from woo_harvester.findings import explanations

print(json.dumps({
    "where": woo_harvester.__file__,
    "dutch": len(explanations("nl")),
    "english": len(explanations("en")),
    "categories": len(tooi.informatiecategorieen()),
    "spiders": SpiderLoader.from_settings(get_project_settings()).list(),
    "entry_points": sorted(entry.value for entry in entry_points(group="scrapy")),
}))
"""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a build needs, copied, so that nothing is left behind in the checkout."""
    copy = tmp_path_factory.mktemp("sources")
    for name in ("pyproject.toml", "setup.py", "LICENSE", "README.md"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, copy)
    shutil.copytree(
        ROOT / "woo_harvester", copy / "woo_harvester", ignore=shutil.ignore_patterns("__pycache__")
    )
    return copy


@pytest.fixture(scope="module")
def wheel(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    python(
        "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, ".", cwd=sources
    )
    return only_file(folder, "woo_harvester-*.whl")


@pytest.fixture(scope="module")
def egg(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("egg")
    python("setup.py", "--quiet", "bdist_egg", "--dist-dir", folder, cwd=sources)
    return only_file(folder, "woo_harvester-*.egg")


@pytest.mark.parametrize("kind", ["wheel", "egg"])
def test_a_package_holds_every_file_of_the_checkout(kind: str, request: pytest.FixtureRequest) -> None:
    with zipfile.ZipFile(request.getfixturevalue(kind)) as archive:
        packed = {name for name in archive.namelist() if name.startswith("woo_harvester/")}
    assert packed.issuperset(package_files())


@pytest.mark.parametrize("kind", ["wheel", "egg"])
def test_a_package_holds_no_tests(kind: str, request: pytest.FixtureRequest) -> None:
    with zipfile.ZipFile(request.getfixturevalue(kind)) as archive:
        assert not [name for name in archive.namelist() if name.startswith(("tests/", "benchmarks/"))]


def test_an_installed_wheel_finds_its_data_and_settings(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    python("-m", "pip", "install", "--quiet", "--no-deps", "--target", target, wheel, cwd=tmp_path)
    check(look(target, tmp_path), target)


def test_a_zipped_egg_finds_its_data_and_settings(egg: Path, tmp_path: Path) -> None:
    check(look(egg, tmp_path), egg)


def check(seen: Seen, where: Path) -> None:
    assert Path(seen["where"]).is_relative_to(where)
    assert seen["dutch"] == seen["english"]
    assert seen["dutch"] > 80
    assert seen["categories"] == 18
    assert seen["entry_points"] == ["woo_harvester.settings"]
    assert "woo" in seen["spiders"]


def look(where: Path, cwd: Path) -> Seen:
    environment = {
        "PYTHONPATH": str(where),
        "SCRAPY_SETTINGS_MODULE": "woo_harvester.settings",
    }
    seen: Seen = json.loads(python("-c", LOOK, cwd=cwd, **environment))
    return seen


def python(*arguments: str | Path, cwd: Path, **environment: str) -> str:
    """The output of a Python process; its coverage is not measured, since it runs other files."""
    outside = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env=outside | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def package_files() -> set[str]:
    """Every file of the package, but for what Python and other tools leave behind."""
    return {
        str(path.relative_to(ROOT))
        for path in (ROOT / "woo_harvester").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }


def only_file(folder: Path, pattern: str) -> Path:
    (path,) = folder.glob(pattern)
    return path
