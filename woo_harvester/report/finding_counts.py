"""The number of findings of each kind for each host, and a few examples, read from ``findings.jsonl``."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from woo_harvester.findings import Severity
from woo_harvester.report.funnel import is_about_document
from woo_harvester.report.run_folder import complete_lines, without_secrets
from woo_harvester.report.score import FindingKey
from woo_harvester.utils.inputs import parse_object

#: The number of examples that are kept per host and kind of finding.
EXAMPLES = 3

#: What the codes of findings about permit messages begin with, and their number of examples: each message may
#: have a mistake of its own, and one code stands for all that the schema says.
MESSAGES = "ipm."
_EXAMPLES_OF_MESSAGES = 20

#: Findings that follow from others about the same host: with one of those, they say nothing new. If an index
#: has a wrong name, none has a right one.
_CONSEQUENCES = {"robots.geen-diwoo-index": ("index.naam", "index.infocat-onbekend")}


@dataclass(slots=True)
class HostFindings:
    """The counts and examples of the findings of one host."""

    counts: Counter[FindingKey] = field(default_factory=Counter)
    lines: dict[FindingKey, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    """The first few lines of each kind, as they were written."""
    severities: dict[FindingKey, Severity] = field(default_factory=dict)
    """The severity of each kind at this host."""

    @property
    def costly(self) -> dict[FindingKey, int]:
        """The counts without those of findings that are no more than a notice at this host."""
        return {key: n for key, n in self.counts.items() if self.severities[key] is not Severity.INFO}

    def examples(self, key: FindingKey) -> list[dict[str, Any]]:
        """Return the examples of one kind, without secrets: an earlier version wrote them."""
        return [without_secrets(json.loads(line)) for line in self.lines[key]]

    def leave_out_consequences(self) -> None:
        """Leave out the findings that only follow from another one of the host."""
        for code, causes in _CONSEQUENCES.items():
            if any((cause, False) in self.counts for cause in causes):
                self.counts.pop((code, False), None)
                self.lines.pop((code, False), None)


def read_findings(path: Path) -> dict[str, HostFindings]:
    """Return the findings by host; the key is ``""`` for those without a host. Raises OSError and ValueError.

    A finding that only follows from another one of its host is left out: one mistake gives one finding.

    Memory grows with the number of hosts and codes, not with the number of findings. A truncated last line,
    which a killed run may leave, does not count.
    """
    hosts: dict[str, HostFindings] = defaultdict(HostFindings)
    for number, line in complete_lines(path):
        try:
            finding = parse_object(line)
            key = str(finding["code"]), is_about_document(finding)
            host = str(finding.get("host") or "")
            severity = Severity(finding["severity"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}, line {number}: expected a finding: {error}") from error
        tally = hosts[host]
        tally.counts[key] += 1
        tally.severities[key] = severity
        if tally.counts[key] <= (_EXAMPLES_OF_MESSAGES if key[0].startswith(MESSAGES) else EXAMPLES):
            tally.lines[key].append(line)
    for tally in hosts.values():
        tally.leave_out_consequences()
    return dict(hosts)
