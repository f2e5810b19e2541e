"""What the pages name is there: other pages, settings, findings, make targets, the parts of the package."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from msgspec.structs import fields

from tests.conftest import ROOT
from woo_harvester.findings.catalogue import explanations
from woo_harvester.record import Document
from woo_harvester.running.default_settings import SETTINGS

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]

HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
#: The head of a table, and the line below it.
_TABLE = re.compile(r"\|.*\|\n\|(?: -+:? \|)+(?:\n|$)")
#: An item of a list after a blank line, where the item before it is only text.
_APART = re.compile(r"^(?:- | {2}(?=\S)).*\n\n+(- .*)", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """The parts of a page, as GitHub names them."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".html":
        return set(re.findall(r' id="([^"]+)"', text))
    headings = HEADING.findall(FENCED.sub("", text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_and_part_that_is_linked_is_there() -> None:
    for page in PAGES:
        text = FENCED.sub("", page.read_text(encoding="utf-8"))
        for name, part in re.findall(r"\]\((?!https?:|mailto:)([^)#]*)(?:#([^)]+))?\)", text):
            target = page.parent / name if name else page
            assert target.exists(), (page, name)
            assert not part or part in anchors(target), (page, f"{name}#{part}")


def test_no_blank_line_breaks_a_table_or_a_list() -> None:
    broken = []
    for page in PAGES:
        text = FENCED.sub("code", page.read_text(encoding="utf-8"))
        tables = [each for each in re.split(r"\n{2,}", text) if each.lstrip("\n").startswith("|")]
        broken += [f"{page.name}: {each}" for each in tables if not _TABLE.match(each.lstrip("\n"))]
        broken += [f"{page.name}: {item}" for item in _APART.findall(text)]
    assert broken == []


def test_every_path_that_pages_and_comments_name_is_there() -> None:
    roots = [ROOT, *(ROOT / name for name in ("woo_harvester", "woo_portal", "tests", "docs"))]
    folders = {path.name for root in roots for path in root.iterdir() if path.is_dir()}
    modules = [path for root in roots[1:4] for path in root.rglob("*.py")]
    named = {
        (str(file.relative_to(ROOT)), path)
        for file in {*PAGES, *modules} - {ROOT / "CHANGELOG.md"}
        for path in re.findall(r"`([a-z_]+/[\w./-]*\w)/?`", file.read_text(encoding="utf-8"))
        if path.partition("/")[0] in folders
    }
    assert len(named) > 100
    made = {("docs/deployment.md", "deploy/.env"), ("tests/test_layout.py", "state/test_store_locked.py")}
    assert {
        (file, path)
        for file, path in named - made
        if not any((root / f"{path}{end}").exists() for root in roots for end in ("", ".py"))
    } == set(), "each is to be a file or folder from the root, or in one of its packages"


def test_every_setting_finding_and_make_target_that_is_named_is_there() -> None:
    names = {setting.name for setting in SETTINGS} | {"WOO_HARVESTER"}  # a variable of a supplier's CI
    codes = explanations().keys()
    areas = "|".join({code.partition(".")[0] for code in codes})
    others = {"index.html", "robots.txt", *(f"document.{field.name}" for field in fields(Document))}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for page in {*PAGES} - {ROOT / "CHANGELOG.md"}:  # which names what went
        text = page.read_text(encoding="utf-8")
        for named in re.findall(r"(?<![A-Z_])WOO_[A-Z_]+", text):
            # "WOO_MONITOR_*" is all that begin so.
            is_start = named.endswith("_") and any(name.startswith(named) for name in names)
            assert named in names or is_start, (page, named)
        assert set(re.findall(rf"`((?:{areas})\.[a-z-]+)`", text)) - others <= codes, page
        targets = set(re.findall(r"(?:^    |`)make ([a-z][a-z-]+)", text, re.MULTILINE))
        assert [target for target in targets if f"\n{target}:" not in makefile] == [], page


def test_the_parts_of_core_and_shell_are_those_of_the_package_in_their_order() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    parts = re.findall(
        r"`(\w+)/?`", "".join(re.findall(r"^\| (`[^|]+) \|", text.partition("| folder |")[2], re.MULTILINE))
    )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = [
        re.findall(r"\w+", layer) for layer in project["tool"]["importlinter"]["contracts"][0]["layers"]
    ]
    height = {part: -number for number, layer in enumerate(layers) for part in layer}
    assert {*parts} == {*height} - {"__main__"}
    assert parts == sorted(parts, key=height.__getitem__)  # each knows only those above it
