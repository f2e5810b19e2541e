"""Somebody who has only the README reaches each of five goals, along pages that tests play."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs import test_how_to, test_tutorials
from tests.docs.page import Command, Reader, steps
from tests.integration.test_typed_twice import permits
from tests.utils.command import ROOT
from tests.utils.daily import FIRST, publish
from woo_harvester.demo.site import Site

#: Each goal: the page that the README links to, what the reader types there, and the tests that play it.
GOALS = {
    "a first harvest": ("docs/tutorials/first-harvest.md", "crawl woo -a domains=", test_tutorials),
    "an audit of files": ("docs/tutorials/is-my-site-ready.md", "audit --lang en --file", test_tutorials),
    "a portal": ("docs/tutorials/first-harvest.md", "portal -s WOO_DATA_DIR=demo", test_tutorials),
    "a custom pipeline": ("docs/tutorials/your-own-harvester.md", "mijn.pipelines", test_tutorials),
    "a daily installation": ("docs/how-to/daily.md", "sudo sh deploy/systemd/install.sh", test_how_to),
}


def links(page: Path) -> set[Path]:
    """Return the pages that a page links to."""
    found = re.findall(r"\]\((?!https?:)([^)#]+\.md)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    return {(page.parent / name).resolve() for name in found}


@pytest.mark.parametrize("goal", GOALS)
def test_the_readme_leads_to_it_and_a_test_plays_it(goal: str) -> None:
    name, typed, player = GOALS[goal]
    page = ROOT / name
    assert page in links(ROOT / "README.md")
    commands = [step for step in steps(page.read_text(encoding="utf-8")) if isinstance(step, Command)]
    assert any(typed in command.text for command in commands)
    assert name.removeprefix("docs/").removeprefix("tutorials/") in Path(str(player.__file__)).read_text(
        encoding="utf-8"
    )


def test_all_that_these_pages_ask_for_is_said_on_pages_that_they_link_to() -> None:
    install = ROOT / "docs" / "how-to" / "install.md"
    for name, _, _ in GOALS.values():
        if name.startswith("docs/tutorials/"):
            assert install in links(ROOT / name), name
    assert install in links(ROOT / "README.md")


def test_the_lines_for_cron_run_and_say_nothing(reader: Reader, site: Site) -> None:
    entries = f"organisatie,url\nGemeente,{permits(site)}\n"
    (reader.folder / "entries.csv").write_text(entries, encoding="utf-8")
    publish(site, {"a": FIRST, "b": FIRST})
    page = (ROOT / "docs" / "how-to" / "daily.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\d+ \d+ \* \* \*  (cd /opt/woo-harvester && .+)$", page, flags=re.MULTILINE)
    assert len(lines) == 4
    reader.stand_ins = {
        "/opt/woo-harvester": str(reader.folder),
        ".venv/bin/woo-harvester": "woo-harvester",
        "-i 0-14400": "-i 0-0",
    }
    for line in lines:
        reader.do(Command(f"{line} > said 2>&1; status=$?; cat said; (exit $status)", None))
        assert (reader.folder / "said").read_text(encoding="utf-8") == "", line
    assert len([*(reader.folder / "records").glob("*.jsonl")]) == 2
