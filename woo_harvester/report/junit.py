"""The findings of an audit as JUnit XML, which CI systems show: a suite per host, a case per finding."""

from __future__ import annotations

import re

from lxml import etree
from lxml.builder import E

from woo_harvester.findings import Severity
from woo_harvester.report.audit_summary import headline, mistake, notes
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.json_file import read_head, read_hosts
from woo_harvester.report.model import CodeExplanation, FindingRow, HostReport
from woo_harvester.report.run_folder import RunFolder

#: Characters that XML 1.0 does not allow, not even escaped.
_NEVER_IN_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(folder: RunFolder, failing: frozenset[Severity]) -> str:
    """Return the report of a run as JUnit XML: findings of a *failing* severity fail, the others pass.

    The first case of each suite is about all documents of the host, or those in the sample. It fails if one
    of them is not harvested, or if the host could not be reached. Raises OSError, and ValueError if
    ``report.json`` is not a report.
    """
    head = read_head(folder.report)
    suites = [
        _suite(host, head.explanations, failing, Texts(head.lang, host.kind))
        for host in read_hosts(folder.report)
    ]
    totals = {name: str(sum(int(suite.get(name, "0")) for suite in suites)) for name in ("tests", "failures")}
    root = E.testsuites(*suites, name="woo-harvester audit", errors="0", **totals)
    return etree.tostring(root, encoding="unicode", pretty_print=True)


def _suite(
    host: HostReport, explanations: dict[str, CodeExplanation], failing: frozenset[Severity], texts: Texts
) -> etree._Element:
    cases = [_documents_case(host, texts)]
    cases += [_case(host, row, explanations[row.code], failing, texts) for row in host.findings]
    failures = sum(case.find("failure") is not None for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failures), "errors": "0", "skipped": "0"}
    return E.testsuite(*cases, name=_text(host.host), **counts)


def _documents_case(host: HostReport, texts: Texts) -> etree._Element:
    name = texts.noun(2, "document")
    case = E.testcase(name=name, classname=_text(host.host), time="0")
    verdict = [host.verdict.text] if host.verdict is not None else []
    message = " ".join([f"{headline(host, texts)}.", *verdict, *notes(host, texts)])
    if host.harvested < host.judged or host.unreached:
        case.append(E.failure(message=message, type=name))
    case.append(E("system-out", message))
    return case


def _case(
    host: HostReport, row: FindingRow, explained: CodeExplanation, failing: frozenset[Severity], texts: Texts
) -> etree._Element:
    case = E.testcase(name=row.code, classname=_text(host.host), time="0")
    lines = [
        f"{texts('severity_' + row.severity)}: {explained.what} ({texts.count(row.count, 'time')})",
        explained.why,
        explained.mend,
        *("; ".join(filter(None, [*mistake(row, each, texts), each.action])) for each in row.mistakes),
        texts("finding_others", times=texts.count(row.not_shown, "time")) if row.not_shown else None,
    ]
    text = _text("\n".join(filter(None, lines)))
    if row.severity in failing:
        case.append(E.failure(text, message=_text(explained.what), type=row.severity.value))
    else:
        case.append(E("system-out", text))
    return case


def _text(text: str) -> str:
    return _NEVER_IN_XML.sub("�", text)
