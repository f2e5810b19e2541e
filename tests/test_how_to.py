"""What the pages in docs/how-to/ name is there."""

from __future__ import annotations

import re

from tests.conftest import ROOT
from woo_harvester.commands.state import ACTIONS

PAGES = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "how-to").glob("*.md")}


def test_every_action_of_scrapy_state_is_reported_and_there_is_no_other() -> None:
    text = "\n".join(PAGES.values())
    named = set(re.findall(r"^\$ (?:.* )?woo-harvester state (?:-\S+ )*([a-z]+)", text, flags=re.MULTILINE))
    assert named == set(ACTIONS)
