"""The reference of the findings, in English and in Dutch, made from the catalogue (``make docs``).

``docs/findings.md`` and ``docs/bevindingen.md`` list the codes. ``docs/explained.html`` and
``docs/uitleg.html`` have all that the catalogue says of each, in the style of a report: an entry that its
anchor opens.
"""

from __future__ import annotations

from typing import Any

from woo_harvester.findings import Language
from woo_harvester.findings.catalogue import explanations
from woo_harvester.kinds import Kind
from woo_harvester.report.html.page import changed_lines, page_parts
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.model import OrganisationRef, Snippet
from woo_harvester.report.score import part_of, parts_of, weight_of
from woo_harvester.report.snippets import snippet

#: The areas of a page, in the order in which a harvest meets them: the first parts of their codes, and their
#: names in both languages.
AREAS: dict[tuple[str, ...], dict[Language, str]] = {
    ("oogst",): {"nl": "Oogst", "en": "The harvest"},
    ("register",): {"nl": "Register", "en": "The register"},
    ("robots",): {"nl": "robots.txt", "en": "robots.txt"},
    ("tls", "host"): {"nl": "Verbinding", "en": "The connection"},
    ("index",): {"nl": "Sitemapindex", "en": "The sitemap index"},
    ("bestand",): {"nl": "Bestanden in een map", "en": "Files in a folder"},
    ("sitemap",): {"nl": "Sitemap", "en": "The sitemap"},
    ("loc",): {"nl": "Locatie van het document (loc)", "en": "The location of a document (loc)"},
    ("lastmod",): {"nl": "Datum van wijziging (lastmod)", "en": "The date of change (lastmod)"},
    (
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
    ): {"nl": "Metadata", "en": "Metadata"},
    ("format", "document"): {"nl": "Document", "en": "The document"},
    ("intrekking",): {"nl": "Intrekking", "en": "Withdrawal"},
    ("ipm",): {"nl": "Vergunningen", "en": "Permits"},
}

#: What a publisher wrote, where an example of the fix needs it.
_SEEN = {
    "robots.regel-afwijkend": "sitemap=https://www.gemeente.nl/sitemapindex-diwoo.xml",
    "robots.regel-genegeerd": "Site map https://www.gemeente.nl/sitemapindex-diwoo.xml",
    "robots.samengevoegd": "Sitemap: https://www.gemeente.nl/sitemapindex-diwoo-infocat001.xml, "
    "https://www.gemeente.nl/sitemapindex-diwoo-infocat014.xml",
    "robots.sitemap-relatief": "/sitemapindex-diwoo.xml",
    "index.naam": "https://www.gemeente.nl/sitemap-woo.xml",
    "index.infocat-onbekend": "https://www.gemeente.nl/sitemapindex-diwoo-infocat018.xml",
    "index.geen-https": "http://www.gemeente.nl/sitemapindex-diwoo.xml",
    "index.hoofdletters": "https://www.gemeente.nl/Sitemapindex-DiWoo.xml",
    "loc.geen-https": "http://www.gemeente.nl/besluit.pdf",
    "loc.ongeldig": "https://www.gemeente.nl/een besluit.pdf",
    "loc.inloggegevens": "https://naam:wachtwoord@www.gemeente.nl/besluit.pdf",
    "lastmod.ongeldig": "31-01-2026",
    "lastmod.toekomst": "2099-01-01",
    "lastmod.ouder": "2020-01-01",
    "lastmod.heraanbod": "2020-01-01",
    "creatiedatum.toekomst": "2099-01-01",
    "informatiecategorie.onbekend": "Woo-besluit",
    "documenthandeling.onbekend": "getekend",
    "datum.ongeldig": "31-01-2026",
    "ipm.transactie": "X",
    "ipm.datum": "31-01-2026",
    "ipm.datum-toekomst": "2099-01-01",
    "ipm.identifier": "zaak 1",
    "ipm.kop": '<?xml version="1.0" encoding="UTF-16"?>',
    "sitemap.kop": '<?xml version="1.0" encoding="UTF-16"?>',
    "waarde.label-onbekend": "bestuur en zo",
}
#: The element that an example of the fix is about.
_ELEMENT = {
    "datum.ongeldig": "creatiedatum",
    "ipm.datum": "dcterms:available",
    "ipm.identifier": "dcterms:identifier",
    "metadata.dubbel": "diwoo:Document",
    "verwijzing.geen-https": "isPartOf",
    "waarde.label-onbekend": "thema",
}

#: The path of the address that an example is about.
_PATH = {
    "document.html-pagina": "besluit",
    "index.verdwenen": "sitemapindex-diwoo.xml",
    "robots.sitemap-relatief": "sitemapindex-diwoo.xml",
}

_OWNER = OrganisationRef(
    id="https://identifier.overheid.nl/tooi/id/gemeente/gm0363", name="gemeente Amsterdam"
)


def values(lang: Language) -> dict[str, Any]:
    """Return the areas and their findings. Raises ValueError for a code that belongs to no area."""
    found: dict[str, list[dict[str, str]]] = {names[lang]: [] for names in AREAS.values()}
    severity = Texts(lang)
    for each in explanations(lang).values():
        shown = {"code": each.code, "severity": severity(f"severity_{each.severity}").lower()}
        found[area_of(each.code, lang)].append(shown)
    return {"areas": found}


def explained(lang: Language) -> dict[str, Any]:
    """Return what the page that explains the findings shows: all that the catalogue says of each."""
    found: dict[str, list[dict[str, Any]]] = {names[lang]: [] for names in AREAS.values()}
    lowered = _lowered(lang)
    for each in explanations(lang).values():
        shown = {"text": each, "snippet": _fix(each.code), "parts": lowered.get(each.code, [])}
        found[area_of(each.code, lang)].append(shown)
    return {"areas": found, "t": Texts(lang), "changed_lines": changed_lines, **page_parts()}


def _fix(code: str) -> Snippet | None:
    """Return an example of the fix; None where it is not in a text, or depends on what was found."""
    line = {
        "code": code,
        "host": "www.gemeente.nl",
        "url": f"https://www.gemeente.nl/{_PATH.get(code, 'documenten/besluit.pdf')}",
        "seen": _SEEN.get(code),
        "element": _ELEMENT.get(code, "url/loc" if code.startswith("loc.") else None),
        "at": "2026-01-31T09:00:00+01:00",
    }
    return snippet({key: value for key, value in line.items() if value is not None}, _OWNER)


def _lowered(lang: Language) -> dict[str, list[str]]:
    """Return the parts of the score that each code lowers."""
    found: dict[str, list[str]] = {}
    for kind in Kind:
        texts = Texts(lang, kind)
        for part in parts_of(kind):
            name = f"{texts(f'section_{part.section}')}: {texts(f'part_{part.name}')}"
            for code in explanations():
                if weight_of(code) and part_of(code, part.about_document, kind) is part:
                    found.setdefault(code, []).append(name)
    return found


def area_of(code: str, lang: Language) -> str:
    """Return the heading of a code; raise ValueError if its first part is in no area."""
    first = code.partition(".")[0]
    for parts, names in AREAS.items():
        if first in parts:
            return names[lang]
    raise ValueError(f"No area for {code!r}: add {first!r} to AREAS in {__name__}")
