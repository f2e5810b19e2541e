"""What a score is made of: sections, their parts, the points of each, and the findings that lower it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, get_args

from woo_harvester.findings import Severity, explanations

Section = Literal["findability", "sitemaps", "documents", "metadata", "currency"]
SECTIONS: tuple[Section, ...] = get_args(Section)

_Basis = Literal["host", "indexes", "sitemaps", "listed", "described"]

#: What kind of harvest a report is about: each has its own parts.
HarvestKind = Literal["woo", "vergunningen", "bestanden"]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a section."""

    name: str
    section: Section
    points: int
    """What it counts for, of the 100."""
    basis: _Basis
    """Of what the share is taken: ``host`` is all or nothing; else so many indexes, sitemaps or documents."""
    codes: tuple[str, ...]
    """The findings that lower it: a whole code, or the beginning of one that ends in a full stop."""
    needs: str | None = None
    """The count of an account that must not be nought for anything after this part to be looked at."""

    @property
    def about_document(self) -> bool:
        """Whether findings about one document count, or those about the host and its files."""
        return self.basis in ("listed", "described")


#: In the order in which a harvest meets them: what is lost in one part does not come to those after it.
PARTS: dict[HarvestKind, Sequence[Part]] = {
    "woo": (
        Part(
            "register",
            "findability",
            5,
            "host",
            ("register.url-ongeldig", "register.domein-ontbreekt", "host.niet-geregistreerd"),
        ),
        Part("robots", "findability", 10, "host", ("robots.", "tls.", "host.prive-adres"), needs="indexes"),
        # Without an index that has a right name, a wrong name is the fault that is to be mended.
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
            ("format.", "document.html-pagina", "document.geen-tekst", "document.tekst-mislukt"),
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
            "values", "metadata", 4, "described", ("waarde.", "datum.", "creatiedatum.", "documenthandeling.")
        ),
        Part("withdrawal", "currency", 2, "host", ("intrekking.",)),
    ),
    "vergunningen": (
        Part(
            "entry",
            "findability",
            40,
            "host",
            ("ipm.ingang-onbereikbaar", "ipm.ingang-zonder-links", "robots.", "tls.", "host.", "register."),
            needs="listed",
        ),
        Part("messages", "documents", 60, "listed", ("ipm.",)),
    ),
}

#: Of files that are not online nothing is known of register, robots.txt rules, servers and withdrawals.
_ONLINE_ONLY = ("register", "robots", "fetching", "withdrawal")


def _of_files(part: Part) -> Part:
    """The part as it is judged where a robots.txt is a file among others."""
    return replace(part, codes=(*part.codes, "robots.")) if part.name == "index" else part


PARTS["bestanden"] = tuple(_of_files(part) for part in PARTS["woo"] if part.name not in _ONLINE_ONLY)

#: About the harvester's own connection or copy of the register, or perhaps the doing of another host.
NOT_SCORED = frozenset({"register.onbereikbaar", "oogst.eigen-verbinding", "loc.andere-host"})

#: Indexes that robots.txt names and that are never asked for, so that no account counts them.
NOT_ASKED_FOR = ("index.naam", "index.infocat-onbekend", "index.geen-https")


@cache
def part_of(code: str, about_document: bool, kind: HarvestKind = "woo") -> Part | None:
    """The part that a finding lowers, by the longest of its codes that fits; None where there is none.

    A code that no part has at its own level counts at the other one: no warning may go unseen because of
    where it was noted.
    """
    if code in NOT_SCORED:
        return None
    fitting = [
        (part.about_document is about_document, len(prefix), part)
        for part in PARTS[kind]
        for prefix in part.codes
        if code == prefix or (prefix.endswith(".") and code.startswith(prefix))
    ]
    return max(fitting, key=lambda found: found[:2])[2] if fitting else None


@cache
def weight_of(code: str) -> float:
    """How much is lost where a finding holds for everything: by an error all, by a warning half."""
    return {Severity.ERROR: 1.0, Severity.WARNING: 0.5}.get(explanations()[code].severity, 0.0)
