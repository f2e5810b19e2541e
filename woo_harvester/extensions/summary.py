"""Prints a summary at the end of a run, at any log level, and what became of hosts that were asked for."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from scrapy import Spider, signals

from woo_harvester.extensions import figures as formatting
from woo_harvester.extensions.figures import Figures, read_figures
from woo_harvester.extensions.findings import Findings, accounts_of, run_written
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Finding, explain
from woo_harvester.findings.texts import in_words
from woo_harvester.report.funnel import OWN_ERROR, Account
from woo_harvester.report.run_folder import AUDIT, FINISHED, RunFolder
from woo_harvester.running.arguments import WooArguments
from woo_harvester.running.ending import fail_run, has_failed
from woo_harvester.running.setting import shown
from woo_harvester.running.streams import write_stderr

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

#: The number of finding codes that are shown: errors first, the most frequent first.
_SHOWN_CODES = 5

#: The number of hosts of which the summary says what became of them: those that gave nothing first.
_SHOWN_HOSTS = 20


class Answer(NamedTuple):
    """What became of a host that was asked for."""

    name: str
    """The host, and how it was asked for."""
    text: str
    is_nothing: bool
    """True if nothing could be read of it; the text is the cause."""

    def __str__(self) -> str:
        return f"{self.name}: {'nothing. ' if self.is_nothing else ''}{self.text}"


class Summary:
    """The extension that writes the totals and the path of the report to stderr; see ``WOO_SUMMARY``.

    A run over hosts that were asked for ends with what became of each. It fails if nothing could be read of
    any of them.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._answers: list[Answer] = []

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        if crawler.settings.getbool("WOO_SUMMARY"):
            crawler.signals.connect(extension.run_written, run_written)
        return extension

    def spider_closed(self, spider: Spider, reason: str) -> None:
        """Make the answers, if hosts were asked for; let the run fail if nothing could be read."""
        findings, arguments = self._crawler.get_extension(Findings), getattr(spider, "arguments", None)
        is_asked = isinstance(arguments, WooArguments) and arguments.domains is not None
        if findings is None or not is_asked or has_failed(self._crawler):
            return
        if self._crawler.stats.get_value(AUDIT):  # which has answers of its own
            return
        renamed, errors = getattr(spider, "renamed", {}), defaultdict[str | None, list[Finding]](list)
        for (host, _), finding in findings.first_errors.items():
            errors[host].append(finding)
        self._answers = [
            answer(account, errors[account.host], renamed.get(account.host)) for account in findings.accounts
        ]
        if self._answers and reason == FINISHED and all(each.is_nothing for each in self._answers):
            self._fail(self._answers[0], len(self._answers))

    def _fail(self, first: Answer, hosts: int) -> None:
        """Let the run fail, with the cause in the last line, which need not be in the summary too."""
        of = first.name if hosts == 1 else f"{hosts} hosts, such as {first.name}"
        fail_run(self._crawler, f"nothing could be read of {of}: {first.text}")
        if hosts == 1:
            self._answers = []

    def run_written(self, folder: Path) -> None:
        """Write the summary, unless the run could not start: then the command prints one line."""
        reason = self._crawler.stats.get_value("finish_reason")
        if reason != "cannot_start":
            figures = read_figures(self._crawler, accounts_of(self._crawler))
            files = StateKeeper.of(self._crawler).lines
            write_stderr("\n".join([summary(figures, reason, folder), *_lines(self._answers), *files]))


def answer(account: Account, errors: Sequence[Finding], typed: str | None = None) -> Answer:
    """Return what became of a host; *errors* are the first of each code.

    *typed* is the name under which it was asked for, if that is another one.
    """
    name = f"{account.host} (typed as {typed}, which is not in the register)" if typed else account.host
    causes = [error for error in errors if error.sitemap is None]
    if causes and not (account.listed or account.repeated or account.left_out or account.withdrawn):
        return Answer(name, _explained(causes[0]), is_nothing=True)
    parts = [formatting.counted(account.listed, account.kind.noun), f"{account.new:,} new"]
    parts += [f"{count:,} {name}" for name in ("changed", "withdrawn") if (count := getattr(account, name))]
    if account.not_harvested:
        reasons = ", ".join(code for code, count in Counter(account.lost).most_common() if count)
        parts.append(f"{account.not_harvested:,} not harvested ({reasons})")
    if account.left_out:
        parts.append(f"{account.left_out:,} left out, as asked")
    if account.unfinished > 0:
        parts.append(f"{account.unfinished:,} not reached")
    return Answer(name, ", ".join(parts), is_nothing=False)


def _explained(error: Finding) -> str:
    """Return what an error means, with what was seen: on one line, without what could change a terminal."""
    what = explain(error.code, "en").what.rstrip(".")
    return f"{what} ({shown(in_words(error.code, error.seen, 'en'))})" if error.seen else what


def _lines(answers: list[Answer]) -> list[str]:
    """Return the lines about hosts, those that gave nothing first if there are too many for all of them."""
    if len(answers) <= _SHOWN_HOSTS:
        return [str(each) for each in answers]
    first = sorted(answers, key=lambda each: not each.is_nothing)[:_SHOWN_HOSTS]
    return [*map(str, first), f"{len(answers) - _SHOWN_HOSTS:,} more hosts are in the report"]


def summary(figures: Figures, reason: str | None, folder: Path) -> str:
    """Return the lines of the summary; the first says how the run ended."""
    ended = reason if reason == FINISHED else f"ended early ({reason})"
    rows = [("findings", formatting.findings(figures))]
    if figures.selected is not None:
        for line in formatting.apart(figures):
            rows.insert(0, ("", line))
        hosts = f"{formatting.hosts(figures)}: {_completeness(figures)}"
        rows[:0] = [("hosts", hosts), *formatting.ended(figures)]
    else:
        rows.insert(0, ("records", f"{figures.records:,}{formatting.dropped(figures)}"))
    worst = sorted(figures.codes.items(), key=_worst_first)[:_SHOWN_CODES]
    for code, count in worst:
        severity = formatting.SEVERITY_NOUNS[explain(code).severity][0]
        rows.append(("", f"{count:,} x {code} ({severity})"))
    if figures.refused:
        rows.append(("refused", f"{figures.refused:,} by Elasticsearch: see the log"))
    if figures.own_error is not None:
        errors = formatting.counted(figures.codes.get(OWN_ERROR, 0), "error")
        rows.append(("harvester", f"{errors} of its own, the first about {figures.own_error}"))
    run = RunFolder(folder)
    rows.append(("report", str(run.page)) if run.page.exists() else ("files", str(folder)))
    lines = (f"  {name:<15}{value}" for name, value in rows)
    return "\n".join([f"{figures.spider}: {ended} in {formatting.duration(figures.seconds)}", *lines])


def _completeness(figures: Figures) -> str:
    """Return how many hosts were read completely: a run that chooses documents reads none so."""
    if figures.is_choosing:
        return "withdrawals are not looked for, since the run chose documents"
    return f"{figures.complete:,} complete, {figures.done - figures.complete:,} not"


def _worst_first(each: tuple[str, int]) -> tuple[int, int, str]:
    code, count = each
    return list(formatting.SEVERITY_NOUNS).index(explain(code).severity), -count, code
