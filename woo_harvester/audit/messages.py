"""The audit of permit messages on disk: what a harvest would find wrong with each, and with all together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from woo_harvester.audit.local_file import chunks_of, shown
from woo_harvester.audit.terms import AuditTerms
from woo_harvester.findings import Finding, Reporter
from woo_harvester.permits.links import without_the_rest
from woo_harvester.permits.messages import read_message
from woo_harvester.permits.mutations import Mutation
from woo_harvester.permits.parsing import with_own_xml
from woo_harvester.permits.rights import Rights
from woo_harvester.permits.transactions import apply_mutations
from woo_harvester.register import Register
from woo_harvester.report.accounts import PermitAccount
from woo_harvester.utils.urls import host_of

#: The entry page of messages on disk, which have none. No report shows it.
_NO_PAGE = "https://ingang.invalid/"


class MessageAudit:
    """Reads the messages of one folder as those of one organisation, and counts them in *account*.

    A harvest may know earlier messages about the same cases. What only these could show is not reported.
    """

    def __init__(self, account: PermitAccount, report: Reporter, terms: AuditTerms) -> None:
        self._account = account
        self._report = report
        self._terms = terms
        self._now = datetime.now(UTC)

    def read(self, paths: Iterable[Path]) -> None:
        """Read all messages. Raises OSError."""
        mutations = [mutation for path in paths if (mutation := self._read_file(path)) is not None]
        no_register = Rights(Register((), ()), {})
        host = host_of(_NO_PAGE)
        report = without_the_rest(Reporter(self._send), (host,))
        apply_mutations((), mutations, no_register, report, self._now)
        self._account.count_applied()

    def _read_file(self, path: Path) -> Mutation | None:
        """Return the message in a file, or None if it is invalid; report what is wrong with it."""
        chunks, maxsize = chunks_of(path), self._terms.message_maxsize
        self._account.count_files(1)
        message, found = read_message(chunks(), maxsize, self._terms.lists.organisaties, self._now)
        report = self._report.about(url=shown(path))
        for finding in with_own_xml(found, chunks(), maxsize):
            report.send(finding)
        if message is None:
            return None
        self._account.count_waiting()
        return Mutation(message, organisatie="", ingang=_NO_PAGE, bestand=shown(path))

    def _send(self, finding: Finding) -> None:
        """Send a finding that several messages together give, as one about a file on disk."""
        self._report.send(replace(finding, host=None, organisation=None, sitemap=None))
