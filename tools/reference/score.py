"""The page ``docs/score.md``: how the score of a host is calculated. It is in Dutch, for publishers."""

from __future__ import annotations

from typing import Any

from tools.reference.markdown import code
from woo_harvester.findings import explanations
from woo_harvester.kinds import Kind
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.score import SECTIONS, Part, part_of, parts_of, weight_of

_BASES: dict[Kind, dict[str, str]] = {
    Kind.woo: {
        "host": "alles of niets",
        "indexes": "deel van de sitemapindexen",
        "sitemaps": "deel van de sitemaps",
        "listed": "deel van de vermelde documenten",
        "described": "deel van de documenten met gelezen metadata",
    },
    Kind.vergunningen: {
        "pages": "deel van de ingangen",
        "listed": "deel van de vermelde berichten",
        "described": "deel van de berichten die deze ronde verwerkte",
    },
}


def values() -> dict[str, Any]:
    """Return the explanation of a score, and its parts, for each kind of harvest."""
    kinds = {"documents": Kind.woo, "permits": Kind.vergunningen}
    return {name: _values(kind, Texts("nl", kind)) for name, kind in kinds.items()}


def _values(kind: Kind, texts: Texts) -> dict[str, Any]:
    return {"text": texts.all("how_score_text"), "rows": _parts(kind, texts)}


def _parts(kind: Kind, texts: Texts) -> list[tuple[str, ...]]:
    """Return a row for each part of a score."""
    return [
        (
            f"{texts(f'section_{part.section}')}: {texts(f'part_{part.name}')}",
            str(part.points),
            _BASES[kind][part.basis],
            ", ".join(code(name) for name in _codes(part, kind)),
        )
        for section in SECTIONS
        for part in parts_of(kind)
        if part.section == section
    ]


def _codes(part: Part, kind: Kind) -> list[str]:
    """Return the codes of the errors and warnings that lower a part, if they are about what it counts."""
    return [
        name
        for name in explanations()
        if weight_of(name) and part_of(name, part.about_document, kind) is part
    ]
