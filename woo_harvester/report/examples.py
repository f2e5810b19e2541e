"""What a publisher probably meant with a name of an element or a value that is not known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from woo_harvester.diwoo.given import meant_element
from woo_harvester.findings import Language
from woo_harvester.findings.texts import action_in_words, in_words
from woo_harvester.report.model import Example
from woo_harvester.sitemaps.robots import right_address
from woo_harvester.tooi.coded import nearest_value
from woo_harvester.tooi.lists import bundled
from woo_harvester.tooi.values import Concept

#: Findings about a value that its list does not have.
_VALUES = ("waarde.label-onbekend", "informatiecategorie.onbekend", "documenthandeling.onbekend")

#: A value as it is written in findings: a label, a URI, or ``label (URI)``.
_VALUE = re.compile(
    r"(?:(?P<label>.*?) ?)(?:\((?P<uri>https?://[^()\s]+)\)|(?P<bare>https?://\S+))?",
    re.DOTALL | re.IGNORECASE,
)

#: The field of ``ValueLists`` with the values of an element.
_LISTS = {
    **dict.fromkeys(("publisher", "verantwoordelijke", "medeverantwoordelijke"), "organisaties"),
    **dict.fromkeys(("opsteller", "wasAssociatedWith"), "organisaties"),
    "informatiecategorie": "informatiecategorieen",
    "documentsoort": "documentsoorten",
    "thema": "themas",
    "language": "talen",
    "soortHandeling": "handelingen",
    "format": "filetypes",
    "role": "documentrelaties",
    "redenVerwijderingVervanging": "redenen",
}


def meant_value(finding: Mapping[str, Any]) -> Concept | None:
    """Return the value of its list that is most like an unknown one, or None."""
    field = _LISTS.get(str(finding.get("element", "")).rpartition("/")[2])
    if field is None or finding["code"] not in _VALUES:
        return None
    label, _ = label_and_uri(str(finding.get("seen", "")).split("; ")[0])
    return nearest_value(getattr(bundled(), field), label)


def label_and_uri(text: str) -> tuple[str, str]:
    """Return the label and the URI of a value in a finding; either may be empty."""
    match = _VALUE.fullmatch(text.strip())
    if match is None:
        return text, ""
    return match["label"] or "", match["uri"] or match["bare"] or ""


def suggestion(finding: Mapping[str, Any]) -> str | None:
    """Return what was probably meant, as the publisher should write it, or None."""
    if finding["code"] == "metadata.element-onbekend":
        meant = dict.fromkeys(map(meant_element, str(finding.get("seen", "")).split(", ")))
        return ", ".join(filter(None, meant)) or None
    if finding["code"] == "sitemap.element-onbekend":
        if str(finding.get("element", "")).endswith(("/url", "/sitemap")):
            return None  # its name is right, and what is in it is not
        return "<sitemap>" if str(finding.get("element", "")).startswith("sitemapindex") else "<url>"
    if finding["code"] in ("index.naam", "index.infocat-onbekend"):
        return right_address(str(finding.get("seen", "")))
    value = meant_value(finding)
    return None if value is None else value.label


def example_of(finding: Mapping[str, Any], lang: Language) -> Example:
    """Return a line of ``findings.jsonl`` as an example of its code."""
    known = {name: value for name, value in finding.items() if name in Example.model_fields}
    if "seen" in known:
        known["seen"] = in_words(finding["code"], known["seen"], lang)
        known["suggestion"] = suggestion(finding)
    if "action" in known:
        known["action"] = action_in_words(known["action"], lang)
    return Example(**known)
