"""Find the element of the DiWoo schema that a misspelt name stands for."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache

from woo_harvester.diwoo.given_metadata import ELEMENTS

#: How alike two names must be, 0 to 1: one wrong letter in five.
_CUTOFF = 0.8

#: Longest name that is compared, in characters. No element has a longer one.
_MAXLENGTH = 60

_SEPARATORS = str.maketrans("", "", "-_.")

_BY_PLAIN_NAME = {name.lower(): name for name in ELEMENTS}


@lru_cache(maxsize=1024)
def meant_element(name: str) -> str | None:
    """Return the element whose name differs least from *name*; None if it is one, or if none is like it."""
    if name in ELEMENTS or len(name) > _MAXLENGTH:
        return None
    plain = name.lower().translate(_SEPARATORS)
    close = get_close_matches(plain, _BY_PLAIN_NAME, n=1, cutoff=_CUTOFF)
    return _BY_PLAIN_NAME[close[0]] if close else None


def meant_elements(names: Iterable[str]) -> frozenset[str]:
    """Return the elements that any of *names* stands for."""
    return frozenset(filter(None, map(meant_element, names)))
