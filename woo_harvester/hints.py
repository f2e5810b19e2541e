"""What was meant, for somebody who typed something else."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def hint(given: str, names: Iterable[str]) -> str:
    """``did you mean --json?``, or all that it could have been."""
    known = list(names)
    close = get_close_matches(given, known, n=1)
    return f"did you mean {close[0]}?" if close else f"expected one of {', '.join(known)}"
