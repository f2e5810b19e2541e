"""A finding: what was noticed, where, and what the harvester did about it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from woo_harvester.findings.catalogue import Severity, explain

#: Longest text of a publisher's that a finding repeats, in characters.
SEEN_MAXLENGTH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One deviation at one place. What does not apply is None and is left out of the output."""

    code: str
    """Stable name from the catalogue, such as ``loc.geen-https``."""
    url: str | None = None
    """The URL that it is about: of a document, sitemap, index, robots.txt or register."""
    organisation: str | None = None
    """TOOI URI of the registered organisation, or its systeemId if it has none."""
    host: str | None = None
    """Host, with its port if that is not 443."""
    sitemap: str | None = None
    line: int | None = None
    element: str | None = None
    """Path of the XML element, such as ``titelcollectie/officieleTitel``."""
    seen: str | None = None
    """The text that was there, as given; cut at 500 characters."""
    given: str | None = None
    """The element as the publisher wrote it; of permit messages only. A long one without its content."""
    action: str | None = None
    """The action of the harvester, in Dutch: "overgeslagen", "gelezen als ..."."""
    since: str | None = None
    """ISO 8601 date-time with offset; of a document that could not be harvested: since when not."""
    at: str | None = None
    """ISO 8601 date-time with offset; filled in where findings are written."""

    def __post_init__(self) -> None:
        explain(self.code)  # an unknown code fails where the finding is made
        if self.seen is not None and len(self.seen) > SEEN_MAXLENGTH:
            object.__setattr__(self, "seen", self.seen[: SEEN_MAXLENGTH - 1] + "…")

    @property
    def severity(self) -> Severity:
        """Severity of the code: it never differs between two findings of one code."""
        return explain(self.code).severity

    def as_dict(self) -> dict[str, Any]:
        """Return the line of ``findings.jsonl``: keys in a fixed order, without absent values."""
        given = {key: value for key, value in asdict(self).items() if value is not None}
        return {"code": given.pop("code"), "severity": self.severity, **given}
