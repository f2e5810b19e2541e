"""Where the documents of a host went: listed, valid, allowed, fetched, harvested, and why not.

A crawl keeps an :class:`Account` for each host and tells it what happens; at the end of the run they are
written to ``hosts.jsonl``, one JSON object a line. What tells an account what:

==================================================  ====================================================
event in a crawl                                    call
==================================================  ====================================================
a host's robots.txt is asked for                    ``visited = True``
an index or a sitemap is asked for                  ``saw_index(url)``, ``saw_sitemap(url)``
a sitemap is passed over (304, the same bytes)      ``passed_over(documents, faulty)``: as many as the
                                                    state has of it, and those of which a finding is
                                                    told again
a batch of entries was looked at                    ``looked_at(entries, unchanged)``: all of them, the
                                                    repeated and faulty ones too, and of those how many
                                                    are harvested already and are passed over (verdicts
                                                    ``unchanged`` and ``older``)
entries of documents that their own hosts list      ``left_to_others(entries)``
a finding about the host or one of its documents    ``note(finding)``: each finding of the run; it counts
                                                    those that lose a document, and ``loc.dubbel``
an item is through all pipelines                    ``delivered(record)``: harvested (new, changed or
                                                    back again), or withdrawn
nothing is left to read of a host                   ``complete = True`` or ``False``
==================================================  ====================================================

Losses are counted from the findings and nowhere else, so that the sums of ``findings.jsonl`` and of the
funnel cannot differ. A repeated loc counts once; one that cannot be harvested counts as often as it is
listed, since nothing keeps a list of those.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from woo_harvester.findings import Finding
from woo_harvester.record import Oorzaak, Record, Waarde
from woo_harvester.tooi import UNKNOWN_CATEGORY

Stage = Literal["listed", "valid", "allowed", "fetched", "harvested"]

#: The stages after the first, each with the codes of findings by which a document does not reach it.
LOSSES: dict[Stage, tuple[str, ...]] = {
    "valid": ("loc.ontbreekt", "loc.ongeldig", "loc.geen-https", "loc.inloggegevens"),
    "allowed": ("loc.niet-geregistreerd", "robots.verboden", "lastmod.heraanbod"),
    "fetched": (
        "document.onbereikbaar",
        "document.afgebroken",
        "document.te-groot",
        "document.leeg",
        "document.doorverwijzing",
        "tls.ongeldig",
        "host.prive-adres",
    ),
    "harvested": ("format.onbekend", "format.niet-ondersteund", "document.html-pagina"),
}
STAGE_OF: dict[str, Stage] = {code: stage for stage, codes in LOSSES.items() for code in codes}

REPEATED = "loc.dubbel"

#: How many different shapes of paths are remembered of a host.
MAX_PATTERNS = 8

_VARIABLE = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{16,}|[0-9]+", re.IGNORECASE)


def path_pattern(url: str) -> str:
    """The shape of a URL's path: numbers and identifiers become ``#``, so that all months look alike."""
    parts = urlsplit(url)
    names = sorted({pair.partition("=")[0] for pair in parts.query.split("&")} - {""})
    query = "?" + "&".join(names) if names else ""
    return _VARIABLE.sub("#", parts.path + query)[:200]


def is_about_document(finding: Mapping[str, Any]) -> bool:
    """Whether a line of ``findings.jsonl`` is about one document: only those name its sitemap."""
    return bool(finding.get("sitemap"))


