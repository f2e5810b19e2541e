"""Findings: every deviation that a publisher could fix, under a stable code.

A part of the project that notices something calls the :class:`Reporter` that it was given, which makes a
:class:`Finding`. The texts, severities and sources of the codes stand in ``catalogue.toml``. Nothing reaches
a publisher in another way.
"""

from woo_harvester.findings.catalogue import Explanation, Finding, Language, Severity, explain, explanations
from woo_harvester.findings.reporter import Reporter

__all__ = ["Explanation", "Finding", "Language", "Reporter", "Severity", "explain", "explanations"]
