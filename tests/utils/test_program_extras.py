"""The commands that messages give to install an extra."""

from __future__ import annotations

import re
import tomllib

from tests.conftest import ROOT
from woo_harvester.utils.program import to_install


def test_an_extra_is_installed_with_the_package() -> None:
    assert to_install("text") == 'pip install "woo-harvester[text]"'


def test_every_message_names_an_extra_that_is_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "woo_harvester").rglob("*.py")]
    named = {name for source in sources for name in re.findall(r"to_install\(['\"](\w+)", source)}
    assert named == project["optional-dependencies"].keys() - {"deploy", "speed"}  # nothing asks for these
