"""The account of a host, the stages on the way to a record, and the findings that keep it from a stage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Literal, get_args

from pydantic import ConfigDict, Field

from woo_harvester.findings import Finding
from woo_harvester.kinds import Kind
from woo_harvester.record import Oorzaak, Record, Waarde
from woo_harvester.report.counts import Counts
from woo_harvester.tooi.lists import UNKNOWN_CATEGORY

#: What a registered host, or an organisation too, lacks for anything to be harvested.
HostGapKind = Literal["no_robots", "no_index", "dead"]
GapKind = Literal["no_location", "no_robots", "no_index", "dead"]
#: All kinds of gap, in the order of the page.
GAP_KINDS: tuple[GapKind, ...] = get_args(GapKind)

Stage = Literal["listed", "valid", "asked", "allowed", "fetched", "harvested"]

Losses = Mapping[Stage, tuple[str, ...]]

#: An exception of the harvester itself, or documents of which nobody knows what became of them.
OWN_ERROR = "oogst.fout"

_LOSSES_OF_DOCUMENTS: Losses = {
    "valid": ("loc.ontbreekt", "loc.ongeldig", "loc.geen-https", "loc.inloggegevens"),
    "allowed": ("loc.niet-geregistreerd", "robots.verboden", "lastmod.heraanbod"),
    "fetched": (
        "document.onbereikbaar",
        "document.afgebroken",
        "document.te-groot",
        "document.leeg",
        "document.doorverwijzing",
        "tls.ongeldig",
        "host.bestaat-niet",
        "host.prive-adres",
    ),
    "harvested": ("format.onbekend", "format.niet-ondersteund", "document.html-pagina", OWN_ERROR),
}
#: The same, if only a sample was requested: what is lost before that stage is known of all documents.
_LOSSES_OF_SAMPLE: Losses = {
    "valid": _LOSSES_OF_DOCUMENTS["valid"],
    "asked": ("loc.niet-geregistreerd", "lastmod.heraanbod"),
    "allowed": ("robots.verboden",),
    "fetched": _LOSSES_OF_DOCUMENTS["fetched"],
    "harvested": _LOSSES_OF_DOCUMENTS["harvested"],
}


def losses_of(kind: Kind) -> Losses:
    """Return the stages after ``listed``, each with the finding codes that keep a document from it."""
    return kind.own("losses", _LOSSES_OF_DOCUMENTS)


@cache
def stages_of(kind: Kind) -> Mapping[str, Stage]:
    """Return the stage that a finding keeps something from, by code."""
    return {code: stage for stage, codes in losses_of(kind).items() for code in codes}


def kind_of(accounts: Iterable[Account], otherwise: Kind = Kind.woo) -> Kind:
    """Return the kind of a run's first account, *otherwise* if it has none."""
    return next((account.kind for account in accounts), otherwise)


REPEATED = "loc.dubbel"

#: About a location in the register, found only in a run that has seen all documents of the host.
CATEGORY_CONFLICT = "register.categorie-strijdig"


def is_about_document(finding: Mapping[str, Any]) -> bool:
    """Return whether a line of ``findings.jsonl`` is about one document: only those name a sitemap."""
    return bool(finding.get("sitemap"))


def _is_given(*path: str) -> Callable[[Record], bool]:
    """Return a function that returns whether the value at a path is not a default."""
    joined = ".".join(("document", *path))
    return lambda record: joined not in record.herkomst.standaardwaarden


#: The recommended fields, each with a function that returns whether the publisher gave it. Source: seed
#: "Aanbevelingen voor metadata", sections "Toelichting op de verplichte TOOI velden" and "Weergave en
#: filtering op portaal".
FIELDS: dict[str, Callable[[Record], bool]] = {
    "publisher": _is_given("publisher"),
    "officieleTitel": _is_given("titelcollectie", "officieleTitel"),
    "informatiecategorie": _is_given("classificatiecollectie", "informatiecategorieen"),
    "documenthandeling": lambda record: bool(record.document.documenthandelingen),
    "creatiedatum": lambda record: bool(record.document.creatiedatum) and _is_given("creatiedatum")(record),
    "verantwoordelijke": _is_given("verantwoordelijke"),
    "lastmod": lambda record: bool(record.herkomst.lastmod),
    "format": _is_given("format"),
    "documentsoort": lambda record: bool(record.document.classificatiecollectie.documentsoorten),
    "thema": lambda record: bool(record.document.classificatiecollectie.themas),
}


