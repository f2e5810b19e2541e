"""The fix of a finding: the publisher's own entry before and after it, as XML or as lines of robots.txt.

The parts of a finding (loc, element, what was seen) are what the publisher wrote; the rest of the entry is
left out. If the right value cannot be known, the text after the fix has an example value.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urljoin
from xml.sax.saxutils import escape

from woo_harvester.diwoo.given import DIWOO_NAMESPACE, ELEMENTS, meant_element
from woo_harvester.documents import documents_asked_for
from woo_harvester.report.file_snippets import (
    FILE_MAKERS,
    FindingLine,
    Maker,
    date_snippet,
    example_file,
    future_day_snippet,
    https_url,
    namespace_maker,
    period_snippet,
    quoted,
    reference_snippet,
    value_snippet,
)
from woo_harvester.report.finding_counts import CREDENTIALS
from woo_harvester.report.model import OrganisationRef, Snippet
from woo_harvester.report.permit_snippets import PERMIT_MAKERS
from woo_harvester.report.xml_lines import (
    CATEGORY_PATH,
    DAY,
    HANDLING_PATH,
    MOMENT,
    coded_element,
    described,
    entry,
    example_of,
    listed_value,
    nested,
    text_element,
)
from woo_harvester.utils.urls import loc_problem, secured

_Finding = FindingLine
_Maker = Maker


def snippet(finding: _Finding, organisation: OrganisationRef | None) -> Snippet | None:
    """Return the text before and after the fix, or None for a finding that is not fixed in a text.

    *organisation* is the owner of the host. It is the example for a publisher that is not given.
    """
    make = _MAKERS.get(finding["code"])
    made = make(finding, organisation or OrganisationRef(id="", name="")) if make else None
    if made is None or made[0] == made[1]:
        return None
    before, after = made
    return Snippet(before="\n".join(before), after="\n".join(after))


# Locs and metadata


def _other_loc(change: Callable[[_Finding], str | None]) -> _Maker:
    """Return a maker for a loc that *change* writes in another way, in robots.txt, an index or a sitemap."""

    def make(finding: _Finding, organisation: OrganisationRef) -> tuple[list[str], list[str]] | None:
        loc, element = change(finding), finding.get("element")
        if loc is None or loc_problem(loc):
            return None
        given = str(finding.get("seen", ""))
        if element is None:
            return [f"Sitemap: {given}"], [f"Sitemap: {loc}"]
        name = _entry_of(element)
        return entry(given, name=name), entry(loc, name=name)

    return make


def _entry_of(element: str) -> str:
    return "sitemap" if element == "sitemap/loc" else "url"


def _escaped(finding: _Finding) -> str | None:
    loc = str(finding.get("seen", "")).strip()
    try:
        url = loc if "://" in loc else urljoin(finding.get("sitemap") or f"https://{finding['host']}/", loc)
    except ValueError:  # a broken IPv6 address
        return None
    return quoted(url)


def _without_login(finding: _Finding) -> str:
    return CREDENTIALS.sub("", str(finding.get("seen", "")))


def _redirected(finding: _Finding, organisation: OrganisationRef) -> tuple[list[str], list[str]] | None:
    target = str(finding.get("seen", "")).partition("doorverwijzing naar ")[2]
    return None if loc_problem(target) else (entry(finding.get("url", "")), entry(target))


def _no_loc(finding: _Finding, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    name = _entry_of(finding.get("element", "loc"))
    loc = f"https://{finding.get('host')}/sitemap-1.xml" if name == "sitemap" else example_file(finding)
    return entry("", name=name), entry(loc, name=name)


def _html_page(finding: _Finding, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    return entry(finding.get("url", "")), entry(example_file(finding))


def _leads_to(finding: _Finding, organisation: OrganisationRef) -> tuple[list[str], list[str]] | None:
    """Return an entry for each document that a landing page leads to; None if no address is known."""
    locs = [secured(loc) for loc in documents_asked_for(str(finding.get("seen", "")))]
    after = [line for loc in locs if not loc_problem(loc) for line in entry(loc)]
    return (entry(finding.get("url", "")), after) if after else None


def _lastmod(finding: _Finding, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    loc, seen = finding.get("url", ""), finding.get("seen")
    before = [f"<lastmod>{escape(seen)}</lastmod>"] if seen else []
    return entry(loc, *before), entry(loc, f"<lastmod>{finding.get('at', MOMENT)}</lastmod>")


def _absent(path: str, example: Callable[[_Finding, OrganisationRef], str]) -> _Maker:
    """Return a maker for an element of DiWoo that is absent."""

    def make(finding: _Finding, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
        loc = finding.get("url", "")
        return described(loc, "…"), described(loc, "…", *nested(path, example(finding, organisation)))

    return make


def _publisher(finding: _Finding, organisation: OrganisationRef) -> str:
    uri = organisation.id if organisation.id.startswith("https://") else ""
    name = finding.get("element") or "publisher"
    return coded_element(
        name, organisation.name or "gemeente Voorbeeld", uri or "https://identifier.overheid.nl/tooi/id/…"
    )


def _title(finding: _Finding, organisation: OrganisationRef) -> str:
    _, _, title = finding.get("action", "").partition(": ")
    known = title if title and title != "Onbekend" else "Besluit op Woo-verzoek over de kade"
    return text_element("officieleTitel", known)


def _example(path: str) -> str:
    concept = example_of(path)
    return listed_value(path, concept) if concept else ""


def _handling() -> list[str]:
    return [
        *nested(f"{HANDLING_PATH}/soortHandeling", _example("soortHandeling"))[:-2],
        f"    <diwoo:atTime>{MOMENT}</diwoo:atTime>",
        "  </diwoo:documenthandeling>",
        "</diwoo:documenthandelingen>",
    ]


def _no_handling(finding: _Finding, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    loc = finding.get("url", "")
    return described(loc, "…"), described(loc, "…", *_handling())


def _no_metadata(finding: _Finding, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    loc = finding.get("url", "")
    inside = [
        _publisher({}, organisation),
        *nested("titelcollectie/officieleTitel", _title({}, organisation)),
        *nested(CATEGORY_PATH, _example(CATEGORY_PATH)),
        *_handling(),
    ]
    before = entry(loc)
    if finding["code"] == "metadata.mdto":
        before = entry(loc, "<diwoo:Document>", "  <mdto:MDTO>…</mdto:MDTO>", "</diwoo:Document>")
    return before, described(loc, *inside)


def _unknown_element(finding: _Finding, organisation: OrganisationRef) -> tuple[list[str], list[str]] | None:
    """Return an unknown element under the name that was meant, else as extraMetadata.

    None if DiWoo has the element, but in another form.
    """
    loc, names = finding.get("url", ""), str(finding.get("seen", "")).split(", ")
    name = next((name for name in names if name not in ELEMENTS), None)
    if name is None:
        return None
    if meant := meant_element(name):
        path = str(finding.get("element") or name).rpartition("/")[0]
        before, after = (nested(f"{path}/x" if path else "x", _some(each)) for each in (name, meant))
        return described(loc, *before), described(loc, *after)
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
    return described(loc, _some(name)), entry(loc, *field)


def _some(name: str) -> str:
    """Return an element of DiWoo without its content."""
    return f"<diwoo:{escape(name)}>…</diwoo:{escape(name)}>"


def _outside(finding: _Finding, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    """Return the metadata that are directly in ``url``, first as given, then in one ``diwoo:Document``."""
    loc = finding.get("url", "")
    given = [_some(name) for name in str(finding.get("seen", "")).split(", ")]
    inside = ("<diwoo:Document>", *("  " + line for line in given), "</diwoo:Document>")
    return entry(loc, *given), entry(loc, *inside)


def _twice(finding: _Finding, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    """Return metadata that are there twice: a second ``Document``, or a ``DiWoo`` beside the first."""
    loc, (name, *_) = finding.get("url", ""), str(finding.get("seen", "")).split(", ")
    one = _some(name)
    if name == "Document":
        return entry(loc, one, one), entry(loc, one)
    inside = ("<diwoo:Document>", "  " + one, "</diwoo:Document>")
    return entry(loc, *inside, one), entry(loc, *inside)


def _resource_element(finding: _Finding, organisation: OrganisationRef) -> tuple[list[str], list[str]]:
    name = escape(str(finding.get("seen", "")).split(", ")[0])
    uri = "https://identifier.overheid.nl/tooi/…"
    before = f"<diwoo:{name}>…<resource>{uri}</resource></diwoo:{name}>"
    return [before], [coded_element(name, "…", uri)]


_MAKERS: dict[str, _Maker] = {
    **FILE_MAKERS,
    **PERMIT_MAKERS,
    "loc.ontbreekt": _no_loc,
    "loc.ongeldig": _other_loc(_escaped),
    "loc.geen-https": _other_loc(https_url),
    "loc.inloggegevens": _other_loc(_without_login),
    "document.doorverwijzing": _redirected,
    "document.html-pagina": _html_page,
    "document.landingspagina": _leads_to,
    **dict.fromkeys(("lastmod.ontbreekt", "lastmod.ongeldig", "lastmod.toekomst"), _lastmod),
    **dict.fromkeys(("lastmod.ouder", "lastmod.heraanbod"), _lastmod),
    "metadata.ontbreekt": _no_metadata,
    "metadata.mdto": _no_metadata,
    "metadata.naamruimte": namespace_maker("DiWoo", DIWOO_NAMESPACE),
    "metadata.plaats": _outside,
    "metadata.dubbel": _twice,
    "metadata.resource-element": _resource_element,
    "metadata.element-onbekend": _unknown_element,
    "publisher.ontbreekt": _absent("publisher", _publisher),
    "register.meerdere-organisaties": _absent("publisher", _publisher),
    "verantwoordelijke.ontbreekt": _absent("verantwoordelijke", _publisher),
    "titel.ontbreekt": _absent("titelcollectie/officieleTitel", _title),
    "titel.onbekend": _absent("titelcollectie/officieleTitel", _title),
    "informatiecategorie.ontbreekt": _absent(
        CATEGORY_PATH, lambda finding, organisation: _example(CATEGORY_PATH)
    ),
    "informatiecategorie.onbekend": value_snippet,
    "creatiedatum.ontbreekt": _absent(
        "creatiedatum", lambda finding, organisation: text_element("creatiedatum", DAY)
    ),
    "documenthandeling.ontbreekt": _no_handling,
    "documenthandeling.onbekend": value_snippet,
    "creatiedatum.toekomst": future_day_snippet,
    "datum.ongeldig": date_snippet,
    "geldigheid.omgekeerd": period_snippet,
    "verwijzing.geen-https": reference_snippet,
    "waarde.uri-onbekend": value_snippet,
    "waarde.label-onbekend": value_snippet,
    "waarde.strijdig": value_snippet,
    "format.onbekend": _absent("format", lambda finding, organisation: _example("format")),
}
