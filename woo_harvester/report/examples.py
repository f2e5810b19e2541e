"""A finding as reports show it: what was seen in words, with what was probably meant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from woo_harvester.findings import Language
from woo_harvester.findings.action_texts import action_in_words
from woo_harvester.findings.seen_texts import in_words
from woo_harvester.report.expected import expected
from woo_harvester.report.model import Example
from woo_harvester.report.suggestions import suggestion


def example_of(finding: Mapping[str, Any], lang: Language) -> Example:
    """Return a line of ``findings.jsonl`` as an example of its code."""
    return Example(**example_fields(finding, lang))


def example_fields(finding: Mapping[str, Any], lang: Language) -> dict[str, Any]:
    """Return the fields of an example of a finding."""
    known = {name: value for name, value in finding.items() if name in Example.model_fields}
    if "seen" in known:
        known["seen"] = in_words(finding["code"], known["seen"], lang)
        known["suggestion"] = suggestion(finding)
    if "action" in known:
        known["action"] = action_in_words(known["action"], lang)
    known["expected"] = expected(finding, lang)
    return known
