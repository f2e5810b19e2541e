"""``findings.jsonl`` while a run writes it: bounded, however many mistakes a file has."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TextIO

from woo_harvester.findings import Finding
from woo_harvester.findings.texts import is_about_message
from woo_harvester.report.run_folder import finding_line

#: The number of findings of one code about one file that are written one by one.
WRITTEN_MAX = 10_000

#: The number of different mistakes of one code in one file that are counted apart after that.
_APART_MAX = 100

_Key = tuple[str | None, str, str | None]
"""Host, code and sitemap. Findings without a sitemap are about the host and its files."""

_Mistake = tuple[str | None, str | None]
"""The element, and what was seen."""


class FindingsFile:
    """Writes findings to *file*, one a line, and only counts those beyond 10,000 of one code about one file.

    A line with ``count`` stands for so many findings: the last one, and others with the same element and
    ``seen``. Without ``url``, it stands for findings with different ones. :meth:`end` writes these
    lines, so a run that is killed has none.

    All findings about messages are written: one message has twenty at most.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._found: Counter[_Key] = Counter()
        self._counted: dict[_Key, dict[_Mistake | None, tuple[Finding, int]]] = {}
        """What was only counted: the last finding of each mistake, and the number."""

    def write(self, finding: Finding) -> None:
        """Write or count a finding. Raises OSError."""
        if is_about_message(finding.code):
            self._file.write(finding_line(finding))
            return
        key = finding.host, finding.code, finding.sitemap
        self._found[key] += 1
        if self._found[key] <= WRITTEN_MAX:
            self._file.write(finding_line(finding))
            return
        self._count(key, finding)

    def end(self) -> None:
        """Write what was counted. Raises OSError."""
        for counted in self._counted.values():
            for finding, count in counted.values():
                self._file.write(finding_line(finding, count))
        self._counted.clear()

    @property
    def closed(self) -> bool:
        """True if the file is closed."""
        return self._file.closed

    def close(self) -> None:
        """Close the file. Raises OSError."""
        self._file.close()

    def _count(self, key: _Key, finding: Finding) -> None:
        counted = self._counted.setdefault(key, {})
        mistake: _Mistake | None = (finding.element, finding.seen)
        if mistake not in counted and len(counted) >= _APART_MAX:
            mistake = None
            finding = replace(finding, url=None, line=None, element=None, seen=None, action=None)
        _, number = counted.get(mistake, (finding, 0))
        counted[mistake] = finding, number + 1
