"""What a benchmark aims for, as the last column of its table."""

from __future__ import annotations


def target(aim: str, met: bool) -> str:
    """The aim in words, and whether it is met."""
    return f"   {aim}: {'met' if met else 'NOT MET'}"
