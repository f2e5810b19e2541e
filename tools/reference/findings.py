"""The reference page of the findings, ``docs/findings.md``, made from the catalogue (``make docs``)."""

from __future__ import annotations

from typing import Any

from woo_harvester.findings.catalogue import Severity, explanations
from woo_harvester.report.html.texts import TAGS

#: The areas of the page, in the order in which a harvest meets them, with the first parts of their codes.
AREAS = {
    "Oogst": ("oogst",),
    "Register": ("register",),
    "robots.txt": ("robots",),
    "Verbinding": ("tls", "host"),
    "Sitemapindex": ("index",),
    "Bestanden in een map": ("bestand",),
    "Sitemap": ("sitemap",),
    "Locatie van het document (loc)": ("loc",),
    "Datum van wijziging (lastmod)": ("lastmod",),
    "Metadata": (
        "metadata",
        "publisher",
        "verantwoordelijke",
        "titel",
        "informatiecategorie",
        "creatiedatum",
        "datum",
        "geldigheid",
        "verwijzing",
        "documenthandeling",
        "waarde",
    ),
    "Document": ("format", "document"),
    "Intrekking": ("intrekking",),
    "Vergunningen": ("ipm",),
}

SEVERITIES = {
    Severity.ERROR: "fout",
    Severity.WARNING: "waarschuwing",
    Severity.INFO: "ter informatie",
}


def values() -> dict[str, Any]:
    """Return the areas and their findings. Raises ValueError for a code that belongs to no area."""
    found: dict[str, list[dict[str, str]]] = {area: [] for area in AREAS}
    for each in explanations().values():
        shown = {name: _marked(getattr(each, name)) for name in ("what", "why", "mend", "source")}
        shown |= {"code": each.code, "severity": SEVERITIES[each.severity]}
        found[area_of(each.code)].append(shown)
    return {"areas": found}


def area_of(code: str) -> str:
    """Return the heading of a code; raise ValueError if its first part is in no area."""
    first = code.partition(".")[0]
    for area, parts in AREAS.items():
        if first in parts:
            return area
    raise ValueError(f"No area for {code!r}: add {first!r} to AREAS in {__name__}")


def _marked(text: str) -> str:
    """Tags and entities as code, so that Markdown shows them as they are written."""
    return TAGS.sub(lambda match: f"`{match[0]}`", text)
