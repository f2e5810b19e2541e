"""Reads ``findings.jsonl``: how many findings of each kind each host has, and a few of them as examples."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from woo_harvester.inputs import parse_object
from woo_harvester.report.funnel import is_about_document
from woo_harvester.report.run_folder import complete_lines
from woo_harvester.report.score import FindingKey

#: Examples of one kind of finding that are kept of one host.
EXAMPLES = 3

#: User name and password in a URL, whatever else is wrong with it: up to the last @ of its authority.
CREDENTIALS = re.compile("(?<=//)[^/?#]*@")


@dataclass(slots=True)
class HostFindings:
    """The findings of one host."""

    counts: Counter[FindingKey] = field(default_factory=Counter)
    lines: dict[FindingKey, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    """The first few of each kind, as they were written."""

    def examples(self, key: FindingKey) -> list[dict[str, Any]]:
        """The examples of one kind, without the credentials that a publisher put in a URL."""
        return [without_credentials(json.loads(line)) for line in self.lines[key]]


def read_findings(path: Path) -> dict[str, HostFindings]:
    """The findings by host, ``""`` for those of no host. Raises OSError and ValueError.

    Memory grows with hosts and codes, not with findings. A last line without its end, which a run that was
    killed may leave, does not count.
    """
    hosts: dict[str, HostFindings] = defaultdict(HostFindings)
    for number, line in complete_lines(path):
        try:
            finding = parse_object(line)
            key = str(finding["code"]), is_about_document(finding)
            host = str(finding.get("host") or "")
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}, line {number}: expected a finding: {error}") from error
        tally = hosts[host]
        tally.counts[key] += 1
        if tally.counts[key] <= EXAMPLES:
            tally.lines[key].append(line)
    return dict(hosts)


def without_credentials(finding: dict[str, Any]) -> dict[str, Any]:
    """The finding, without the user names and passwords in its URLs.

    A report is passed on and published. ``findings.jsonl`` keeps what was there: it is the operator's own.
    """
    for name in ("url", "sitemap", "seen"):
        if name in finding:
            finding[name] = CREDENTIALS.sub("…@", finding[name])
    return finding
