"""Mutants of a module: copies of its source with one small change each."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst
from mutmut.mutation.file_mutation import MutationVisitor
from mutmut.mutation.mutators import OPERATORS_TYPE, mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Mutant:
    """A changed module: its source, the first line that differs, and that line before and after."""

    path: str
    source: str
    line: int
    before: str
    after: str

    @property
    def name(self) -> str:
        """The change in one line, without the line's number, so that it stays true when other lines move."""
        return f"{self.path}: {self.before} -> {self.after}"


@dataclass(frozen=True)
class Change:
    """A change that can be made to a module; :meth:`mutant` makes it."""

    path: str
    module: cst.Module
    before: cst.CSTNode
    after: cst.CSTNode

    def mutant(self) -> Mutant:
        """Return the module with this change."""
        changed = cst.ensure_type(self.module.deep_replace(self.before, self.after), cst.Module)
        old, new = self.module.code.splitlines(), changed.code.splitlines()
        steps = difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()
        _, start, end, first, last = next(step for step in steps if step[0] != "equal")
        return Mutant(self.path, changed.code, start + 1, _joined(old[start:end]), _joined(new[first:last]))


def changes(path: str, source: str) -> list[Change]:
    """Return the changes that can be made within the functions of a module."""
    wrapper = cst.MetadataWrapper(cst.parse_module(source))
    visitor = _Visitor([*mutation_operators, *_MORE], IgnoredCode(set(), set(), set()))
    module = wrapper.visit(visitor)
    return [
        Change(path, module, mutation.original_node, mutation.mutated_node)
        for mutation in visitor.mutations
        if isinstance(mutation.contained_by_top_level_function, cst.FunctionDef)
    ]


class _Visitor(MutationVisitor):
    """mutmut's visitor, which here also goes into decorated functions: each mutant is a module of its own."""

    def _skip_node_and_children(self, node: cst.CSTNode) -> bool:
        return not isinstance(node, cst.FunctionDef) and super()._skip_node_and_children(node)


def _decided(node: cst.If) -> Iterator[cst.CSTNode]:
    """Yield an ``if`` that is always true, and one that is never."""
    for value in ("True", "False"):
        yield node.with_changes(test=cst.Name(value), whitespace_before_test=cst.SimpleWhitespace(" "))


def _left_out(node: cst.SimpleStatementLine) -> Iterator[cst.CSTNode]:
    """Yield ``pass`` in the place of a call whose result nobody uses, such as one that reports a finding."""
    match node.body:
        case [cst.Expr(value=cst.Call() | cst.Await() | cst.Yield())]:
            yield node.with_changes(body=[cst.Pass()])


#: What mutmut does not change.
_MORE: OPERATORS_TYPE = [(cst.If, _decided), (cst.SimpleStatementLine, _left_out)]


def _joined(lines: list[str]) -> str:
    return " ".join(line.strip() for line in lines)