class Account(Counts):
    """The counts of one host while a run makes them, and a line of ``hosts.jsonl`` after it."""

    # A line of another version may have other counts.
    model_config = ConfigDict(extra="ignore", use_attribute_docstrings=False)

    host: str
    kind: Kind = Kind.woo
    """What it counts: documents, or what a class of the package of another kind says."""
    organisations: list[dict[str, str]] = Field(default_factory=list)
    """The organisations that registered a location on the host: ``id`` and ``name`` of each."""
    not_judged: list[str] = Field(default_factory=list)
    """What could not be judged, if files on disk were audited and no host was visited.

    The values are keys of :data:`~woo_harvester.report.score.NOT_JUDGED`.
    """
    visited: bool = False
    """True if its robots.txt was requested."""
    complete: bool | None = None
    """True if it was read from robots.txt to the end of each sitemap; None if the run ended before that."""
    indexes: int = 0
    """Sitemap indexes that were requested."""
    lost: dict[str, int] = Field(default_factory=dict)
    """Documents that are not harvested, by the code of the finding that says why."""
    dropped: int = 0
    """Records that a pipeline of another project dropped, withdrawals included."""
    dropped_listed: int = 0
    """Those of them that are about listed documents."""
    fields: dict[str, int] = Field(default_factory=dict)
    """For each recommended field: how many records of this run have it from their publisher."""
    categories: dict[str, int] = Field(default_factory=dict)
    """Records of this run by the URI of their informatiecategorie; a record may have several."""
    findings: dict[str, int] = Field(default_factory=dict)
    """Findings about the host and its documents, by code."""
    backlog: int = 0
    """Documents that were not requested, because ``WOO_HOST_BUDGET`` was used up."""
    backlog_days: int = 0
    """The number of daily runs that the backlog takes, at the pace of this run."""
    requested: int = 0
    """Documents that an audit chose to request when it had read the sitemaps; 0 for any other run."""
    not_requested: int = 0
    """Documents that it did not choose, which are part of ``listed``. Without any, there is no sample."""

    def __init__(self, host: str, **given: Any) -> None:
        super().__init__(**{"host": host, **given})

    def leave_unjudged(self, subject: str) -> None:
        """Note that something could not be judged."""
        if subject not in self.not_judged:
            self.not_judged.append(subject)

    def count_unchanged_sitemap(self, documents: int, faulty: int = 0) -> None:
        """Count a sitemap that did not change, with its *documents*.

        *faulty* is how many of them are not harvested; their findings are counted by :meth:`count_finding`.
        """
        self.sitemaps_unchanged += 1
        self.listed += documents
        self.unchanged += documents - faulty

    def count_as_repeated(self, entries: int, *, unchanged: bool = False) -> None:
        """Move entries from ``listed`` to ``repeated``, because other entries count for their documents.

        With *unchanged*, they are also subtracted from ``unchanged``, in which they were counted.
        """
        self.listed -= entries
        self.repeated += entries
        if unchanged:
            self.unchanged -= entries

    def count_entries(self, entries: int, unchanged: int) -> None:
        """Count the *entries* of a batch; *unchanged* of them are harvested already."""
        self.listed += entries
        self.unchanged += unchanged

    def count_finding(self, finding: Finding) -> None:
        """Count a finding by its code, and apart if it loses a document or marks an entry as repeated."""
        _count(self.findings, finding.code)
        if finding.sitemap is None:
            return
        if finding.code in stages_of(self.kind):
            _count(self.lost, finding.code)
        elif finding.code == REPEATED:
            self.repeated += 1
            self.listed -= 1

    def count_record(self, record: Record) -> None:
        """Count a record that passed all pipelines."""
        cause = record.versies[-1].oorzaak
        self.count_cause(cause)
        if cause is Oorzaak.INTREKKING:
            return
        _count(self.fields, *(name for name, is_given in FIELDS.items() if is_given(record)))
        _count(self.categories, *map(_category, record.document.classificatiecollectie.informatiecategorieen))

    def count_cause(self, cause: Oorzaak) -> None:
        """Count a record, of a document or of a case, by its cause."""
        if cause is Oorzaak.WIJZIGING:
            self.changed += 1
        elif cause is Oorzaak.INTREKKING:
            self.withdrawn += 1
        else:
            self.new += 1

    def number_of(self, code: str, count: int) -> int:
        """Return how many documents have a finding that was made so often."""
        return count

    @property
    def is_read(self) -> bool:
        """True if more than its robots.txt was read."""
        return bool(self.indexes or self.listed)

    @property
    def records(self) -> int:
        """The number of records of this run, without withdrawals."""
        return self.new + self.changed

    @property
    def not_harvested(self) -> int:
        """The number of listed documents that are not harvested, for a reason that is known."""
        return sum(self.lost.values())

    @property
    def has_seen_all(self) -> bool:
        """True if this run read the host completely, and left out no document."""
        return bool(self.complete) and not self.unchanged and not self.not_requested

    @property
    def described(self) -> int:
        """The number of documents whose metadata this run read."""
        lost = sum(self.lost.get(code, 0) for code in losses_of(self.kind)["harvested"])
        return self.records + self.not_requested + lost

    @property
    def read(self) -> int:
        """The number of documents that are harvested, unchanged or lost; those under way are listed too."""
        return self.harvested + self.not_harvested

    @property
    def harvested(self) -> int:
        """The number of listed documents that are harvested, in this run or before."""
        return self.unchanged + self.records

    @property
    def unfinished(self) -> int:
        """The number of documents neither harvested nor lost: the run ended, or a pipeline dropped them."""
        return self.listed - self.not_requested - self.not_harvested - self.harvested

    @property
    def unaccounted(self) -> int:
        """The number of documents of which nobody knows what became of them, once the run has finished.

        It is negative if more came of them than the host lists.
        """
        return self.unfinished - self.backlog - self.dropped_listed


