"""Assembles ``report.json`` from the files that a run left in its folder."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from woo_harvester.findings import Language, Severity, explain
from woo_harvester.findings.catalogue import catalogue
from woo_harvester.findings.common_cause import OWN_FAULT
from woo_harvester.findings.texts import is_about_message
from woo_harvester.kinds import Kind
from woo_harvester.report.accounts import empty_account
from woo_harvester.report.counts import Figures
from woo_harvester.report.coverage import RunRegister, find_coverage, hosts_without_figures
from woo_harvester.report.csv_file import write_coverage_csv, write_csv
from woo_harvester.report.examples import example_of
from woo_harvester.report.finding_counts import HostFindings, read_findings
from woo_harvester.report.funnel import FIELDS, Account, kind_of, stages, total
from woo_harvester.report.history import EarlierRuns, History, RunResult, compare
from woo_harvester.report.html import render
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.json_file import HostLines, read_head, write_report
from woo_harvester.report.model import (
    Category,
    CodeExplanation,
    Example,
    FieldShare,
    FindingRow,
    Head,
    HostReport,
    Loss,
    OrganisationRef,
    PartOfScore,
    RegisterInfo,
    Run,
    Sample,
    SectionOfScore,
    StageCount,
    Tool,
    Totals,
)
from woo_harvester.report.run_folder import AUDIT, RunFolder
from woo_harvester.report.score import SCORE_VERSION, SECTIONS, Score, score
from woo_harvester.report.snippets import snippet
from woo_harvester.tooi.lists import UNKNOWN_CATEGORY, article_of_category, informatiecategorieen
from woo_harvester.utils.dates import iso_seconds
from woo_harvester.utils.program import VERSION

_SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.INFO)


def assemble_report(folder: RunFolder, *, history: History | None = None, lang: Language = "nl") -> None:
    """Write ``report.json`` in the folder of a run, and save the run in *history*.

    Read the findings, and the accounts of hosts and the statistics if there are any: a run that was killed
    leaves only its findings. Raises OSError, and ValueError for a file that a run cannot have written.
    """
    stats = folder.read_stats()
    findings = read_findings(folder.findings)
    accounts = _accounts(folder, findings)
    left_out = findings.keys() - {"", *(account.host for account in accounts)}
    for name in left_out:
        del findings[name]
    run = _run(folder, stats, kind_of(accounts, folder.kind))
    past = history.before(run.name, run.kind) if history else EarlierRuns()
    at = run.finished or run.started or _last_change(folder.findings)
    now = RunResult(run.name, run.kind, at, comparable=not left_out)
    with TemporaryFile() as lines:
        host_lines = HostLines(lines)
        for account in accounts:
            found = findings.get(account.host) or HostFindings()
            host = _host(account, found, past, now, lang)
            if run.audit and (verdict := account.kind.own("verdict", None)) is not None:
                host.verdict = verdict(host, lang)
            host_lines.add(host)
        head = Head(
            lang=lang,
            tool=_tool(),
            run=run,
            register=RegisterInfo(date=stats.get("woo/register/date")),
            totals=_totals(run.kind, accounts, findings.values(), host_lines, past, now),
            faults=host_lines.faults.heaviest_first(),
            findings=_rows(findings.get("", HostFindings()), Score(()), None, lang, Account("")),
            explanations=_explanations(findings.values(), past, lang),
        )
        register = RunRegister.read(folder.register)
        if register is not None:
            with_figures = {account.host for account in folder.read_accounts()}
            head.hosts_without_figures = hosts_without_figures(register, with_figures)
            if register.is_whole:
                head.coverage = find_coverage(register, accounts, findings)
        write_report(folder.report, head, host_lines.lines())
    if history:
        history.save(now)


def _host(
    account: Account,
    found: HostFindings,
    past: EarlierRuns,
    now: RunResult,
    lang: Language,
) -> HostReport:
    result = score(found.costly, account, account.kind)
    then, changes = compare(account, result, found.counts, past)
    now.hosts[account.host] = then
    organisation = OrganisationRef(**account.organisations[0]) if len(account.organisations) == 1 else None
    rows = _rows(found, result, organisation, lang, account)
    return HostReport(
        host=account.host,
        kind=account.kind,
        **_figures(account),
        score=result.shown,
        unreached=_unreached(rows, result.obstacle, lang),
        organisations=[OrganisationRef(**each) for each in account.organisations],
        complete=account.complete,
        not_judged=account.not_judged,
        funnel=_funnel(account),
        sections=_sections(result),
        findings=rows,
        fields=_fields(account),
        categories=_categories(account),
        changes=changes,
        history=EarlierRuns([*past.runs, now]).points(account.host),
        sample=_sample(account),
    )


def _figures(account: Account) -> dict[str, int]:
    return {name: getattr(account, name) for name in Figures.model_fields}


def _funnel(account: Account) -> list[StageCount]:
    counted = []
    for stage, documents, lost in stages(account):
        losses = [Loss(code=code, documents=count) for code, count in lost.items()]
        if stage == "harvested" and account.unfinished > 0:
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


def _unreached(rows: list[FindingRow], obstacle: str | None, lang: Language) -> str | None:
    """Return the sentence that says why a host could not be reached; None if it was."""
    if obstacle is None:
        return None
    row = next(row for row in rows if row.code == obstacle and not row.about_document)
    cause = explain(obstacle, lang).what.rstrip(".")
    seen = row.mistakes[-1].seen  # the most frequent
    return Texts(lang)("unreached", cause=f"{cause} ({seen})" if seen else cause)


def _sample(account: Account) -> Sample | None:
    """Return what the sample of a host, or of all hosts together, says; None if there is none."""
    if not account.not_requested:
        return None
    return Sample(
        asked=account.requested - account.unfinished,
        not_asked=account.not_requested + account.unfinished,
        of=account.listed,
    )


def _rows(
    found: HostFindings,
    result: Score,
    organisation: OrganisationRef | None,
    lang: Language,
    account: Account,
) -> list[FindingRow]:
    """Return a row per kind of finding, sorted by points lost, then severity (errors first), then count."""
    costs = result.costs
    rows = []
    for key, count in found.counts.items():
        first, *others = _examples(found.examples(key), organisation, lang)
        code, about_document = key
        rows.append(
            FindingRow(
                **dict(first),
                code=code,
                severity=found.severities[key],
                count=count,
                about_document=about_document,
                points=round(costs.get(key, 0.0), 4),
                examples=others,
                not_shown=count - sum(each.alike for each in (first, *others)),
                only_counted=found.only_counted[key],
            )
        )
    rows.sort(key=lambda row: (-row.points, _SEVERITIES.index(row.severity), -row.count, row.code))
    return rows


def _examples(
    findings: Iterable[Mapping[str, Any]], organisation: OrganisationRef | None, lang: Language
) -> list[Example]:
    """Return findings of one code as examples. The first one of each element has a fix.

    Each one about a message has a fix of its own.
    """
    examples: list[Example] = []
    for finding in findings:
        example = example_of(finding, lang)
        is_fixed = any(each.element == example.element for each in examples)
        if not is_fixed or is_about_message(finding["code"]):
            example.snippet = snippet(finding, organisation)
        examples.append(example)
    return examples


def _fields(account: Account) -> list[FieldShare]:
    return [
        FieldShare(field=name, given=account.fields.get(name, 0), of=account.records)
        for name in FIELDS
        if account.records and account.kind is Kind.woo
    ]


def _categories(account: Account) -> list[Category]:
    known = informatiecategorieen()
    categories = []
    for uri, documents in sorted(account.categories.items(), key=lambda item: (-item[1], item[0])):
        concept = known.by_uri(uri)
        # Newer value lists may have a category that these do not have yet.
        label = concept.label if concept else UNKNOWN_CATEGORY.label if uri == UNKNOWN_CATEGORY.uri else uri
        article = article_of_category(uri)
        categories.append(Category(id=uri, label=label, article=article, documents=documents))
    return categories


def _totals(
    kind: Kind,
    accounts: list[Account],
    findings: Iterable[HostFindings],
    host_lines: HostLines,
    past: EarlierRuns,
    now: RunResult,
) -> Totals:
    everything = total(account for account in accounts if account.kind == kind)
    severities: Counter[Severity] = Counter()
    for found in findings:
        for key, count in found.counts.items():
            severities[found.severities[key]] += count
    return Totals(
        hosts=len(accounts),
        hosts_without_documents=host_lines.without_documents,
        hosts_incomplete=host_lines.incomplete,
        **_figures(everything),
        sample=_sample(everything),
        errors=severities[Severity.ERROR],
        warnings=severities[Severity.WARNING],
        notices=severities[Severity.INFO],
        funnel=_funnel(everything),
        fields=_fields(everything),
        categories=_categories(everything),
        history=[run.point for run in (*past.runs, now) if run.comparable],
    )


def _explanations(
    findings: Iterable[HostFindings], past: EarlierRuns, lang: Language
) -> dict[str, CodeExplanation]:
    """Return the explanation of every code in the report, including the codes that earlier runs found."""
    codes = {code for found in findings for code, _ in found.counts}
    codes |= {code for run in past.runs for host in run.hosts.values() for code, _ in host.open}
    return {code: CodeExplanation.of(code, lang) for code in sorted(codes)}


def _accounts(folder: RunFolder, findings: Mapping[str, HostFindings]) -> list[Account]:
    """Return the accounts that the run wrote, and an empty one for each other host that findings name.

    If the run reports a fault on our own side, hosts without an account are those that it kept away.
    """
    accounts = {account.host: account for account in folder.read_accounts()}
    kind = kind_of(accounts.values(), folder.kind)
    if (OWN_FAULT, False) not in findings.get("", HostFindings()).counts:
        for host in sorted(findings.keys() - accounts.keys() - {""}):
            accounts[host] = empty_account(host, kind)
    return list(accounts.values())


def _last_change(path: Path) -> str:
    """Return the file's time of change: for a run that was killed, the moment of its last finding."""
    return iso_seconds(int(path.stat().st_mtime))


