from __future__ import annotations

import pytest

from woo_harvester.findings import explain
from woo_harvester.sitemaps.file_findings import Area, describe_root, file_findings, read_error_code
from woo_harvester.sitemaps.reader import GUIDE_MAXENTRIES, GUIDE_MAXSIZE, SITEMAP_NAMESPACE, ErrorReason

REASONS: tuple[ErrorReason, ...] = ("ongeldig", "afgebroken", "te-groot", "doctype")


@pytest.mark.parametrize("area", ["index", "sitemap"])
def test_every_reason_of_a_read_error_has_a_finding(area: Area) -> None:
    assert all(explain(read_error_code(area, reason)).severity == "error" for reason in REASONS)


def test_a_file_within_the_norm_and_in_the_right_namespace_gives_no_finding() -> None:
    assert list(file_findings("sitemap", GUIDE_MAXENTRIES, GUIDE_MAXSIZE, SITEMAP_NAMESPACE)) == []
    assert list(file_findings("index", 0, 0, None)) == []


def test_the_finding_on_a_file_beyond_the_norm_shows_both_its_sizes() -> None:
    assert list(file_findings("index", 50_001, 7, SITEMAP_NAMESPACE)) == [
        ("index.boven-norm", "50001 verwijzingen, 7 bytes")
    ]
    assert list(file_findings("sitemap", 1, GUIDE_MAXSIZE + 1, None)) == [
        ("sitemap.boven-norm", "1 verwijzingen, 52428801 bytes")
    ]


@pytest.mark.parametrize(("namespace", "seen"), [("urn:x", "urn:x"), ("", "geen naamruimte")])
def test_another_namespace_is_a_finding(namespace: str, seen: str) -> None:
    assert list(file_findings("sitemap", 1, 1, namespace)) == [("sitemap.naamruimte", seen)]


@pytest.mark.parametrize(
    ("root", "body", "shown"),
    [
        ("rss", b"<rss/>", "<rss>"),
        ("Documents", b"<Documents><Document/><Document/></Documents>", "<Documents> met 2 documenten"),
        ("Documents", b"<Documents><Document/><Docu", "<Documents> met 1 documenten"),
    ],
)
def test_the_text_for_another_root_element_shows_what_is_lost(root: str, body: bytes, shown: str) -> None:
    assert describe_root(root, [body], 1_000_000) == shown
