"""How to mend a finding: the publisher's own entry before and after, as XML or as lines of robots.txt.

What stands in a finding (loc, element, what was seen) is the publisher's; the rest of an entry is left out.
Where the right value cannot be known, the text after it has an example of one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, urljoin, urlsplit
from xml.sax.saxutils import escape, quoteattr

from woo_harvester.report.model import Body, Snippet
from woo_harvester.tooi import lists
from woo_harvester.tooi.values import Concept, ValueList
from woo_harvester.urls import loc_problem

Given = Mapping[str, Any]
"""A finding, as ``findings.jsonl`` has it."""

Maker = Callable[[Given, Body], "tuple[list[str], list[str]] | None"]

#: Where an index is, for one that has a wrong name.
INDEX = "sitemapindex-diwoo.xml"
SITEMAP_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
DIWOO_NAMESPACE = "https://standaarden.overheid.nl/diwoo/metadata/"
MOMENT = "2026-01-31T09:00:00+01:00"
DAY = "2026-01-31"

CATEGORY = "classificatiecollectie/informatiecategorieen/informatiecategorie"
HANDLING = "documenthandelingen/documenthandeling"

#: A value as findings have it: a label, a URI, or ``label (URI)``.
_VALUE = re.compile(
    r"(?:(?P<label>.*?) ?)(?:\((?P<uri>https?://[^()\s]+)\)|(?P<bare>https?://\S+))?", re.DOTALL
)

#: The lists of elements, by the end of their path, and which of their values serves as an example.
_LISTS: dict[str, tuple[Callable[[], ValueList], str]] = {
    "informatiecategorie": (
        lists.informatiecategorieen,
        "https://identifier.overheid.nl/tooi/def/thes/kern/c_3baef532",
    ),
    "documentsoort": (lists.documentsoorten, "https://identifier.overheid.nl/tooi/def/thes/kern/c_465163c9"),
    "thema": (lists.themas, "https://identifier.overheid.nl/tooi/def/thes/top/c_d96f9cd3"),
    "language": (lists.talen, "http://publications.europa.eu/resource/authority/language/NLD"),
    "soortHandeling": (lists.handelingen, "https://identifier.overheid.nl/tooi/def/thes/kern/c_641ecd76"),
    "format": (lists.filetypes, "http://publications.europa.eu/resource/authority/file-type/PDF"),
}


def snippet(finding: Given, body: Body | None) -> Snippet | None:
    """Before and after of one finding; None for what is not mended in a text.

    *body* is whose host it is, for a publisher that is not given.
    """
    make = _MAKERS.get(finding["code"])
    made = make(finding, body or Body(id="", name="")) if make else None
    if made is None or made[0] == made[1]:
        return None
    before, after = made
    return Snippet(before="\n".join(before), after="\n".join(after))


# Entries of a sitemap


def _url(loc: str, *inside: str) -> list[str]:
    return ["<url>", f"  <loc>{escape(loc)}</loc>", *("  " + line for line in inside), "</url>"]


def _nested(path: str, leaf: str, prefix: str = "diwoo:") -> list[str]:
    """*leaf* within the elements of a path, such as ``titelcollectie/officieleTitel``, the last one left out."""
    lines = [leaf]
    for name in reversed(path.split("/")[:-1]):
        lines = [f"<{prefix}{name}>", *("  " + line for line in lines), f"</{prefix}{name}>"]
    return lines


def _diwoo(loc: str, *inside: str) -> list[str]:
    lines = [
        "<diwoo:Document>",
        "  <diwoo:DiWoo>",
        *("    " + line for line in inside),
        "  </diwoo:DiWoo>",
        "</diwoo:Document>",
    ]
    return _url(loc, *lines)


def _text(path: str, text: str) -> str:
    name = path.rpartition("/")[2]
    return f"<diwoo:{name}>{escape(text)}</diwoo:{name}>"


def _coded(path: str, label: str, uri: str) -> str:
    name = path.rpartition("/")[2]
    resource = f" resource={quoteattr(uri)}" if uri else ""
    return f"<diwoo:{name}{resource}>{escape(label)}</diwoo:{name}>"


def _concept(path: str, concept: Concept) -> str:
    return _coded(path, concept.label, concept.uri)


def _example(path: str) -> Concept | None:
    source = _LISTS.get(path.rpartition("/")[2])
    return source[0]()[source[1]] if source else None


def _read_value(text: str) -> tuple[str, str]:
    """Label and URI of a value as a finding has it."""
    match = _VALUE.fullmatch(text.strip())
    if match is None:
        return text, ""
    return match["label"] or "", match["uri"] or match["bare"] or ""


# What each kind of finding needs


def _other_loc(change: Callable[[Given], str | None]) -> Maker:
    """A loc that is written in another way."""

    def make(finding: Given, body: Body) -> tuple[list[str], list[str]] | None:
        loc = change(finding)
        if loc is None or loc_problem(loc):
            return None
        return _url(finding.get("url") or ""), _url(loc)

    return make


def _https(finding: Given) -> str | None:
    scheme, _, rest = str(finding.get("seen", "")).strip().partition("://")
    return f"https://{rest}" if scheme.lower() == "http" else None


def _escaped(finding: Given) -> str:
    loc = urljoin(
        finding.get("sitemap") or f"https://{finding.get('host')}/", finding.get("seen", "").strip()
    )
    return quote(loc, safe="/:?#[]@!$&'()*+,;=%~")


def _without_login(finding: Given) -> str:
    scheme, _, rest = str(finding.get("seen", "")).partition("://")
    return f"{scheme}://{rest.partition('@')[2]}"


def _target(finding: Given) -> str | None:
    _, found, target = str(finding.get("seen", "")).partition("doorverwijzing naar ")
    return target if found else None


def _file(finding: Given) -> str:
    return f"https://{finding.get('host')}/documenten/bestand.pdf"


def _no_loc(finding: Given, body: Body) -> tuple[list[str], list[str]]:
    return ["<url>", "  <loc></loc>", "</url>"], _url(_file(finding))


def _html_page(finding: Given, body: Body) -> tuple[list[str], list[str]]:
    return _url(finding.get("url", "")), _url(_file(finding))


def _lastmod(finding: Given, body: Body) -> tuple[list[str], list[str]]:
    loc, seen = finding.get("url", ""), finding.get("seen")
    before = [f"<lastmod>{escape(seen)}</lastmod>"] if seen else []
    return _url(loc, *before), _url(loc, f"<lastmod>{finding.get('at', MOMENT)}</lastmod>")


def _absent(path: str, example: Callable[[Given, Body], str]) -> Maker:
    """An element of DiWoo that is not there."""

    def make(finding: Given, body: Body) -> tuple[list[str], list[str]]:
        loc = finding.get("url", "")
        return _diwoo(loc, "…"), _diwoo(loc, "…", *_nested(path, example(finding, body)))

    return make


def _publisher(finding: Given, body: Body) -> str:
    uri = body.id if body.id.startswith("https://") else ""
    name = finding.get("element") or "publisher"
    return _coded(name, body.name or "gemeente Voorbeeld", uri or "https://identifier.overheid.nl/tooi/id/…")


def _title(finding: Given, body: Body) -> str:
    _, _, title = finding.get("action", "").partition(": ")
    known = title if title and title != "Onbekend" else "Besluit op Woo-verzoek over de kade"
    return _text("officieleTitel", known)


def _category(finding: Given, body: Body) -> str:
    example = _example(CATEGORY)
    return _concept(CATEGORY, example) if example else ""


def _handling(finding: Given, body: Body) -> list[str]:
    example = _example("soortHandeling")
    kind = _concept("soortHandeling", example) if example else ""
    return _nested(f"{HANDLING}/soortHandeling", kind)[:-2] + [
        f"    <diwoo:atTime>{DAY}</diwoo:atTime>",
        "  </diwoo:documenthandeling>",
        "</diwoo:documenthandelingen>",
    ]


def _no_handling(finding: Given, body: Body) -> tuple[list[str], list[str]]:
    loc = finding.get("url", "")
    return _diwoo(loc, "…"), _diwoo(loc, "…", *_handling(finding, body))


def _no_metadata(finding: Given, body: Body) -> tuple[list[str], list[str]]:
    loc = finding.get("url", "")
    inside = [
        _publisher({}, body),
        *_nested("titelcollectie/officieleTitel", _title({}, body)),
        *_nested(CATEGORY, _category(finding, body)),
        *_handling(finding, body),
    ]
    before = _url(loc)
    if finding["code"] == "metadata.mdto":
        before = _url(loc, "<diwoo:Document>", "  <mdto:MDTO>…</mdto:MDTO>", "</diwoo:Document>")
    return before, _diwoo(loc, *inside)


def _value(finding: Given, body: Body) -> tuple[list[str], list[str]] | None:
    """A value of a list: what was given, and what it was read as, else an example of that list."""
    path, loc = finding.get("element", ""), finding.get("url", "")
    label, uri = _read_value(str(finding.get("seen", "")).split("; ")[0])
    _, read_as, text = str(finding.get("action", "")).partition("gelezen als ")
    right = _read_value(text) if read_as else None
    if right is None or not right[0] or "onbekend" in right[0].lower():
        example = _example(path)
        if example is None:
            return None
        right = example.label, example.uri
    before = _nested(path, _coded(path, label, uri))
    return _diwoo(loc, *before), _diwoo(loc, *_nested(path, _coded(path, *right)))


def _date(finding: Given, body: Body) -> tuple[list[str], list[str]]:
    path, loc = finding.get("element", ""), finding.get("url", "")
    right = MOMENT if path.startswith("geldigheid") else DAY
    before = _nested(path, _text(path, finding.get("seen", "")))
    return _diwoo(loc, *before), _diwoo(loc, *_nested(path, _text(path, right)))


def _unknown_element(finding: Given, body: Body) -> tuple[list[str], list[str]]:
    loc, name = finding.get("url", ""), str(finding.get("seen", "")).split(",")[0]
    field = [
        "<diwoo:Document>",
        "  <diwoo:extraMetadata>",
        "    <diwoo:extraMetadatavelden>",
        "      <diwoo:extraMetadataveld>",
        f"        <diwoo:key>{escape(name)}</diwoo:key>",
        "        <diwoo:values><diwoo:value>…</diwoo:value></diwoo:values>",
        "      </diwoo:extraMetadataveld>",
        "    </diwoo:extraMetadatavelden>",
        "  </diwoo:extraMetadata>",
        "</diwoo:Document>",
    ]
    return _diwoo(loc, f"<diwoo:{escape(name)}>…</diwoo:{escape(name)}>"), _url(loc, *field)


# Files


def _no_robots(finding: Given, body: Body) -> tuple[list[str], list[str]]:
    return [], ["User-agent: *", "Allow: /", "", f"Sitemap: https://{finding.get('host')}/{INDEX}"]


def _no_index(finding: Given, body: Body) -> tuple[list[str], list[str]]:
    return ["User-agent: *"], ["User-agent: *", "", f"Sitemap: https://{finding.get('host')}/{INDEX}"]


def _allowed(finding: Given, body: Body) -> tuple[list[str], list[str]]:
    folder = urlsplit(finding.get("url", "")).path.rpartition("/")[0] + "/"
    return ["User-agent: *", f"Disallow: {folder}"], ["User-agent: *", f"Allow: {folder}"]


def _sitemap_line(change: Callable[[str, Given], str]) -> Maker:
    """A ``Sitemap:`` line of robots.txt that is written in another way."""

    def make(finding: Given, body: Body) -> tuple[list[str], list[str]]:
        given = finding.get("seen") or finding.get("url", "")
        return [f"Sitemap: {given}"], [f"Sitemap: {change(given, finding)}"]

    return make


def _renamed(given: str, finding: Given) -> str:
    folder, slash, _ = given.rpartition("/")
    return f"{folder}{slash}{INDEX}"


def _lower(given: str, finding: Given) -> str:
    folder, slash, name = given.rpartition("/")
    return f"{folder}{slash}{name.lower()}"


def _urlset(finding: Given, body: Body) -> tuple[list[str], list[str]]:
    before = [f"<{re.sub('[^A-Za-z:_-].*', '', str(finding.get('seen', '')).lstrip('<'))}>", "  …"]
    after = [f'<urlset xmlns="{SITEMAP_NAMESPACE}"', f'        xmlns:diwoo="{DIWOO_NAMESPACE}">']
    return before, [*after, *("  " + line for line in _url(_file(finding))), "</urlset>"]


def _index_of(finding: Given, body: Body) -> tuple[list[str], list[str]]:
    sitemap = urljoin(finding.get("url", ""), "sitemap-1.xml")
    after = ["  <sitemap>", f"    <loc>{escape(sitemap)}</loc>", "  </sitemap>", "</sitemapindex>"]
    return (
        [f'<urlset xmlns="{SITEMAP_NAMESPACE}">', "  <url>…</url>", "</urlset>"],
        [f'<sitemapindex xmlns="{SITEMAP_NAMESPACE}">', *after],
    )


def _doctype(finding: Given, body: Body) -> tuple[list[str], list[str]]:
    first, rest = '<?xml version="1.0" encoding="UTF-8"?>', f'<urlset xmlns="{SITEMAP_NAMESPACE}">'
    return [first, "<!DOCTYPE …>", rest], [first, rest]


def _namespace(finding: Given, body: Body) -> tuple[list[str], list[str]]:
    seen = finding.get("seen", "")
    given = f" xmlns={quoteattr(seen)}" if "://" in seen else ""
    return [f"<urlset{given}>"], [f'<urlset xmlns="{SITEMAP_NAMESPACE}">']


_MAKERS: dict[str, Maker] = {
    "robots.ontbreekt": _no_robots,
    "robots.geen-diwoo-index": _no_index,
    "robots.verboden": _allowed,
    "robots.sitemap-relatief": _sitemap_line(lambda given, finding: finding.get("url", given)),
    "index.naam": _sitemap_line(_renamed),
    "index.infocat-onbekend": _sitemap_line(_renamed),
    "index.hoofdletters": _sitemap_line(_lower),
    "index.geen-https": _sitemap_line(lambda given, finding: _https({"seen": given}) or given),
    "index.is-urlset": _index_of,
    "sitemap.wortelelement": _urlset,
    "sitemap.doctype": _doctype,
    "sitemap.naamruimte": _namespace,
    "loc.ontbreekt": _no_loc,
    "loc.ongeldig": _other_loc(_escaped),
    "loc.geen-https": _other_loc(_https),
    "loc.inloggegevens": _other_loc(_without_login),
    "document.doorverwijzing": _other_loc(_target),
    "document.html-pagina": _html_page,
    **dict.fromkeys(("lastmod.ontbreekt", "lastmod.ongeldig", "lastmod.toekomst"), _lastmod),
    **dict.fromkeys(("lastmod.ouder", "lastmod.heraanbod"), _lastmod),
    "metadata.ontbreekt": _no_metadata,
    "metadata.mdto": _no_metadata,
    "metadata.element-onbekend": _unknown_element,
    "publisher.ontbreekt": _absent("publisher", _publisher),
    "register.meerdere-organisaties": _absent("publisher", _publisher),
    "verantwoordelijke.ontbreekt": _absent("verantwoordelijke", _publisher),
    "titel.ontbreekt": _absent("titelcollectie/officieleTitel", _title),
    "titel.onbekend": _absent("titelcollectie/officieleTitel", _title),
    "informatiecategorie.ontbreekt": _absent(CATEGORY, _category),
    "informatiecategorie.onbekend": _value,
    "creatiedatum.ontbreekt": _absent("creatiedatum", lambda finding, body: _text("creatiedatum", DAY)),
    "documenthandeling.ontbreekt": _no_handling,
    "documenthandeling.onbekend": _value,
    "datum.ongeldig": _date,
    "waarde.uri-onbekend": _value,
    "waarde.label-onbekend": _value,
    "waarde.strijdig": _value,
    "format.onbekend": _absent(
        "format", lambda finding, body: _concept("format", lists.filetypes()[_LISTS["format"][1]])
    ),
}
