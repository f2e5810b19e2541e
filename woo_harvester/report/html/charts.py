"""Charts as inline SVG. The page always shows the same figures as text beside a chart."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import tau

from markupsafe import Markup

from woo_harvester.report.model import Point

_RADIUS = 16
_WIDTH, _HEIGHT, _MARGIN = 640, 160, 8


def bar(part: float, total: float, kind: str = "fill") -> Markup:
    """Return a bar that is filled for a share. Screen readers skip it: the figures stand beside it."""
    share = 100 * part / total if total else 0
    return _bar(round(max(share, 0.6) if part else 0, 2), kind)


@lru_cache(maxsize=1024)  # a report has thousands, most of them full or empty
def _bar(width: float, kind: str) -> Markup:
    return Markup(
        '<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="track" width="100" height="6"/><rect class="{}" width="{}" height="6"/></svg>'
    ).format(kind, width)


def ring(score: int | None) -> Markup:
    """Return a ring that is filled in proportion to a score; it is closed only at 100."""
    around = tau * _RADIUS
    return Markup(
        '<svg class="ring" viewBox="0 0 40 40" aria-hidden="true">'
        '<circle class="track" cx="20" cy="20" r="{r}"/>'
        '<circle class="arc" cx="20" cy="20" r="{r}" stroke-dasharray="{on} {all}" '
        'transform="rotate(-90 20 20)"/>'
        '<text x="20" y="20" dy=".36em">{text}</text></svg>'
    ).format(
        r=_RADIUS,
        on=round(around * (score or 0) / 100, 2),
        all=round(around, 2),
        text="–" if score is None else score,
    )


def lines(points: Sequence[Point], label: str) -> Markup:
    """Return a line chart of documents listed and harvested over time, from zero to the largest figure."""
    top = max((point.listed for point in points), default=0) or 1
    return Markup(
        '<svg class="lines" viewBox="0 0 {w} {h}" role="img" aria-label="{label}">'
        '<line class="axis" x1="{m}" y1="{base}" x2="{right}" y2="{base}"/>'
        '<polygon class="area" points="{m},{base} {harvested} {right},{base}"/>'
        '<polyline class="listed" points="{listed}"/><polyline class="harvested" points="{harvested}"/></svg>'
    ).format(
        w=_WIDTH,
        h=_HEIGHT,
        m=_MARGIN,
        base=_HEIGHT - _MARGIN,
        right=_WIDTH - _MARGIN,
        label=label,
        listed=_polyline([point.listed for point in points], top),
        harvested=_polyline([point.harvested for point in points], top),
    )


def _polyline(values: Sequence[int], top: int) -> str:
    step = (_WIDTH - 2 * _MARGIN) / max(len(values) - 1, 1)
    return " ".join(
        f"{_MARGIN + number * step:.1f},{_HEIGHT - _MARGIN - (_HEIGHT - 2 * _MARGIN) * value / top:.1f}"
        for number, value in enumerate(values)
    )
