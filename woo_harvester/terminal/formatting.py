"""The figures of a run as text, for progress and summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from woo_harvester.findings import Severity
from woo_harvester.program import program
from woo_harvester.terminal.figures import Figures, SlowHost

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
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def hosts(figures: Figures) -> str:
    """Return such as ``312 of 884 hosts``."""
    return f"{figures.done:,} of {counted(figures.selected or 0, 'host')}"


def harvest(figures: Figures) -> list[tuple[str, str]]:
    """Return the counts of documents, each line with its name; of permits those of files and of cases.

    If documents are not counted, it is the number of records.
    """
    if figures.listed is None:
        return [("documents", counted(figures.records, "record") + dropped(figures))]
    if figures.kind == "vergunningen":
        files = f"{figures.read:,} of {figures.listed:,} read, {figures.unchanged:,} unchanged"
        return [("files", f"{files}, {figures.lost:,} not harvested"), ("cases", changes(figures))]
    return [("documents", f"{changes(figures)}, {figures.lost:,} not harvested")]


def one_line(figures: Figures) -> str:
    """Return the counts of :func:`harvest` as one line; that of documents needs no name."""
    lines = harvest(figures)
    return lines[0][1] if len(lines) == 1 else "; ".join(f"{name}: {counts}" for name, counts in lines)


def changes(figures: Figures) -> str:
    """Return such as ``12 new, 3 changed, 1,204 unchanged, 1 withdrawn``; unchanged cases are not counted.

    What was added to records is there only if there was any: on most days there is none.
    """
    if figures.kind == "vergunningen":
        withdrawn = f"{figures.withdrawn:,} withdrawn{dropped(figures)}"
        return f"{figures.new:,} new, {figures.changed:,} changed, {withdrawn}"
    supplied = f"{figures.supplied:,} supplied with content, " if figures.supplied else ""
    return (
        f"{figures.new:,} new, {figures.changed:,} changed, {supplied}{figures.unchanged:,} unchanged, "
        f"{figures.withdrawn:,} withdrawn{dropped(figures)}"
    )


def dropped(figures: Figures) -> str:
    """Return such as ``, 12 dropped by a pipeline``; empty if no item was dropped."""
    return f", {figures.dropped:,} dropped by a pipeline" if figures.dropped else ""


def apart(figures: Figures) -> Iterator[str]:
    """Yield what a run did that most runs do not: deliver what is unchanged, or leave entries out."""
    if figures.left_out:
        entries = counted(figures.left_out, "entry", "entries")
        yield f"{entries} left out, as asked: a later run may deliver more"
    if figures.again:
        yield f"{figures.again:,} of the unchanged delivered again (DELTAFETCH_ENABLED is off)"


def value_lists(figures: Figures) -> str:
    """Return what an operator should do about the value lists; empty if nothing."""
    if figures.unusable_lists:
        return f"those in the data folder cannot be used: {program()} tooi says why"
    if figures.outdated_lists:
        outdated = counted(figures.outdated_lists, "is", "are")
        return f"{outdated} older than WOO_TOOI_MAX_AGE: {program()} tooi update fetches newer ones"
    return ""


def speed(figures: Figures, per_second: float) -> str:
    """Return such as ``1,204 documents/s``."""
    digits = 0 if per_second >= 10 else 1
    return f"{per_second:,.{digits}f} {figures.unit}/s"


def findings(figures: Figures) -> str:
    """Return such as ``14 errors, 203 warnings, 2,310 notices``."""
    return ", ".join(counted(figures.findings(each), *words) for each, words in SEVERITY_NOUNS.items())


def time_left(seconds: float | None) -> str:
    """Return the estimated time to the end, such as ``about 3 min 20 s left``."""
    return "end not known yet" if seconds is None else f"about {duration(seconds)} left"


def slowest(slow: Iterable[SlowHost]) -> str:
    """Return such as ``open.a.nl (one request in 30 s, 1,204 documents so far)``."""
    return ", ".join(
        f"{each.host} (one request in {each.delay:.3g} s, {counted(each.documents, each.noun)} so far)"
        for each in slow
    )