def _run(folder: RunFolder, stats: Mapping[str, Any], kind: Kind) -> Run:
    return Run(
        name=folder.name,
        kind=kind,
        started=stats.get("start_time"),
        finished=stats.get("finish_time"),
        reason=stats.get("finish_reason"),
        documents=stats.get("woo/documents/mode"),
        audit=bool(stats.get(AUDIT)),
    )


def _tool() -> Tool:
    digest = hashlib.sha256(catalogue().encode()).hexdigest()
    return Tool(version=VERSION, catalogue=digest[:12], score=SCORE_VERSION)


def make_report(
    folder: RunFolder,
    *,
    lang: Language = "nl",
    history: bool = True,
    is_current: bool | None = None,
) -> Path:
    """Write the report in the folder of a run, as JSON, CSV and HTML. Return the path of the page.

    With *history*, also write a file about the run in the folder of all reports. If the report *is_current*,
    the pages of single hosts replace those in that folder too; by default it is if it has a *history*. Raises
    OSError, and ValueError for a file that a run cannot have written.
    """
    past = History(folder.reports.history) if history else None
    assemble_report(folder, history=past, lang=lang)
    write_csv(folder)
    head = read_head(folder.report)
    write_coverage_csv(folder, head)
    if is_current is None:
        is_current = history
    host_pages = folder.reports.host_pages(head.run.kind) if is_current else None
    return render(folder, lang=lang, host_pages=host_pages)
