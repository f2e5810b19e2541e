"""The pages ``docs/score.md`` and, in Dutch, ``docs/scoretelling.md``: how a score is calculated."""

from __future__ import annotations

from typing import Any

from woo_harvester.findings import Language
from woo_harvester.kinds import Kind
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.score import SECTIONS, parts_of

#: What the share of a part is a share of: all or nothing, or a number of these.
_BASES: dict[Language, dict[Kind, dict[str, str]]] = {
    "nl": {
        Kind.woo: {
            "host": "de hele host",
            "indexes": "sitemapindexen",
            "sitemaps": "sitemaps",
            "listed": "vermelde documenten",
            "described": "documenten met gelezen metadata",
        },
        Kind.vergunningen: {
            "pages": "ingangen",
            "listed": "vermelde berichten",
            "described": "berichten die deze ronde verwerkte",
        },
    },
    "en": {
        Kind.woo: {
            "host": "the whole host",
            "indexes": "sitemap indexes",
            "sitemaps": "sitemaps",
            "listed": "documents listed",
            "described": "documents whose metadata were read",
        },
        Kind.vergunningen: {
            "pages": "entry pages",
            "listed": "messages listed",
            "described": "messages that this run applied",
        },
    },
}


def values(lang: Language) -> dict[str, Any]:
    """Return the explanation of a score, and its parts, for each kind of harvest."""
    kinds = {"documents": Kind.woo, "permits": Kind.vergunningen}
    return {name: _values(kind, Texts(lang, kind)) for name, kind in kinds.items()}


def _values(kind: Kind, texts: Texts) -> dict[str, Any]:
    rows = [
        (
            f"{texts(f'section_{part.section}')}: {texts(f'part_{part.name}')}",
            str(part.points),
            _BASES[texts.lang][kind][part.basis],
        )
        for section in SECTIONS
        for part in parts_of(kind)
        if part.section == section
    ]
    return {"text": texts.all("how_score_text"), "rows": rows}
