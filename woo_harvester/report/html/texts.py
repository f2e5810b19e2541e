"""The words of the page in one language, and how it writes numbers and moments."""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup, escape

from woo_harvester.dates import parse_datetime
from woo_harvester.findings import Language
from woo_harvester.findings.reference import TAGS


class Texts:
    """One language of ``texts.toml``. Calling it gives a text, with numbers as that language writes them."""

    def __init__(self, lang: Language) -> None:
        self.lang = lang
        self._texts = _catalogue()[lang]

    def __call__(self, key: str, **values: Any) -> str:
        """The text for *key*; raises KeyError for one that ``texts.toml`` does not have."""
        text: str = self._texts[key]
        shown = {name: self.number(value) for name, value in values.items()}
        return text.format(**shown) if values else text

    def all(self, key: str) -> list[str]:
        """The paragraphs of *key*."""
        return list(self._texts[key])

    def count(self, number: int, key: str) -> str:
        """A number with its noun, such as ``1 document`` and ``3.044 documenten``."""
        return f"{self.number(number)} {self.noun(number, key)}"

    def noun(self, number: int, key: str) -> str:
        """The noun that goes with a number."""
        one, many = self._texts[key]
        return str(one if number == 1 else many)

    def number(self, value: Any) -> str:
        """A number with the separators of the language, decimals only where it has some; a text as it is."""
        if not isinstance(value, int | float):
            return str(value)
        text = f"{value:,}" if isinstance(value, int) else f"{value:,.1f}".removesuffix(".0")
        return text.translate(str.maketrans(",.", ".,")) if self.lang == "nl" else text

    def percent(self, part: float, whole: float = 1) -> str:
        """A share; never 0% of something, nor 100% of what is less."""
        if not whole:
            return "–"
        share = 100 * part / whole
        if 0 < share < 1:
            return "<1%"
        if 99 < share < 100:
            return ">99%"
        return f"{share:.0f}%"

    def points(self, value: float) -> str:
        """Points, in tenths; a loss too small for that is not written as none."""
        if 0 < value < 0.1:
            return "<" + self.number(0.1)
        return self.number(round(value, 1))

    def moment(self, text: str | None) -> str:
        """A moment of the report: its Dutch day and time."""
        if not text:
            return "–"
        return f"{self.day(text)} {text[11:16]}"

    def day(self, text: str) -> str:
        """A day, or the day of a moment as it is written."""
        day = parse_datetime(text[:10] + "T12:00")
        return f"{day:%d-%m-%Y}" if self.lang == "nl" else f"{day:%Y-%m-%d}"

    @staticmethod
    @lru_cache(maxsize=1024)
    def marked(text: str) -> Markup:
        """A text of the catalogue, with XML in it as code."""
        parts, end = [], 0
        for match in TAGS.finditer(text):
            parts += [escape(text[end : match.start()]), Markup("<code>%s</code>") % match[0]]
            end = match.end()
        return Markup("").join([*parts, escape(text[end:])])


@cache
def _catalogue() -> dict[str, dict[str, Any]]:
    text = files(__package__).joinpath("texts.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
