"""Choose the entries of a list, so that the longest entry at the beginning of a word is its first part.

A list of only the parts would find "wet" in "wetenschap". So it also has *shields*: longer beginnings, such
as "wetensch", of words that do not have the part. The chosen entries have the lowest total cost over all
words of the dictionary. A wrong part costs ``WRONG``, a missed part ``MISSED``, an entry ``ENTRY``, and a
single word as an exception ``EXCEPTION``. The choice is exact; it is made from the leaves of the trie to its
root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

SHORTEST = 3
WRONG, MISSED, ENTRY, EXCEPTION = 2.0, 1.0, 1.9, 1.5
#: The cost of omitting a part that no word of the dictionary has, since new words will have it.
_UNSEEN = 2.0

_State = str | None
"""The longest entry so far; None for a shield, or for no entry."""


@dataclass(slots=True)
class Entries:
    """The chosen entries, and the exceptions to them."""

    entries: dict[str, _State] = field(default_factory=dict)
    """Entries by beginning: the part itself, or None for a shield."""
    exceptions: list[str] = field(default_factory=list)
    """Complete words that would get a wrong part."""


@dataclass(slots=True)
class _Choice:
    cost: float
    entry: str | None
    """The entry that is made here, if there is one."""
    state: _State
    below: list[dict[_State, _Choice]]


class Chooser:
    """The choice of entries for *words*, whose true parts are among *parts*.

    *right* returns whether a part is a true part of a word, *neutral* whether that is unknown. *known* are
    beginnings that are words, and so cannot be shields.
    """

    def __init__(
        self,
        words: Iterable[str],
        parts: set[str],
        known: set[str],
        right: Callable[[str, str], bool],
        neutral: Callable[[str, str], bool],
    ) -> None:
        self._words = sorted(words)
        self._parts, self._known = parts, known
        self._right, self._neutral = right, neutral
        self._divisible = {word for word in self._words if self._has_part(word)}

    def choose(self) -> Entries:
        """Return the entries, and the exceptions to them."""
        made = Entries()
        self._walk(self._node(0, len(self._words), 0, (None,)), None, made)
        for word in self._words:
            longest = next((word[:n] for n in range(len(word), 2, -1) if word[:n] in made.entries), None)
            state = None if longest is None else made.entries[longest]
            if state is not None and self._cost(word, state):
                made.exceptions.append(word)
        return made

    def _node(self, low: int, high: int, depth: int, states: tuple[_State, ...]) -> dict[_State, _Choice]:
        """Return the best choice for the words ``[low, high)``, for each possible state before them."""
        prefix = self._words[low][:depth]
        known = depth >= SHORTEST and (prefix in self._parts or prefix in self._known)
        own = (*states, prefix) if known and prefix not in states else states
        costs = dict.fromkeys(own, 0.0)
        at = low
        while at < high and len(self._words[at]) == depth:
            for state in own:
                costs[state] += self._cost(self._words[at], state)
            at += 1
        below = []
        while at < high:
            end = self._same(at, high, depth)
            below.append(self._node(at, end, depth + 1, own))
            for state in own:
                costs[state] += below[-1][state].cost
            at = end
        here: _State = prefix if known else None
        entry = costs[here] + ENTRY if depth >= SHORTEST else float("inf")
        kept = _UNSEEN if known and prefix in self._parts else 0.0
        choices = {}
        for state in states:
            if here != state and entry < costs[state] + kept:
                choices[state] = _Choice(entry, prefix, here, below)
            else:
                choices[state] = _Choice(costs[state] + kept, None, state, below)
        return choices

    def _same(self, at: int, high: int, depth: int) -> int:
        letter, end = self._words[at][depth], at
        while end < high and self._words[end][depth] == letter:
            end += 1
        return end

    def _walk(self, node: dict[_State, _Choice], state: _State, made: Entries) -> None:
        choice = node[state]
        if choice.entry is not None:
            made.entries[choice.entry] = choice.state
        for child in choice.below:
            self._walk(child, choice.state, made)

    def _cost(self, word: str, state: _State) -> float:
        if state is None:
            return MISSED if word in self._divisible else 0.0
        if state == word or (state in self._parts and self._right(state, word)) or self._neutral(state, word):
            return 0.0
        return min(WRONG, EXCEPTION)

    def _has_part(self, word: str) -> bool:
        return any(
            word[:i] in self._parts and self._right(word[:i], word)
            for i in range(SHORTEST, len(word) - SHORTEST + 1)
        )
