"""The sections and parts of a score, with the points of each part and the findings that lower it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import floor
from typing import Literal, get_args

from woo_harvester.findings import Severity, explanations
from woo_harvester.kinds import Kind
from woo_harvester.report.funnel import OWN_ERROR, Account

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
    """The things of which the share is taken: indexes, sitemaps, pages, documents or files.

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

    @property
    def is_of_answers(self) -> bool:
        """True if findings about the answers to requests for documents count: those of a sample, if any."""
        return self.about_document and self.section == "documents"


#: The parts in the order of a harvest: what is lost in one part does not reach the parts after it.
_PARTS: Sequence[Part] = (
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
)


def parts_of(kind: Kind) -> Sequence[Part]:
    """Return the parts of the score of a kind, in that order."""
    return kind.own("parts", _PARTS)


#: What files on disk cannot show (``Account.not_judged``), each with the part of the score that is left out.
NOT_JUDGED: dict[str, str | None] = {
    "register": "register",
    "robots": "robots",
    "connection": None,
    "documents": "fetching",
    "files": None,
    "other_hosts": None,
    "withdrawal": "withdrawal",
}

#: Findings about our own connection, about our copy of the register, possibly caused by another host, or
#: about a file on disk that a harvest would not see or that is not there.
NOT_SCORED = frozenset(
    {
        "register.onbereikbaar",
        "oogst.eigen-verbinding",
        OWN_ERROR,
        "loc.andere-host",
        "bestand.niet-genoemd",
        "bestand.ontbreekt",
    }
)

#: Findings that a host could not be reached. Such a host has no score: nothing of it was judged.
_NOT_REACHED = ("tls.ongeldig", "host.bestaat-niet", "host.prive-adres", "robots.onbereikbaar")

#: Findings about indexes that the run does not request, so that no account counts those indexes.
NOT_ASKED_FOR = ("index.naam", "index.infocat-onbekend", "index.geen-https", "index.verdwenen")


@cache
def part_of(code: str, about_document: bool, kind: Kind = Kind.woo) -> Part | None:
    """Return the part that a finding lowers: the one with the longest matching code or prefix, or None.

    A part at the level of the finding (document or host) goes first. If there is none, a part at the other
    level counts, so that no warning is ignored because of its level.
    """
    if code in NOT_SCORED:
        return None
    fitting = [
        (part.about_document is about_document, len(prefix), part)
        for part in parts_of(kind)
        for prefix in part.codes
        if code == prefix or (prefix.endswith((".", "-")) and code.startswith(prefix))
    ]
    return max(fitting, key=lambda found: found[:2])[2] if fitting else None


@cache
def weight_of(code: str) -> float:
    """Return the share that is lost if everything has the finding: 1 for an error, 0.5 for a warning."""
    return {Severity.ERROR: 1.0, Severity.WARNING: 0.5}.get(explanations()[code].severity, 0.0)


#: Shares below this are zero but for rounding.
_TINY = 1e-9

#: The version of the rules. It changes when the same findings give another score.
SCORE_VERSION = 5

FindingKey = tuple[str, bool]
"""A finding code, and whether the finding is about a single document."""

_Counts = Mapping[FindingKey, int]
"""The number of findings of each kind."""

PartState = Literal["passed", "lowered", "partly_reached", "not_applicable", "not_judged", "not_reached"]

#: States of parts that take no part in the score.
_LEFT_OUT = ("not_applicable", "not_judged")


