"""The models of ``report.json``: what it says of the register, of each host, and of all hosts together."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from woo_harvester.findings import Language, Severity, explain
from woo_harvester.kinds import Kind
from woo_harvester.report.counts import Figures, ReportModel
from woo_harvester.report.funnel import HostGapKind, Stage
from woo_harvester.report.score import PartState, Section


class OrganisationRef(ReportModel):
    """An organisation of the government."""

    id: str
    """Its TOOI URI, or its systeemId in the register if it has no TOOI URI."""
    name: str


class RegisteredOrganisation(OrganisationRef):
    """An organisation in the register."""

    system_id: str
    """Its ``systeemId``."""
    kind: str | None
    """The kind of organisation as the register names it, such as ``Gemeente``."""


class OrganisationOnHost(RegisteredOrganisation):
    """An organisation that registered a location on a host."""

    locations: list[str]
    """The URLs that it registered there."""
    remarks: list[str] = Field(default_factory=list)
    """What it says of them in the register (``toelichting``)."""


class HostGap(ReportModel):
    """A registered host from which no sitemap could be read."""

    host: str
    organisations: list[OrganisationOnHost]
    code: str
    """Code of the finding that says why."""
    seen: str | None


class KindCoverage(ReportModel):
    """The organisations of one kind."""

    kind: str | None
    organisations: int
    with_location: int
    """Those that have registered a location."""


class Coverage(ReportModel):
    """The organisations and hosts of the whole register, and those of which nothing can be harvested."""

    organisations: int
    with_location: int
    hosts: int
    hosts_not_reached: int
    """Hosts of which nothing is known, because the run ended before, or by a fault on our own side."""
    kinds: list[KindCoverage]
    """The largest first."""
    no_location: list[RegisteredOrganisation]
    """Organisations that registered no usable location, by name."""
    no_robots: list[HostGap]
    """Hosts that answer, but give no robots.txt that can be read, by host."""
    no_index: list[HostGap]
    """Hosts whose robots.txt names no sitemap index that can be read, by host."""
    dead: list[HostGap]
    """Hosts that do not exist, do not answer, or not with a valid certificate, by host."""

    def hosts_of(self, kind: HostGapKind) -> list[HostGap]:
        """Return the hosts with this kind of gap."""
        return {"no_robots": self.no_robots, "no_index": self.no_index, "dead": self.dead}[kind]


class Tool(ReportModel):
    """The program that made the report, and the versions of its rules."""

    name: str = "woo-harvester"
    version: str
    """Version of the program."""
    diwoo: str = "0.9.8"
    """Version of the DiWoo schema with which metadata were read."""
    catalogue: str
    """Digest of the catalogue of findings: the same digest means the same codes, severities and texts."""
    score: int
    """Version of the rules of the score."""


class Run(ReportModel):
    """The run that the report is about."""

    name: str
    """Spider and time, such as ``woo-2026-11-21T05-15-00.123456``."""
    kind: Kind
    started: str | None = None
    """ISO 8601, with the Dutch offset."""
    finished: str | None = None
    """ISO 8601, with the Dutch offset."""
    reason: str | None = None
    """The reason of its end; ``finished`` if it was not ended early."""
    documents: str | None = None
    """The handling of documents: ``download``, ``head`` or ``none``."""
    audit: bool = False
    """True if it was an audit, which knows of no earlier run: nothing can be new, changed or withdrawn."""


class RegisterInfo(ReportModel):
    """The register of organisations (ROO) that the run used."""

    date: str | None = None
    """Day of the export, ``YYYY-MM-DD``."""


class Loss(ReportModel):
    """The documents that do not reach a stage for one reason."""

    code: str | None
    """Code of the finding; null if the run ended before it reached the documents. Those that are not in the
    sample of an audit are no loss: the stage ``asked`` has only the others."""
    documents: int


class StageCount(ReportModel):
    """A stage of the funnel: the stage before it, minus the documents that are lost.

    Only an audit of a sample has the stage ``asked``, and it and those after it are about the sample.
    """

    stage: Stage
    documents: int
    lost: list[Loss]


class PartOfScore(ReportModel):
    """A part of a section of the score. Its points are weight times share."""

    part: str
    weight: int
    """The maximum number of points."""
    share: float
    """The share of those points that the host gets, 0 to 1."""
    state: PartState
    """``not_applicable``: there was nothing to check, so it does not count. ``not_judged``: files on disk
    cannot show it, so it does not count either. ``partly_reached`` and ``not_reached``: nothing wrong was
    found, but an earlier error kept it from being checked."""
    costs: dict[str, float]
    """The share that each finding code costs."""


class SectionOfScore(ReportModel):
    """A section of the score."""

    section: Section
    points: float | None
    """Null if no part applies."""
    of: int
    """The maximum number of points of the parts that apply."""
    parts: list[PartOfScore]


class Snippet(ReportModel):
    """The fix of a finding: lines of XML or robots.txt, based on what the publisher wrote."""

    before: str
    after: str


class Example(ReportModel):
    """A finding as in ``findings.jsonl``, without code, severity and host, for all that are alike."""

    alike: int = 1
    """The number of findings with the same element and the same ``seen``."""
    also: list[str] | None = None
    """The URLs of two others of these."""
    url: str | None = None
    organisation: str | None = None
    sitemap: str | None = None
    line: int | None = None
    element: str | None = None
    seen: str | None = None
    suggestion: str | None = None
    """What was probably meant, if a name of an element or a value is not known."""
    action: str | None = None
    at: str | None = None
    snippet: Snippet | None = None
    """The fix; of findings about other things than messages, the first one of each element has it."""

    @model_serializer(mode="wrap")
    def _without_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {key: value for key, value in handler(self).items() if value is not None}


class Sample(ReportModel):
    """The documents that an audit requested, of a host with more than it requests."""

    asked: int
    """Documents that were requested, and answered before the run ended."""
    not_asked: int
    """Documents that were not. Nothing is said of them but what their sitemaps say."""
    of: int
    """Listed documents; those that have no usable location are neither asked nor not asked."""


class FindingRow(Example):
    """All findings of one code about a host. The keys of an example are those of the rarest mistake."""

    code: str
    severity: Severity
    count: int
    about_document: bool
    """True if it is about single documents, false if it is about the host and its files."""
    points: float
    """The number of points, of 100, that it costs."""
    examples: list[Example]
    """The other mistakes, the rarest first: an example for each different ``element`` and ``seen``."""
    not_shown: int = 0
    """The number of findings with yet other values, beyond 20 of one element or 100 in all."""
    only_counted: int = 0
    """The number of findings that ``findings.jsonl`` only counts."""

    @property
    def mistakes(self) -> list[Example]:
        """An example of each different mistake, the rarest first."""
        return [self, *self.examples]


class FieldShare(ReportModel):
    """The number of documents with a recommended field of the metadata."""

    field: str
    given: int
    """Documents for which the publisher gave it."""
    of: int
    """Documents for which this run made a record."""


class Category(ReportModel):
    """The number of documents in an informatiecategorie."""

    id: str
    label: str
    article: str | None
    """Article, paragraph and part of the Woo, such as ``3.3, 2, e``; null for an unknown category."""
    documents: int


class Changes(ReportModel):
    """The changes since the last run that visited the host."""

    since: str
    """The time of that run, ISO 8601."""
    listed: int
    """Documents listed then."""
    harvested: int
    """Documents harvested then."""
    score: int | None
    came: list[str]
    """Codes that are new."""
    stayed: list[str]
    """Codes that were found then and now."""
    mended: list[str]
    """Codes that were found then and are fixed now."""
    not_looked_at: list[str]
    """Codes that were found then, in documents or files that this run skipped: they may still be there."""


class Point(ReportModel):
    """One run in the history of a host, or of all hosts."""

    at: str
    listed: int
    harvested: int
    score: int | None = None


class Verdict(ReportModel):
    """The verdict of an audit of messages: whether an organisation or supplier can be connected."""

    connectable: bool | None
    """True without an error; null if nothing could be judged."""
    text: str
    """The verdict in the language of the report, which can be sent as it is."""
    in_the_way: list[str]
    """The codes of the findings that are in the way."""


class HostReport(Figures):
    """The results of one host."""

    host: str
    kind: Kind = Kind.woo
    """The name of the spider. Of another one than ``woo``, the documents are files with messages."""
    score: int | None
    """0 to 100, rounded down; null if no document could be checked, or the host could not be reached."""
    unreached: str | None = None
    """Why the host could not be reached, in a sentence in the language of the report; null if it was."""
    organisations: list[OrganisationRef]
    """The organisations that registered a location on it."""
    complete: bool | None
    """True if all of it was read; null if the run ended before that."""
    not_judged: list[str] = Field(default_factory=list)
    """What files on disk cannot show: ``register``, ``robots``, ``connection``, ``documents``, ``files`` (not
    there), ``other_hosts`` (their robots.txt), ``withdrawal``. Of messages: ``register``, ``entry_page``,
    ``fetching``, ``earlier_messages``. Empty if a host was visited."""
    funnel: list[StageCount]
    sections: list[SectionOfScore]
    findings: list[FindingRow]
    """Those that cost the most points first."""
    fields: list[FieldShare]
    categories: list[Category]
    changes: Changes | None = None
    history: list[Point] = Field(default_factory=list)
    """Oldest first, this run last."""
    sample: Sample | None = None
    """The sample of an audit that did not request each document; ``harvested`` and ``score`` rest on it."""
    verdict: Verdict | None = None
    """Only of messages in an audit."""

    def count(self, severity: str) -> int:
        """Return the number of findings of a severity."""
        return sum(row.count for row in self.findings if row.severity == severity)

    @property
    def worst(self) -> FindingRow | None:
        """The error or warning that costs the most points; None if there is none."""
        return next((row for row in self.findings if row.severity is not Severity.INFO), None)

    @property
    def judged(self) -> int:
        """The listed documents of which this run says whether they are harvested."""
        return self.listed - (self.sample.not_asked if self.sample else 0)

    @property
    def share_lost(self) -> float:
        """The share of listed documents that is not harvested; if none is listed: 1 with errors, else 0."""
        if self.judged:
            return 1 - self.harvested / self.judged
        return float(any(row.severity == Severity.ERROR for row in self.findings))


class Fault(ReportModel):
    """An error or warning, with what it costs all hosts together."""

    code: str
    severity: Severity
    hosts: list[str] = Field(default_factory=list)
    """Twenty of them at most."""
    host_count: int = 0
    count: int = 0
    points: float = 0.0
    """The points that fixing it gives these hosts together."""


class CodeExplanation(ReportModel):
    """The meaning of a finding code, in the language of the report."""

    what: str
    why: str
    mend: str
    source: str

    @classmethod
    def of(cls, code: str, lang: Language) -> Self:
        """Return what the catalogue says of a code."""
        text = explain(code, lang)
        return cls(what=text.what, why=text.why, mend=text.mend, source=text.source)


class Totals(Figures):
    """The totals of all hosts."""

    hosts: int
    hosts_without_documents: int
    """Hosts from which nothing is harvested."""
    hosts_incomplete: int
    sample: Sample | None = None
    """The samples of all hosts together."""
    errors: int
    warnings: int
    notices: int
    funnel: list[StageCount]
    fields: list[FieldShare]
    categories: list[Category]
    history: list[Point]


class Head(ReportModel):
    """The first line of the file: everything but the hosts."""

    version: Literal["2.0"] = "2.0"
    """Version of this format. A new key makes a new minor version, any other change a new major version."""
    lang: Literal["nl", "en"]
    tool: Tool
    run: Run
    register_: RegisterInfo = Field(alias="register")
    totals: Totals
    faults: list[Fault]
    """Those that cost the most points first."""
    findings: list[FindingRow]
    """Findings that are not about a host, such as a register that cannot be fetched."""
    hosts_without_figures: list[str] = Field(default_factory=list)
    """Hosts of the register that the run should have visited, and whose figures are not in the report: their
    run was killed, or its shard was not merged."""
    coverage: Coverage | None = None
    """The parts of the register that give nothing; null unless the run was over the whole register."""
    explanations: dict[str, CodeExplanation]
    """The explanation of every code that occurs."""


class Report(Head):
    """The complete file."""

    hosts: list[HostReport]
    """Worst first: hosts with nothing harvested, then by the share that is lost, then by score."""
