"""The target of a benchmark: the last column of its table."""

from __future__ import annotations


def target(text: str, met: bool) -> str:
    """Return the text of a target, and whether it is met."""
    return f"   {text}: {'met' if met else 'NOT MET'}"
