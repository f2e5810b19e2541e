"""The one way to report a finding: the place it is about is bound once, and each call adds what was seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypedDict, Unpack

from woo_harvester.findings.catalogue import Finding, Severity, explain

Sink = Callable[[Finding], None]
"""Receives each finding that is reported, such as the extension ``Findings``."""


class _Context(TypedDict, total=False):
    """What a finding is about; the keys are attributes of :class:`Finding`."""

    url: str | None
    host: str | None
    organisation: str | None
    sitemap: str | None
    line: int | None
    since: str | None


class Reporter:
    """Makes findings about what is bound as its context, and sends them to *sink*."""

    __slots__ = (
        "_sink",
        "codes",
        "error",
        "host",
        "line",
        "misspelt",
        "organisation",
        "since",
        "sitemap",
        "url",
    )

    def __init__(
        self,
        sink: Sink,
        *,
        url: str | None = None,
        host: str | None = None,
        organisation: str | None = None,
        sitemap: str | None = None,
        line: int | None = None,
        since: str | None = None,
    ) -> None:
        self._sink = sink
        self.url = url
        self.host = host
        self.organisation = organisation
        self.sitemap = sitemap
        self.line = line
        self.since = since
        """Since when the document could not be harvested; only errors repeat it."""
        self.codes: list[str] = []
        """Codes reported so far, each once."""
        self.error: Finding | None = None
        """The last error: why the document is not harvested."""
        self.misspelt: frozenset[str] = frozenset()
        """Names of elements that are there under a misspelt name, which has a finding of its own."""

    def absent(self, code: str, *, element: str, action: str | None = None) -> None:
        """Report that an element is absent, unless it, or one that it belongs in, is only misspelt."""
        if self.misspelt.isdisjoint(element.split("/")):
            self(code, element=element, action=action)

    def __call__(
        self,
        code: str,
        *,
        seen: str | None = None,
        element: str | None = None,
        action: str | None = None,
        lowered_to: Severity | None = None,
        **context: Unpack[_Context],
    ) -> None:
        """Report *code*; *context* replaces what is bound, for this finding. See :class:`Finding`."""
        if code not in self.codes:
            self.codes.append(code)
        is_error = explain(code).severity is Severity.ERROR
        bound = self._context(is_error=is_error)
        bound.update(context)
        finding = Finding(
            code=code,
            seen=seen,
            element=element,
            action=action,
            lowered_to=lowered_to,
            **bound,
        )
        if is_error:
            self.error = finding
        self._sink(finding)

    def send(self, finding: Finding) -> None:
        """Send a finding that was made elsewhere; what it lacks is filled in from the context."""
        bound = self._context(is_error=finding.severity is Severity.ERROR)
        lacking: dict[str, Any] = {
            key: value for key, value in bound.items() if getattr(finding, key) is None
        }
        self._sink(replace(finding, **lacking))

    def about(
        self,
        *,
        url: str | None = None,
        host: str | None = None,
        organisation: str | None = None,
        sitemap: str | None = None,
        line: int | None = None,
        since: str | None = None,
    ) -> Reporter:
        """Return a reporter with more of its context bound; it has reported nothing yet.

        Written out, since one is made for each entry of a sitemap that has changed.
        """
        return Reporter(
            self._sink,
            url=self.url if url is None else url,
            host=self.host if host is None else host,
            organisation=self.organisation if organisation is None else organisation,
            sitemap=self.sitemap if sitemap is None else sitemap,
            line=self.line if line is None else line,
            since=self.since if since is None else since,
        )

    def _context(self, *, is_error: bool) -> _Context:
        return {
            "url": self.url,
            "host": self.host,
            "organisation": self.organisation,
            "sitemap": self.sitemap,
            "line": self.line,
            "since": self.since if is_error else None,
        }
