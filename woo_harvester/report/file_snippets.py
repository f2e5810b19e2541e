"""The fix of a finding about robots.txt, an index or a sitemap: the lines before and after it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, urljoin, urlsplit
from xml.sax.saxutils import escape, quoteattr, unescape

from woo_harvester.diwoo.given import DIWOO_NAMESPACE
from woo_harvester.diwoo.mapping import NO_KIND
from woo_harvester.report.examples import meant_value
from woo_harvester.report.model import OrganisationRef
from woo_harvester.report.xml_lines import (
    DAY,
    MOMENT,
    coded_element,
    described,
    entry,
    example_of,
    label_and_uri,
    nested,
    text_element,
)
from woo_harvester.sitemaps.reader import PROPER_NAMES, SITEMAP_NAMESPACE
from woo_harvester.sitemaps.repair import NAMESPACES
from woo_harvester.sitemaps.robots import read_robots_lines
from woo_harvester.utils.urls import loc_problem

#: The file name that an index should have.
_INDEX_NAME = "sitemapindex-diwoo.xml"

#: Elements with metadata that belong in a document, and such an element.
_METADATA = frozenset({"Document", "DiWoo", "MDTO", "extraMetadata"})
_EMPTY = "<diwoo:{0}>…</diwoo:{0}>"

FindingLine = Mapping[str, Any]
"""A finding as a line of ``findings.jsonl``."""

Maker = Callable[[FindingLine, OrganisationRef], "tuple[list[str], list[str]] | None"]


def https_url(finding: FindingLine) -> str | None:
    """Return the URL that was seen with https for http; None if it does not begin with http."""
    scheme, _, rest = str(finding.get("seen", "")).strip().partition("://")
    return quoted(f"https://{rest}") if scheme.lower() == "http" else None


def quoted(url: str) -> str:
    """Return the URL with percent escapes for characters that a URL cannot have, such as a space."""
    return quote(url, safe="/:?#[]@!$&'()*+,;=%~")


def example_file(finding: FindingLine) -> str:
    """Return the URL that a document of the host may have."""
    return f"https://{finding.get('host')}/documenten/bestand.pdf"


def _no_robots(finding: FindingLine, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    return [], ["User-agent: *", "Allow: /", "", f"Sitemap: https://{finding.get('host')}/{_INDEX_NAME}"]


def _no_index(finding: FindingLine, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    return ["User-agent: *"], ["User-agent: *", "", f"Sitemap: https://{finding.get('host')}/{_INDEX_NAME}"]


def _named_again(finding: FindingLine, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    return ["User-agent: *"], ["User-agent: *", "", f"Sitemap: {finding.get('url', '')}"]


def _allowed(finding: FindingLine, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    folder = urlsplit(finding.get("url", "")).path.rpartition("/")[0] + "/"
    return ["User-agent: *", f"Disallow: {folder}"], ["User-agent: *", f"Allow: {folder}"]


def _sitemap_line(change: Callable[[str, FindingLine], str]) -> Maker:
    """Return a maker for a ``Sitemap:`` line of robots.txt that *change* writes in another way."""

    def make(finding: FindingLine, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
        given = finding.get("seen") or finding.get("url", "")
        return [f"Sitemap: {given}"], [f"Sitemap: {change(given, finding)}"]

    return make


def _renamed(given: str, finding: FindingLine) -> str:
    folder, slash, _ = given.rpartition("/")
    return f"{folder}{slash}{_INDEX_NAME}"


def _lower(given: str, finding: FindingLine) -> str:
    folder, slash, name = given.rpartition("/")
    return f"{folder}{slash}{name.lower()}"


def _written_apart(finding: FindingLine, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    """Return a line of robots.txt with several addresses in it, and each address on a line of its own."""
    line = str(finding.get("seen", ""))
    right = _sitemap_lines(line.removesuffix("…"), finding)
    # The last address of a line that is too long to be shown may have been cut off.
    return [line], [*right[:-1], "…"] if line.endswith("…") else right


def _as_sitemap_line(finding: FindingLine, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    """Return a line of robots.txt that names an index in another way, and the line that refers to it."""
    line = str(finding.get("seen", ""))
    named = re.search(r"(?:https?:/)?/[^\s<>\"'*$]*\.xml", line, re.IGNORECASE)
    right = _sitemap_lines(f"Sitemap: {named[0] if named else _INDEX_NAME}", finding)
    return [line], [line, *right] if line.lower().startswith("allow") else right


def _sitemap_lines(text: str, finding: FindingLine) -> list[str]:
    """Return the ``Sitemap:`` lines in a text as they should be written."""
    robots = f"https://{finding.get('host')}/robots.txt"
    return [f"Sitemap: {line.url}" for line in read_robots_lines(text.encode(), robots).sitemaps]


def _urlset(finding: FindingLine, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    before = [f"<{_root_seen(finding)}>", "  …"]
    after = [f'<urlset xmlns="{SITEMAP_NAMESPACE}"', f'        xmlns:diwoo="{DIWOO_NAMESPACE}">']
    return before, [*after, *("  " + line for line in entry(example_file(finding))), "</urlset>"]


def _index_of(finding: FindingLine, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    sitemap = urljoin(finding.get("url", ""), "sitemap-1.xml")
    after = ["  <sitemap>", f"    <loc>{escape(sitemap)}</loc>", "  </sitemap>", "</sitemapindex>"]
    return (
        [f'<urlset xmlns="{SITEMAP_NAMESPACE}">', "  <url>…</url>", "</urlset>"],
        [f'<sitemapindex xmlns="{SITEMAP_NAMESPACE}">', *after],
    )


def _index_root(finding: FindingLine, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    root, rest = _root_seen(finding), ["  <sitemap>…</sitemap>"]
    return (
        [f'<{root} xmlns="{SITEMAP_NAMESPACE}">', *rest, f"</{root}>"],
        [f'<sitemapindex xmlns="{SITEMAP_NAMESPACE}">', *rest, "</sitemapindex>"],
    )


def _sitemap_root(finding: FindingLine, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    """Return the beginning of a sitemap with another root; of ``Documents`` with an entry as it is there."""
    if _root_seen(finding) != "Documents":
        return _urlset(finding, organisation)
    loc = example_file(finding)
    begin, end = ["<diwoo:Document>", "  <diwoo:DiWoo>"], ["    …", "  </diwoo:DiWoo>", "</diwoo:Document>"]
    given = [*begin, f"    <loc>{escape(loc)}</loc>", *end]
    right = entry(loc, *begin, *end)
    return (
        ["<diwoo:Documents …>", *("  " + line for line in given), "</diwoo:Documents>"],
        ["<urlset …>", *("  " + line for line in right), "</urlset>"],
    )


def _declared(finding: FindingLine, organisation: OrganisationRef) -> tuple[list[str], list[str]] | None:
    """Return a root element without and with the declaration of the prefix that was seen."""
    prefix = str(finding.get("seen", ""))
    if prefix not in NAMESPACES:
        return None
    root = f'<urlset xmlns="{SITEMAP_NAMESPACE}"'
    return [f"{root}>"], [root, f'        xmlns:{prefix}="{NAMESPACES[prefix]}">']


def _ampersand(finding: FindingLine, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    """Return the text with a bare ampersand, and the same text as XML has it."""
    seen = str(finding.get("seen", "")).replace("<", "&lt;")
    right = escape(unescape(seen))
    is_loc = loc_problem(unescape(seen)) is None
    return ([f"<loc>{seen}</loc>"], [f"<loc>{right}</loc>"]) if is_loc else ([seen], [right])


def _separated(root: str, name: str, other: str) -> Maker:
    """Return a maker for a file with entries of two kinds, of which *other* does not belong in it."""

    def make(finding: FindingLine, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
        right = [f"<{root}>", f"  <{name}>…</{name}>", f"</{root}>"]
        return [*right[:-1], f"  <{other}>…</{other}>", right[-1]], right

    return make


def _renamed_entries(finding: FindingLine, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    """Return entries as they were named and as they should be; those inside another element without it."""
    root, _, given = str(finding.get("element", "urlset")).partition("/")
    name, loc = ("sitemap", urljoin(finding.get("url", ""), "sitemap-1.xml"))
    if root != "sitemapindex":
        name, loc = "url", example_file(finding)
    right, wrong = entry(loc, name=name), entry(loc, name=given or name)
    seen = str(finding.get("seen", ""))
    if not given:
        wrong = [escape(seen)]
    elif "<loc><loc>" in seen:
        other = entry(urljoin(loc, "ander"), name=name)
        wrong, right = [*right[:-1], *other[1:]], [*right, *other]
    elif f"<{given}><" in seen:
        wrong = [f"<{given}>", *("  " + line for line in right), f"</{given}>"]
    elif given in _METADATA:
        wrong, right = [_EMPTY.format(given)], entry(loc, *_in_document(given), name=name)
    return _below(root, wrong), _below(root, right)


def _in_document(name: str) -> list[str]:
    """Return an element with metadata in the element that it belongs in."""
    if name == "Document":
        return [_EMPTY.format(name)]
    return ["<diwoo:Document>", f"  {_EMPTY.format(name)}", "</diwoo:Document>"]


def _below(root: str, lines: list[str]) -> list[str]:
    return [f"<{root} …>", *("  " + line for line in lines), f"</{root}>"]


def _small_letters(finding: FindingLine, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    """Return the tags that differ in the case of letters, and the same tags as they should be."""
    names = re.findall(r"<([^<>]+)>", str(finding.get("seen", "")))
    return [f"<{name}>…</{name}>" for name in names], [
        f"<{right}>…</{right}>" for right in (PROPER_NAMES.get(name.lower(), name) for name in names)
    ]


def _root_seen(finding: FindingLine) -> str:
    """Return the name of the root element that a finding begins with."""
    return re.sub("[^A-Za-z:_-].*", "", str(finding.get("seen", "")).lstrip("<"))


def _doctype(finding: FindingLine, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    first, rest = '<?xml version="1.0" encoding="UTF-8"?>', f'<urlset xmlns="{SITEMAP_NAMESPACE}">'
    return [first, "<!DOCTYPE …>", rest], [first, rest]


def namespace_maker(name: str, right: str) -> Maker:
    """Return a maker for an element that needs the namespace *right*."""

    def make(finding: FindingLine, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
        seen = finding.get("seen", "")
        given = f" xmlns={quoteattr(seen)}" if "://" in seen else ""
        tag = finding.get("element", name).rpartition("/")[2]
        return [f"<{tag}{given}>"], [f'<{tag} xmlns="{right}">']

    return make


FILE_MAKERS: dict[str, Maker] = {
    "robots.ontbreekt": _no_robots,
    "robots.geen-diwoo-index": _no_index,
    "robots.verboden": _allowed,
    "robots.sitemap-relatief": _sitemap_line(lambda given, finding: finding.get("url", given)),
    "robots.samengevoegd": _written_apart,
    "robots.regel-afwijkend": _as_sitemap_line,
    "robots.regel-genegeerd": _as_sitemap_line,
    "index.verdwenen": _named_again,
    "index.naam": _sitemap_line(_renamed),
    "index.infocat-onbekend": _sitemap_line(_renamed),
    "index.hoofdletters": _sitemap_line(_lower),
    "index.geen-https": _sitemap_line(lambda given, finding: https_url({"seen": given}) or given),
    "index.is-urlset": _index_of,
    "index.gemengd": _separated("sitemapindex", "sitemap", "url"),
    "index.andere-wortel": _index_root,
    "sitemap.wortelelement": _urlset,
    "sitemap.element-onbekend": _renamed_entries,
    "sitemap.hoofdletters": _small_letters,
    "sitemap.gemengd": _separated("urlset", "url", "sitemap"),
    "sitemap.andere-wortel": _sitemap_root,
    "sitemap.voorvoegsel": _declared,
    "sitemap.ampersand": _ampersand,
    "sitemap.doctype": _doctype,
    "sitemap.naamruimte": namespace_maker("urlset", SITEMAP_NAMESPACE),
}


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
