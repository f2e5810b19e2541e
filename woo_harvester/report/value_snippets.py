"""The fix of a value of a list, a date or a reference in the metadata, as XML before and after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from woo_harvester.diwoo.mapping import NO_KIND
from woo_harvester.report.model import OrganisationRef
from woo_harvester.report.xml_lines import (
    DAY,
    MOMENT,
    coded_element,
    described,
    example_of,
    label_and_uri,
    nested,
    text_element,
)

_Finding = Mapping[str, Any]
_Lines = tuple[list[str], list[str]]


def value_snippet(finding: _Finding, organisation: OrganisationRef) -> _Lines | None:
    """Return a value of a list: first as given, then as it was read, else an example from that list."""
    path, loc = finding.get("element", ""), finding.get("url", "")
    label, uri = label_and_uri(str(finding.get("seen", "")).split("; ")[0])
    _, read_as, text = str(finding.get("action", "")).partition("gelezen als ")
    right = label_and_uri(text) if read_as else None
    if right is None or not right[0] or "onbekend" in right[0].lower():
        example = example_of(path)
        if example is None:
            return None
        right = example.label, example.uri
    before = "…" if label == NO_KIND else coded_element(path, label, uri)
    return described(loc, *nested(path, before)), described(loc, *nested(path, coded_element(path, *right)))


def date_snippet(finding: _Finding, organisation: OrganisationRef) -> _Lines:
    """Return a date as given, and an example of one that can be read."""
    path, loc = finding.get("element", ""), finding.get("url", "")
    right = DAY if path == "creatiedatum" else MOMENT
    before = nested(path, text_element(path, finding.get("seen", "")))
    return described(loc, *before), described(loc, *nested(path, text_element(path, right)))
