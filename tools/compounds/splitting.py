"""Split compounds into their parts, by rule.

A compound is a word that may begin compounds, perhaps a linking letter, and a word that may end them. It must
also be hyphenated there, which distinguishes post-uur (an hour of mail) from pos-tuur (posture).
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import pyphen

from tools.compounds.hunspell import DIMINUTIVES, Lexicon

SHORTEST = 3
_LINKS = ("", "s", "en", "n", "e")
#: A word without a flag in the dictionary is a part if at least this number of words, and this share of the
#: words that begin or end with it, have it as a part.
_SEEN, _SHARE = 3, 0.25


class Splitter:
    """The rules for compounds over all words of a lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._hyphenation = pyphen.Pyphen(lang="nl_NL", left=2, right=2)
        self.begins = {word for word in lexicon.begins if len(word) >= SHORTEST}
        self.ends = {word for word in lexicon.ends if len(word) >= SHORTEST}
        self.ends |= self._seen_as_ends(share=0.5)
        self._with_plurals()
        for _ in range(2):
            self.begins |= self._seen_as_begins()
            self.ends |= self._seen_as_ends()
        self._with_plurals()
        in_dictionary = self.ends & lexicon.bases
        self.begins |= {word for word in in_dictionary if len(word) > SHORTEST or word in lexicon.ends}
        self._words = {word for word in lexicon.words if len(word) > SHORTEST} | self.begins | self.ends
        self.cuts = cache(self._cuts)
        self.tail = cache(self._tail)
        self.head = cache(self._head)

    def compound(self, word: str) -> bool:
        """Return whether *word* is a compound."""
        cuts = self.cuts(word)
        return any(
            i in cuts and self._begins(word[:i]) and self.tail(word[i:])
            for i in range(SHORTEST, len(word) - SHORTEST + 1)
        )

    def is_begin(self, part: str, word: str) -> bool:
        """Return whether *part*, with which *word* begins, is its first part."""
        return any(
            (part + link in self.begins or (link == "s" and part in self.begins))
            and word.startswith(part + link)
            and len(part + link) in self.cuts(word)
            and self.tail(word[len(part + link) :])
            for link in _LINKS
        )

    def is_end(self, part: str, word: str) -> bool:
        """Return whether *part*, with which *word* ends, is its last part."""
        head = word[: -len(part)]
        if part not in self.ends or len(head) not in self.cuts(word):
            return False
        return self.head(head) or (head.endswith("s") and self.head(head[:-1]))

    def doubtful(self, part: str, rest: str, *places: int, word: str) -> bool:
        """Return whether *word* may still be *part* and *rest*: two words, hyphenated there."""
        known = part in self.lexicon.words and (rest in self._words or rest.strip("s") in self._words)
        return known and not self.cuts(word).isdisjoint(places)

    def begin_bases(self) -> set[str]:
        """Return the words that begin compounds, without linking letters."""
        return {self._base(word) for word in self.begins} - self.diminutives()

    def diminutives(self) -> set[str]:
        """Return the diminutives, which nobody searches for as parts."""
        forms = (form for forms in self.lexicon.inflected.values() for form in forms)
        return {form for form in forms if form.endswith(DIMINUTIVES)}

    def _base(self, begin: str) -> str:
        for link in _LINKS[1:]:
            base = begin.removesuffix(link)
            if base == begin or len(base) < SHORTEST or base not in self.lexicon.bases:
                continue
            if link == "s" or base in self.begins or begin in self.lexicon.inflected.get(base, ()):
                return base
        return begin

    def _with_plurals(self) -> None:
        for word in list(self.ends):
            self.ends |= {form for form in self.lexicon.inflected.get(word, ()) if len(form) >= SHORTEST}

    def _seen_as_begins(self) -> set[str]:
        good, bad = Counter[str](), Counter[str]()
        for word in self.lexicon.words:
            for i in range(SHORTEST, len(word) - SHORTEST + 1):
                if word[:i] in self.lexicon.words:
                    rest = word[i:]
                    right = rest in self.ends or (rest[0] == "s" and rest[1:] in self.ends)
                    (good if right else bad)[word[:i]] += 1
        return _often(good, bad, _SHARE)

    def _seen_as_ends(self, share: float = _SHARE) -> set[str]:
        good, bad = Counter[str](), Counter[str]()
        for word in self.lexicon.words:
            for i in range(SHORTEST, len(word) - SHORTEST + 1):
                if word[i:] in self.lexicon.words:
                    (good if word[:i] in self.begins else bad)[word[i:]] += 1
        return _often(good, bad, share)

    def _begins(self, word: str) -> bool:
        return word in self.begins or (word.endswith("s") and word[:-1] in self.begins)

    def _cuts(self, word: str) -> frozenset[int]:
        return frozenset(self._hyphenation.positions(word))

    def _tail(self, rest: str) -> bool:
        return rest in self.ends or any(
            rest[:i] in self.begins and self.tail(rest[i:]) for i in range(SHORTEST, len(rest) - SHORTEST + 1)
        )

    def _head(self, head: str) -> bool:
        return self._begins(head) or any(
            head[:i] in self.begins and self.head(head[i:]) for i in range(SHORTEST, len(head) - SHORTEST + 1)
        )


def _often(good: Counter[str], bad: Counter[str], share: float) -> set[str]:
    return {word for word, count in good.items() if count >= _SEEN and count / (count + bad[word]) >= share}
