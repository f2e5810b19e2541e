"""The one way to report a finding: the place it is about is bound once, and each call adds what was seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypedDict, Unpack

from woo_harvester.findings.catalogue import Finding, Severity, explain

Sink = Callable[[Finding], None]
"""Receives each finding that is reported, such as the extension ``Findings``."""


class Context(TypedDict, total=False):
    """What a finding is about; the keys are attributes of :class:`Finding`."""

    url: str | None
    host: str | None
    organisation: str | None
    sitemap: str | None
    line: int | None
    since: str | None


class Reporter:
    """Makes findings about what is bound as its context, and sends them to *sink*."""

    __slots__ = ("_sink", "bound", "codes", "error", "misspelt")

    def __init__(self, sink: Sink, **bound: Unpack[Context]) -> None:
        self._sink = sink
        self.bound = bound
        """What each finding is about."""
        self.codes: list[str] = []
        """Codes reported so far, each once."""
        self.error: Finding | None = None
        """The last error: why the document is not harvested."""
        self.misspelt: frozenset[str] = frozenset()
        """Names of elements that are there under a misspelt name, which has a finding of its own."""

    @property
    def host(self) -> str | None:
        """The host that findings are about."""
        return self.bound.get("host")

    @property
    def organisation(self) -> str | None:
        """The organisation that findings are about."""
        return self.bound.get("organisation")

    def absent(self, code: str, *, element: str, seen: str | None = None, action: str | None = None) -> None:
        """Report that an element is absent, unless it, or one that it belongs in, is only misspelt."""
        if self.misspelt.isdisjoint(element.split("/")):
            self(code, element=element, seen=seen, action=action)

    def __call__(
        self,
        code: str,
        *,
        seen: str | None = None,
        element: str | None = None,
        action: str | None = None,
        lowered_to: Severity | None = None,
        **context: Unpack[Context],
    ) -> None:
        """Report *code*; *context* replaces what is bound, for this finding. See :class:`Finding`."""
        if code not in self.codes:
            self.codes.append(code)
        about: Context = {**self._about(explain(code).severity), **context}
        finding = Finding(
            code=code, seen=seen, element=element, action=action, lowered_to=lowered_to, **about
        )
        if explain(code).severity is Severity.ERROR:
            self.error = finding
        self._sink(finding)

    def send(self, finding: Finding) -> None:
        """Send a finding that was made elsewhere; what it lacks is filled in from the context."""
        lacking: dict[str, Any] = {
            key: value
            for key, value in self._about(finding.severity).items()
            if getattr(finding, key) is None
        }
        self._sink(replace(finding, **lacking))

    def about(self, **context: Unpack[Context]) -> Reporter:
        """Return a reporter with more of its context bound; it has reported nothing yet."""
        bound: Context = {**self.bound, **context}
        return Reporter(self._sink, **bound)

    def _about(self, severity: Severity) -> Context:
        """Return what is bound; only errors say since when the document could not be harvested."""
        if severity is Severity.ERROR or "since" not in self.bound:
            return self.bound
        about = self.bound.copy()
        del about["since"]
        return about
