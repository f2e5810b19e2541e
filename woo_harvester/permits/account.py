"""The counts of a host with entry pages of permits: the files that these list, and what became of each.

Losses are counted from the findings. A file may have several errors, of which the first one loses it. The
records that ``count_cause`` counts are those of cases: a case may have several files.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from woo_harvester.findings import Finding
from woo_harvester.kinds import Kind
from woo_harvester.report.funnel import Account, stages_of

#: The finding that a message is refused. It is made when the messages are applied, and then by later runs.
_REFUSED = "ipm.andere-organisatie"


class PermitAccount(Account):
    """The counts of one host with entry pages of permits. They count files, except where they say so."""

    kind: Kind = Kind.vergunningen
    pages: int = 0
    """Entry pages on the host that the run reads."""
    entry_pages: dict[str, int] = Field(default_factory=dict)
    """Those of them that are done: ``complete`` or ``incomplete``."""
    waiting: int = 0
    """Files with a message that was read, and is applied when all entry pages have been read."""
    applied: int = 0
    """Files with a message that this run applied."""
    # A run does not write it.
    _lost_last: tuple[str, str | None] | None = None
    """Entry page and URL of the file that was lost last: all findings about a file come together."""

    def __init__(self, host: str, **given: Any) -> None:
        super().__init__(host, **given)

    def add_organisation(self, identifier: str, name: str) -> None:
        """Add an organisation that has an entry page on the host."""
        if (organisation := {"id": identifier, "name": name}) not in self.organisations:
            self.organisations.append(organisation)

    def count_files(self, files: int) -> None:
        """Count files that an entry page names."""
        self.listed += files

    def leave_out(self, files: int) -> None:
        """Count files that an entry page names as not in the sample."""
        self.listed -= files
        self.beyond_sample += files

    def count_waiting(self) -> None:
        """Count a file whose message is to be applied."""
        self.waiting += 1

    def count_applied(self) -> None:
        """Count the messages that waited as applied."""
        self.applied, self.waiting = self.applied + self.waiting, 0

    def count_entry_page(self, *, complete: bool) -> None:
        """Count an entry page that is done; *complete* if it was read to its end.

        With the last one, the host is done: it was read completely if all of its entry pages were.
        """
        key = "complete" if complete else "incomplete"
        self.entry_pages[key] = self.entry_pages.get(key, 0) + 1
        if sum(self.entry_pages.values()) == self.pages:
            self.complete = "incomplete" not in self.entry_pages

    def count_finding(self, finding: Finding) -> None:
        """Count a finding by its code, and apart if it loses a file."""
        self.findings[finding.code] = self.findings.get(finding.code, 0) + 1
        if finding.sitemap is None or finding.code not in stages_of(self.kind):
            return
        if finding.code == _REFUSED and finding.since is None:
            if not self._take_back():
                return
        elif (file := (finding.sitemap, finding.url)) == self._lost_last:
            return
        else:
            self._lost_last = file
        self.lost[finding.code] = self.lost.get(finding.code, 0) + 1

    def _take_back(self) -> bool:
        """Count a file no longer as harvested; return False if no file of this run is.

        A message may wait since a run that was killed, and be in a file that is no longer listed.
        """
        if self.waiting:
            self.waiting -= 1
        elif self.unchanged:
            self.unchanged -= 1
        else:
            return False
        return True

    def number_of(self, code: str, count: int) -> int:
        """Return how many files have a finding: of several errors, only the first one loses a file."""
        return self.lost.get(code, 0) if code in stages_of(self.kind) else count

    @property
    def is_read(self) -> bool:
        """True: there is nothing before the entry pages."""
        return True

    @property
    def described(self) -> int:
        """The number of files whose valid message this run applies."""
        return self.waiting + self.applied

    @property
    def read(self) -> int:
        """The number of files that were read or recognised so far. They are listed at once, by the page."""
        return self.unchanged + self.waiting + self.applied + self.not_harvested

    @property
    def harvested(self) -> int:
        """The number of listed files whose message is applied, in this run or before."""
        return self.unchanged + self.applied
