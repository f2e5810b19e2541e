"""The fix of a finding: the publisher's own entry before and after it, as XML or as lines of robots.txt.

The parts of a finding (loc, element, what was seen) are what the publisher wrote; the rest of the entry is
left out. If the right value cannot be known, the text after the fix has an example value.

Most fixes are templates in ``findings/catalogue.toml``. A fix that must read what the publisher wrote is made
by a function here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from urllib.parse import quote, urljoin, urlsplit
from xml.sax.saxutils import escape, quoteattr, unescape

from woo_harvester.diwoo.given import DIWOO_NAMESPACE, ELEMENTS, meant_element
from woo_harvester.diwoo.mapping import NO_KIND
from woo_harvester.documents import documents_asked_for
from woo_harvester.findings.catalogue import PART, FixTemplate, fix_templates
from woo_harvester.report.examples import meant_value
from woo_harvester.report.model import OrganisationRef, Snippet
from woo_harvester.report.xml_lines import (
    DAY,
    MOMENT,
    FindingLine,
    Lines,
    Maker,
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
from woo_harvester.sitemaps.robots import read_robots_lines, right_address
from woo_harvester.utils.secrets import without_login
from woo_harvester.utils.urls import loc_problem, secured

#: Elements with metadata that belong in a document.
_METADATA = frozenset({"Document", "DiWoo", "MDTO", "extraMetadata"})


def snippet(finding: FindingLine, organisation: OrganisationRef | None) -> Snippet | None:
    """Return the text before and after the fix, or None for a finding that is not fixed in a text.

    *organisation* is the owner of the host. It is the example for a publisher that is not given.
    """
    make = _MAKERS.get(finding["code"])
    made = make(finding) if make else _by_template(finding, organisation or OrganisationRef(id="", name=""))
    if made is None or made[0] == made[1]:
        return None
    before, after = made
    return Snippet(before="\n".join(before), after="\n".join(after))


# Fixes by their templates in the catalogue


def _by_template(finding: FindingLine, owner: OrganisationRef) -> Lines | None:
    """Return the fix by its templates; None without templates, or if a part of them cannot be known."""
    templates = fix_templates().get(finding["code"])
    if templates is None:
        return None
    before, after = (_filled(template, finding, owner) for template in templates)
    return None if before is None or after is None else (before, after)


def _filled(template: FixTemplate, finding: FindingLine, owner: OrganisationRef) -> list[str] | None:
    parts = {name: _PARTS[name](finding, owner) for name in template.parts}
    if None in parts.values():
        return None
    if template.is_xml:
        parts = {name: escape(part) if isinstance(part, str) else part for name, part in parts.items()}
    lines: list[str] = []
    for line in template.text.splitlines():
        part = parts.get(line.strip(" {}"))
        if isinstance(part, list):
            indent = line.partition("{")[0]
            lines += [indent + each for each in part]
        else:
            lines.append(PART.sub(lambda match: str(parts[match[1]]), line))
    return _framed(lines, template.within, finding)


def _framed(lines: list[str], within: str | None, finding: FindingLine) -> list[str]:
    """Return the lines in what stands around them in the file of the publisher."""
    if within == "loc":
        return _around_loc("".join(lines), finding)
    if within == "entry":
        return entry(finding.get("url", ""), *lines)
    return described(finding.get("url", ""), *lines) if within == "metadata" else lines


def _around_loc(loc: str, finding: FindingLine) -> list[str]:
    """Return a loc as it is written in robots.txt, an index or a sitemap: where the finding saw it."""
    element = finding.get("element")
    if element is None:
        return [f"Sitemap: {loc}"]
    return entry(loc, name="sitemap" if element == "sitemap/loc" else "url")


def _seen(finding: FindingLine) -> str:
    return str(finding.get("seen", ""))


def _address(finding: FindingLine) -> str:
    """Return the address of an index as robots.txt has it, else as it was fetched."""
    return finding.get("seen") or str(finding.get("url", ""))


def _usable(loc: str) -> str | None:
    """Return a loc if a document can be harvested from it."""
    return None if loc_problem(loc) else loc


def _with_https(finding: FindingLine) -> str | None:
    scheme, _, rest = _seen(finding).strip().partition("://")
    return _usable(_quoted(f"https://{rest}")) if scheme.lower() == "http" else None


def _with_escapes(finding: FindingLine) -> str | None:
    loc = _seen(finding).strip()
    try:
        url = loc if "://" in loc else urljoin(finding.get("sitemap") or f"https://{finding['host']}/", loc)
    except ValueError:  # a broken IPv6 address
        return None
    return _usable(_quoted(url))


def _quoted(url: str) -> str:
    """Return the URL with percent escapes for characters that a URL cannot have, such as a space."""
    return quote(url, safe="/:?#[]@!$&'()*+,;=%~")


def _example_file(finding: FindingLine) -> str:
    """Return the URL that a document of the host may have."""
    return f"https://{finding.get('host')}/documenten/bestand.pdf"


def _example_loc(finding: FindingLine) -> str:
    is_index = finding.get("element") == "sitemap/loc"
    return f"https://{finding.get('host')}/sitemap-1.xml" if is_index else _example_file(finding)


def _entries_of_documents(finding: FindingLine) -> list[str] | None:
    """Return an entry for each document that a landing page leads to; None if no address is known."""
    locs = [secured(loc) for loc in documents_asked_for(_seen(finding))]
    return [line for loc in locs if not loc_problem(loc) for line in entry(loc)] or None


def _title(finding: FindingLine) -> str:
    """Return the title that the harvester made of the name of the file, else an example."""
    title = str(finding.get("action", "")).partition(": ")[2]
    return title if title and title != "Onbekend" else "Besluit op Woo-verzoek over de kade"


def _lastmod_seen(finding: FindingLine) -> list[str]:
    seen = finding.get("seen")
    return [f"<lastmod>{escape(seen)}</lastmod>"] if seen else []


def _root(finding: FindingLine) -> str:
    """Return the name of the root element that a finding begins with."""
    return re.sub("[^A-Za-z:_-].*", "", _seen(finding).lstrip("<"))


def _organisation_uri(owner: OrganisationRef) -> str:
    is_uri = owner.id.startswith("https://")
    return _quoted(owner.id) if is_uri else "https://identifier.overheid.nl/tooi/id/…"


_Part = str | list[str] | None
"""A text, which is escaped in XML; or lines as they are. None if it cannot be known: then there is no fix."""

#: The parts that a template may name.
_PARTS: dict[str, Callable[[FindingLine, OrganisationRef], _Part]] = {
    "organisation": lambda _, owner: owner.name or "gemeente Voorbeeld",
    "organisation_uri": lambda _, owner: _organisation_uri(owner),
    "host": lambda finding, _: str(finding.get("host")),
    "url": lambda finding, _: str(finding.get("url", "")),
    "folder": lambda finding, _: urlsplit(finding.get("url", "")).path.rpartition("/")[0] + "/",
    "seen": lambda finding, _: _seen(finding),
    "address": lambda finding, _: _address(finding),
    "address_folder": lambda finding, _: "".join(_address(finding).rpartition("/")[:2]),
    "right_address": lambda finding, _: right_address(_address(finding)),
    "address_name_in_small_letters": lambda finding, _: _address(finding).rpartition("/")[2].lower(),
    "with_https": lambda finding, _: _with_https(finding),
    "with_escapes": lambda finding, _: _with_escapes(finding),
    "without_login": lambda finding, _: _usable(without_login(_seen(finding))),
    "redirect_target": lambda finding, _: _usable(_seen(finding).partition("doorverwijzing naar ")[2]),
    "entries_of_documents": lambda finding, _: _entries_of_documents(finding),
    "example_file": lambda finding, _: _example_file(finding),
    "example_loc": lambda finding, _: _example_loc(finding),
    "example_sitemap": lambda finding, _: urljoin(finding.get("url", ""), "sitemap-1.xml"),
    "at": lambda finding, _: str(finding.get("at", MOMENT)),
    "today": lambda finding, _: str(finding.get("at", DAY))[: len(DAY)],
    "lastmod_seen": lambda finding, _: _lastmod_seen(finding),
    "title": lambda finding, _: _title(finding),
    "begin": lambda finding, _: _seen(finding).partition(" – ")[0],
    "end": lambda finding, _: _seen(finding).partition(" – ")[2],
    "elements": lambda finding, _: list(map(_empty, _seen(finding).split(", "))),
    "first_element": lambda finding, _: _seen(finding).split(", ")[0],
    "root": lambda finding, _: _root(finding),
    "namespace_of_prefix": lambda finding, _: NAMESPACES.get(_seen(finding)),
    "element": lambda finding, _: str(finding.get("element", "")).rpartition("/")[2],
}


# Fixes of lines of robots.txt and of files


def _written_apart(finding: FindingLine) -> Lines:
    """Return a line of robots.txt with several addresses in it, and each address on a line of its own."""
    line = _seen(finding)
    right = _sitemap_lines(line.removesuffix("…"), finding)
    # The last address of a line that is too long to be shown may have been cut off.
    return [line], [*right[:-1], "…"] if line.endswith("…") else right


def _as_sitemap_line(finding: FindingLine) -> Lines:
    """Return a line of robots.txt that names an index in another way, and the line that refers to it."""
    line = _seen(finding)
    named = re.search(r"(?:https?:/)?/[^\s<>\"'*$]*\.xml", line, re.IGNORECASE)
    right = _sitemap_lines(f"Sitemap: {named[0] if named else 'sitemapindex-diwoo.xml'}", finding)
    return [line], [line, *right] if line.lower().startswith("allow") else right


def _sitemap_lines(text: str, finding: FindingLine) -> list[str]:
    """Return the ``Sitemap:`` lines in a text as they should be written."""
    robots = f"https://{finding.get('host')}/robots.txt"
    return [f"Sitemap: {line.url}" for line in read_robots_lines(text.encode(), robots).sitemaps]


def _sitemap_root(finding: FindingLine) -> Lines | None:
    """Return the beginning of a sitemap with another root; of ``Documents`` with an entry as it is there."""
    if _root(finding) != "Documents":
        return _by_template(finding, OrganisationRef(id="", name=""))
    loc = _example_file(finding)
    begin, end = ["<diwoo:Document>", "  <diwoo:DiWoo>"], ["    …", "  </diwoo:DiWoo>", "</diwoo:Document>"]
    given = [*begin, f"    <loc>{escape(loc)}</loc>", *end]
    return (
        ["<diwoo:Documents …>", *_indented(given), "</diwoo:Documents>"],
        ["<urlset …>", *_indented(entry(loc, *begin, *end)), "</urlset>"],
    )


def _ampersand(finding: FindingLine) -> Lines:
    """Return the text with a bare ampersand, and the same text as XML has it."""
    seen = _seen(finding).replace("<", "&lt;")
    right = escape(unescape(seen))
    is_loc = loc_problem(unescape(seen)) is None
    return ([f"<loc>{seen}</loc>"], [f"<loc>{right}</loc>"]) if is_loc else ([seen], [right])


def _renamed_entries(finding: FindingLine) -> Lines:
    """Return entries as they were named and as they should be; those inside another element without it."""
    root, _, given = str(finding.get("element", "urlset")).partition("/")
    name, loc = ("sitemap", urljoin(finding.get("url", ""), "sitemap-1.xml"))
    if root != "sitemapindex":
        name, loc = "url", _example_file(finding)
    right, wrong = entry(loc, name=name), entry(loc, name=given or name)
    seen = _seen(finding)
    if not given:
        wrong = [escape(seen)]
    elif "<loc><loc>" in seen:
        other = entry(urljoin(loc, "ander"), name=name)
        wrong, right = [*right[:-1], *other[1:]], [*right, *other]
    elif f"<{given}><" in seen:
        wrong = [f"<{given}>", *_indented(right), f"</{given}>"]
    elif given in _METADATA:
        document = [_empty(given)] if given == "Document" else _in_document(_empty(given))
        wrong, right = [_empty(given)], entry(loc, *document, name=name)
    return [f"<{root} …>", *_indented(wrong), f"</{root}>"], [f"<{root} …>", *_indented(right), f"</{root}>"]


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _in_document(line: str) -> list[str]:
    return ["<diwoo:Document>", f"  {line}", "</diwoo:Document>"]


def _empty(name: str) -> str:
    """Return an element of DiWoo without its content."""
    return f"<diwoo:{escape(name)}>…</diwoo:{escape(name)}>"


def _small_letters(finding: FindingLine) -> Lines:
    """Return the tags that differ in the case of letters, and the same tags as they should be."""
    names = re.findall(r"<([^<>]+)>", _seen(finding))
    right = (PROPER_NAMES.get(name.lower(), name) for name in names)
    return [f"<{name}>…</{name}>" for name in names], [f"<{name}>…</{name}>" for name in right]


def _in_namespace(name: str, right: str) -> Maker:
    """Return a maker for an element that needs the namespace *right*."""

    def make(finding: FindingLine) -> Lines:
        seen = _seen(finding)
        given = f" xmlns={quoteattr(seen)}" if "://" in seen else ""
        tag = finding.get("element", name).rpartition("/")[2]
        return [f"<{tag}{given}>"], [f'<{tag} xmlns="{right}">']

    return make


# Fixes of metadata


def _in_metadata(finding: FindingLine, path: str, before: str, after: str) -> Lines:
    """Return an element of the metadata of a document, as it is and as it should be."""
    loc = finding.get("url", "")
    return described(loc, *nested(path, before)), described(loc, *nested(path, after))


def _unknown_element(finding: FindingLine) -> Lines | None:
    """Return an unknown element under the name that was meant, else as extraMetadata.

    None if DiWoo has the element, but in another form.
    """
    name = next((name for name in _seen(finding).split(", ") if name not in ELEMENTS), None)
    if name is None:
        return None
    if meant := meant_element(name):
        path = str(finding.get("element") or name).rpartition("/")[0]
        return _in_metadata(finding, f"{path}/x" if path else "x", _empty(name), _empty(meant))
    fields = [
        f"<diwoo:key>{escape(name)}</diwoo:key>",
        "<diwoo:values><diwoo:value>…</diwoo:value></diwoo:values>",
    ]
    path = "Document/extraMetadata/extraMetadatavelden/extraMetadataveld/x"
    loc = finding.get("url", "")
    return described(loc, _empty(name)), entry(loc, *nested(path, *fields))


def _twice(finding: FindingLine) -> Lines:
    """Return metadata that are there twice: a second ``Document``, or a ``DiWoo`` beside the first."""
    loc, name = finding.get("url", ""), _seen(finding).split(", ")[0]
    first = [_empty(name)] if name == "Document" else _in_document(_empty(name))
    return entry(loc, *first, _empty(name)), entry(loc, *first)


def _value(finding: FindingLine) -> Lines | None:
    """Return a value of a list: first as given, then as it was read, else the value of that list to write.

    That is the one that was probably meant, or an example.
    """
    path = finding.get("element", "")
    _, read_as, text = str(finding.get("action", "")).partition("gelezen als ")
    right = label_and_uri(text) if read_as else None
    label, uri = _as_given(_seen(finding).split("; ")[0], right[1] if right else "")
    if right is None or not right[0] or "onbekend" in right[0].lower():
        example = meant_value(finding) or example_of(path)
        if example is None:
            return None
        right = example.label, example.uri
    before = "…" if label == NO_KIND else coded_element(path, label, uri)
    return _in_metadata(finding, path, before, coded_element(path, *right))


def _as_given(seen: str, right: str) -> tuple[str, str]:
    """Return the label and URI of a value; in the place of the URI may be the code of the *right* one."""
    code = f" ({right.rpartition('/')[2]})"
    return (seen.removesuffix(code), code[2:-1]) if seen.endswith(code) else label_and_uri(seen)


def _date(finding: FindingLine) -> Lines:
    """Return a date as given, and an example of one that can be read."""
    path = finding.get("element", "")
    right = DAY if path == "creatiedatum" else MOMENT
    return _in_metadata(finding, path, text_element(path, _seen(finding)), text_element(path, right))


def _reference(finding: FindingLine) -> Lines:
    """Return a reference with http as given, and with https."""
    path, (label, uri) = finding.get("element", ""), label_and_uri(_seen(finding))
    right = re.sub("^http://", "https://", uri, flags=re.IGNORECASE)
    return _in_metadata(finding, path, coded_element(path, label, uri), coded_element(path, label, right))


_MAKERS: dict[str, Maker] = {
    "robots.samengevoegd": _written_apart,
    "robots.regel-afwijkend": _as_sitemap_line,
    "robots.regel-genegeerd": _as_sitemap_line,
    "sitemap.andere-wortel": _sitemap_root,
    "sitemap.ampersand": _ampersand,
    "sitemap.element-onbekend": _renamed_entries,
    "sitemap.hoofdletters": _small_letters,
    "sitemap.naamruimte": _in_namespace("urlset", SITEMAP_NAMESPACE),
    "metadata.naamruimte": _in_namespace("DiWoo", DIWOO_NAMESPACE),
    "metadata.dubbel": _twice,
    "metadata.element-onbekend": _unknown_element,
    "informatiecategorie.onbekend": _value,
    "documenthandeling.onbekend": _value,
    "waarde.uri-onbekend": _value,
    "waarde.label-onbekend": _value,
    "waarde.strijdig": _value,
    "datum.ongeldig": _date,
    "verwijzing.geen-https": _reference,
}
