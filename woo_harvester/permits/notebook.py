"""Collects the findings about one message while it is mapped."""

from __future__ import annotations

from lxml import etree

from woo_harvester.findings import Finding
from woo_harvester.permits.parsing import UNPROCESSED, element_path
from woo_harvester.tooi.values import ValueList


class Notebook:
    """A collector of findings about one message, with the *organisations* that it may name."""

    def __init__(self, organisations: ValueList) -> None:
        self.organisations = organisations
        self.findings: list[Finding] = []

    def __call__(
        self, code: str, element: etree._Element, seen: str | None, action: str = UNPROCESSED
    ) -> None:
        """Add a finding with *code* about an element."""
        self.findings.append(
            Finding(
                code=code, line=element.sourceline, element=element_path(element), seen=seen, action=action
            )
        )

    def missing(self, parent: etree._Element, name: str) -> None:
        """Add a finding that *parent* lacks the element *name*, unless there is one about it already."""
        path, action = f"{element_path(parent)}/{name}", f"{UNPROCESSED}; verplicht bij C en U"
        if not any(finding.element == path for finding in self.findings):
            line = parent.sourceline
            self.findings.append(
                Finding(code="ipm.schema", line=line, element=path, seen="ontbreekt", action=action)
            )
