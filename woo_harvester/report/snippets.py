"""The fix of a finding: what a publisher wrote before and after it, as XML or as lines of robots.txt.

It is made from the templates of its code in ``findings/catalogue.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from textwrap import indent
from typing import Any
from urllib.parse import quote, urljoin, urlsplit
from xml.sax.saxutils import escape

from woo_harvester.documents.pages import documents_asked_for
from woo_harvester.findings.catalogue import PART, FixTemplate, fix_templates
from woo_harvester.report.examples import label_and_uri
from woo_harvester.report.model import OrganisationRef, Snippet
from woo_harvester.sitemaps.robots import right_address
from woo_harvester.utils.secrets import without_login
from woo_harvester.utils.urls import loc_problem, secured

#: A finding as a line of ``findings.jsonl``.
_Line = Mapping[str, Any]

#: An unseen sign as the finding on an address shows it.
_UNSEEN = re.compile(r"<U\+[0-9A-F]{4,6}>")
_MOMENT = "2026-01-31T09:00:00+01:00"


def snippet(finding: _Line, organisation: OrganisationRef | None) -> Snippet | None:
    """Return the text before and after the fix, or None for a finding that is not fixed in a text.

    *organisation* is the owner of the host. It is the example for a publisher that is not given.
    """
    templates = fix_templates().get(finding["code"])
    if templates is None:
        return None
    owner = organisation or OrganisationRef(id="", name="")
    before, after = (_filled(template, finding, owner) for template in templates)
    if before is None or after is None or before == after:
        return None
    return Snippet(before=before, after=after)


def _filled(template: FixTemplate, finding: _Line, owner: OrganisationRef) -> str | None:
    """Return the text of a template; None if a part of it cannot be known."""
    parts = {name: _PARTS[name](finding, owner) for name in template.parts}
    shown = {
        name: escape(part) if template.is_xml else part for name, part in parts.items() if part is not None
    }
    if len(shown) < len(parts):
        return None
    text = PART.sub(lambda match: shown[match[1]], template.text)
    if template.within == "loc":
        return _around_loc(text, finding)
    if template.within == "metadata":
        inside = indent(text, "    ")
        text = f"<diwoo:Document>\n  <diwoo:DiWoo>\n{inside}\n  </diwoo:DiWoo>\n</diwoo:Document>"
    return _entry(str(finding.get("url", "")), text) if template.within else text


def _around_loc(loc: str, finding: _Line) -> str:
    """Return a loc as it is written in robots.txt, an index or a sitemap: where the finding saw it."""
    if finding.get("element") is None:
        return f"Sitemap: {loc}"
    return _entry(loc, name="sitemap" if finding["element"] == "sitemap/loc" else "url")


def _entry(loc: str, inside: str = "", name: str = "url") -> str:
    lines = [f"<{name}>", f"  <loc>{escape(loc)}</loc>", *indent(inside, "  ").splitlines(), f"</{name}>"]
    return "\n".join(lines)


def _seen(finding: _Line) -> str:
    return str(finding.get("seen", ""))


def _address(finding: _Line) -> str:
    """Return the address of an index as robots.txt has it, else as it was fetched."""
    return finding.get("seen") or str(finding.get("url", ""))


def _read_as(finding: _Line) -> tuple[str, str]:
    """Return the label and the URI as which a value was read; both are empty if it was not."""
    return label_and_uri(str(finding.get("action", "")).partition("gelezen als ")[2])


def _usable(loc: str) -> str | None:
    """Return a loc if a document can be harvested from it."""
    return None if loc_problem(loc) else loc


def _quoted(url: str) -> str:
    """Return the URL with percent escapes for characters that a URL cannot have, such as a space."""
    return quote(url, safe="/:?#[]@!$&'()*+,;=%~")


def _with_https(finding: _Line) -> str | None:
    scheme, _, rest = _seen(finding).strip().partition("://")
    return _usable(_quoted(f"https://{rest}")) if scheme.lower() == "http" else None


def _with_escapes(finding: _Line) -> str | None:
    loc = _UNSEEN.sub("", _seen(finding)).strip()
    try:
        url = loc if "://" in loc else urljoin(finding.get("sitemap") or f"https://{finding['host']}/", loc)
    except ValueError:  # a broken IPv6 address
        return None
    return _usable(_quoted(url))


def _example_loc(finding: _Line) -> str:
    name = "sitemap-1.xml" if finding.get("element") == "sitemap/loc" else "documenten/bestand.pdf"
    return f"https://{finding.get('host')}/{name}"


def _organisation_uri(owner: OrganisationRef) -> str:
    is_uri = owner.id.startswith("https://")
    return _quoted(owner.id) if is_uri else "https://identifier.overheid.nl/tooi/id/…"


#: The parts that a template may name; None if a part cannot be known: then there is no fix.
_PARTS: dict[str, Callable[[_Line, OrganisationRef], str | None]] = {
    "organisation": lambda _, owner: owner.name or "gemeente Voorbeeld",
    "organisation_uri": lambda _, owner: _organisation_uri(owner),
    "host": lambda finding, _: str(finding.get("host")),
    "url": lambda finding, _: str(finding.get("url", "")),
    "folder": lambda finding, _: urlsplit(finding.get("url", "")).path.rpartition("/")[0] + "/",
    "seen": lambda finding, _: _seen(finding),
    "tags": lambda finding, _: _seen(finding).rpartition(" × ")[2],
    "doubled": lambda finding, _: finding.get("element") or f"diwoo:{_seen(finding).partition(', ')[0]}",
    "element": lambda finding, _: str(finding.get("element", "")).rpartition("/")[2],
    "address": lambda finding, _: _address(finding),
    "right_address": lambda finding, _: right_address(_address(finding)),
    "right_label": lambda finding, _: _read_as(finding)[0] or None,
    "right_uri": lambda finding, _: _read_as(finding)[1] or None,
    "read_as": lambda finding, _: str(finding.get("action", "")).partition("gelezen als ")[2] or None,
    "with_https": lambda finding, _: _with_https(finding),
    "with_escapes": lambda finding, _: _with_escapes(finding),
    "without_login": lambda finding, _: _usable(without_login(_seen(finding))),
    "redirect_target": lambda finding, _: _usable(_seen(finding).partition("doorverwijzing naar ")[2]),
    "asked_for": lambda finding, _: next(
        filter(_usable, map(secured, documents_asked_for(_seen(finding)))), None
    ),
    "example_file": lambda finding, _: f"https://{finding.get('host')}/documenten/bestand.pdf",
    "example_loc": lambda finding, _: _example_loc(finding),
    "example_date": lambda finding, _: _MOMENT[:10] if finding.get("element") == "creatiedatum" else _MOMENT,
    "at": lambda finding, _: str(finding.get("at", _MOMENT)),
    "today": lambda finding, _: str(finding.get("at", _MOMENT))[:10],
}
