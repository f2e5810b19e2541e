"""Find plurals whose stem differs from that of their singular."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import snowballstemmer

from tools.compounds.hunspell import DIMINUTIVES, Lexicon

#: Nouns by their plural with -er-, which they also have as a part (kinderopvang). Source: Algemene
#: Nederlandse Spraakkunst, 3.5.2.3.
_ER = {
    "blader": "blad", "eier": "ei", "goeder": "goed", "hoender": "hoen", "kalver": "kalf", "kinder": "kind",
    "kleder": "kleed", "lammer": "lam", "lieder": "lied", "rader": "rad", "runder": "rund", "volker": "volk",
}  # fmt: skip
_VOICED = {"z": "s", "v": "f"}


def overrides(lexicon: Lexicon, vocabulary: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each plural in *vocabulary* with another stem than its singular, and the right stem."""
    stem = snowballstemmer.stemmer("dutch_porter").stemWord  # the stemmer of Elasticsearch
    of = {form: base for base, forms in lexicon.inflected.items() for form in sorted(forms)}
    for word in vocabulary:
        base = None if word.endswith(DIMINUTIVES) else of.get(word)
        base = base or _singular(word, lexicon)
        if base and stem(word) != stem(base):
            yield word, stem(base)


def _singular(word: str, lexicon: Lexicon) -> str | None:
    """Return the singular of a plural or a linking form, by the rules of spelling; None if it is neither."""
    if base := _ER.get(word.removesuffix("en")):
        return base
    if word.endswith("en"):
        return next((base for base in _shorter(word[:-2]) if base in lexicon.ends), None)
    if word.endswith("e") and f"{word}n" in lexicon.words and len(word) > 4 and word[-2] == word[-3]:
        return word[:-2] if word[:-2] in lexicon.ends else None
    return word[:-1] if word.endswith("s") and word[:-1] in lexicon.ends else None


def _shorter(stem: str) -> Iterator[str]:
    """Yield the words that -en can follow: stof (stoffen), huis (huizen), slaaf (slaven)."""
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "aeiou":
        yield stem[:-1]
    if stem[-1:] in _VOICED:
        yield stem[:-1] + _VOICED[stem[-1]]
        yield stem[:-1] + stem[-2] + _VOICED[stem[-1]]
