"""What a publisher probably meant with a name of an element or a value that is not known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from woo_harvester.diwoo.near_names import meant_element
from woo_harvester.report.xml_lines import label_and_uri, list_of
from woo_harvester.tooi.near_values import nearest_value
from woo_harvester.tooi.values import Concept

#: Findings about a value that its list does not have.
_VALUES = ("waarde.label-onbekend", "informatiecategorie.onbekend", "documenthandeling.onbekend")


def meant_value(finding: Mapping[str, Any]) -> Concept | None:
    """Return the value of its list that is most like an unknown one, or None."""
    values = list_of(str(finding.get("element", "")))
    if values is None or finding["code"] not in _VALUES:
        return None
    label, _ = label_and_uri(str(finding.get("seen", "")).split("; ")[0])
    return nearest_value(values, label)


def suggestion(finding: Mapping[str, Any]) -> str | None:
    """Return what was probably meant, as the publisher should write it, or None."""
    if finding["code"] == "metadata.element-onbekend":
        meant = dict.fromkeys(map(meant_element, str(finding.get("seen", "")).split(", ")))
        return ", ".join(filter(None, meant)) or None
    if finding["code"] == "sitemap.element-onbekend":
        if str(finding.get("element", "")).endswith(("/url", "/sitemap")):
            return None  # its name is right, and what is in it is not
        return "<sitemap>" if str(finding.get("element", "")).startswith("sitemapindex") else "<url>"
    value = meant_value(finding)
    return None if value is None else value.label
