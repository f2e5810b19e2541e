"""The progress of a run as figures, read from statistics and accounts that the run keeps anyway."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from woo_harvester.extensions.findings import Findings
from woo_harvester.findings import Severity, explain, explanations
from woo_harvester.kinds import Kind
from woo_harvester.report.counts import shown_in
from woo_harvester.report.funnel import Account
from woo_harvester.report.funnel import total as sum_of
from woo_harvester.report.run_folder import OWN_ERROR_FIRST
from woo_harvester.running.ending import is_closing
from woo_harvester.utils.program import counted as _counted

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


@dataclass(frozen=True, slots=True)
class Figures:
    """The progress of a run at one moment."""

    spider: str
    seconds: float
    """Seconds since the start of the run."""
    requests: int
    records: int
    selected: int | None
    """Hosts to visit; None for a spider that does not count them."""
    done: int
    complete: int
    is_over_register: bool = True
    """True unless the run visits only hosts or organisations that were asked for."""
    is_choosing: bool = False
    """True if the run chooses some of the documents only."""
    is_ending: bool = False
    """True if the run is being closed: it has read all, or it was stopped."""
    total: Account | None = None
    """The counts of all hosts together; None for a spider that keeps no accounts."""
    again: int = 0
    """Unchanged documents that were delivered again, because the run delivers all documents."""
    dropped: int = 0
    """Items that a pipeline of another project dropped."""
    refused: int = 0
    """Documents that Elasticsearch refused."""
    own_error: str | None = None
    """The first error of the harvester itself; None if there was none."""
    codes: dict[str, int] = field(default_factory=dict)
    """The number of findings by code."""

    @property
    def unit(self) -> str:
        """The unit of the speed."""
        return "requests" if self.total is None else self.total.kind.noun + "s"

    @property
    def handled(self) -> int:
        """The count from which the speed is calculated: documents or files read, or else responses."""
        return self.requests if self.total is None else self.total.read

    def findings(self, severity: Severity) -> int:
        """Return the number of findings of a severity."""
        return sum(count for code, count in self.codes.items() if explain(code).severity == severity)


def read_figures(crawler: Crawler, accounts: Sequence[Account] = ()) -> Figures:
    """Return the figures at this moment; *accounts* are those of the hosts of the run."""
    stats, findings = crawler.stats, crawler.get_extension(Findings)
    arguments = findings.arguments if findings is not None else None
    total = sum_of(accounts) if accounts else None
    began = stats.get_value("start_time")
    codes = {code: count for code in explanations() if (count := stats.get_value(f"woo/findings/{code}"))}
    return Figures(
        spider=crawler.spidercls.name,
        is_over_register=arguments is None or arguments.is_over_register,
        is_choosing=arguments is not None and arguments.is_choosing,
        is_ending=is_closing(crawler),
        seconds=(datetime.now(UTC) - began).total_seconds() if began else 0.0,
        requests=stats.get_value("downloader/response_count", 0),
        records=stats.get_value("item_scraped_count", 0),
        selected=stats.get_value("woo/hosts/selected"),
        done=stats.get_value("woo/hosts/done", 0),
        complete=stats.get_value("woo/hosts/complete", 0),
        dropped=total.dropped if total else stats.get_value("item_dropped_count", 0),
        again=stats.get_value("woo/documents/delivered_again", 0),
        refused=stats.get_value("woo/elasticsearch/refused", 0),
        own_error=stats.get_value(OWN_ERROR_FIRST),
        codes=codes,
        total=total,
    )


#: The names of severities for operators, singular and plural.
SEVERITY_NOUNS = {
    Severity.ERROR: ("error", "errors"),
    Severity.WARNING: ("warning", "warnings"),
    Severity.INFO: ("notice", "notices"),
}


def duration(seconds: float) -> str:
    """Return a duration in two units at most: ``2 h 05 min``, ``3 min 20 s``, ``12 s``."""
    rounded = round(seconds)
    if rounded >= 3600:
        return f"{rounded // 3600} h {rounded % 3600 // 60:02} min"
    if rounded >= 60:
        return f"{rounded // 60} min {rounded % 60:02} s"
    return f"{rounded} s"


def counted(count: int, one: str, several: str | None = None) -> str:
    """Return a number with its noun: ``1 error``, ``1,204 records``."""
    return _counted(count, one, several, separator=",")


def hosts(figures: Figures) -> str:
    """Return such as ``312 of 884 hosts``."""
    return f"{figures.done:,} of {counted(figures.selected or 0, 'host')}"


def harvest(figures: Figures) -> list[tuple[str, str]]:
    """Return the counts of a run under way, each line with its name: documents, or files and cases."""
    total = figures.total
    if total is None:
        return [("documents", counted(figures.records, "record") + dropped(figures))]
    if total.kind is Kind.woo:
        return [("documents", f"{changes(figures)}, {_lost(total)}")]
    read = [f"{total.read:,} of {total.listed:,} read", *_counts(total, of_cases=False), _lost(total)]
    return [("files", ", ".join(read)), ("cases", changes(figures))]


def ended(figures: Figures) -> list[tuple[str, str]]:
    """Return the counts of a run that has ended, each line with its name."""
    total = figures.total or Account("")
    listed = f"{total.listed:,} listed"
    if total.kind is Kind.woo:
        return [("documents", f"{listed}, {_lost(total)}"), ("", changes(figures))]
    files = [listed, *_counts(total, of_cases=False), _lost(total)]
    return [("files", ", ".join(files)), ("cases", changes(figures))]


def changes(figures: Figures) -> str:
    """Return such as ``12 new, 3 changed, 1,204 unchanged, 1 withdrawn``; of messages the counts of cases."""
    total = figures.total or Account("")
    of_cases = None if total.kind is Kind.woo else True
    return ", ".join(_counts(total, of_cases=of_cases)) + dropped(figures)


def _counts(total: Account, *, of_cases: bool | None) -> list[str]:
    """Return the counts that show in progress and summary, such as ``12 new``."""
    return [f"{getattr(total, name):,} {label}" for name, label in shown_in("progress", of_cases=of_cases)]


def _lost(total: Account) -> str:
    return f"{total.not_harvested:,} not harvested"


def one_line(figures: Figures) -> str:
    """Return the counts of :func:`harvest` as one line; that of documents needs no name."""
    lines = harvest(figures)
    return lines[0][1] if len(lines) == 1 else "; ".join(f"{name}: {counts}" for name, counts in lines)


def dropped(figures: Figures) -> str:
    """Return such as ``, 12 dropped by a pipeline``; empty if no item was dropped."""
    return f", {figures.dropped:,} dropped by a pipeline" if figures.dropped else ""


def apart(figures: Figures) -> Iterator[str]:
    """Yield what a run did that most runs do not: deliver what is unchanged, or leave entries out."""
    if figures.total is not None and figures.total.left_out:
        entries = counted(figures.total.left_out, "entry", "entries")
        yield f"{entries} left out, as asked: a later run may deliver more"
    if figures.again:
        yield f"{figures.again:,} of the unchanged delivered again, as asked"


def speed(figures: Figures) -> str:
    """Return such as ``1,204 documents/s``, since the start of the run."""
    per_second = figures.handled / figures.seconds if figures.seconds else 0.0
    digits = 0 if per_second >= 10 else 1
    return f"{per_second:,.{digits}f} {figures.unit}/s"


def findings(figures: Figures) -> str:
    """Return such as ``14 errors, 203 warnings, 2,310 notices``."""
    return ", ".join(counted(figures.findings(each), *words) for each, words in SEVERITY_NOUNS.items())
