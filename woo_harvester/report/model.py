"""The shape of ``report.json``: everything that the page, the CSV and other programs show of a run.

Its JSON Schema is ``docs/report.schema.json``, made from this module.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from woo_harvester.findings import Severity
from woo_harvester.report.funnel import Stage
from woo_harvester.report.score import State
from woo_harvester.report.score_parts import HarvestKind, Section


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Tool(_Model):
    """What made the report, and by which rules."""

    name: str = "woo-harvester"
    version: str
    """Version of the program."""
    diwoo: str = "0.9.8"
    """Version of the DiWoo schema that metadata were read by."""
    catalogue: str
    """Digest of the catalogue of findings: the same digest means the same codes, severities and texts."""
    score: int
    """Version of the rule of the score."""


class Run(_Model):
    """The run that is reported."""

    name: str
    """Spider and time, such as ``woo-2026-11-21T05-15-00.123456``."""
    kind: HarvestKind
    started: str | None = None
    """ISO 8601, with the Dutch offset."""
    finished: str | None = None
    """ISO 8601, with the Dutch offset."""
    reason: str | None = None
    """How it ended; ``finished`` where it came to its end."""
    documents: str | None = None
    """What was done with documents: ``download``, ``head`` or ``none``."""


class Register(_Model):
    """The register of public bodies as the run had it."""

    date: str | None = None
    """Day of the export, ``YYYY-MM-DD``."""


class Organisation(_Model):
    """A public body."""

    id: str
    """Its TOOI URI, its systeemId where it has none."""
    name: str


class Loss(_Model):
    """Documents that do not reach a stage, for one reason."""

    code: str | None
    """Code of the finding; null: the run did not come to them."""
    documents: int


class StageCount(_Model):
    """A stage of the funnel: the one before it, less what is lost."""

    stage: Stage
    documents: int
    lost: list[Loss]


class PartOfScore(_Model):
    """A part of a section of the score: weight times share."""

    part: str
    weight: int
    """Points at most."""
    share: float
    """What is left of them, 0 to 1."""
    state: State
    """``not_applicable``: nothing to judge, does not count; ``partly_reached``, ``not_reached``: nothing is
    wrong with it, but it was kept from being looked at."""
    costs: dict[str, float]
    """The share that each code costs."""


class SectionOfScore(_Model):
    """A section of the score."""

    section: Section
    points: float | None
    """Null: not applicable."""
    of: int
    """Points of its parts that apply."""
    parts: list[PartOfScore]


class Example(_Model):
    """A finding as ``findings.jsonl`` has it, without code, severity and host."""

    url: str | None = None
    organisation: str | None = None
    sitemap: str | None = None
    line: int | None = None
    element: str | None = None
    seen: str | None = None
    action: str | None = None
    at: str | None = None

    @model_serializer(mode="wrap")
    def _without_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {key: value for key, value in handler(self).items() if value is not None}


class Snippet(_Model):
    """How to mend the first example: lines of XML or of robots.txt, made from what the publisher wrote."""

    before: str
    after: str


class FindingRow(Example):
    """All findings of one code about a host. Its own keys are those of the first example."""

    code: str
    severity: Severity
    count: int
    about_document: bool
    """Whether it is about single documents, or about the host and its files."""
    points: float
    """What it costs of the 100 points."""
    examples: list[Example]
    """The next two."""
    snippet: Snippet | None = None


class FieldShare(_Model):
    """A recommended field of the metadata."""

    field: str
    given: int
    """Documents that have it from their publisher, not from a default."""
    of: int
    """Documents of which this run made a record."""


class Category(_Model):
    """An informatiecategorie."""

    id: str
    label: str
    documents: int


class Changes(_Model):
    """What changed since the last run that visited the host."""

    since: str
    """When that was, ISO 8601."""
    listed: int
    """Documents listed then."""
    harvested: int
    """Documents harvested then."""
    score: int | None
    came: list[str]
    """Codes that were not there."""
    stayed: list[str]
    """Codes that were there and are."""
    mended: list[str]
    """Codes that were there and are gone."""
    not_looked_at: list[str]
    """Codes that were there, of documents or files that this run passed over: they may still be there."""


class Point(_Model):
    """One run in the history of a host, or of all hosts."""

    at: str
    listed: int
    harvested: int
    score: int | None = None


class Host(_Model):
    """One host."""

    host: str
    listed: int
    """Entries that could be read, a repeated loc once. What could not be read is a finding."""
    harvested: int
    """Of those, harvested in this run or before and unchanged."""
    score: int | None
    """0 to 100, rounded down; null where nothing could be judged."""
    organisations: list[Organisation]
    """The bodies that registered a location on it."""
    complete: bool | None
    """Whether all of it was read; null: the run ended before."""
    new: int
    changed: int
    withdrawn: int
    unchanged: int
    repeated: int
    sitemaps: int
    sitemaps_unchanged: int
    funnel: list[StageCount]
    sections: list[SectionOfScore]
    findings: list[FindingRow]
    """Those that cost most first."""
    fields: list[FieldShare]
    categories: list[Category]
    changes: Changes | None = None
    history: list[Point] = Field(default_factory=list)
    """Oldest first, this run last."""
    pattern: str | None = None
    """The shape of the paths of its sitemaps, by which hosts of one supplier look alike."""

    @property
    def share_lost(self) -> float:
        """The share of its listed documents that is not harvested; of none listed, all if it has errors."""
        if self.listed:
            return 1 - self.harvested / self.listed
        return float(any(row.severity == Severity.ERROR for row in self.findings))


class OrganisationTotals(Organisation):
    """A body with several hosts of its own; hosts that it shares with others are not counted."""

    hosts: int
    listed: int
    harvested: int
    score: int | None
    """The lowest of its hosts."""


class SharedFinding(_Model):
    """The same fault at several hosts: the more they look alike, the more likely that one mend helps all."""

    code: str
    severity: Severity
    pattern: str | None
    """The shape of their sitemaps' paths; null: these hosts have none in common."""
    hosts: list[str]
    """The first twenty."""
    host_count: int
    count: int
    points: float
    """What it costs these hosts together."""


class Explanation(_Model):
    """What a code means, in the language of the report."""

    what: str
    why: str
    mend: str
    source: str


class Totals(_Model):
    """All hosts together."""

    hosts: int
    hosts_without_documents: int
    """Hosts of which nothing is harvested."""
    hosts_incomplete: int
    listed: int
    harvested: int
    new: int
    changed: int
    withdrawn: int
    unchanged: int
    errors: int
    warnings: int
    notices: int
    funnel: list[StageCount]
    fields: list[FieldShare]
    categories: list[Category]
    history: list[Point]


class Head(_Model):
    """Everything but the hosts."""

    version: Literal["1.0"] = "1.0"
    """Of this format. A new key is a new minor version, anything else a new major one."""
    lang: Literal["nl", "en"]
    tool: Tool
    run: Run
    register_: Register = Field(alias="register")
    totals: Totals
    organisations: list[OrganisationTotals]
    faults: list[SharedFinding]
    """Those that cost most first."""
    findings: list[FindingRow]
    """Those that are about no host, such as a register that cannot be had."""
    explanations: dict[str, Explanation]
    """Of every code that occurs."""


class Report(Head):
    """The whole file."""

    hosts: list[Host]
    """Worst first: those of which nothing is harvested, then by the share that is not, then by score."""
