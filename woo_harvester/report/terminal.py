"""The short answer of an audit in a terminal: what is harvested, and how to mend the weightiest findings."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from woo_harvester.findings import Language, Severity
from woo_harvester.report.file import read_head, read_hosts
from woo_harvester.report.html.page import unread
from woo_harvester.report.html.words import Words
from woo_harvester.report.model import Explanation, FindingRow, Host
from woo_harvester.report.run_folder import RunFolder

#: Findings that are shown, and hosts that have a line of their own; the report has all.
SHOWN = 10
SHOWN_HOSTS = 20

#: A place is cut at so many characters, so that a URL of 2,000 does not push the rest off the screen.
PLACE_LENGTH = 300

STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}
_ORDER = list(STYLES)

Line = tuple[int, Text]
"""A text, and by how much it is indented where it is wrapped."""


def headline(host: Host, words: Words) -> str:
    """How many of its documents are harvested."""
    key = "audit_headline_one" if host.harvested == 1 else "audit_headline"
    return words(key, harvested=host.harvested, listed=host.listed)


def show(folder: RunFolder, console: Console, lang: Language = "nl") -> None:
    """Print the answer of an audit from the report of its run. Raises OSError and ValueError."""
    for indent, text in _answer(folder, Words(lang)):
        for line in text.wrap(console, max(console.width - indent, 20), overflow="fold"):
            line.rstrip()
            line.pad_left(indent)
            console.print(line, soft_wrap=True, markup=False, highlight=False)


def _answer(folder: RunFolder, words: Words) -> Iterator[Line]:
    head, hosts = read_head(folder.report), list(read_hosts(folder.report))
    for host in hosts[:SHOWN_HOSTS]:
        yield from _host(host, words)
    if len(hosts) > SHOWN_HOSTS:
        yield 0, Text(words("audit_more_hosts", n=len(hosts) - SHOWN_HOSTS))
    found = sorted(((row, host) for host in hosts for row in host.findings), key=_weightiest)
    if found:
        yield 0, Text("\n" + words("audit_findings"), style="bold")
    for number, (row, host) in enumerate(found[:SHOWN], 1):
        place = host.host if len(hosts) > 1 else None
        yield from _finding(number, row, place, head.explanations[row.code], words)
    if len(found) > SHOWN:
        yield 0, Text("\n" + words("audit_more_findings", n=len(found) - SHOWN))
    yield 0, Text("\n" + words("audit_report"), style="bold")
    yield 0, Text(str(folder.page))


def _host(host: Host, words: Words) -> Iterator[Line]:
    score = words("score_none") if host.score is None else words("score_of", n=host.score)
    yield 0, Text.assemble((host.host, "bold"), f"  {words('score')}: {score}")
    style = "green" if host.listed and host.harvested == host.listed else "red"
    yield 0, Text(headline(host, words), style=style)
    lost = unread(host)
    if lost:
        yield 0, Text(words("unread"), style="bold red")
    for row in lost:
        yield 2, Text(f"{row.code}: {_place(row, words)}")


def _weightiest(found: tuple[FindingRow, Host]) -> tuple[float, int, int, str, str]:
    row, host = found
    return -row.points, _ORDER.index(row.severity), -row.count, row.code, host.host


def _finding(
    number: int, row: FindingRow, host: str | None, explained: Explanation, words: Words
) -> Iterator[Line]:
    costs = [words.count(row.count, "time")]
    if row.points > 0:
        costs.append(words("audit_points", points=words.points(row.points)))
    severity = words("severity_" + row.severity)
    first = Text.assemble(
        f"\n{number:>2}. ", (severity, STYLES[row.severity]), f" {row.code} ({', '.join(costs)})"
    )
    yield 0, first.append(f" {host}") if host else first
    yield 4, Text(explained.what)
    yield 4, Text(_place(row, words), style="dim")
    if row.seen and row.seen != row.url:
        yield 4, Text(words("audit_seen", seen=_cut(row.seen)), style="dim")
    yield 4, Text(f"→ {explained.mend}")


def _place(row: FindingRow, words: Words) -> str:
    """What the first one is about, and where it stands."""
    place = _cut(row.url or "–")
    if row.sitemap and row.sitemap != row.url:
        place += words("audit_in", sitemap=_cut(row.sitemap))
    return place + (words("audit_line", n=str(row.line)) if row.line else "")


def _cut(text: str) -> str:
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return printable if len(printable) <= PLACE_LENGTH else printable[: PLACE_LENGTH - 1] + "…"
