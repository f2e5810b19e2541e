"""Findings: every deviation that a publisher could mend, under a stable code.

A part of the core that notices something makes a :class:`Finding` and hands it to the
:data:`Report` that it was given. The texts, severities and sources of the codes stand in
``catalogue.toml``; nothing is told to a publisher in another way.
"""

from woo_harvester.findings.catalogue import Explanation, Language, Severity, explain, explanations
from woo_harvester.findings.finding import Finding, Report

__all__ = ["Explanation", "Finding", "Language", "Report", "Severity", "explain", "explanations"]