def stages(account: Account) -> Iterable[tuple[Stage, int, dict[str, int]]]:
    """Return each stage, the number of documents that reach it, and the number lost before it, by code.

    Each stage is the stage before it minus its losses. The last stage is also lowered by
    :attr:`Account.unfinished`, and ``asked``, which only a sample has, by those that were not requested.
    If more documents are harvested and lost than listed, which the run has reported, as many count as listed.
    """
    left = account.listed + max(0, -account.unfinished)
    yield "listed", left, {}
    for stage, codes in (_LOSSES_OF_SAMPLE if account.not_requested else losses_of(account.kind)).items():
        lost = {code: account.lost[code] for code in codes if account.lost.get(code)}
        left -= sum(lost.values())
        if stage == "asked":
            left -= account.not_requested
        if stage == "harvested":
            left -= max(0, account.unfinished)
        yield stage, left, lost


def total(accounts: Iterable[Account]) -> Account:
    """Return one account with the sums of all hosts."""
    accounts = list(accounts)
    everything = type(accounts[0])("") if accounts else Account("")
    for name, count in type(everything).model_fields.items():
        given = [getattr(account, name) for account in accounts]
        if count.annotation is int:
            setattr(everything, name, sum(given))
        elif count.annotation == dict[str, int]:
            setattr(everything, name, dict(sum(map(Counter, given), Counter())))
    return everything


def _count(counts: dict[str, int], *keys: str) -> None:
    for key in keys:
        counts[key] = counts.get(key, 0) + 1


def _category(waarde: Waarde) -> str:
    return waarde.id or UNKNOWN_CATEGORY.uri
