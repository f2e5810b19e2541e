"""The package works far from the checkout: as a wheel, and as the egg that Scrapyd loads.

``integration/test_installed.py`` installs the wheel, and types its commands.
"""

from __future__ import annotations

import json
import re
import shutil
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.utils.distributions import Distributions, built, copied, python
from woo_harvester.utils.program import VERSION

__all__ = ["built", "copied"]

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


#: What a process far from the checkout sees of the package, as JSON.
LOOK = """
import json
from importlib.metadata import entry_points
from scrapy.spiderloader import SpiderLoader
from scrapy.utils.project import get_project_settings
import woo_harvester
from woo_harvester.tooi.lists import informatiecategorieen
from woo_harvester.findings import explanations

print(json.dumps({
    "where": woo_harvester.__file__,
    "dutch": len(explanations("nl")),
    "english": len(explanations("en")),
    "categories": len(informatiecategorieen()),
    "spiders": SpiderLoader.from_settings(get_project_settings()).list(),
    "entry_points": sorted(entry.value for entry in entry_points(group="scrapy")),
}))
"""


@pytest.fixture(scope="module")
def wheel(built: Distributions) -> Path:
    return built.wheel


@pytest.fixture(scope="module")
def egg(copied: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("egg")
    sources = shutil.copytree(copied, folder / "sources")
    python("setup.py", "--quiet", "bdist_egg", "--dist-dir", folder, cwd=sources)
    return only_file(folder, "woo_harvester-*.egg")


def test_the_build_and_the_index_have_nothing_to_remark(built: Distributions) -> None:
    assert "Deprecat" not in built.output
    assert "!!" not in built.output
    check = ("-m", "twine", "--no-color", "check", "--strict", built.wheel.name, built.sdist.name)
    done = python(*check, cwd=built.wheel.parent)  # short names: the lines are no wider than a terminal
    files = built.wheel.name, built.sdist.name
    assert done.split() == [word for name in files for word in ("Checking", f"{name}:", "PASSED")]


def test_the_wheel_says_what_the_project_says(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        metadata = message_from_bytes(archive.read(f"woo_harvester-{VERSION}.dist-info/METADATA"))
    assert metadata["Version"] == VERSION
    assert str(metadata.get_payload()).startswith("# woo-harvester\n")
    assert set(metadata.get_all("Provides-Extra", [])) == PROJECT["optional-dependencies"].keys()
    urls = [line.partition(", ")[0] for line in metadata.get_all("Project-URL", [])]
    assert urls == list(PROJECT["urls"])


def test_the_source_distribution_holds_the_whole_checkout(built: Distributions, copied: Path) -> None:
    with tarfile.open(built.sdist) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    made = re.compile(r"(build|woo_harvester\.egg-info)/")  # by the builds from the copy
    files = (path.relative_to(copied).as_posix() for path in copied.rglob("*") if path.is_file())
    assert [name for name in files if name not in packed and not made.match(name)] == []


@pytest.mark.parametrize("kind", ["wheel", "egg"])
def test_a_package_holds_every_file_of_the_package_and_no_tests_and_tools(
    kind: str, request: pytest.FixtureRequest
) -> None:
    with zipfile.ZipFile(request.getfixturevalue(kind)) as archive:
        names = archive.namelist()
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/", "tools/"))]
    packed = {name for name in names if name.startswith("woo_harvester/")}
    assert packed.issuperset(package_files())
    assert kind == "egg" or packed == package_files()  # an egg has bytecode too


def test_a_zipped_egg_finds_its_data_and_settings(egg: Path, tmp_path: Path) -> None:
    environment = {"PYTHONPATH": str(egg), "SCRAPY_SETTINGS_MODULE": "woo_harvester.settings"}
    seen = json.loads(python("-c", LOOK, cwd=tmp_path, **environment))
    assert Path(seen["where"]).is_relative_to(egg)
    assert seen["dutch"] == seen["english"]
    assert seen["dutch"] > 80
    assert seen["categories"] == 18
    assert seen["entry_points"] == ["woo_harvester.settings"]
    assert "woo" in seen["spiders"]


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
