"""The sections and parts of a score, with the points of each part and the findings that lower it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from woo_harvester.findings import Severity, explanations
from woo_harvester.report.losses import HarvestKind

Section = Literal["findability", "sitemaps", "documents", "metadata", "currency"]
SECTIONS: tuple[Section, ...] = get_args(Section)

_Basis = Literal["host", "indexes", "sitemaps", "pages", "listed", "described"]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a section of the score."""

    name: str
    section: Section
    points: int
    """The maximum number of points, of 100."""
    basis: _Basis
    """The things of which the share is taken: indexes, sitemaps, entry pages, documents or files of permits.

    ``host`` is all or nothing.
    """
    codes: tuple[str, ...]
    """The findings that lower it: complete codes, or prefixes that end in a full stop or a hyphen."""
    needs: str | None = None
    """The count of an account that must not be zero; if it is, the parts after this one are not reached."""

    @property
    def about_document(self) -> bool:
        """True if findings about single documents count, false if those about the host and its files do."""
        return self.basis in ("listed", "described")


#: The parts in the order of a harvest: what is lost in one part does not reach the parts after it.
PARTS: dict[HarvestKind, Sequence[Part]] = {
    "woo": (
        Part(
            "register",
            "findability",
            5,
            "host",
            (
                "register.url-ongeldig",
                "register.domein-ontbreekt",
                "register.categorie-strijdig",
                "host.niet-geregistreerd",
            ),
        ),
        Part(
            "robots",
            "findability",
            10,
            "host",
            ("robots.", "tls.", "host.bestaat-niet", "host.prive-adres"),
            needs="indexes",
        ),
        # Without an index that has a right name, the wrong name is what the publisher has to fix.
        Part(
            "index",
            "findability",
            15,
            "indexes",
            ("index.", "robots.geen-diwoo-index"),
            needs="sitemaps",
        ),
        Part("files", "sitemaps", 12, "sitemaps", ("sitemap.", "loc."), needs="listed"),
        Part("entries", "sitemaps", 8, "listed", ("loc.",)),
        Part("lastmod", "currency", 3, "listed", ("lastmod.",)),
        Part(
            "fetching",
            "documents",
            12,
            "listed",
            (
                "robots.verboden",
                "tls.",
                "host.",
                "document.onbereikbaar",
                "document.afgebroken",
                "document.te-groot",
                "document.leeg",
                "document.doorverwijzing",
            ),
        ),
        Part(
            "format",
            "documents",
            8,
            "listed",
            (
                "format.",
                "document.html-pagina",
                "document.landingspagina",
                "document.geen-tekst",
                "document.tekst-mislukt",
            ),
        ),
        Part("metadata", "metadata", 7, "described", ("metadata.",)),
        Part("title", "metadata", 5, "described", ("titel.",)),
        Part("category", "metadata", 5, "described", ("informatiecategorie.",)),
        Part(
            "publisher",
            "metadata",
            4,
            "described",
            ("publisher.", "verantwoordelijke.", "register.meerdere-organisaties"),
        ),
        Part(
            "values",
            "metadata",
            4,
            "described",
            ("waarde.", "datum.", "creatiedatum.", "geldigheid.", "verwijzing.", "documenthandeling."),
        ),
        Part("withdrawal", "currency", 2, "host", ("intrekking.",)),
    ),
    "vergunningen": (
        Part(
            "entry",
            "findability",
            25,
            "pages",
            ("ipm.ingang-", "ipm.link-", "ipm.te-groot", "robots.verboden", "tls.", "host."),
            needs="listed",
        ),
        Part(
            "fetching",
            "documents",
            20,
            "listed",
            ("ipm.bericht-onbereikbaar", "robots.verboden", "tls.", "host."),
        ),
        Part(
            "message",
            "documents",
            25,
            "listed",
            (
                "ipm.ongeldig",
                "ipm.doctype",
                "ipm.te-groot",
                "ipm.schema",
                "ipm.transactie",
                "ipm.identifier",
                "ipm.datum",
            ),
        ),
        Part("dates", "currency", 10, "listed", ("ipm.datum-", "ipm.niet-toegepast")),
        Part(
            "cases",
            "metadata",
            10,
            "listed",
            ("ipm.andere-organisatie", "ipm.zaak-", "ipm.document-"),
        ),
        Part(
            "details",
            "metadata",
            10,
            "described",
            ("ipm.scheme-onbekend", "ipm.adres", "ipm.coordinaten", "ipm.periode"),
        ),
    ),
}

#: What files on disk cannot show (``Account.not_judged``), each with the part of the score that is left out.
NOT_JUDGED: dict[str, str | None] = {
    "register": "register",
    "robots": "robots",
    "connection": None,
    "documents": "fetching",
    "files": None,
    "other_hosts": None,
    "withdrawal": "withdrawal",
    "entry_page": "entry",
    "fetching": "fetching",
    "earlier_messages": None,
}

#: Findings about our own connection, about our copy of the register, possibly caused by another host, or
#: about a file on disk that a harvest would not see or that is not there.
NOT_SCORED = frozenset(
    {
        "register.onbereikbaar",
        "oogst.eigen-verbinding",
        "loc.andere-host",
        "bestand.niet-genoemd",
        "bestand.ontbreekt",
    }
)

#: Findings about indexes that the run does not request, so that no account counts those indexes.
NOT_ASKED_FOR = ("index.naam", "index.infocat-onbekend", "index.geen-https", "index.verdwenen")


@cache
def part_of(code: str, about_document: bool, kind: HarvestKind = "woo") -> Part | None:
    """Return the part that a finding lowers: the one with the longest matching code or prefix, or None.

    A part at the level of the finding (document or host) goes first. If there is none, a part at the other
    level counts, so that no warning is ignored because of its level.
    """
    if code in NOT_SCORED:
        return None
    fitting = [
        (part.about_document is about_document, len(prefix), part)
        for part in PARTS[kind]
        for prefix in part.codes
        if code == prefix or (prefix.endswith((".", "-")) and code.startswith(prefix))
    ]
    return max(fitting, key=lambda found: found[:2])[2] if fitting else None


@cache
def weight_of(code: str) -> float:
    """Return the share that is lost if everything has the finding: 1 for an error, 0.5 for a warning."""
    return {Severity.ERROR: 1.0, Severity.WARNING: 0.5}.get(explanations()[code].severity, 0.0)
