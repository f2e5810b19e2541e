"""What was meant, for somebody who typed something else."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def hint(given: str, names: Iterable[str], others: Iterable[str] = ()) -> str:
    """``did you mean --json?``, or all *names*; *others* may be meant too, but are too many to be listed."""
    known = list(names)
    close = get_close_matches(given, [*known, *others], n=1)
    return f"did you mean {close[0]}?" if close else f"expected one of {', '.join(known)}"
