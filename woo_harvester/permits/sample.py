"""Selects the files of an entry page that an audit reads: the newest and the oldest."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime

from woo_harvester.findings import Finding, Reporter
from woo_harvester.permits.listing import Link

#: Findings that may be due to messages that were not read.
_NEEDS_ALL_MESSAGES = frozenset({"ipm.zaak-onbekend", "ipm.document-onbekend", "ipm.document-zonder-zaak"})

_UNDATED = datetime.min.replace(tzinfo=UTC)


def newest_and_oldest(links: Sequence[Link], size: int) -> Sequence[Link]:
    """Return at most *size* links, half of them the newest and half the oldest, in the order of the page.

    A *size* of 0 returns all links. Links that have the extension of XML come first, then those to scripts,
    and last the others, because a menu has the others. Without dates the order of the page counts, with the
    newest files last.
    """
    if not size or len(links) <= size:
        return links
    groups: tuple[list[int], list[int], list[int]] = ([], [], [])
    for number, link in enumerate(links):
        groups[0 if link.is_xml else 1 if link.is_made_on_request else 2].append(number)
    chosen = list[int]()
    for group in groups:
        group.sort(key=lambda number: _moment(links[number]))  # stable: the order of the page stays
        chosen += _ends(group, size - len(chosen))
    return [links[number] for number in sorted(chosen)]


def without_the_rest(report: Reporter, hosts: Collection[str]) -> Reporter:
    """Return a reporter that leaves out what only messages beyond a sample can show.

    *hosts* are those of which a sample was read.
    """

    def send(finding: Finding) -> None:
        if finding.code not in _NEEDS_ALL_MESSAGES or finding.host not in hosts:
            report.send(finding)

    return Reporter(send) if hosts else report


def _ends(numbers: list[int], size: int) -> list[int]:
    """Return at most *size* numbers: half from the end, rounded up, and half from the beginning."""
    oldest = size // 2
    return numbers if len(numbers) <= size else numbers[:oldest] + numbers[len(numbers) - size + oldest :]


def _moment(link: Link) -> datetime:
    return _UNDATED if link.date is None else link.date.as_utc()
