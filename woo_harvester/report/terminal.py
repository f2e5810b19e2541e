"""The short answer of an audit in a terminal: what is harvested, and how to mend the weightiest findings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from woo_harvester.findings import Language, Severity
from woo_harvester.report.file import read_head, read_hosts
from woo_harvester.report.html.page import unread
from woo_harvester.report.html.words import Words
from woo_harvester.report.model import Explanation, FindingRow, Host

#: Findings that are shown, and hosts that have a line of their own; the report has all.
SHOWN = 10
SHOWN_HOSTS = 20

#: A place is cut at so many characters, so that a URL of 2,000 does not push the rest off the screen.
PLACE_LENGTH = 300

STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}
_ORDER = list(STYLES)


def answer(report: Path, lang: Language = "nl") -> Iterator[RenderableType]:
    """What an audit answers by a ``report.json``. Raises OSError, ValueError for a file that is none."""
    words = Words(lang)
    head, hosts = read_head(report), list(read_hosts(report))
    for host in hosts[:SHOWN_HOSTS]:
        yield from _host(host, words)
    if len(hosts) > SHOWN_HOSTS:
        yield Text(words("audit_more_hosts", n=len(hosts) - SHOWN_HOSTS))
    found = sorted(((row, host) for host in hosts for row in host.findings), key=_weightiest)
    if found:
        yield Text("\n" + words("audit_findings"), style="bold")
    for number, (row, host) in enumerate(found[:SHOWN], 1):
        place = host.host if len(hosts) > 1 else None
        yield _finding(number, row, place, head.explanations[row.code], words)
    if len(found) > SHOWN:
        yield Text("\n" + words("audit_more_findings", n=len(found) - SHOWN))
    yield Text("\n" + words("audit_report"), style="bold")
    yield Text(str(report.with_name("index.html")), overflow="fold")


def show(report: Path, console: Console, lang: Language = "nl") -> None:
    """Print the answer."""
    for part in answer(report, lang):
        console.print(part, soft_wrap=False, markup=False, highlight=False)


def _host(host: Host, words: Words) -> Iterator[RenderableType]:
    score = words("score_none") if host.score is None else words("score_of", n=host.score)
    yield Text.assemble((host.host, "bold"), f"  {words('score')}: {score}")
    key = "audit_headline_one" if host.harvested == 1 else "audit_headline"
    style = "green" if host.listed and host.harvested == host.listed else "red"
    yield Text(words(key, harvested=host.harvested, listed=host.listed), style=style)
    lost = unread(host)
    if lost:
        yield Text(words("unread"), style="bold red")
    for row in lost:
        yield Padding(Text(f"{row.code}: {_place(row, words)}"), (0, 0, 0, 2), expand=False)


def _weightiest(found: tuple[FindingRow, Host]) -> tuple[float, int, int, str, str]:
    row, host = found
    return -row.points, _ORDER.index(row.severity), -row.count, row.code, host.host


def _finding(
    number: int, row: FindingRow, host: str | None, explained: Explanation, words: Words
) -> RenderableType:
    costs = [words.count(row.count, "time")]
    if row.points > 0:
        costs.append(words("audit_points", points=words.points(row.points)))
    severity = words("severity_" + row.severity)
    lines = [
        Text(explained.what),
        Text(_place(row, words), style="dim", overflow="fold"),
        Text(f"→ {explained.mend}"),
    ]
    if row.seen:
        lines.insert(2, Text(words("audit_seen", seen=_cut(row.seen)), style="dim", overflow="fold"))
    first = Text.assemble(
        f"\n{number:>2}. ", (severity, STYLES[row.severity]), f" {row.code} ({', '.join(costs)})"
    )
    if host is not None:
        first.append(f" {host}")
    return Group(first, Padding(Group(*lines), (0, 0, 0, 4), expand=False))


def _place(row: FindingRow, words: Words) -> str:
    """What the first one is about, and where it stands."""
    place = _cut(row.url or "–")
    if row.sitemap and row.sitemap != row.url:
        place += words("audit_in", sitemap=_cut(row.sitemap))
    return place + (words("audit_line", n=str(row.line)) if row.line else "")


def _cut(text: str) -> str:
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return printable if len(printable) <= PLACE_LENGTH else printable[: PLACE_LENGTH - 1] + "…"
