"""A stock project of Scrapy with the lines of docs/project.md."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.utils.command import Run, environment, run_scrapy
from tests.utils.forked_runs import Forked
from tests.utils.sites import write_register
from tests.utils.waiting import STUCK
from woo_harvester.demo.site import Site

PAGE = (ROOT / "docs" / "project.md").read_text(encoding="utf-8")
SETTINGS, DELAY, SCRIPT, PIPELINE, SPIDERS = re.findall(r"(?ms)^```python\n(.+?)^```$", PAGE)
LOOPBACK = "WOO_ALLOW_PRIVATE_HOSTS = True\nWOO_CONTACT = 'https://www.mijn.example/'\n"


class Project:
    """A folder that ``scrapy startproject`` made, with the add-on."""

    def __init__(self, folder: Path, ca_bundle: Path) -> None:
        self.folder = folder
        self.ca_bundle = ca_bundle
        self.add("settings.py", LOOPBACK)

    def add(self, name: str, text: str) -> None:
        """Append text to a module of the project."""
        with (self.folder / "mijn" / name).open("a", encoding="utf-8") as file:
            file.write(f"\n{text}\n")

    def scrapy(self, *args: str, **settings: object) -> Run:
        """Run a command as a user would, with these settings on the command line."""
        return run_scrapy(args, self.folder, self.ca_bundle, settings=settings)

    def typed(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Run exactly this command."""
        return Forked(args, self.folder, environment(self.ca_bundle)).done(STUCK)

    def script(self, text: str) -> subprocess.CompletedProcess[str]:
        """Run a script in the folder, by an interpreter of its own."""
        (self.folder / "script.py").write_text(text, encoding="utf-8")
        return subprocess.run(
            [sys.executable, "script.py"],
            cwd=self.folder,
            env=environment(self.ca_bundle),
            capture_output=True,
            text=True,
            timeout=STUCK,
            check=False,
        )

    def crawl(self, spider: str, site: Site, *args: str, **settings: object) -> Run:
        """Harvest a site with one of the spiders of the project, without asking for documents."""
        register = write_register(self.folder / "register.xml", {"Gemeente": [site.url("/")]})
        given = ("-a", f"register={register}", "-a", "documents=none", "-O", "out.jsonl")
        (self.folder / "out.jsonl").unlink(missing_ok=True)  # a run without news would leave it
        run = self.scrapy("crawl", spider, *given, *args, **settings)
        assert "Traceback" not in run.stderr, run.stderr
        return run

    @property
    def left(self) -> set[str]:
        """The names of what commands have left in the folder."""
        return {path.name for path in self.folder.iterdir()} - {"mijn", "scrapy.cfg", "script.py"}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stock")
    made = [sys.executable, "-m", "scrapy", "startproject", "mijn", str(folder)]
    subprocess.run(made, check=True, capture_output=True, env=environment(None))
    return folder


@pytest.fixture
def with_addon(template: Path, tmp_path: Path, ca_bundle: Path) -> Project:
    """A stock project with the add-on alone."""
    shutil.copytree(template, tmp_path / "project")
    project = Project(tmp_path / "project", ca_bundle)
    project.add("settings.py", SETTINGS.splitlines()[0])
    return project


@pytest.fixture
def project(with_addon: Project) -> Project:
    """A stock project with both lines of the page, and its pipeline and spiders."""
    with_addon.add("settings.py", SETTINGS)
    with_addon.add("pipelines.py", PIPELINE)
    with_addon.add("spiders/own.py", SPIDERS)
    return with_addon


def errors(run: Run | subprocess.CompletedProcess[str]) -> list[str]:
    """Return the texts of the errors in a log."""
    return re.findall(r"^\S+ \S+ \[[\w.]+\] (?:ERROR|CRITICAL): (.*)$", run.stderr, re.MULTILINE)


def paths(run: Run) -> list[tuple[str, str]]:
    """Return the name of the document and the oorzaak of each record."""
    made = ((record["document"]["weblocatie"], record["versies"][0]["oorzaak"]) for record in run.records)
    return sorted((Path(loc).stem, cause) for loc, cause in made)


def delivered(names: Iterable[str], cause: str = "aanlevering") -> list[tuple[str, str]]:
    return [(name, cause) for name in sorted(names)]
