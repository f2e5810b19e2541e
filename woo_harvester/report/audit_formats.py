"""The findings of an audit as JUnit XML, which CI systems show: a suite per host, a case per finding."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Set
from typing import Any
from urllib.parse import quote

from lxml import etree
from lxml.builder import E

from woo_harvester.findings import Language, Severity, explain
from woo_harvester.report.audit_summary import headline, notes, sentences
from woo_harvester.report.examples import example_of
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.json_file import read_head, read_hosts
from woo_harvester.report.model import CodeExplanation, Example, FindingRow, HostReport
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
    count = texts("sentence_found_one") if row.count == 1 else texts("sentence_found", n=row.count)
    lines = [
        f"{texts('severity_' + row.severity)}: {explained.what} {count}",
        explained.why,
        explained.mend,
        *(_mistake(row, each, texts) for each in row.mistakes),
        texts("finding_others", times=texts.count(row.not_shown, "time")) if row.not_shown else None,
    ]
    text = _text("\n".join(filter(None, lines)))
    if row.severity in failing:
        case.append(E.failure(text, message=_text(explained.what), type=row.severity.value))
    else:
        case.append(E("system-out", text))
    return case


def _mistake(row: FindingRow, each: Example, texts: Texts) -> str:
    """Return a mistake in sentences, with its number if it is not the only one of its code."""
    said = sentences(each, texts)
    return said if each.alike == row.count else f"{texts.count(each.alike, 'time')}: {said}"


def _text(text: str) -> str:
    return _NEVER_IN_XML.sub("�", text)


_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}

#: The maximum number of results: code hosts accept a few thousand, and nobody reads more.
_MAX_RESULTS = 5_000

#: Characters of a URL that are not escaped.
_SAFE = "%/:=&?~#+!$,;'@()*[]"


def sarif(folder: RunFolder, lang: Language = "nl") -> str:
    """Return the findings of a run as SARIF: one result each, at most 5,000, errors first.

    Raises OSError, and ValueError for a file that a run cannot have written.
    """
    head = read_head(folder.report)
    hosts = {host.host: {row.code for row in host.findings} for host in read_hosts(folder.report)}
    results: list[dict[str, Any]] = []
    for severity in _LEVELS:
        for finding in _findings(folder, hosts, severity):
            if len(results) == _MAX_RESULTS:
                break
            results.append(_result(finding, lang))
    codes = sorted({result["ruleId"] for result in results})
    driver: dict[str, Any] = {
        "name": head.tool.name,
        "version": head.tool.version,
        "rules": [_rule(code, lang) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "language": lang,
        "results": results,
        "columnKind": "unicodeCodePoints",
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=1) + "\n"


def _findings(
    folder: RunFolder, hosts: Mapping[str, Set[str]], severity: Severity
) -> Iterator[dict[str, Any]]:
    """Yield the findings of a severity that the report has, by the codes of each host."""
    for finding in folder.read_findings():
        shown = hosts.get(finding.get("host", ""), frozenset())
        if finding["code"] in shown and finding["severity"] == severity:
            yield finding


def _result(finding: dict[str, Any], lang: Language) -> dict[str, Any]:
    explained = explain(finding["code"], lang)
    text = (explained.what, sentences(example_of(finding, lang), Texts(lang)), explained.mend)
    counted = {"occurrenceCount": finding["count"]} if "count" in finding else {}
    return {
        "ruleId": explained.code,
        "level": _LEVELS[Severity(finding["severity"])],
        "message": {"text": " ".join(filter(None, text))},
        "locations": [{"physicalLocation": _location(finding)}],
        **counted,
    }


def _location(finding: dict[str, Any]) -> dict[str, Any]:
    place = finding.get("sitemap") or finding.get("url") or finding["host"]
    location: dict[str, Any] = {"artifactLocation": {"uri": quote(place, safe=_SAFE)}}
    if finding.get("line"):
        location["region"] = {"startLine": finding["line"]}
    return location


def _rule(code: str, lang: Language) -> dict[str, Any]:
    explained = explain(code, lang)
    source = Texts(lang)("sentence_source", source=explained.source)
    return {
        "id": code,
        "shortDescription": {"text": explained.what},
        "fullDescription": {"text": f"{explained.why} {source}"},
        "help": {"text": explained.mend},
        "defaultConfiguration": {"level": _LEVELS[explained.severity]},
    }
