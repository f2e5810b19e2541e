from __future__ import annotations

import sys

import pytest

from woo_harvester.utils.program import program
from woo_harvester.utils.statuses import is_complete


@pytest.mark.parametrize(
    ("started", "typed"),
    [
        ("/opt/woo/bin/woo-harvester", "woo-harvester"),
        ("/usr/local/bin/woo-harvester-1.0", "woo-harvester-1.0"),  # pipx install --suffix
        ("woo-harvester.exe", "woo-harvester"),
        (".venv/bin/woo-harvester", ".venv/bin/woo-harvester"),  # as make demo starts it
        ("/opt/woo/lib/woo_harvester/__main__.py", "python -m woo_harvester"),
        ("/opt/woo/lib/scrapy/__main__.py", "scrapy"),
        ("/opt/woo/bin/scrapy", "scrapy"),
        ("", "scrapy"),
    ],
)
def test_messages_name_the_command_that_was_typed(
    monkeypatch: pytest.MonkeyPatch, started: str, typed: str
) -> None:
    monkeypatch.setattr(sys, "argv", [started, "audit"])
    assert program() == typed


def test_an_interpreter_without_arguments_is_scrapy_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [])
    assert program() == "scrapy"


def test_only_200_and_203_bring_the_complete_file() -> None:
    assert [status for status in range(100, 600) if is_complete(status)] == [200, 203]