#: A recommended field, and whether a record has it from its publisher. Source: seed "Aanbevelingen voor
#: metadata", sections "Toelichting op de verplichte TOOI velden" and "Weergave en filtering op portaal".
FIELDS: dict[str, Callable[[Record], bool]] = {
    "publisher": lambda record: "document.publisher" not in record.herkomst.standaardwaarden,
    "officieleTitel": lambda record: (
        "document.titelcollectie.officieleTitel" not in record.herkomst.standaardwaarden
    ),
    "informatiecategorie": lambda record: (
        "document.classificatiecollectie.informatiecategorieen" not in record.herkomst.standaardwaarden
    ),
    "documenthandeling": lambda record: bool(record.document.documenthandelingen),
    "creatiedatum": lambda record: (
        record.document.creatiedatum is not None
        and "document.creatiedatum" not in record.herkomst.standaardwaarden
    ),
    "verantwoordelijke": lambda record: "document.verantwoordelijke" not in record.herkomst.standaardwaarden,
    "lastmod": lambda record: bool(record.herkomst.lastmod),
    "format": lambda record: "document.format" not in record.herkomst.standaardwaarden,
    "documentsoort": lambda record: bool(record.document.classificatiecollectie.documentsoorten),
    "thema": lambda record: bool(record.document.classificatiecollectie.themas),
}


@dataclass(slots=True)
class Account:
    """What became of the documents that one host lists. Counts are of documents, but for the files."""

    host: str
    organisations: list[dict[str, str]] = field(default_factory=list)
    """The bodies that registered a location on the host: ``id`` and ``name`` of each."""
    offline: bool = False
    """Files that were looked at where they lie: there is no host, and nothing is known of one."""
    visited: bool = False
    """Its robots.txt was asked for."""
    complete: bool | None = None
    """Read from robots.txt to the end of each sitemap; None where the run ended before that could be told."""
    indexes: int = 0
    """Indexes that were asked for."""
    sitemaps: int = 0
    """Sitemaps that were asked for, those that were passed over included."""
    sitemaps_unchanged: int = 0
    """Of those: passed over, since they are as they were at their last complete read."""
    listed: int = 0
    """Entries that could be read, those of sitemaps that were passed over included; a repeated loc once."""
    repeated: int = 0
    """Entries whose loc was listed before, or is listed by its own host; not among those listed."""
    unchanged: int = 0
    """Harvested in an earlier run and as they were then."""
    lost: dict[str, int] = field(default_factory=dict)
    """Documents that are not harvested, by the code of the finding that tells why."""
    harvested: dict[str, int] = field(default_factory=dict)
    """Records of this run, by oorzaak: ``aanlevering``, ``wijziging``, ``herpublicatie``."""
    withdrawn: int = 0
    """Records of withdrawals; not among those listed."""
    fields: dict[str, int] = field(default_factory=dict)
    """Of the records of this run, how many have a recommended field from their publisher."""
    categories: dict[str, int] = field(default_factory=dict)
    """Records of this run by URI of their informatiecategorie; one may count for several."""
    patterns: dict[str, int] = field(default_factory=dict)
    """Shapes of the paths of indexes and sitemaps, and how often each came by; at most eight."""

    def saw_index(self, url: str) -> None:
        """An index is asked for."""
        self.indexes += 1
        self._saw(url)

    def saw_sitemap(self, url: str) -> None:
        """A sitemap is asked for."""
        self.sitemaps += 1
        self._saw(url)

    def passed_over(self, documents: int, faulty: int = 0) -> None:
        """A sitemap is as it was, so that its *documents* are there, unchanged.

        Of those that are *faulty* a finding tells that they are not harvested; it is noted as any other.
        """
        self.sitemaps_unchanged += 1
        self.listed += documents
        self.unchanged += documents - faulty

    def left_to_others(self, entries: int, *, unchanged: bool = False) -> None:
        """So many of the entries are of documents whose own hosts list them: there they count.

        They were counted among those listed, and with *unchanged* among those that are unchanged.
        """
        self.listed -= entries
        self.repeated += entries
        if unchanged:
            self.unchanged -= entries

    def looked_at(self, entries: int, unchanged: int) -> None:
        """A batch was looked at: all its *entries*, of which so many are harvested and unchanged."""
        self.listed += entries
        self.unchanged += unchanged

    def note(self, finding: Finding) -> None:
        """Count a finding that loses a document, or that tells an entry to be a repetition."""
        if finding.sitemap is None:
            return
        if finding.code in STAGE_OF:
            self.lost[finding.code] = self.lost.get(finding.code, 0) + 1
        elif finding.code == REPEATED:
            self.repeated += 1
            self.listed -= 1

    def delivered(self, record: Record) -> None:
        """Count a record that came through all pipelines."""
        cause = record.versies[-1].oorzaak
        if cause is Oorzaak.INTREKKING:
            self.withdrawn += 1
            return
        _count(self.harvested, cause)
        for name, is_given in FIELDS.items():
            if is_given(record):
                _count(self.fields, name)
        for waarde in record.document.classificatiecollectie.informatiecategorieen:
            _count(self.categories, _category(waarde))

    @property
    def records(self) -> int:
        """Documents of which this run made a record, withdrawals left out."""
        return sum(self.harvested.values())

    @property
    def described(self) -> int:
        """Documents whose metadata this run looked at."""
        return self.records + sum(self.lost.get(code, 0) for code in LOSSES["harvested"])

    @property
    def harvested_now_or_before(self) -> int:
        """The end of the funnel: what a search finds of what is listed."""
        return self.unchanged + self.records

    @property
    def unfinished(self) -> int:
        """Neither harvested nor lost by a finding: the run ended first, or another project dropped them."""
        return self.listed - sum(self.lost.values()) - self.harvested_now_or_before

    def _saw(self, url: str) -> None:
        pattern = path_pattern(url)
        if pattern in self.patterns or len(self.patterns) < MAX_PATTERNS:
            _count(self.patterns, pattern)


