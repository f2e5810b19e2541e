"""The score of a host: 100 points for what a harvest needs, lowered by errors and warnings.

Anyone can calculate it again from ``findings.jsonl`` and the counts in ``hosts.jsonl``. ``docs/score.md``
explains to publishers how.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor
from typing import Literal

from woo_harvester.report.funnel import Account
from woo_harvester.report.losses import STAGE_OF, HarvestKind
from woo_harvester.report.score_parts import (
    NOT_ASKED_FOR,
    NOT_JUDGED,
    PARTS,
    Part,
    Section,
    part_of,
    weight_of,
)

#: Shares below this are zero but for rounding.
_TINY = 1e-9

#: The version of the rules. It changes when the same findings give another score.
SCORE_VERSION = 2

FindingKey = tuple[str, bool]
"""A finding code, and whether the finding is about a single document."""

_Counts = Mapping[FindingKey, int]
"""The number of findings of each kind."""

PartState = Literal["passed", "lowered", "partly_reached", "not_applicable", "not_judged", "not_reached"]

#: States of parts that take no part in the score.
_LEFT_OUT = ("not_applicable", "not_judged")


@dataclass(frozen=True, slots=True)
class PartScore:
    """One part of the score of a host."""

    part: Part
    state: PartState
    """``not_applicable``: there was nothing to check, so the part does not count. ``not_judged``: files on
    disk cannot show it, so it does not count either. ``partly_reached`` and ``not_reached``: nothing wrong
    was found, but an earlier error kept the part from being checked."""
    share: float
    """The share of its points that the host gets, 0 to 1."""
    costs: Mapping[FindingKey, float]
    """The share that each finding costs; together with ``share`` they add up to 1."""

    @property
    def points(self) -> float:
        """The points that the host gets."""
        return self.part.points * self.share if self.counts else 0.0

    @property
    def counts(self) -> bool:
        """True if the part counts in the score."""
        return self.state not in _LEFT_OUT


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a host; without parts if the host was not visited."""

    parts: tuple[PartScore, ...]

    @property
    def of(self) -> int:
        """The maximum number of points of the parts that apply: 100 if all apply."""
        return sum(each.part.points for each in self.parts if each.counts)

    @property
    def exact(self) -> float | None:
        """The points scaled to 100 over the parts that apply; None if no part about documents applies.

        So a host that lists no documents has no score, unless an error keeps its documents from being listed.
        """
        if not any(each.part.about_document and each.counts for each in self.parts):
            return None
        return 100 * sum(each.points for each in self.parts) / self.of

    @property
    def shown(self) -> int | None:
        """The score as shown, rounded down: 100 means no errors and no warnings at all."""
        return None if self.exact is None else floor(self.exact)

    @property
    def costs(self) -> dict[FindingKey, float]:
        """The points of 100 that each finding costs; together they are the points that are missing.

        A part that was not reached may have findings of its own. For the finding that kept it from being
        reached, the points of that part are therefore a maximum.
        """
        found: dict[FindingKey, float] = {}
        for each in self.parts if self.exact is not None else ():
            for key, share in each.costs.items():
                found[key] = found.get(key, 0.0) + 100 * each.part.points * share / self.of
        return found

    def section(self, section: Section) -> tuple[float, int] | None:
        """Return the points of a section and their maximum, or None if none of its parts applies."""
        parts = [each for each in self.parts if each.part.section == section]
        of = sum(each.part.points for each in parts if each.counts)
        return (sum(each.points for each in parts), of) if of else None


def score(counts: _Counts, account: Account, kind: HarvestKind = "woo") -> Score:
    """Return the score of a host from its findings and its account. This is the complete rule."""
    parts: list[PartScore] = []
    stopped: dict[FindingKey, float] = {}  # the share of all later parts that each error blocks
    errors: dict[FindingKey, float] = {}  # errors so far about the host and its files
    documents = account.listed  # minus those lost in earlier parts
    unjudged = {NOT_JUDGED[subject] for subject in account.not_judged}
    for part in PARTS[kind] if account.visited else ():
        found = {key: count for key, count in counts.items() if part_of(*key, kind) is part}
        total: int = {"host": 1, "listed": max(0, documents)}.get(part.basis, getattr(account, part.basis, 0))
        total += sum(count for (code, _), count in found.items() if code.startswith(NOT_ASKED_FOR))
        wrong = _wrong(found, account, total or 1)
        if part.name in unjudged and not wrong:
            parts.append(PartScore(part, "not_judged", 0.0, {}))
            continue
        before, reached = stopped, max(0.0, 1 - sum(stopped.values()))  # rounding may pass 1
        if part.basis == "host" and reached > _TINY:  # all or nothing: what was reached is enough to check it
            before, reached = {}, 1.0
        scale = reached / max(total, sum(wrong.values()), 1)
        costs = before | {key: before.get(key, 0) + share * scale for key, share in wrong.items()}
        if reached < _TINY:
            parts.append(PartScore(part, "not_reached", 0.0, costs))
        elif not total and not wrong:
            parts.append(PartScore(part, "not_applicable", 1.0, {}))
        else:
            state: PartState = "lowered" if wrong else "partly_reached" if costs else "passed"
            parts.append(PartScore(part, state, max(0.0, 1 - sum(costs.values())), costs))
        fatal = {key: share for key, share in wrong.items() if weight_of(key[0]) == 1}
        if part.basis != "host":
            stopped = stopped | {key: stopped.get(key, 0) + share * scale for key, share in fatal.items()}
        if part.basis == "listed":
            documents -= int(sum(fatal.values()))
        elif not part.about_document:
            errors |= fatal
        if part.needs and errors and not getattr(account, part.needs):
            stopped = {key: share / sum(errors.values()) for key, share in errors.items()}
    return Score(tuple(parts))


def _wrong(found: _Counts, account: Account, most: int) -> dict[FindingKey, float]:
    """Return what each error and warning is worth, if *most* things can have it."""
    wrong = {key: weight_of(key[0]) * min(_number(key, found[key], account), most) for key in found}
    return {key: share for key, share in wrong.items() if share}


def _number(key: FindingKey, count: int, account: Account) -> int:
    """Return how many documents or files have a finding.

    A file of permits may have several errors, of which only the first one loses it.
    """
    code, about_document = key
    if about_document and account.kind == "vergunningen" and code in STAGE_OF[account.kind]:
        return account.lost.get(code, 0)
    return count
