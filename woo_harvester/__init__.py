"""A harvester of the documents that Dutch public organisations publish under the Woo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from woo_harvester.addon import Addon

__all__ = ["Addon"]


def __getattr__(name: str) -> Any:
    """Import the add-on when it is asked for: a process that reads texts needs no Scrapy."""
    if name == "Addon":
        from woo_harvester.addon import Addon  # noqa: PLC0415  # takes a second and 60 MB

        return Addon
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
