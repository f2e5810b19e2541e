"""What docs/operations.md names is there."""

from __future__ import annotations

import re

from tests.conftest import ROOT
from woo_harvester.commands.state import ACTIONS

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def test_every_action_of_scrapy_state_is_reported_and_there_is_no_other() -> None:
    named = set(re.findall(r"scrapy state (?:-\S+ )*([a-z]+)", PAGE))
    assert named == set(ACTIONS)


def test_the_state_that_is_shown_has_the_heads_of_the_command() -> None:
    assert "host             documents withdrawn   pending complete read\n" in PAGE