@dataclass(frozen=True, slots=True)
class PartScore:
    """One part of the score of a host."""

    part: Part
    state: PartState
    """``not_applicable``: there was nothing to check, so the part does not count. ``not_judged``: files on
    disk cannot show it, so it does not count either. ``partly_reached`` and ``not_reached``: nothing wrong
    was found, but an earlier error kept the part from being checked."""
    share: float
    """The share of its points that the host gets, 0 to 1."""
    costs: Mapping[FindingKey, float]
    """The share that each finding costs; together with ``share`` they add up to 1."""

    @property
    def points(self) -> float:
        """The points that the host gets."""
        return self.part.points * self.share if self.counts else 0.0

    @property
    def counts(self) -> bool:
        """True if the part counts in the score."""
        return self.state not in _LEFT_OUT


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a host; without parts if the host was not visited."""

    parts: tuple[PartScore, ...]
    obstacle: str | None = None
    """The code of the finding that says why the host could not be reached; None if it was."""
    has_own_error: bool = False
    """True if the harvester itself failed on something of the host, which was therefore not judged."""

    @property
    def of(self) -> int:
        """The maximum number of points of the parts that apply: 100 if all apply."""
        return sum(each.part.points for each in self.parts if each.counts)

    @property
    def exact(self) -> float | None:
        """The points scaled to 100 over the parts that apply; None if no part about documents applies.

        So a host that lists no documents has no score, unless an error keeps its documents from being listed.
        Neither has a host that could not be reached, or on which the harvester itself failed.
        """
        is_judged = not (self.obstacle or self.has_own_error)
        if not is_judged or not any(each.part.about_document and each.counts for each in self.parts):
            return None
        return 100 * sum(each.points for each in self.parts) / self.of

    @property
    def shown(self) -> int | None:
        """The score as shown, rounded down: 100 means no errors and no warnings at all."""
        return None if self.exact is None else floor(self.exact)

    @property
    def costs(self) -> dict[FindingKey, float]:
        """The points of 100 that each finding costs; together they are the points that are missing.

        A part that was not reached may have findings of its own. For the finding that kept it from being
        reached, the points of that part are therefore a maximum.
        """
        found: dict[FindingKey, float] = {}
        for each in self.parts if self.exact is not None else ():
            for key, share in each.costs.items():
                found[key] = found.get(key, 0.0) + 100 * each.part.points * share / self.of
        return found

    def section(self, section: Section) -> tuple[float, int] | None:
        """Return the points of a section and their maximum, or None if none of its parts applies."""
        parts = [each for each in self.parts if each.part.section == section]
        of = sum(each.part.points for each in parts if each.counts)
        return (sum(each.points for each in parts), of) if of else None


def score(counts: _Counts, account: Account, kind: Kind = Kind.woo) -> Score:
    """Return the score of a host from its findings and its account. This is the complete rule."""
    parts: list[PartScore] = []
    stopped: dict[FindingKey, float] = {}  # the share of all later parts that each error blocks
    errors: dict[FindingKey, float] = {}  # errors so far about the host and its files
    documents = account.listed  # minus those lost in earlier parts
    not_judged = kind.own("not_judged", NOT_JUDGED)
    unjudged = {not_judged[subject] for subject in account.not_judged}
    for part in parts_of(kind) if account.visited else ():
        found = {key: count for key, count in counts.items() if part_of(*key, kind) is part}
        reaching = max(0, documents - account.not_requested * part.is_of_answers)
        total: float = {"host": 1, "listed": reaching}.get(part.basis, getattr(account, part.basis, 0))
        total += sum(_number(key, found[key], account) for key in found if key[0].startswith(NOT_ASKED_FOR))
        wrong = _wrong(found, account, total or 1)
        if part.name in unjudged and not wrong:
            parts.append(PartScore(part, "not_judged", 0.0, {}))
            continue
        before, reached = stopped, max(0.0, 1 - sum(stopped.values()))  # rounding may pass 1
        if part.basis == "host" and reached > _TINY:  # all or nothing: what was reached is enough to check it
            before, reached = {}, 1.0
        scale = reached / max(total, sum(wrong.values()), 1)
        costs = before | {key: before.get(key, 0) + share * scale for key, share in wrong.items()}
        if reached < _TINY:
            parts.append(PartScore(part, "not_reached", 0.0, costs))
        elif not total and not wrong:
            parts.append(PartScore(part, "not_applicable", 1.0, {}))
        else:
            state: PartState = "lowered" if wrong else "partly_reached" if costs else "passed"
            parts.append(PartScore(part, state, max(0.0, 1 - sum(costs.values())), costs))
        fatal = {key: share for key, share in wrong.items() if weight_of(key[0]) == 1}
        if part.basis != "host":
            stopped = stopped | {key: stopped.get(key, 0) + share * scale for key, share in fatal.items()}
        if part.basis == "listed":
            documents -= int(sum(fatal.values()))
        elif not part.about_document:
            errors |= fatal
        if part.needs and errors and not getattr(account, part.needs):
            stopped = {key: share / sum(errors.values()) for key, share in errors.items()}
    has_own_error = any(code == OWN_ERROR for code, _ in counts)
    return Score(tuple(parts), _obstacle(counts, account), has_own_error)


def _obstacle(counts: _Counts, account: Account) -> str | None:
    """Return the code of the finding that says why a host could not be reached; None if it was."""
    return next((code for code in _NOT_REACHED if not account.is_read and (code, False) in counts), None)


def _wrong(found: _Counts, account: Account, most: float) -> dict[FindingKey, float]:
    """Return what each error and warning is worth, if *most* things can have it."""
    wrong = {key: weight_of(key[0]) * min(_number(key, found[key], account), most) for key in found}
    return {key: share for key, share in wrong.items() if share}


def _number(key: FindingKey, count: int, account: Account) -> int:
    """Return how many documents or files have a finding."""
    code, about_document = key
    return account.number_of(code, count) if about_document else count
