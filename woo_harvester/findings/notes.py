"""Findings about one document: where it stands is told once, and what was noted is remembered."""

from __future__ import annotations

from woo_harvester.findings.catalogue import Severity, explain
from woo_harvester.findings.finding import Finding, Report


class Notes:
    """Makes the findings about the document at *url*, hands them to *report* and keeps their codes."""

    def __init__(
        self,
        report: Report,
        *,
        url: str,
        host: str | None = None,
        organisation: str | None = None,
        sitemap: str | None = None,
        line: int | None = None,
    ) -> None:
        self._report = report
        self.url = url
        self.host = host
        self.organisation = organisation
        self.sitemap = sitemap
        self.line = line
        self.since: str | None = None
        """Since when the document could not be harvested; each error tells it."""
        self.codes: list[str] = []
        """Codes noted so far, each once."""
        self.error: Finding | None = None
        """The last error: why the document is not harvested."""

    def __call__(
        self, code: str, *, element: str | None = None, seen: str | None = None, action: str | None = None
    ) -> None:
        """Note *code*; the arguments are those of :class:`Finding`."""
        if code not in self.codes:
            self.codes.append(code)
        is_error = explain(code).severity is Severity.ERROR
        finding = Finding(
            code=code,
            url=self.url,
            host=self.host,
            organisation=self.organisation,
            sitemap=self.sitemap,
            line=self.line,
            element=element,
            seen=seen,
            action=action,
            since=self.since if is_error else None,
        )
        if is_error:
            self.error = finding
        self._report(finding)
