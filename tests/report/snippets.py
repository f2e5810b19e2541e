"""Snippets of findings, for tests of what they show."""

from __future__ import annotations

from lxml import etree

from tests.report.runs import ORGANISATION
from woo_harvester.diwoo.given import DIWOO_NAMESPACE
from woo_harvester.findings import Finding
from woo_harvester.report.model import OrganisationRef, Snippet
from woo_harvester.report.snippets import snippet

ROOT = f'<urlset xmlns:diwoo="{DIWOO_NAMESPACE}" xmlns:mdto="urn:mdto">'
CATEGORY = "classificatiecollectie/informatiecategorieen/informatiecategorie"
SORT = "documenthandelingen/documenthandeling/soortHandeling"


def made(finding: Finding) -> Snippet:
    given = snippet(finding.as_dict(), OrganisationRef(**ORGANISATION))
    assert given is not None
    return given


def entry(text: str) -> etree._Element:
    """Return the entry in a snippet, parsed as XML."""
    url = etree.fromstring(f"{ROOT}{text}</urlset>".encode()).find("url")
    assert url is not None
    return url


def text(url: etree._Element, name: str) -> str | None:
    return url.findtext(f".//{{{DIWOO_NAMESPACE}}}{name}")
