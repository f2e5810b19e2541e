"""The texts of the pages in one language, and the way that language writes numbers and dates."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup, escape

from woo_harvester.findings import Language
from woo_harvester.kinds import Kind
from woo_harvester.utils.dates import parse_datetime

#: A tag or an entity in a text of the catalogue.
_TAGS = re.compile(r"(?:</?[A-Za-z!][^<>\s]*(?: [a-z]+)?>)+|<!DOCTYPE|&(?:#?\w+;)?")

_DUTCH_SEPARATORS = str.maketrans(",.", ".,")


class Texts:
    """The texts of one language for one kind of harvest. Call it with a key to get a text.

    They are those of ``texts.toml``; those in the package of another kind come before them.
    """

    def __init__(self, lang: Language, kind: Kind = Kind.woo) -> None:
        self.lang = lang
        self._texts = _catalogue()[lang]
        if kind.package is not None:
            self._texts = self._texts | _catalogue(kind.package)[lang]

    def __call__(self, key: str, **values: Any) -> str:
        """Return the text for *key* with *values* filled in, numbers formatted. Raises KeyError."""
        text: str = self._texts[key]
        if not values:
            return text
        shown = {name: self.number(value) for name, value in values.items()}
        return text.format(**shown)

    def all(self, key: str) -> list[str]:
        """Return the paragraphs for *key*."""
        return list(self._texts[key])

    def count(self, number: int, key: str) -> str:
        """Return a number with its noun, such as ``1 document`` and ``3.044 documenten``."""
        return f"{self.number(number)} {self.noun(number, key)}"

    def noun(self, number: int, key: str) -> str:
        """Return the noun for *key*, singular or plural."""
        one, many = self._texts[key]
        return str(one if number == 1 else many)

    def number(self, value: Any) -> str:
        """Return a number with the separators of the language, at most one decimal; a text is not changed."""
        if not isinstance(value, int | float):
            return str(value)
        text = f"{value:,}" if isinstance(value, int) else f"{value:,.1f}".removesuffix(".0")
        return text.translate(_DUTCH_SEPARATORS) if self.lang == "nl" else text

    def percent(self, part: float, total: float = 1) -> str:
        """Return a percentage: ``0%`` and ``100%`` only if they are exact, else ``<1%`` and ``>99%``."""
        if not total:
            return "–"
        share = 100 * part / total
        if 0 < share < 1:
            return "<1%"
        if 99 < share < 100:
            return ">99%"
        return f"{share:.0f}%"

    def points(self, value: float) -> str:
        """Return points in tenths; less than a tenth is ``<0.1``, so that it is not written as zero."""
        if 0 < value < 0.1:
            return "<" + self.number(0.1)
        return self.number(round(value, 1))

    def gain(self, value: float) -> str:
        """Return points with their noun, such as ``1 punt`` and ``2,5 punten``."""
        shown = self.points(value)
        return f"{shown} {self.noun(1 if shown == '1' else 2, 'point')}"

    def unjudged(self, subjects: Iterable[str]) -> str:
        """Return the sentence that names what could not be judged."""
        return self("not_judged", what=", ".join(self(f"not_judged_{subject}") for subject in subjects))

    def moment(self, text: str | None) -> str:
        """Return the day and time of an ISO 8601 time, in Dutch time; a dash for None."""
        if not text:
            return "–"
        return f"{self.day(text)} {text[11:16]}"

    def day(self, text: str) -> str:
        """Return the day of an ISO 8601 date or time."""
        day = parse_datetime(text[:10] + "T12:00")
        return f"{day:%d-%m-%Y}" if self.lang == "nl" else f"{day:%Y-%m-%d}"

    @staticmethod
    @lru_cache(maxsize=1024)
    def marked(text: str) -> Markup:
        """Return a text of the catalogue as HTML, with ``<code>`` around its XML tags."""
        parts, end = [], 0
        for match in _TAGS.finditer(text):
            parts += [escape(text[end : match.start()]), Markup("<code>%s</code>") % match[0]]
            end = match.end()
        return Markup("").join([*parts, escape(text[end:])])


@cache
def _catalogue(package: str = __package__) -> dict[str, dict[str, Any]]:
    return tomllib.loads(files(package).joinpath("texts.toml").read_text(encoding="utf-8"))
