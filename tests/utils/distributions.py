"""The wheel and the source distribution, built from a clean copy, and environments with only the wheel.

A ``conftest.py`` or a module that wants the fixtures imports them from here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import PathDistribution, distributions
from pathlib import Path

import pytest

from tests.conftest import ROOT, skip_or_fail

__all__ = ["Distributions", "Environment", "base", "built", "copied", "python"]

#: Variables of the test run, which an installation of a user does not have.
_OF_TESTS = ("COV", "PYTEST", "PYTHON", "SCRAPY", "WOO", "SSL_CERT")


@dataclass(frozen=True, slots=True)
class Distributions:
    """What a release consists of, and what the build said."""

    wheel: Path
    sdist: Path
    output: str


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment in which the wheel is installed."""

    folder: Path
    wheel: Path

    @classmethod
    def make(
        cls, folder: Path, wheel: Path, extra: str = "", *, base: Environment | None = None
    ) -> Environment:
        """Install the wheel with *extra* in a new environment; what *base* has is not installed again."""
        python("-m", "venv", "--without-pip", folder, cwd=folder.parent)
        made = cls(folder, wheel)
        if base is not None:
            (made.packages / "base.pth").write_text(f"{base.packages}\n", encoding="utf-8")
        asked = f"woo-harvester[{extra}] @ {wheel.as_uri()}" if extra else str(wheel)
        pinned = ("--constraint", ROOT / "requirements-all.txt")
        pip = ("-m", "pip", "--python", folder / "bin" / "python")
        python(*pip, "install", "--quiet", "--no-compile", *pinned, asked, cwd=folder.parent)
        return made

    @property
    def packages(self) -> Path:
        """The folder ``site-packages``."""
        (found,) = self.folder.glob("lib/python3*/site-packages")
        return found

    @property
    def size(self) -> int:
        """Bytes of all installed files, without bytecode, which Python makes when it runs them."""
        files = [file for each in distributions(path=[str(self.packages)]) for file in _files(each)]
        return sum(file.stat().st_size for file in files if file.suffix != ".pyc")

    def run(self, *args: str | Path, cwd: Path, ca: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run ``woo-harvester`` as a user types it in *cwd*."""
        return subprocess.run(
            self.command(*args), cwd=cwd, env=self.environ(cwd, ca), capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip

    def command(self, *args: str | Path) -> list[str]:
        """Return the command line; an environment above another one has no script, but the same module."""
        script = self.folder / "bin" / "woo-harvester"
        begin = [script] if script.exists() else [self.folder / "bin" / "python", "-m", "woo_harvester"]
        return [str(each) for each in (*begin, *args)]

    def environ(self, home: Path, ca: Path | None = None) -> dict[str, str]:
        """Return the environment of a user who has only this installation."""
        outside = {name: value for name, value in os.environ.items() if not name.startswith(_OF_TESTS)}
        trusted = {} if ca is None else {"SSL_CERT_FILE": str(ca)}
        return {**outside, "HOME": str(home), "NO_PROXY": "localhost,127.0.0.1", **trusted}


@pytest.fixture(scope="session")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the files of the checkout that git has or would add, so that a build leaves nothing in it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode:
        skip_or_fail("needs a git checkout")
    copy = tmp_path_factory.mktemp("sources")
    for name in filter(None, listed.stdout.split("\0")):
        source, target = ROOT / name, copy / name
        if source.is_file() and not source.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    return copy


@pytest.fixture(scope="session")
def built(copied: Path, tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """Build both as ``make build`` does."""
    folder = tmp_path_factory.mktemp("dist")
    output = python("-m", "build", "--no-isolation", "--outdir", folder, copied, cwd=folder)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Distributions(wheel, sdist, output)


@pytest.fixture(scope="session")
def base(built: Distributions, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel without extras."""
    folder = tmp_path_factory.mktemp("installed")
    try:
        probe = ("--dry-run", "--ignore-installed", "--no-deps", "--target", folder / "probe", "tzdata")
        python("-m", "pip", "install", "--quiet", "--retries", "1", *probe, cwd=folder)
    except AssertionError as error:
        skip_or_fail(f"needs a package index: {str(error).splitlines()[-1]}")
    return Environment.make(folder / "base", built.wheel)


def python(*arguments: str | Path, cwd: Path, **environment: str) -> str:
    """Return the output of a Python process; its coverage is not measured, since it runs other files."""
    outside = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd, env=outside | environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def _files(distribution: object) -> list[Path]:
    assert isinstance(distribution, PathDistribution)
    paths = [Path(str(distribution.locate_file(file))) for file in distribution.files or ()]
    return [path for path in paths if path.is_file()]
