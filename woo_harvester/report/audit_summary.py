"""The answer of an audit on a terminal, and the texts that JUnit has too."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from woo_harvester.findings import Language, Severity
from woo_harvester.findings.texts import is_unknown_issuer
from woo_harvester.kinds import Kind
from woo_harvester.report.html.page import unread
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.json_file import read_head, read_hosts
from woo_harvester.report.model import CodeExplanation, Example, FindingRow, HostReport
from woo_harvester.report.run_folder import RunFolder
from woo_harvester.utils.terminal import printable

#: The number of findings and hosts that are shown; the report has all of them.
_SHOWN = 10
_SHOWN_HOSTS = 20

#: A URL is cut at this many characters, so that a very long one does not push the rest off the screen.
_PLACE_LENGTH = 300

#: The finding on a host that a harvest over the internet does not reach.
_PRIVATE = "host.intern-adres"

#: What a finding saw of a server that asks for a password.
_ASKS_PASSWORD = "HTTP 401"  # noqa: S105 -- no password

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}
_ORDER = list(_STYLES)

_Line = tuple[int, Text]
"""A text, and the indent of its lines."""


def headline(host: HostReport, texts: Texts) -> str:
    """Return the sentence that says how many documents of a host are harvested, without its full stop."""
    if host.unreached:
        return host.unreached
    if not host.listed and not unread(host):
        is_known = host.sitemaps or host.kind is not Kind.woo
        return texts("headline_nothing_listed" if is_known else "audit_no_sitemap")
    is_one = host.harvested == 1
    if host.sample:
        key = "headline_sample_one" if is_one else "headline_sample"
        return texts(key, asked=host.sample.asked, of=host.sample.of, harvested=host.harvested)
    key = "audit_headline_one" if is_one else "audit_headline"
    return texts(key, harvested=host.harvested, listed=host.listed)


def notes(host: HostReport, texts: Texts) -> Iterator[str]:
    """Yield the sentences about what an audit did not see, and about what a harvest would not see."""
    if host.complete is None and host.sitemaps:
        yield texts("audit_ended")
    seen = [(row.code, each.seen or "") for row in host.findings for each in row.mistakes]
    if any(each == _ASKS_PASSWORD for _, each in seen):
        yield texts("audit_password")
    if any(code == "tls.ongeldig" and is_unknown_issuer(each) for code, each in seen):
        yield texts("audit_ca")
    if any(row.code == _PRIVATE for row in host.findings):
        yield texts("audit_private")
    if host.not_judged:
        yield texts.unjudged(host.not_judged)


def print_summary(folder: RunFolder, console: Console, lang: Language = "nl") -> None:
    """Print the summary of the report of an audit. Raises OSError and ValueError."""
    for indent, text in _answer(folder, Texts(lang, folder.kind)):
        for line in text.wrap(console, max(console.width - indent, 20), overflow="fold"):
            line.rstrip()
            line.pad_left(indent)
            console.print(line, soft_wrap=True, markup=False, highlight=False)


def _answer(folder: RunFolder, texts: Texts) -> Iterator[_Line]:
    head, hosts = read_head(folder.report), list(read_hosts(folder.report))
    for host in hosts[:_SHOWN_HOSTS]:
        yield from _host(host, Texts(texts.lang, host.kind))
    if len(hosts) > _SHOWN_HOSTS:
        yield 0, Text(texts("audit_more_hosts", n=len(hosts) - _SHOWN_HOSTS))
    found = sorted(((row, host) for host in hosts for row in host.findings), key=_weightiest)
    if found:
        yield 0, Text("\n" + texts("audit_findings"), style="bold")
    for number, (row, host) in enumerate(found[:_SHOWN], 1):
        place = host.host if len(hosts) > 1 else None
        yield from _finding(number, row, place, head.explanations[row.code], texts)
    if len(found) > _SHOWN:
        yield 0, Text("\n" + texts("audit_more_findings", n=len(found) - _SHOWN))
    yield 0, Text("\n" + texts("audit_report"), style="bold")
    yield 0, Text(str(folder.page))


def _host(host: HostReport, texts: Texts) -> Iterator[_Line]:
    score = texts("score_none") if host.score is None else texts("score_of", n=host.score)
    yield 0, Text.assemble((host.host, "bold"), f"  {texts('score')}: {score}")
    style = "green" if host.listed and host.harvested == host.judged else "red"
    yield 0, Text(headline(host, texts), style=style)
    if host.verdict is not None:
        yield 0, Text(host.verdict.text, style="bold green" if host.verdict.connectable else "bold red")
    lost = [] if host.unreached else unread(host)
    if lost:
        yield 0, Text(texts("unread"), style="bold red")
    for row in lost:
        for each in _shown(row):
            done = f"; {each.action}" if each.action else ""  # such as how many documents are lost
            yield 2, Text(f"{row.code}: {_times(row, each, texts)}{_place(each, texts)}{done}")
        yield from _others(2, row, texts)
    for note in notes(host, texts):
        yield 0, Text(note)


def _weightiest(found: tuple[FindingRow, HostReport]) -> tuple[bool, float, int, int, str, str]:
    row, host = found
    # A host without a score loses no points, but everything.
    loses_all = host.unreached is not None and row.severity is Severity.ERROR
    return not loses_all, -row.points, _ORDER.index(row.severity), -row.count, row.code, host.host


def _finding(
    number: int, row: FindingRow, host: str | None, explained: CodeExplanation, texts: Texts
) -> Iterator[_Line]:
    costs = [texts.count(row.count, "time")]
    if row.points > 0:
        costs.append(texts("audit_points", points=texts.gain(row.points)))
    severity = texts("severity_" + row.severity)
    first = Text.assemble(
        f"\n{number:>2}. ", (severity, _STYLES[row.severity]), f" {row.code} ({', '.join(costs)})"
    )
    yield 0, first.append(f" {host}") if host else first
    yield 4, Text(explained.what)
    for each in _shown(row):
        place, *rest = mistake(row, each, texts)
        if row.examples:  # each on a line of its own
            yield 4, Text("; ".join([place, *rest]))
        else:
            yield from ((4, Text(line, style="dim")) for line in (place, *rest))
    yield from _others(4, row, texts)
    yield 4, Text(f"→ {explained.mend}")


def mistake(row: FindingRow, each: Example, texts: Texts) -> list[str]:
    """Return where a mistake is, with its number if it is not the only one of its code, and what it is."""
    said = [_times(row, each, texts) + _place(each, texts)]
    if each.element:
        said.append(texts("audit_element", element=_cut(each.element)))
    if each.seen and each.seen not in (each.url, each.element):
        said.append(texts("audit_seen", seen=_cut(each.seen)))
    if each.suggestion:
        said.append(texts("audit_meant", meant=each.suggestion))
    return said


def _shown(row: FindingRow) -> list[Example]:
    """Return the mistakes of a row that are shown: if they are many, the rarest and the most frequent one."""
    mistakes = row.mistakes
    return mistakes if len(mistakes) <= _SHOWN else [*mistakes[: _SHOWN - 1], mistakes[-1]]


def _others(indent: int, row: FindingRow, texts: Texts) -> Iterator[_Line]:
    """Yield the number of findings of a row that no shown mistake stands for."""
    if others := row.count - sum(each.alike for each in _shown(row)):
        yield indent, Text(texts("finding_others", times=texts.count(others, "time")))


def _times(row: FindingRow, each: Example, texts: Texts) -> str:
    """Return how often a mistake was found, if it is not the only one of its code."""
    return f"{texts.count(each.alike, 'time')}: " if row.count > each.alike else ""


def _place(each: Example, texts: Texts) -> str:
    """Return the URL of a finding, and the sitemap and line in which it stands."""
    place = _cut(each.url or "")
    if each.sitemap and each.sitemap != each.url:
        sitemap = _cut(each.sitemap)
        place = f"{place}{texts('audit_in', sitemap=sitemap)}" if place else sitemap
    return place + (texts("audit_line", n=str(each.line)) if place and each.line else "") or "–"


def _cut(text: str) -> str:
    shown = printable(" ".join(text.split()))
    return shown if len(shown) <= _PLACE_LENGTH else shown[: _PLACE_LENGTH - 1] + "…"
