"""Selects the URLs in files on disk, with the rules of a harvest; its findings name the file."""

from __future__ import annotations

from woo_harvester.findings import Finding, Reporter
from woo_harvester.sitemaps.file_findings import UrlSelection


class FileSelection(UrlSelection):
    """A selection of URLs of which each finding is about the file that is being read, or the one of its URL.

    Every host counts as registered: files do not show the register.
    """

    def __init__(self, report: Reporter) -> None:
        super().__init__(lambda host: True, Reporter(self._send))
        self._file_report = report
        self.place = ""
        """The file that is being read."""
        self.places: dict[str, str] = {}
        """The files of the indexes that were read, by URL."""

    def _send(self, found: Finding) -> None:
        self._file_report(
            found.code,
            seen=found.seen,
            element=found.element,
            action=found.action,
            url=self.places.get(found.url or "", self.place),
            line=found.line,
        )
