"""Which small changes are made to a module."""

from __future__ import annotations

from tests.conftest import ROOT
from tools.mutants.__main__ import EQUIVALENT, FOLDERS, equivalent
from tools.mutants.kinds import Mutant, changes

SOURCE = """\
LIMIT = 3


class Page:
    @property
    def is_full(self) -> bool:
        return self.links > LIMIT


def report(page, say):
    if page:
        say("page.full")
"""


def test_an_if_is_decided_and_a_call_is_left_out() -> None:
    made = {(mutant.line, mutant.before, mutant.after) for mutant in mutants()}
    assert {
        (11, "if page:", "if True:"),
        (11, "if page:", "if False:"),
        (12, 'say("page.full")', "pass"),
    } <= made


def test_a_decorated_function_is_changed_too_and_a_module_s_own_lines_are_not() -> None:
    assert {mutant.line for mutant in mutants()} == {7, 11, 12}
    assert "page.py: return self.links > LIMIT -> return self.links >= LIMIT" in {
        mutant.name for mutant in mutants()
    }


def test_a_mutant_differs_in_one_place_from_the_module() -> None:
    lines = SOURCE.splitlines()
    for mutant in mutants():
        made = mutant.source.splitlines()
        assert [new for old, new in zip(lines, made, strict=True) if old != new] == [made[mutant.line - 1]]


def test_each_equivalent_mutant_is_of_a_measured_folder_and_follows_a_reason() -> None:
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    reasons = [line.startswith("#") for line in lines if line]
    assert reasons[0]
    assert {name.split("/")[1] for name in equivalent()} <= set(FOLDERS)


def test_each_measured_folder_has_modules_and_tests() -> None:
    for folder in FOLDERS:
        assert list((ROOT / "woo_harvester" / folder).glob("*.py")), folder
        assert list((ROOT / "tests" / folder).glob("test_*.py")), folder


def mutants() -> list[Mutant]:
    return [change.mutant() for change in changes("page.py", SOURCE)]
