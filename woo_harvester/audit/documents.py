"""The documents in a sitemap on disk: what a harvest would decide on each, and what the schema says of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from woo_harvester.audit.local_files import FileEntries, shown
from woo_harvester.audit.one_cause import one_per_cause
from woo_harvester.audit.schema import schema_faults
from woo_harvester.diwoo.defaults import fill_in
from woo_harvester.diwoo.filetype import claims_of_type, decide_filetype
from woo_harvester.diwoo.given import metadata_of
from woo_harvester.diwoo.mapping import map_metadata
from woo_harvester.documents import FormatClaim, from_extension
from woo_harvester.findings import Finding, Reporter
from woo_harvester.record import Herkomst
from woo_harvester.report.funnel import Account
from woo_harvester.sitemaps.decide import NewVersion, decide, find_loc_problem
from woo_harvester.sitemaps.facts import NO_MATCH, EntryFacts, Terms
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.robots import FORBIDDEN
from woo_harvester.tooi import ValueLists
from woo_harvester.tooi.values import Concept


@dataclass(frozen=True, slots=True)
class AuditTerms:
    """The settings of an audit of files."""

    index_maxsize: int
    """Largest size of an index in bytes, after decompression."""
    sitemap_maxsize: int
    """Largest size of a sitemap in bytes, after decompression."""
    message_maxsize: int
    """Largest size of a permit message in bytes, after decompression."""
    lists: ValueLists
    """The value lists for the metadata."""
    user_agent: str
    """The name by which robots.txt knows the harvester."""


class DocumentAudit:
    """Reads the sitemaps of one host or folder, counts their documents, and reports what is wrong with them.

    *is_allowed* returns whether robots.txt allows a request for a document.
    """

    def __init__(
        self, account: Account, report: Reporter, terms: AuditTerms, is_allowed: Callable[[str], bool]
    ) -> None:
        self._account = account
        self._report = report
        self._terms = terms
        self._is_allowed = is_allowed
        self._locs = set[str]()
        """The locs of the entries that would be harvested."""

    def read(self, path: Path, category: Concept | None) -> bool:
        """Read a sitemap; return whether it is empty. *category* is that of its index. Raises OSError."""
        entries = FileEntries(path, "sitemap", self._terms.sitemap_maxsize, self._report)
        for entry in entries:
            self._account.count_entries(1, 0)
            self._read_entry(entry, shown(path), category)
        return entries.is_empty

    def _read_entry(self, entry: Entry, file: str, category: Concept | None) -> None:
        found: list[Finding] = []
        report = Reporter(found.append, url=entry.loc, sitemap=file, line=entry.line)
        version = self._decide(entry, report)
        if version is None or not self._may_request(entry, report):
            faults = None
        else:
            self._read_document(entry, version, report, category)
            faults = schema_faults(entry.document, entry.outside)
        send = self._report.about(url=entry.loc, sitemap=file, line=entry.line).send
        for finding in one_per_cause(entry, found, faults or ()):
            send(finding)

    def _decide(self, entry: Entry, report: Reporter) -> NewVersion | None:
        """Decide on an entry of which nothing is known but the entries before it; report what is wrong."""
        now = datetime.now(UTC).replace(microsecond=0)
        facts = EntryFacts(entry, problem=find_loc_problem(entry.loc), is_delivered=entry.loc in self._locs)
        decision = decide(facts, Terms(), now)
        for one in decision.findings:
            report(one.code, element=one.element, seen=one.seen, action=one.action)
        if decision.version is not None:
            self._locs.add(entry.loc)
        return decision.version

    def _may_request(self, entry: Entry, report: Reporter) -> bool:
        """Return whether a harvest may request a document; report it if robots.txt forbids that."""
        if self._is_allowed(entry.loc):
            return True
        report("robots.verboden", seen=FORBIDDEN, action="overgeslagen")
        return False

    def _read_document(
        self, entry: Entry, version: NewVersion, report: Reporter, category: Concept | None
    ) -> None:
        """Do what the pipelines do with an entry, as far as it can be done without a request."""
        given, lists = metadata_of(entry), self._terms.lists
        record = version.record(entry.loc, Herkomst(bevindingen=report.codes))
        map_metadata(given, record, lists, report, version.at)
        fill_in(record, NO_MATCH, category, lists.organisaties, report)
        says_nothing = given.format is None and from_extension(entry.loc) == FormatClaim()
        if (
            says_nothing
            or decide_filetype(claims_of_type(given.format, None, entry.loc, None), report) is not None
        ):
            self._account.count_record(record)
