"""The public addresses of the sources in the catalogue: a fixed table of pages, and the RFCs."""

from __future__ import annotations

import re

_GUIDE = "https://standaarden.overheid.nl/diwoo/metadata"

#: The beginning of a source, and the page on which it is published.
_PAGES = {
    "De hoofdlijnen voor aansluiten op Woo-index met zoekfunctie": f"{_GUIDE}/diwoo-handleiding-hoofdlijnen",
    "Sitemapindex en Sitemaps": f"{_GUIDE}/diwoo-handleiding-sitemapindex-en-sitemaps",
    "Technische implementatie": f"{_GUIDE}/diwoo-handleiding-technische-implementatie",
    "Aanbevelingen voor metadata": f"{_GUIDE}/diwoo-handleiding-metadata",
    "DiWoo-schema": _GUIDE,
    "sitemaps.org": "https://www.sitemaps.org/protocol.html",
    "Namespaces in XML 1.0": "https://www.w3.org/TR/xml-names/",
}

_RFC = re.compile(r"RFC (?P<number>\d+)(?:, (?P<section>\d+(?:\.\d+)*))?")


def source_links(source: str) -> list[tuple[str, str | None]]:
    """Return each source in *source*, which separates them with ``;``, and its address; None without one."""
    return [(part, _address(part)) for part in source.split("; ")]


def _address(part: str) -> str | None:
    if found := _RFC.match(part):
        section = f"#section-{found['section']}" if found["section"] else ""
        return f"https://www.rfc-editor.org/rfc/rfc{found['number']}{section}"
    return next((url for title, url in _PAGES.items() if part.startswith(title)), None)
