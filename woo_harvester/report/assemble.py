"""Makes ``report.json`` of what a run left in its folder: findings, accounts of hosts, statistics."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from woo_harvester.dates import iso_datetime
from woo_harvester.findings import Language, Severity, explain
from woo_harvester.report.finding_counts import HostFindings, read_findings
from woo_harvester.report.funnel import FIELDS, Account, stages, total
from woo_harvester.report.history import EarlierRuns, History, RunResult, compare
from woo_harvester.report.host_lines import HostLines
from woo_harvester.report.json_file import write_report
from woo_harvester.report.model import (
    Category,
    Example,
    Explanation,
    FieldShare,
    FindingRow,
    Head,
    Host,
    Loss,
    Organisation,
    PartOfScore,
    Register,
    Run,
    SectionOfScore,
    StageCount,
    Tool,
    Totals,
)
from woo_harvester.report.run_folder import RunFolder
from woo_harvester.report.score import SCORE_VERSION, Score, score
from woo_harvester.report.score_parts import SECTIONS, HarvestKind
from woo_harvester.report.shared_findings import pattern_of
from woo_harvester.report.snippets import snippet
from woo_harvester.tooi import UNKNOWN_CATEGORY, informatiecategorieen
from woo_harvester.version import VERSION

#: The finding in place of those about hosts that a fault on the harvester's own side kept out of reach.
OWN_FAULT = "oogst.eigen-verbinding"

_SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.INFO)


def assemble_report(folder: RunFolder, *, history: History | None = None, lang: Language = "nl") -> None:
    """Write the report in the folder of a run, and keep the run in *history*.

    Read the findings, and the accounts of hosts and the statistics if there are any: a run that was killed
    has only findings. Raises OSError, and ValueError for a file that is not one of a run.
    """
    stats = folder.read_stats()
    run = _run(folder, stats)
    tallies = read_findings(folder.findings)
    left_out = _left_out(folder.kept_back, tallies)
    accounts = _accounts(folder, tallies.keys() - left_out)
    past = history.before(run.name, run.kind) if history else EarlierRuns()
    at = run.finished or run.started or _last_change(folder.findings)
    now = RunResult(run.name, run.kind, at, comparable=not left_out)
    with TemporaryFile() as lines:
        gathered = HostLines(lines)
        for account in accounts:
            tally = tallies.get(account.host) or HostFindings()
            gathered.add(_host(account, tally, run.kind, past, now))
        head = Head(
            lang=lang,
            tool=_tool(),
            run=run,
            register=Register(date=stats.get("woo/register/date")),
            totals=_totals(accounts, tallies.values(), gathered, past, now),
            organisations=gathered.organisations(),
            faults=list(gathered.faults.rows()),
            findings=_rows(tallies.get("", HostFindings()), Score(()), None),
            explanations=_explanations(tallies.values(), past, lang),
        )
        write_report(folder.report, head, gathered.lines())
    if history:
        history.save(now)


def _host(
    account: Account, tally: HostFindings, kind: HarvestKind, past: EarlierRuns, now: RunResult
) -> Host:
    kind = "bestanden" if account.offline else kind
    result = score(tally.counts, account, kind)
    then, changes = compare(account, result, tally.counts, past, kind)
    now.hosts[account.host] = then
    body = Organisation(**account.organisations[0]) if len(account.organisations) == 1 else None
    return Host(
        host=account.host,
        listed=account.listed,
        harvested=account.harvested_now_or_before,
        score=result.shown,
        organisations=[Organisation(**each) for each in account.organisations],
        complete=account.complete,
        new=then.new,
        changed=then.changed,
        withdrawn=then.withdrawn,
        unchanged=account.unchanged,
        repeated=account.repeated,
        sitemaps=account.sitemaps,
        sitemaps_unchanged=account.sitemaps_unchanged,
        funnel=_funnel(account),
        sections=_sections(result),
        findings=_rows(tally, result, body),
        fields=_fields(account),
        categories=_categories(account),
        changes=changes,
        history=EarlierRuns([*past.runs, now]).points(account.host),
        pattern=pattern_of(account),
    )


def _funnel(account: Account) -> list[StageCount]:
    counted = []
    for stage, documents, lost in stages(account):
        losses = [Loss(code=code, documents=count) for code, count in lost.items()]
        if stage == "harvested" and account.unfinished:
            losses.append(Loss(code=None, documents=account.unfinished))
        counted.append(StageCount(stage=stage, documents=documents, lost=losses))
    return counted


def _sections(result: Score) -> list[SectionOfScore]:
    sections = []
    for section in SECTIONS:
        parts = [
            PartOfScore(
                part=each.part.name,
                weight=each.part.points,
                share=round(each.share, 6),
                state=each.state,
                costs=_by_code(each.costs),
            )
            for each in result.parts
            if each.part.section == section
        ]
        if parts:
            points, of = result.section(section) or (None, 0)
            rounded = None if points is None else round(points, 4)
            sections.append(SectionOfScore(section=section, points=rounded, of=of, parts=parts))
    return sections


def _by_code(costs: Mapping[tuple[str, bool], float]) -> dict[str, float]:
    codes: dict[str, float] = {}
    for (code, _), share in costs.items():
        codes[code] = round(codes.get(code, 0.0) + share, 6)
    return codes


def _rows(tally: HostFindings, result: Score, body: Organisation | None) -> list[FindingRow]:
    """A row for each kind of finding: what costs most first, then errors before warnings, then by count."""
    costs = result.costs
    rows = []
    for key, count in tally.counts.items():
        examples = tally.examples(key)
        code, about_document = key
        rows.append(
            FindingRow(
                **_known(examples[0]),
                code=code,
                severity=explain(code).severity,
                count=count,
                about_document=about_document,
                points=round(costs.get(key, 0.0), 4),
                examples=[Example(**_known(each)) for each in examples[1:]],
                snippet=snippet(examples[0], body),
            )
        )
    rows.sort(key=lambda row: (-row.points, _SEVERITIES.index(row.severity), -row.count, row.code))
    return rows


def _known(finding: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in finding.items() if name in Example.model_fields}


def _fields(account: Account) -> list[FieldShare]:
    return [
        FieldShare(field=name, given=account.fields.get(name, 0), of=account.records)
        for name in FIELDS
        if account.records
    ]


def _categories(account: Account) -> list[Category]:
    known = informatiecategorieen()
    categories = []
    for uri, documents in sorted(account.categories.items(), key=lambda item: (-item[1], item[0])):
        concept = known.by_uri(uri)
        label = concept.label if concept else UNKNOWN_CATEGORY.label
        categories.append(Category(id=uri, label=label, documents=documents))
    return categories


def _totals(
    accounts: list[Account],
    tallies: Iterable[HostFindings],
    gathered: HostLines,
    past: EarlierRuns,
    now: RunResult,
) -> Totals:
    everything = total(accounts)
    severities: Counter[Severity] = Counter()
    for tally in tallies:
        for (code, _), count in tally.counts.items():
            severities[explain(code).severity] += count
    return Totals(
        hosts=len(accounts),
        hosts_without_documents=gathered.without_documents,
        hosts_incomplete=gathered.incomplete,
        listed=everything.listed,
        harvested=everything.harvested_now_or_before,
        new=sum(then.new for then in now.hosts.values()),
        changed=sum(then.changed for then in now.hosts.values()),
        withdrawn=everything.withdrawn,
        unchanged=everything.unchanged,
        errors=severities[Severity.ERROR],
        warnings=severities[Severity.WARNING],
        notices=severities[Severity.INFO],
        funnel=_funnel(everything),
        fields=_fields(everything),
        categories=_categories(everything),
        history=[run.point for run in (*past.runs, now) if run.comparable],
    )


def _explanations(
    tallies: Iterable[HostFindings], past: EarlierRuns, lang: Language
) -> dict[str, Explanation]:
    """Of every code that the report names, those that are mended too."""
    codes = {code for tally in tallies for code, _ in tally.counts}
    codes |= {code for run in past.runs for host in run.hosts.values() for code, _ in host.open}
    texts = {code: explain(code, lang) for code in sorted(codes)}
    return {
        code: Explanation(what=text.what, why=text.why, mend=text.mend, source=text.source)
        for code, text in texts.items()
    }


def _left_out(path: Path, tallies: Mapping[str, HostFindings]) -> set[str]:
    """Return the hosts about which a run with a fault on its own side can say nothing."""
    if (OWN_FAULT, False) not in tallies.get("", HostFindings()).counts or not path.exists():
        return set()
    return set(read_findings(path))


def _accounts(folder: RunFolder, found: AbstractSet[str]) -> list[Account]:
    """Return the accounts that the run wrote, and an empty one for each other host that findings name."""
    accounts = {account.host: account for account in folder.read_accounts()}
    for host in sorted(found - accounts.keys() - {""}):
        accounts[host] = Account(host)
    return list(accounts.values())


def _last_change(path: Path) -> str:
    """When a run that was killed wrote its last finding."""
    return iso_datetime(datetime.fromtimestamp(int(path.stat().st_mtime), UTC))


def _run(folder: RunFolder, stats: Mapping[str, Any]) -> Run:
    return Run(
        name=folder.name,
        kind=folder.kind,
        started=stats.get("start_time"),
        finished=stats.get("finish_time"),
        reason=stats.get("finish_reason"),
        documents=stats.get("woo/documents/mode"),
    )


def _tool() -> Tool:
    catalogue = files("woo_harvester.findings").joinpath("catalogue.toml").read_bytes()
    return Tool(version=VERSION, catalogue=hashlib.sha256(catalogue).hexdigest()[:12], score=SCORE_VERSION)
