"""The fix of a value of a list, a date or a reference in the metadata, as XML before and after it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from woo_harvester.diwoo.mapping import NO_KIND
from woo_harvester.report.model_base import OrganisationRef
from woo_harvester.report.suggestions import meant_value
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
    """Return a value of a list: first as given, then as it was read, else the value of that list to write.

    That is the one that was probably meant, or an example.
    """
    path, loc = finding.get("element", ""), finding.get("url", "")
    _, read_as, text = str(finding.get("action", "")).partition("gelezen als ")
    right = label_and_uri(text) if read_as else None
    label, uri = _as_given(str(finding.get("seen", "")).split("; ")[0], right[1] if right else "")
    if right is None or not right[0] or "onbekend" in right[0].lower():
        example = meant_value(finding) or example_of(path)
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


def future_day_snippet(finding: _Finding, organisation: OrganisationRef) -> _Lines:
    """Return a creatiedatum in the future as given, and the day of the harvest in its place."""
    loc, today = finding.get("url", ""), str(finding.get("at", DAY))[: len(DAY)]
    before, after = (
        described(loc, text_element("creatiedatum", day)) for day in (finding.get("seen", ""), today)
    )
    return before, after


def period_snippet(finding: _Finding, organisation: OrganisationRef) -> _Lines:
    """Return a geldigheid as given, and with its two dates swapped."""
    loc, (begin, _, end) = finding.get("url", ""), str(finding.get("seen", "")).partition(" – ")
    return described(loc, *_geldigheid(begin, end)), described(loc, *_geldigheid(end, begin))


def reference_snippet(finding: _Finding, organisation: OrganisationRef) -> _Lines:
    """Return a reference with http as given, and with https."""
    path, loc = finding.get("element", ""), finding.get("url", "")
    label, uri = label_and_uri(str(finding.get("seen", "")))
    before, after = (
        described(loc, *nested(path, coded_element(path, label, each)))
        for each in (uri, re.sub("^http://", "https://", uri, flags=re.IGNORECASE))
    )
    return before, after


def _as_given(seen: str, right: str) -> tuple[str, str]:
    """Return the label and URI of a value; in the place of the URI may be the code of the *right* one."""
    code = f" ({right.rpartition('/')[2]})"
    return (seen.removesuffix(code), code[2:-1]) if seen.endswith(code) else label_and_uri(seen)


def _geldigheid(begin: str, end: str) -> list[str]:
    dates = (text_element("begindatum", begin), text_element("einddatum", end))
    return ["<diwoo:geldigheid>", *("  " + date for date in dates), "</diwoo:geldigheid>"]
