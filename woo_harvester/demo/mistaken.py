"""A publisher with every common mistake, each in an entry or a file that is right in everything else.

``mistaken.toml`` has what it publishes.
"""

from __future__ import annotations

import gzip
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from woo_harvester.demo import sitemaps
from woo_harvester.demo.server import LoopbackServer, Page, Pages, redirect
from woo_harvester.demo.site import Location, RooEntry
from woo_harvester.demo.sitemaps import (
    Coded,
    DiWoo,
    Entry,
    Handeling,
    docx_page,
    html_page,
    pdf_page,
    robots_txt,
    sitemap,
)

#: An organisation that is in no list: its URI is kept as given, with a finding.
PUBLISHER = Coded("gemeente Kladderveen", "https://identifier.overheid.nl/tooi/id/gemeente/gm9999")
LASTMOD = "2024-05-01T12:00:00+02:00"
#: A host that nobody registered; no request goes there.
ELSEWHERE = "https://www.niet-geregistreerd.example"

GOOD = DiWoo(
    publisher=sitemaps.GEMEENTE,
    verantwoordelijke=sitemaps.GEMEENTE,
    titel="Een document met een fout",
    informatiecategorieen=[sitemaps.categorie(10)],
    creatiedatum="2024-05-01",
    format=sitemaps.PDF,
    handelingen=[Handeling(sitemaps.ONTVANGST, "2024-05-01T10:00:00")],
)
#: The sitemaps whose entries have mistakes, or something odd that is right.
_SITEMAPS = ("fouten", "woo-besluiten", "vreemd")


@dataclass(frozen=True, slots=True)
class Mistake:
    """An entry with a mistake, or with something odd that is right."""

    code: str | None
    """Code of the finding that the entry must give; None if it is right."""
    entry: Entry
    page: Page
    """The page at its loc, if that is on this site."""


@cache
def _published(host: str) -> Mapping[str, Any]:
    """Return what the publisher on *host* publishes."""
    text = files(__package__).joinpath("mistaken.toml").read_text(encoding="utf-8")
    return tomllib.loads(text.replace("{host}", host))


def mistakes(site: LoopbackServer, name: str = "fouten") -> Iterator[Mistake]:
    """Yield the entries of a sitemap."""
    good = Entry(diwoo=GOOD).xml().removeprefix("<url>").removesuffix("</url>\n")
    for file, given in _published(site.host)[name].items():
        metadata = good
        for pattern, replacement in given.get("change", {}).items():
            metadata = re.sub(pattern, replacement, metadata)
        loc = given.get("loc", site.url(f"/documenten/{file}")) or None
        entry = Entry(loc=loc, lastmod=given.get("lastmod", LASTMOD) or None, raw=metadata)
        mistake = Mistake(given.get("code"), entry, _page(**given.get("page", {"pdf": file})))
        yield from [mistake] * given.get("times", 1)


def _page(**given: Any) -> Page:
    match given:
        case {"pdf": text}:
            return pdf_page(text)
        case {"docx": text}:
            return docx_page(text)
        case {"html": title, **others}:
            return html_page(title, **others)
        case {"redirect": url}:
            return redirect(url)
        case _:
            return Page(**given)


def pages(site: LoopbackServer) -> Pages:
    """Return all pages of the main site."""
    published = _published(site.host)
    found: Pages = {path: _file(body) for path, body in published["files"].items()}
    found |= {path: pdf_page(text) for path, text in published["documents"].items()}
    for mistake in _all_mistakes(site):
        loc = mistake.entry.loc or ""
        if loc.startswith(site.url()):
            found[urlsplit(loc).path.replace(" ", "%20")] = mistake.page
    for name in _SITEMAPS:
        body = sitemap(*(mistake.entry for mistake in mistakes(site, name)))
        is_odd = name == "vreemd"
        found[f"/sitemaps/{name}.xml"] = Page(
            gzip.compress(body, mtime=0) if is_odd else body,
            content_type="text/html" if is_odd else "application/xml",
        )
    found["/sitemapindex-diwoo-infocat012.xml"] = redirect(f"{ELSEWHERE}/sitemapindex.xml")
    # Some editors write a byte order mark and CRLF.
    robots = published["files"]["/robots.txt"].replace("\n", "\r\n").encode("utf-8-sig")
    return found | {"/robots.txt": Page(robots, content_type="text/plain")}


def _file(body: str) -> Page:
    is_html = body.startswith("<!DOCTYPE html>")
    return Page(body, content_type="text/html; charset=utf-8" if is_html else "application/xml")


def pages_without_index() -> Pages:
    """Return a site whose robots.txt is larger than 500 KiB (RFC 9309, 2.5) and names no index."""
    comments = "# Deze regel staat er voor de vorm.\n" * 20_000
    return {"/robots.txt": Page(robots_txt("/sitemap.xml") + comments)}


def pages_refused() -> Pages:
    """Return the pages of a site that refuses every request, also for robots.txt."""
    return {"*": html_page("Geen toegang", "U mag deze pagina niet zien.", status=403)}


def registered(main: LoopbackServer, others: Iterable[LoopbackServer]) -> list[RooEntry]:
    """Return the organisations of the register.

    They are the publisher, an organisation that shares one of its locations, and one that no longer exists.
    """
    shared = Location(main.url("/gezamenlijk"))
    unreadable = Location("zie onze website")
    locations = [
        Location(main.url("/")),
        shared,
        unreadable,
        *(Location(other.url("/woo")) for other in others),
    ]
    partner = "Omgevingsdienst Kladderstreek"
    return [
        RooEntry(naam=PUBLISHER.label, systeem_id="90000002", tooi=PUBLISHER.uri, locations=locations),
        RooEntry(
            naam=partner, systeem_id="90000004", type="Regionaal samenwerkingsorgaan", locations=[shared]
        ),
        RooEntry(
            naam="gemeente Opgeheven",
            systeem_id="90000005",
            einddatum="2020-01-01",
            locations=[Location("https://www.opgeheven.example/woo")],
        ),
    ]


def expected_codes(site: LoopbackServer) -> frozenset[str]:
    """Return the codes of all findings that a harvest of the main site must give."""
    found = {mistake.code for mistake in _all_mistakes(site) if mistake.code is not None}
    return frozenset(found.union(_published(site.host)["codes"]))


def _all_mistakes(site: LoopbackServer) -> Iterator[Mistake]:
    for name in _SITEMAPS:
        yield from mistakes(site, name)
