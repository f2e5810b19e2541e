"""The tutorials, done from the first line to the last, after each way to install of docs/how-to/install.md.

A tutorial is done with exactly the extras that it names.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.docs.page import Command, Reader
from tests.utils.command import ROOT
from tests.utils.daily import FIRST, XML, xml
from tests.utils.deployment import commands_of
from tests.utils.distributions import Environment, base, built, copied
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import robots_txt, sitemapindex

__all__ = ["base", "built", "copied"]

TUTORIALS = ROOT / "docs" / "tutorials"
INSTALL = (ROOT / "docs" / "how-to" / "install.md").read_text(encoding="utf-8")
MAKE, WHEEL, PIPX = "From a checkout", "From a wheel", "With pipx"
#: Words of the lines of a section that install the base, and of the line that adds extras.
BASE = {MAKE: ("make install",), WHEEL: (" -m venv ", " install woo_"), PIPX: ("pipx install ./",)}
EXTRAS = {MAKE: (), WHEEL: (" -c requirements-all.txt ",), PIPX: ("pipx install --force ",)}
#: Where the commands are then: activated, or put on the ``PATH`` by pipx.
COMMANDS = {MAKE: ".venv/bin", WHEEL: "woo/bin", PIPX: "commands"}


@dataclass(frozen=True, slots=True)
class Way:
    """A folder in which somebody installed woo-harvester as a section of the page says."""

    section: str
    folder: Path

    def type(self, words: tuple[str, ...]) -> None:
        """Type the lines of the section that have these words."""
        lines = commands_of(INSTALL, self.section)
        own = {"PIPX_HOME": self.folder / "pipx", "PIPX_BIN_DIR": self.folder / COMMANDS[PIPX]}
        with Reader(self.folder, settings=own, programs=[self.python]) as reader:
            for word in words:
                (line,) = (line for line in lines if word in line)
                reader.do(Command(line, None))

    @property
    def commands(self) -> Path:
        """The folder that is on the ``PATH`` then."""
        return self.folder / COMMANDS[self.section]

    @property
    def python(self) -> Path:
        """A folder with pipx, and with the Python of the tests, which has the libraries of the examples."""
        folder = self.folder / "others"
        folder.mkdir(exist_ok=True)
        pipx = Path(sys.executable).with_name("pipx")
        for name, program in {"python": sys.executable, "python3": sys.executable, "pipx": pipx}.items():
            (folder / name).write_text(
                f'#!/bin/sh\nexec {shlex.quote(str(program))} "$@"\n', encoding="utf-8"
            )
            (folder / name).chmod(0o755)
        return folder


@pytest.fixture(scope="module")
def way(
    request: pytest.FixtureRequest, base: Environment, copied: Path, tmp_path_factory: pytest.TempPathFactory
) -> Way:
    """What a section of the page installs without extras; a checkout has all."""
    folder = tmp_path_factory.mktemp("installed")
    if request.param == MAKE:
        folder = Path(shutil.copytree(copied, folder / "checkout"))
    else:
        shutil.copy(base.wheel, folder)
        shutil.copy(ROOT / "requirements-all.txt", folder)
    made = Way(request.param, folder)
    made.type(BASE[made.section])
    return made


each_way = pytest.mark.parametrize("way", [MAKE, WHEEL, PIPX], indirect=True, scope="module")


@each_way
def test_the_audit_of_a_site_that_is_not_ready_until_it_is(way: Way, reader: Reader) -> None:
    reader.stand_ins = {**reader.stand_ins, "test.gemeente.internal": reader.stand_ins["www.gemeente.nl"]}
    reader.programs = [way.commands]
    reader.play(TUTORIALS / ("is-mijn-site-klaar.md" if way.section == PIPX else "is-my-site-ready.md"))


@each_way
def test_the_first_harvest(way: Way, reader: Reader) -> None:
    way.type(EXTRAS[way.section])
    reader.programs = [way.python, way.commands]
    reader.play(TUTORIALS / "first-harvest.md")


@pytest.mark.parametrize("way", [MAKE, WHEEL], indirect=True, scope="module")
def test_a_harvester_of_ones_own(way: Way, reader: Reader, site: Site) -> None:
    urls = {name: site.url(f"/sitemapindex-diwoo-{name}.xml") for name in ("infocat002", "infocat014")}
    site.pages["/robots.txt"] = Page(robots_txt(*urls.values()))
    for (name, url), documents in zip(urls.items(), (["b"], ["a"]), strict=True):
        site.pages[f"/{name}.xml"] = Page(xml(site, dict.fromkeys(documents, FIRST)), content_type=XML)
        site.pages[urlsplit(url).path] = Page(sitemapindex([site.url(f"/{name}.xml")]), content_type=XML)
    # The settings of a project do not come from the environment, so the test adds its own to the file.
    own = {"WOO_ALLOW_PRIVATE_HOSTS": 1, "WOO_REGISTER": str(reader.settings["WOO_REGISTER"])}
    lines = ['BOT_NAME = "mijn"', *(f"{name} = {value!r}" for name, value in own.items())]
    reader.stand_ins = {**reader.stand_ins, lines[0]: "\n".join(lines)}
    reader.programs = [way.commands]
    reader.play(TUTORIALS / "your-own-harvester.md")
