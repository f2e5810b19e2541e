"""Make the word lists of the search indices, and write them into the definition of their analysis.

    python -m tools.compounds nl.dic nl.aff words woo_harvester/outputs/analysis.json

The first three are OpenTaal's (https://www.opentaal.org; revised BSD licence or CC BY 3.0), on Debian in
hunspell-nl and wdutch. It takes two minutes, and needs pyphen. docs/search.md explains
the use of the lists; ``python -m benchmarks.compound_search`` measures them.
"""

from __future__ import annotations

import json
import sys
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tools.compounds.entries import Chooser, Entries
from tools.compounds.hunspell import read
from tools.compounds.splitting import SHORTEST, Splitter

#: A mark at both ends of a word while it is split: an entry that begins with it matches only there.
_ANCHOR = "~"
#: A compound that is a part of this many words is an entry even if a shorter entry would suffice.
_PRODUCTIVE = 3
#: Shortest compound that is an entry, in letters.
_LONG = 6


def main(dictionary: Path, affixes: Path, words: Path, target: Path) -> None:
    """Write the lists."""
    sys.setrecursionlimit(10_000)
    splitter = Splitter(read(dictionary, affixes, words))
    begins, ends = _begins(splitter), _ends(splitter)
    longer_begins, longer_ends = _compounds(splitter)
    shields = [one for one, state in begins.entries.items() if state is None]
    shields += [_reversed(one) for one, state in ends.entries.items() if state is None]
    lists = {
        "begin": ("word_list", _anchored(begins)),
        "eind": ("word_list", _anchored(ends)),
        "begin_samenstelling": ("word_list", [_ANCHOR + word for word in longer_begins]),
        "eind_samenstelling": ("word_list", [_ANCHOR + _reversed(word) for word in longer_ends]),
        "geen_woord": ("stopwords", shields),
    }
    folded = {
        name: (key, sorted({_folded(one) for one in content})) for name, (key, content) in lists.items()
    }
    write(target, folded)
    for name, (_, content) in folded.items():
        print(f"{name:22}{len(content):8,}")


def write(target: Path, lists: dict[str, tuple[str, list[str]]]) -> None:
    """Write the lists into the definition, several words a line."""
    definition: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    texts = {}
    for name, (key, content) in lists.items():
        definition["settings"]["analysis"]["filter"][name][key] = mark = f"@{name}"
        lines = textwrap.wrap(
            ", ".join(map(_quoted, content)), 110, break_long_words=False, break_on_hyphens=False
        )
        texts[_quoted(mark)] = "[\n" + "\n".join(lines) + "\n]"
    text = json.dumps(definition, ensure_ascii=False, indent=1)
    for mark, lines_of in texts.items():
        text = text.replace(mark, lines_of)
    target.write_text(text + "\n", encoding="utf-8")


def _begins(splitter: Splitter) -> Entries:
    parts = {word for word in splitter.begin_bases() if not splitter.compound(word)}

    def neutral(part: str, word: str) -> bool:
        return splitter.doubtful(part, word[len(part) :], len(part), len(part) + 1, word=word)

    known = {word for word in splitter.lexicon.words if len(word) >= SHORTEST}
    return Chooser(_seen(splitter), parts, known, splitter.is_begin, neutral).choose()


def _ends(splitter: Splitter) -> Entries:
    """Return the entries for the last parts; all words are reversed."""
    parts = {word for word in splitter.ends - splitter.diminutives() if not splitter.compound(word)}

    def right(part: str, word: str) -> bool:
        return splitter.is_end(_reversed(part), _reversed(word))

    def neutral(part: str, word: str) -> bool:
        head = _reversed(word)[: -len(part)]
        return splitter.doubtful(_reversed(part), head, len(head), word=_reversed(word))

    known = {_reversed(word) for word in splitter.lexicon.words if len(word) >= SHORTEST}
    words = map(_reversed, _seen(splitter))
    return Chooser(words, set(map(_reversed, parts)), known, right, neutral).choose()


def _compounds(splitter: Splitter) -> tuple[list[str], list[str]]:
    """Return compounds that are parts themselves (drinkwater, hulpverlening): as beginnings, and as ends."""
    words, diminutives = splitter.lexicon.words, splitter.diminutives()
    compounds = {
        word for word in words if len(word) >= _LONG and word not in diminutives and splitter.compound(word)
    }
    begins, ends = Counter[str](), Counter[str]()
    for word in _seen(splitter):
        begins.update(_first_parts(word, compounds, splitter))
        ends.update(_last_parts(word, compounds, splitter))
    both = sorted({*begins, *ends})
    return (
        _shortest(both, begins, lambda word: (word[:i] for i in range(_LONG, len(word)))),
        _shortest(both, ends, lambda word: (word[i:] for i in range(1, len(word) - _LONG + 1))),
    )


def _first_parts(word: str, compounds: set[str], splitter: Splitter) -> Iterator[str]:
    cuts = splitter.cuts(word)
    for i in range(_LONG, len(word) - SHORTEST + 1):
        if word[:i] in compounds and (
            (i in cuts and splitter.tail(word[i:]))
            or (word[i] == "s" and i + 1 in cuts and splitter.tail(word[i + 1 :]))
        ):
            yield word[:i]


def _last_parts(word: str, compounds: set[str], splitter: Splitter) -> Iterator[str]:
    cuts = splitter.cuts(word)
    for i in range(SHORTEST, len(word) - _LONG + 1):
        if i in cuts and word[i:] in compounds and splitter.tail(word[i:]):
            head = word[:i]
            if splitter.head(head) or (head.endswith("s") and splitter.head(head[:-1])):
                yield word[i:]


def _shortest(words: list[str], counts: Counter[str], cut: Callable[[str], Iterable[str]]) -> list[str]:
    """Return the words that hide no shorter one, since only the longest entry of a word counts."""
    return [
        word for word in words if counts[word] >= _PRODUCTIVE or not any(counts[one] for one in cut(word))
    ]


def _seen(splitter: Splitter) -> list[str]:
    return sorted(word for word in splitter.lexicon.words if len(word) > SHORTEST)


def _anchored(made: Entries) -> list[str]:
    return [_ANCHOR + one for one in made.entries] + [f"{_ANCHOR}{one}{_ANCHOR}" for one in made.exceptions]


def _reversed(word: str) -> str:
    return word[::-1]


def _folded(word: str) -> str:
    """Return a word without accents, as in the index."""
    return "".join(one for one in unicodedata.normalize("NFD", word) if not unicodedata.combining(one))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
