"""The reference page of the findings, ``docs/findings.md``, made from the catalogue (``make docs``)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from woo_harvester.findings.catalogue import Explanation, Severity, explanations

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

HEAD = """\
<!-- Made from woo_harvester/findings/catalogue.toml by `make docs`: do not edit. -->

# Bevindingen

Alles wat de harvester aan een publicatie kan opmerken: wat er gevonden is, wat het kost en wat u eraan doet.
De code van een bevinding verandert nooit. Er zijn drie soorten:

- **fout**: één document of meer wordt niet geoogst;
- **waarschuwing**: geoogst, maar met minder dan bedoeld, of iets om naar te kijken;
- **ter informatie**: gezien en goed, of aangevuld met een standaardwaarde.
"""

TAGS = re.compile(r"(?:</?[A-Za-z!][^<>\s]*(?: [a-z]+)?>)+|<!DOCTYPE|&(?:#?\w+;)?")


def render() -> str:
    """Return the page as Markdown, in Dutch; raise ValueError for a code that belongs to no area."""
    return "\n".join([HEAD, *_index(), *_sections()])


def area_of(code: str) -> str:
    """Return the heading of a code; raise ValueError if its first part is in no area."""
    first = code.partition(".")[0]
    for area, parts in AREAS.items():
        if first in parts:
            return area
    raise ValueError(f"No area for {code!r}: add {first!r} to AREAS in findings/reference.py")


def _index() -> Iterable[str]:
    yield "| code | soort | wat |"
    yield "| --- | --- | --- |"
    for found in _in_order():
        anchor = found.code.replace(".", "")
        yield f"| [`{found.code}`](#{anchor}) | {SEVERITIES[found.severity]} | {_marked(found.what)} |"
    yield ""


def _sections() -> Iterable[str]:
    for area, findings in groupby(_in_order(), lambda found: area_of(found.code)):
        yield f"## {area}\n"
        for found in findings:
            yield f"### {found.code}\n"
            yield f"*{SEVERITIES[found.severity].capitalize()}.* {_marked(found.what)} {_marked(found.why)}\n"
            yield f"**Wat u doet:** {_marked(found.mend)}\n"
            yield f"Bron: {_marked(found.source)}.\n"


def _in_order() -> list[Explanation]:
    """Return the explanations by area, and within it in the order of the catalogue."""
    order = list(AREAS)
    return sorted(explanations().values(), key=lambda found: order.index(area_of(found.code)))


def _marked(text: str) -> str:
    """Tags and entities as code, so that Markdown shows them as they are written."""
    return TAGS.sub(lambda match: f"`{match[0]}`", text)