class Accounts:
    """The accounts of a run, by host."""

    def __init__(self) -> None:
        self._accounts: dict[str, Account] = {}

    def __iter__(self) -> Iterator[Account]:
        return iter(self._accounts.values())

    def __len__(self) -> int:
        return len(self._accounts)

    def of(self, host: str) -> Account:
        """The account of *host*, a new one where it has none yet."""
        if (account := self._accounts.get(host)) is None:
            account = self._accounts[host] = Account(host)
        return account

    def add(self, account: Account) -> None:
        """Take an account that was made elsewhere."""
        self._accounts[account.host] = account

    def leave_out(self, hosts: Iterable[str]) -> None:
        """Remove the accounts of hosts about which the run can say nothing."""
        for host in hosts:
            self._accounts.pop(host, None)

    def note(self, finding: Finding) -> None:
        """Have the account of the finding's host count it, where there is one."""
        if finding.host is not None and (account := self._accounts.get(finding.host)) is not None:
            account.note(finding)


def stages(account: Account) -> Iterable[tuple[Stage, int, dict[str, int]]]:
    """Each stage with the documents that reach it, and by code those that are lost on the way to it.

    The sums close: a stage is the one before it less its losses. What the run did not come to is missing from
    the last one, as :attr:`Account.unfinished`. Raises ValueError for an account that has more harvested and
    lost than listed.
    """
    if account.unfinished < 0:
        raise ValueError(
            f"{account.host}: {account.listed} documents are listed, but {account.harvested_now_or_before} "
            f"harvested and {sum(account.lost.values())} lost"
        )
    left = account.listed
    yield "listed", left, {}
    for stage, codes in LOSSES.items():
        lost = {code: account.lost[code] for code in codes if account.lost.get(code)}
        left -= sum(lost.values())
        if stage == "harvested":
            left -= account.unfinished
        yield stage, left, lost


def total(accounts: Iterable[Account]) -> Account:
    """One account of all hosts together; bodies and shapes of paths are left out."""
    everything = Account("")
    counters: dict[str, Counter[str]] = {
        name: Counter() for name in ("lost", "harvested", "fields", "categories")
    }
    for account in accounts:
        for name in (
            "indexes",
            "sitemaps",
            "sitemaps_unchanged",
            "listed",
            "repeated",
            "unchanged",
            "withdrawn",
        ):
            setattr(everything, name, getattr(everything, name) + getattr(account, name))
        for name, counter in counters.items():
            counter.update(getattr(account, name))
    for name, counter in counters.items():
        setattr(everything, name, dict(counter))
    return everything


def _count(counts: dict[str, int], key: str) -> None:
    counts[key] = counts.get(key, 0) + 1


def _category(waarde: Waarde) -> str:
    return waarde.id or UNKNOWN_CATEGORY.uri
