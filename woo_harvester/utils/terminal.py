"""Text of others on a terminal: a sign that could move the cursor or turn the text around is written out."""

from __future__ import annotations

import unicodedata


def printable(text: str) -> str:
    r"""Return *text* on one line, with each sign that cannot be seen as its escape, such as ``\u202e``.

    A space of any kind is a space.
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else _escape(letter) for letter in text)


def _escape(letter: str) -> str:
    if unicodedata.category(letter) == "Zs":
        return " "
    return letter.encode("unicode_escape").decode("ascii")
