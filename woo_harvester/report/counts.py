"""The table of counts: what each counts, and where it shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict

Place = Literal["page", "csv", "progress", "metric", "host metric"]


@dataclass(frozen=True, slots=True)
class In:
    """Where a count shows, besides ``report.json``. Progress and summary are one place."""

    places: frozenset[Place]
    of_cases: bool
    """True if it counts cases, and not files, in a harvest of messages."""
    label: str | None
    """What metrics call it, if that is not its name."""

    def __init__(self, *places: Place, of_cases: bool = False, label: str | None = None) -> None:
        for name, value in (("places", frozenset(places)), ("of_cases", of_cases), ("label", label)):
            object.__setattr__(self, name, value)


class ReportModel(BaseModel):
    """A part of the report. Its JSON Schema has the texts below the fields as descriptions."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True, defer_build=True)


class Counts(ReportModel):
    """What a run counts of a host. The counts are of documents, or files with messages."""

    listed: Annotated[int, In("page", "csv", "metric", "host metric")] = 0
    """Entries that could be read; a repeated loc counts once. What could not be read is a finding."""
    new: Annotated[int, In("page", "progress", "metric", of_cases=True)] = 0
    """New documents, and those that are published again after withdrawal; of messages, cases."""
    changed: Annotated[int, In("page", "progress", "metric", of_cases=True)] = 0
    """Changed documents; of messages, cases."""
    unchanged: Annotated[int, In("progress", "metric")] = 0
    """Documents that an earlier run harvested and that did not change."""
    withdrawn: Annotated[int, In("page", "progress", "metric", of_cases=True)] = 0
    """Withdrawn documents, which are not listed; of messages, cases."""
    repeated: int = 0
    """Entries of documents for which another entry counts."""
    left_out: int = 0
    """Entries that the run did not choose."""
    sitemaps: int = 0
    """Sitemaps that were requested, including those that were skipped."""
    sitemaps_unchanged: int = 0
    """Sitemaps that were skipped, because they did not change since their last complete read."""
    beyond_sample: int = 0
    """Messages that an audit did not read, because they are not in its sample; ``listed`` lacks them."""
    passed_over: int = 0
    """Links of entry pages that may lead to messages, and could not be read."""
    not_asked: int = 0
    """Links of entry pages that may lead to messages, and were not requested."""


class Figures(Counts):
    """The counts of a host, or of all hosts, with what follows from them."""

    harvested: Annotated[int, In("page", "csv", "host metric")] = 0
    """Listed documents that were harvested in this run, or earlier and are unchanged."""
    not_harvested: Annotated[int, In("metric", label="lost")] = 0
    """Listed documents that are not harvested; a finding says why."""


def shown_in(place: Place, *, of_cases: bool | None = None) -> Iterator[tuple[str, str]]:
    """Yield the name and the label of each count that shows in a place."""
    for name, field in Figures.model_fields.items():
        for given in field.metadata:
            if place in given.places and of_cases in (None, given.of_cases):
                yield name, given.label or name
