"""What holds for the repository as a whole."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from hypothesis import settings

from tests.conftest import LONGEST, ROOT, SLOW, skip_or_fail

#: Scrapy's own parts, which every Scrapy project imports and whose versions Scrapy decides.
PART_OF_SCRAPY = {"parsel", "protego", "pydispatcher", "twisted", "w3lib"}

#: Folders of one machine: nothing in the repository may depend on them, or give them away.
MACHINE_PATHS = re.compile(r"(?<![\w.-])/(?:work|home|root|tmp/v)/", re.IGNORECASE)

#: Tests of which no module is the subject, but a folder of the package or the repository as a whole.
SUBJECTS = {
    "commands/test_hostile_files.py",  # all commands that read files
    "outputs/test_clock.py",  # a real index, written by real runs
    "outputs/test_faults.py",
    "test_deploy_files.py",
    "test_deploy_units.py",
    "test_docs.py",
    "test_how_to.py",
    "test_layout.py",
    "test_packaging.py",
    "test_readme.py",
    "test_repository.py",
    "test_scrapy_internals.py",
    "test_weight.py",
}
#: Folders of tests that mirror no folder of the package: real runs, days of chance, files that others read.
NO_MIRROR = {"docs", "integration", "samples", "simulation", "tools"}

#: What names permits, and the files outside their package that do: the tables of kinds and spiders, and what
#: commands and the report say to users. Others ask through ``kinds.py``.
PERMITS = re.compile(r"permit|vergunning|ipm|inventory|entry_page", re.IGNORECASE)
NAMING_PERMITS = {
    "commands/audit.py",
    "commands/crawl.py",
    "commands/demo.py",
    "commands/index.py",
    "commands/inventory.py",
    "demo/publishers.py",
    "kinds.py",
    "report/model.py",
    "settings.py",
    "state/migration.py",
}

#: How a pin is written: a name, an exact version, and a marker where it is not for every Python.
PIN = re.compile(r"[a-z0-9-]+==[0-9][\w.]*(?: ; python_version < \"[0-9.]+\")?")
#: What a harvest needs, with all extras too, and what the tests need.
PINS = ("requirements.txt", "requirements-all.txt", "requirements-dev.txt")


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    """Return the files that git has; skip the test outside a git checkout."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        skip_or_fail("needs a git checkout")
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_no_file_names_a_folder_of_one_machine(tracked: list[Path]) -> None:
    for path in tracked:
        text = path.read_bytes().decode("utf-8", errors="ignore")
        if path != Path(__file__):
            assert not MACHINE_PATHS.search(text), path


def test_every_folder_of_tests_is_a_package(tracked: list[Path]) -> None:
    folders = {path.parent for path in tracked if path.name.startswith("test_")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def test_each_file_of_tests_names_the_module_that_it_tests(tracked: list[Path]) -> None:
    tests = [path.relative_to(ROOT / "tests") for path in tracked if path.name.startswith("test_")]
    mirrored = [path for path in tests if path.parts[0] not in NO_MIRROR]
    unknown = {path.as_posix() for path in mirrored if module_of(path) is None}
    assert unknown == SUBJECTS


def test_no_example_of_hypothesis_has_a_deadline() -> None:
    assert settings().deadline is None


@pytest.mark.parametrize(("ci", "outcome"), [("", "1 failed, 2 skipped"), ("true", "2 failed, 1 error")])
def test_what_needs_an_extra_that_is_not_installed_is_skipped_and_fails_in_ci(
    ci: str, outcome: str, tmp_path: Path
) -> None:
    without_pyproj = "missing_extras.find_spec = lambda module: module != 'pyproj'\n"
    (tmp_path / "conftest.py").write_text(
        f"from tests.utils import missing_extras\n{without_pyproj}", "utf-8"
    )
    needs = "raise ModuleNotFoundError(\"No module named '{}'\")\n"
    (tmp_path / "test_file.py").write_text(needs.format("pyproj.crs"), "utf-8")
    each = f"def test_extra():\n    {needs.format('pyproj')}def test_other():\n    {needs.format('other')}"
    (tmp_path / "test_each.py").write_text(each, "utf-8")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-rs", "-p", "tests.utils.missing_extras"),
            *("--continue-on-collection-errors", tmp_path),
        ],
        cwd=ROOT, env={**os.environ, "CI": ci}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert outcome in done.stdout
    assert ("needs the extra permits" in done.stdout) is (ci == "")


def test_the_files_that_begin_first_exist() -> None:
    assert [name for name in (*SLOW, *LONGEST) if not (ROOT / "tests" / name).exists()] == []


def test_few_files_outside_the_package_of_permits_name_them() -> None:
    folder = ROOT / "woo_harvester"
    texts = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*.py")}
    naming = {name for name, text in texts.items() if PERMITS.search(text) and "permits/" not in name}
    assert len(naming) <= 14, sorted(naming)
    assert naming == NAMING_PERMITS


def module_of(test: Path) -> Path | None:
    """Return the module or package that a file of tests names, perhaps with an aspect of it at the end.

    ``state/test_store.py`` and ``state/test_store_locked.py`` both test ``woo_harvester/state/store.py``.
    """
    words = test.stem.removeprefix("test_").split("_")
    top, *inner = test.parent.parts or ("",)
    folder = ROOT / "woo_portal" / Path(*inner) if top == "portal" else ROOT / "woo_harvester" / test.parent
    for count in range(len(words), 0, -1):
        name = "_".join(words[:count])
        for module in (folder / f"{name}.py", folder / f"__{name}__.py", folder / name / "__init__.py"):
            if module.exists():
                return module
    return None


def test_every_pin_is_exact() -> None:
    for name in PINS:
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        pins = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
        assert [line for line in pins if not PIN.fullmatch(line)] == []


def test_all_files_of_pins_agree() -> None:
    base, run, develop = map(pins_of, PINS)
    assert base.keys() <= run.keys()  # in an extra's company a package may have to be older
    assert {name: develop[name] for name in run.keys() & develop.keys()} == {
        name: run[name] for name in run.keys() & develop.keys()
    }


def test_every_dependency_is_pinned_and_a_harvest_needs_no_extra() -> None:
    base, run, _ = map(pins_of, PINS)
    needed, extras = declared()
    assert needed <= base.keys()
    assert extras <= run.keys()
    of_scrapy = {"cryptography"}
    assert (extras - needed) & base.keys() == of_scrapy


def test_every_package_that_is_imported_is_declared() -> None:
    known = set().union(*declared(), PART_OF_SCRAPY)
    distributions = packages_distributions()
    for path in sorted((*ROOT.glob("woo_harvester/**/*.py"), *ROOT.glob("woo_portal/**/*.py"))):
        for module in imports_of(path) - sys.stdlib_module_names - {"woo_harvester", "woo_portal"}:
            assert known & {normal(name) for name in distributions.get(module, [module])}, (path, module)


def imports_of(path: Path) -> set[str]:
    """The top-level names of what a file imports."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module)
    return {module.partition(".")[0] for module in modules}


def declared() -> tuple[set[str], set[str]]:
    """The packages that pyproject.toml names: those that everyone needs, and those of the extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [each for extra in project["optional-dependencies"].values() for each in extra]
    both = (project["dependencies"], extras)
    needed, optional = ({normal(re.split(r"[^\w.-]", each)[0]) for each in names} for names in both)
    return needed, optional


def pins_of(name: str) -> dict[str, str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z0-9-]+)==([^\s;]+)", text, flags=re.MULTILINE))


def normal(name: str) -> str:
    """The form in which a package's name is compared."""
    return re.sub(r"[-_.]+", "-", name).lower()
