"""The number of findings of each kind for each host, with an example of each different mistake.

They are read from ``findings.jsonl``.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from woo_harvester.findings import Severity
from woo_harvester.report.funnel import is_about_document
from woo_harvester.report.run_folder import complete_lines
from woo_harvester.report.score import FindingKey
from woo_harvester.utils.inputs import parse_object

#: The number of mistakes of one host and kind of finding that are kept: those with different values of one
#: element, so that what differs in each document leaves room for other elements, and all together.
VALUES_MAX = 20
MISTAKES_MAX = 100

#: The number of other places that are kept for each mistake.
ALSO_MAX = 2

#: Findings that follow from others about the same host: with one of those, they say nothing new. If an index
#: has a wrong name, none has a right one.
_CONSEQUENCES = {"robots.geen-diwoo-index": ("index.naam", "index.infocat-onbekend")}


@dataclass(slots=True)
class _Mistake:
    """The findings of one kind with the same element and the same ``seen``."""

    line: bytes
    """The first one, as it was written."""
    count: int = 0
    urls: list[str] = field(default_factory=list)
    """The first few different URLs."""

    def example(self) -> dict[str, Any]:
        return {**json.loads(self.line), "alike": self.count, "also": self.urls[1:] or None}


@dataclass(slots=True)
class _Mistakes:
    """The different mistakes of one kind: a bounded number, by element and then by what was seen."""

    by_element: dict[Any, dict[Any, _Mistake]] = field(default_factory=dict)

    def add(self, finding: dict[str, Any], line: bytes, count: int) -> None:
        """Count a finding with its mistake, unless that is a new one and there are too many."""
        element, seen, url = finding.get("element"), finding.get("seen"), finding.get("url")
        mistakes = self.by_element.get(element, {})
        mistake = mistakes.get(seen)
        if mistake is None:
            if len(mistakes) >= VALUES_MAX or sum(map(len, self.by_element.values())) >= MISTAKES_MAX:
                return
            mistake = self.by_element.setdefault(element, {})[seen] = _Mistake(line)
        if url and len(mistake.urls) <= ALSO_MAX and url not in mistake.urls:
            mistake.urls.append(url)
        mistake.count += count

    def rarest_first(self) -> list[_Mistake]:
        """Return the mistakes; those that are as frequent in the order in which they were found."""
        found = (mistake for mistakes in self.by_element.values() for mistake in mistakes.values())
        return sorted(found, key=lambda mistake: mistake.count)


@dataclass(slots=True)
class HostFindings:
    """The counts and examples of the findings of one host."""

    counts: Counter[FindingKey] = field(default_factory=Counter)
    only_counted: Counter[FindingKey] = field(default_factory=Counter)
    """The number of findings that ``findings.jsonl`` only counts."""
    mistakes: dict[FindingKey, _Mistakes] = field(default_factory=lambda: defaultdict(_Mistakes))
    severities: dict[FindingKey, Severity] = field(default_factory=dict)
    """The severity of each kind at this host."""

    @property
    def costly(self) -> dict[FindingKey, int]:
        """The counts without those of findings that are no more than a notice at this host."""
        return {key: n for key, n in self.counts.items() if self.severities[key] is not Severity.INFO}

    def add(self, finding: dict[str, Any], line: bytes) -> None:
        """Count a finding, or a line that stands for several. Raises KeyError and ValueError."""
        key = str(finding["code"]), is_about_document(finding)
        count = int(finding.get("count", 1))
        self.severities[key] = Severity(finding["severity"])
        self.counts[key] += count
        if "count" in finding:
            self.only_counted[key] += count
        if "url" in finding or "count" not in finding:  # otherwise it stands for different mistakes
            self.mistakes[key].add(finding, line, count)

    def examples(self, key: FindingKey) -> list[dict[str, Any]]:
        """Return an example of each different mistake of one kind, the rarest first.

        ``alike`` is the number of findings with its element and ``seen``, ``also`` the URLs of two others.
        """
        return [mistake.example() for mistake in self.mistakes[key].rarest_first()]

    def leave_out_consequences(self) -> None:
        """Leave out the findings that only follow from another one of the host."""
        for code, causes in _CONSEQUENCES.items():
            if any((cause, False) in self.counts for cause in causes):
                self.counts.pop((code, False), None)
                self.mistakes.pop((code, False), None)


def read_findings(path: Path) -> dict[str, HostFindings]:
    """Return the findings by host; the key is ``""`` for those without a host. Raises OSError and ValueError.

    A finding that only follows from another one of its host is left out: one mistake gives one finding.

    Memory grows with the number of hosts, codes and different mistakes, which is bounded, not with the number
    of findings. A truncated last line, which a killed run may leave, does not count.
    """
    hosts: dict[str, HostFindings] = defaultdict(HostFindings)
    for number, line in complete_lines(path):
        try:
            finding = parse_object(line)
            hosts[str(finding.get("host") or "")].add(finding, line)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}, line {number}: expected a finding: {error}") from error
    for tally in hosts.values():
        tally.leave_out_consequences()
    return dict(hosts)
