"""A badge that shows how much of a host is harvested: a small SVG picture for a publisher's own website."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from woo_harvester.findings import Language
from woo_harvester.report.history import HostResult
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.losses import HarvestKind

#: Colours on which white text has a contrast of 4.5 or more.
GREEN, BROWN, RED, GREY = "#1d6b40", "#7a4c00", "#a4221a", "#4a5661"

#: Average width of a letter at 11 px, and the space on both sides of a text.
_LETTER, _SPACE = 6.4, 8


def badge(host: HostResult, lang: Language = "nl", kind: HarvestKind = "woo") -> str:
    """Return the SVG badge of a host. Its text says everything that its colour says."""
    texts = Texts(lang, kind)
    label = texts("badge_label")
    if host.score is None:
        text = texts("score_none")
    elif not host.harvested:
        text = texts("badge_nothing")
    else:
        text = texts("badge_documents", harvested=host.harvested, listed=host.listed)
    return _svg(label, text, _colour(host))


def _colour(host: HostResult) -> str:
    if host.score is None:
        return GREY
    if not host.harvested:
        return RED
    return GREEN if host.harvested == host.listed and host.complete else BROWN


def _svg(label: str, text: str, colour: str) -> str:
    left, right = (round(len(part) * _LETTER + 2 * _SPACE) for part in (label, text))
    title = f"{label}: {text}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="22" role="img" '
        f"aria-label={quoteattr(title)}><title>{escape(title)}</title>"
        f'<rect width="{left + right}" height="22" rx="3" fill="{GREY}"/>'
        f'<path fill="{colour}" d="M{left} 0h{right - 3}a3 3 0 0 1 3 3v16a3 3 0 0 1-3 3h-{right - 3}z"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2}" y="15" textLength="{left - 2 * _SPACE}">{escape(label)}</text>'
        f'<text x="{left + right / 2}" y="15" textLength="{right - 2 * _SPACE}">{escape(text)}</text>'
        "</g></svg>\n"
    )
