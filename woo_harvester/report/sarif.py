"""The findings of an audit as SARIF 2.1.0, with which code hosts show them beside the files they are about.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Set
from typing import Any
from urllib.parse import quote

from woo_harvester.findings import Language, Severity, explain
from woo_harvester.report.examples import example_of
from woo_harvester.report.finding_counts import without_credentials
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.json_file import read_head, read_hosts
from woo_harvester.report.run_folder import RunFolder
from woo_harvester.report.sentences import sentences

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
            yield without_credentials(finding)


def _result(finding: dict[str, Any], lang: Language) -> dict[str, Any]:
    explained = explain(finding["code"], lang)
    text = (explained.what, sentences(example_of(finding, lang), Texts(lang)), explained.mend)
    return {
        "ruleId": explained.code,
        "level": _LEVELS[explained.severity],
        "message": {"text": " ".join(filter(None, text))},
        "locations": [{"physicalLocation": _location(finding)}],
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
