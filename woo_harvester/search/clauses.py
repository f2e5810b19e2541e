"""The text of a question, as words, phrases between quotes, and those that a hit must not have."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from woo_harvester.search.question import MAX_CLAUSES, MAX_TEXT, Clause, QuestionError

#: Quotes as people and word processors write them.
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»″", '"'))
_CLAUSE = re.compile(r"""(-*)(?:"([^"]*)(?:"|$)|([^\s"-][^\s"]*))""")


def clauses_of(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a text in their order, each once.

    A word or phrase with ``-`` before it is excluded. A quote that is not closed reaches to the end. There is
    no other operator. Raises QuestionError for a text that is too long or has too many clauses.
    """
    if len(text) > MAX_TEXT:
        raise QuestionError(f"De zoekvraag is te lang: gebruik hoogstens {MAX_TEXT} tekens.")
    plain = readable(text, "de zoektekst").translate(_QUOTES)
    found = dict.fromkeys(filter(None, map(_clause, _CLAUSE.finditer(plain))))
    if len(found) > MAX_CLAUSES:
        raise QuestionError(f"De zoekvraag heeft te veel woorden: gebruik er hoogstens {MAX_CLAUSES}.")
    return tuple(found)


def text_of(clauses: Iterable[Clause]) -> str:
    """Return the text of which :func:`clauses_of` makes these clauses."""
    return " ".join(
        "-" * clause.is_excluded + (f'"{clause.text}"' if clause.is_phrase else clause.text)
        for clause in clauses
    )


def readable(text: str, what: str) -> str:
    """Return a text in composed form (NFC) without marks that nobody can see.

    These change only the direction or the joining of letters, or where a word may break. Raises QuestionError
    for control characters and for parts of broken characters; *what* is the name of the text.
    """
    made = []
    for character in unicodedata.normalize("NFC", text):
        category = unicodedata.category(character)
        if character.isspace():
            made.append(" ")
        elif category in ("Cc", "Cs") or character == "\ufffd":
            raise QuestionError(f"In {what} staan tekens die niet gelezen kunnen worden.")
        elif category not in ("Cf", "Cn", "Co"):
            made.append(character)
    return "".join(made)


def _clause(match: re.Match[str]) -> Clause | None:
    minus, phrase, word = match.groups()
    if phrase is not None:
        phrase = " ".join(phrase.split())
        return Clause(phrase, is_phrase=True, is_excluded=bool(minus)) if phrase else None
    return Clause(word, is_excluded=bool(minus))
