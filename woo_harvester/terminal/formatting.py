"""How progress and summary put figures into words."""

from __future__ import annotations

from collections.abc import Iterable

from woo_harvester.findings import Severity
from woo_harvester.terminal.figures import Figures, SlowHost

#: Severity as operators read it, in one and in several.
SEVERITIES = {
    Severity.ERROR: ("error", "errors"),
    Severity.WARNING: ("warning", "warnings"),
    Severity.INFO: ("notice", "notices"),
}


def duration(seconds: float) -> str:
    """A time in two units at most: ``2 h 05 min``, ``3 min 20 s``, ``12 s``."""
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60:02} min"
    if whole >= 60:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole} s"


def counted(count: int, one: str, several: str | None = None) -> str:
    """A number with its noun: ``1 error``, ``1,204 records``."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def hosts(figures: Figures) -> str:
    """``312 of 884 hosts``."""
    return f"{figures.done:,} of {counted(figures.selected or 0, 'host')}"


def documents(figures: Figures) -> str:
    """What became of the documents, else how many records there are."""
    if figures.listed is None:
        return counted(figures.records, "record")
    return f"{changes(figures)}, {figures.lost:,} not harvested"


def changes(figures: Figures) -> str:
    """``12 new, 3 changed, 1,204 unchanged, 1 withdrawn``."""
    return (
        f"{figures.new:,} new, {figures.changed:,} changed, {figures.unchanged:,} unchanged, "
        f"{figures.withdrawn:,} withdrawn"
    )


def speed(figures: Figures, per_second: float) -> str:
    """``1,204 documents/s``."""
    digits = 0 if per_second >= 10 else 1
    return f"{per_second:,.{digits}f} {figures.unit}/s"


def findings(figures: Figures) -> str:
    """``14 errors, 203 warnings, 2,310 notices``."""
    return ", ".join(counted(figures.findings(each), *words) for each, words in SEVERITIES.items())


def time_left(seconds: float | None) -> str:
    """When it is done, by estimate."""
    return "end not known yet" if seconds is None else f"about {duration(seconds)} left"


def slowest(slow: Iterable[SlowHost]) -> str:
    """``open.a.nl (one request in 30 s, 1,204 documents so far)``."""
    return ", ".join(
        f"{each.host} (one request in {each.delay:.3g} s, {counted(each.documents, 'document')} so far)"
        for each in slow
    )
