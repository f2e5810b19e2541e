"""What the harvester did, in the language of the report."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Formatter

import pytest

from tests.conftest import ROOT
from woo_harvester.findings.texts import action_in_words

TABLE: dict[str, dict[str, str]] = tomllib.loads(
    files("woo_harvester.findings").joinpath("actions.toml").read_text(encoding="utf-8")
)
#: Functions that return an action, and those whose last argument is one.
RETURNING = {"action", "resolved_as", "_filled", "_repeated_action"}
TAKING = {"EntryFinding", "FileFinding", "LineFinding", "_Outcome"}
NOTING = {"_emit", "_note", "note"}
#: Folders whose arguments ``action`` are of other things: options of commands.
NO_FINDINGS = {"commands", "running"}


@pytest.mark.parametrize(
    ("dutch", "english"),
    [
        ("overgeslagen", "skipped"),
        ("standaardwaarde gebruikt: op weg naar {huis}", "default used: op weg naar {huis}"),
        ("gelezen als gemeente Amsterdam (https://a.nl/x)", "read as gemeente Amsterdam (https://a.nl/x)"),
        ("gelezen als &amp;; ook op regel 4, 5 en verder", "read as &amp;; also on line 4, 5 and further on"),
        ("overgeslagen: de vermelding op regel 7 telt", "skipped: the entry on line 7 counts"),
        ("overgeslagen: de vermelding op www.a.nl telt", "skipped: the entry on www.a.nl counts"),
        (
            "overgeslagen: een andere vermelding telt",
            "skipped: another entry counts",
        ),
        ("ongeveer 2 documenten niet gelezen", "about 2 documents not read"),
        (
            "nog niet ingetrokken: volledige ronde 1 tot 2 van 3; zie pending.jsonl",
            "not withdrawn yet: complete reads 1 to 2 of 3; see pending.jsonl",
        ),
        (
            "bericht niet verwerkt; verwacht: meta (naamruimte geen)",
            "message not processed; expected: meta (no namespace)",
        ),
        ("iets van een eigen pijplijn", "iets van een eigen pijplijn"),
    ],
)
def test_an_action_is_english_in_an_english_report_only(dutch: str, english: str) -> None:
    assert (action_in_words(dutch, "en"), action_in_words(dutch, "nl")) == (english, dutch)


def test_every_part_that_a_text_names_is_in_both_languages() -> None:
    for section in TABLE.values():
        for dutch, english in section.items():
            named = [{name for _, name, _, _ in Formatter().parse(text) if name} for text in (dutch, english)]
            assert named[0] == named[1], dutch


def test_every_action_in_the_code_has_english_words() -> None:
    modules = sorted((ROOT / "woo_harvester").rglob("*.py"))
    found = {text: path for path in modules for text in actions(path)}
    assert len(found) > 40
    assert {text: path for text, path in found.items() if action_in_words(text, "en") == text} == {}


def actions(path: Path) -> Iterator[str]:
    """Yield the actions of findings that a module has, with 7 for what differs."""
    if path.relative_to(ROOT / "woo_harvester").parts[0] in NO_FINDINGS:
        return
    for node in ast.walk(tree(path)):
        for value in values(node):
            yield from texts(path, value)


def values(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions in a node whose value is an action."""
    match node:
        case ast.keyword(arg="action", value=value):
            yield value
        case ast.Assign(targets=[ast.Name(id="action")], value=value):
            yield value
        case ast.FunctionDef(name=name) if name in RETURNING:
            yield from (each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args):
            if (name in TAKING or name in NOTING) and len(args) >= 4:
                yield args[-1] if name in NOTING else args[3]


def texts(path: Path, value: ast.expr) -> Iterator[str]:
    """Yield the texts that an expression may have."""
    match value:
        case ast.Constant(value=str(text)) if text:
            yield text
        case ast.Name(id=name) if name in constants(path):
            yield constants(path)[name]
        case ast.IfExp(body=body, orelse=orelse):
            yield from texts(path, body)
            yield from texts(path, orelse)
        case ast.JoinedStr(values=parts):
            yield "".join(part_of(path, part) for part in parts)


def part_of(path: Path, part: ast.expr) -> str:
    match part:
        case ast.Constant(value=str(text)):
            return text
        case ast.FormattedValue(value=ast.Name(id=name)):
            return constants(path).get(name, "7")
    return "7"


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def constants(path: Path) -> dict[str, str]:
    """Return the constants of a module that are texts, and those that it imports."""
    found: dict[str, str] = {}
    for node in tree(path).body:
        match node:
            case ast.ImportFrom(module=str(module), names=names) if module.startswith("woo_harvester"):
                source = ROOT / f"{module.replace('.', '/')}.py"
                known = constants(source) if source.exists() else {}
                found |= {each.name: known[each.name] for each in names if each.name in known}
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))):
                found[name] = text
    return found
