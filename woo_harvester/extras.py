"""The extras of the package: how to install what a feature needs beyond the base."""

from __future__ import annotations


def to_install(extra: str) -> str:
    """Return the command that installs an extra of ``pyproject.toml``, for messages."""
    return f'pip install "woo-harvester[{extra}]"'
