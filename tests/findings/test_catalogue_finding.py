from __future__ import annotations

import json
from dataclasses import FrozenInstanceError

import pytest

from woo_harvester.findings import Finding, Severity
from woo_harvester.findings.catalogue import SEEN_MAXLENGTH


def test_a_finding_tells_what_applies_in_a_fixed_order() -> None:
    finding = Finding(
        code="loc.geen-https",
        at="2026-11-21T08:00:00+01:00",
        action="overgeslagen",
        seen="http://www.gemeente.nl/besluit.pdf",
        element="loc",
        line=12,
        sitemap="https://www.gemeente.nl/sitemap.xml",
        host="www.gemeente.nl",
        organisation="https://identifier.overheid.nl/tooi/id/gemeente/gm9999",
        url="http://www.gemeente.nl/besluit.pdf",
    )
    assert list(finding.as_dict().items()) == [
        ("code", "loc.geen-https"),
        ("severity", "error"),
        ("url", "http://www.gemeente.nl/besluit.pdf"),
        ("organisation", "https://identifier.overheid.nl/tooi/id/gemeente/gm9999"),
        ("host", "www.gemeente.nl"),
        ("sitemap", "https://www.gemeente.nl/sitemap.xml"),
        ("line", 12),
        ("element", "loc"),
        ("seen", "http://www.gemeente.nl/besluit.pdf"),
        ("action", "overgeslagen"),
        ("at", "2026-11-21T08:00:00+01:00"),
    ]


def test_what_does_not_apply_is_left_out() -> None:
    assert Finding(code="sitemap.leeg").as_dict() == {"code": "sitemap.leeg", "severity": "info"}


def test_an_empty_text_that_was_seen_is_reported() -> None:
    assert Finding(code="loc.ontbreekt", seen="").as_dict()["seen"] == ""


def test_a_finding_is_written_as_plain_json() -> None:
    line = json.dumps(Finding(code="lastmod.ongeldig", line=0, seen="gisteren").as_dict())
    assert line == '{"code": "lastmod.ongeldig", "severity": "warning", "line": 0, "seen": "gisteren"}'


def test_the_severity_belongs_to_the_code() -> None:
    assert Finding(code="intrekking.massaal").severity is Severity.WARNING


def test_a_long_text_that_was_seen_is_cut_and_says_so() -> None:
    seen = Finding(code="lastmod.ongeldig", seen="x" * (SEEN_MAXLENGTH + 1)).seen
    assert seen == "x" * (SEEN_MAXLENGTH - 1) + "…"


def test_a_text_of_the_greatest_length_is_kept_whole() -> None:
    assert Finding(code="lastmod.ongeldig", seen="x" * SEEN_MAXLENGTH).seen == "x" * SEEN_MAXLENGTH


def test_an_unknown_code_fails_where_the_finding_is_made() -> None:
    with pytest.raises(ValueError, match=r"loc\.nergens"):
        Finding(code="loc.nergens")


def test_a_finding_does_not_change() -> None:
    finding = Finding(code="sitemap.leeg")
    with pytest.raises(FrozenInstanceError):
        finding.code = "loc.dubbel"  # type: ignore[misc]
