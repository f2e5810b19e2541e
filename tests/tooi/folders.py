"""Editions of value lists that are newer than those that ship with the project."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date

from woo_harvester.tooi.list_files import Editions, bundled_editions
from woo_harvester.tooi.values import Concept

TODAY = date(2026, 11, 21)
TOOI = "https://identifier.overheid.nl/tooi/id/"
GEMEENTEN = "rwc_gemeenten_compleet"
#: A municipality that no list of the project has.
NIEUWSTAD = Concept(f"{TOOI}gemeente/gm9101", "gemeente Nieuwstad")
AMSTERDAM = Concept(f"{TOOI}gemeente/gm0363", "gemeente Amsterdam")


def with_newer(
    name: str, change: Callable[[Iterable[Concept]], Iterable[Concept]], version: int = 50
) -> Editions:
    """Return the lists of the project, of which one is in a newer version with changed values."""
    lists = bundled_editions()
    newer = replace(
        lists[name],
        version=version,
        published=date(2026, 1, 2),
        concepts=tuple(change(lists[name].concepts)),
    )
    return {**lists, name: newer}


def with_nieuwstad(concepts: Iterable[Concept]) -> Iterable[Concept]:
    """Add a municipality, and remove another."""
    return [*(concept for concept in concepts if concept != AMSTERDAM), NIEUWSTAD]
