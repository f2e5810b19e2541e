"""Text of others on a terminal: a sign that could move the cursor or turn the text around is written out."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import IO
from unicodedata import category, name

#: Signs that are invisible or change what is around them: control, format and surrogate signs, and line ends.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    r"""Return *text* on one line, with each invisible sign as its escape in JSON, such as ``\u202e``.

    A line of JSON stays the same JSON.
    """
    return _HIDDEN.sub(_escape, text)


def printable_lines(text: str) -> str:
    """Return *text* with each line as :func:`printable` makes it; its line ends stay line ends."""
    return "\n".join(printable(line.removesuffix("\r")) for line in text.split("\n"))


@lru_cache(maxsize=4096)  # an address asks it of each of its signs
def is_unseen(sign: str) -> bool:
    """Return whether a sign is white space, a control, format or surrogate sign, or a variation selector."""
    return category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs") or "VARIATION SELECTOR" in name(sign, "")


def visible(text: str) -> str:
    """Return *text* with the number of each invisible sign, such as ``<U+200B>``, for people to find it."""
    return "".join(f"<U+{ord(sign):04X}>" if sign != " " and is_unseen(sign) else sign for sign in text)


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


class PrintableLines:
    """A text file to which texts are written as :func:`printable_lines` makes them."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> int:
        """Write a text."""
        return self._file.write(printable_lines(text))
