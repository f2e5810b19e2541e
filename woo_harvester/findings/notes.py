"""Findings about one document: where it stands is told once, and what was noted is remembered."""

from __future__ import annotations

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
        self.codes: list[str] = []
        """Codes noted so far, each once."""

    def __call__(
        self, code: str, *, element: str | None = None, seen: str | None = None, action: str | None = None
    ) -> None:
        """Note *code*; the arguments are those of :class:`Finding`."""
        if code not in self.codes:
            self.codes.append(code)
        self._report(
            Finding(
                code=code,
                url=self.url,
                host=self.host,
                organisation=self.organisation,
                sitemap=self.sitemap,
                line=self.line,
                element=element,
                seen=seen,
                action=action,
            )
        )
