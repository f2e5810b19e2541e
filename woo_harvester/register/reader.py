"""Read the daily export of the Register van Overheidsorganisaties as a stream.

Each organisation is removed from memory when it has been read. Elements and attributes are found by their
local names: the namespace has the version of the export's schema, which changes now and then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from textwrap import shorten
from typing import BinaryIO

from lxml import etree

from woo_harvester.findings import Finding, Reporter
from woo_harvester.register.register import Location, Organisation, Register
from woo_harvester.tooi.lists import informatiecategorieen
from woo_harvester.utils.dates import parse_date
from woo_harvester.utils.urls import host_of

#: Longest URL that is read, in characters. The longest of 2026 has about 2,000.
_MAXLENGTH = 10_000
#: Longest remark of a location that is kept, in characters.
_REMARK_LENGTH = 500
#: End of the host in a URL without a scheme: a top-level domain, or a port.
_TOP_LEVEL = re.compile(r"\.[a-z][a-z0-9-]+$|:[0-9]+$")
_SCHEME = re.compile(r"\s*(?:([a-z][a-z0-9+.-]*):)?//", re.IGNORECASE)


class RegisterError(ValueError):
    """The register is not available or cannot be read; the message is one line for the operator."""


def read_export(stream: BinaryIO, report: Reporter, today: date) -> Register:
    """Return the register: the organisations that exist on the day *today*, and their Woo-index locations.

    A registered value that is no usable URL is skipped, with the finding ``register.url-ongeldig``. Findings
    are reported after the complete export has been read. Raises RegisterError if the export is not XML, is
    truncated, or has a DOCTYPE or no organisation.
    """
    organisations: dict[str, Organisation] = {}
    locations: list[Location] = []
    findings: list[Finding] = []
    try:
        for _, element in etree.iterparse(
            stream, tag="{*}organisatie", resolve_entities=False, remove_comments=True
        ):
            if element.getroottree().docinfo.doctype:
                raise RegisterError("The register export has a DOCTYPE, so it is not read")
            if not _has_ended(_text(element, "{*}eindDatum"), today):
                organisation = _organisation(element)
                # The export has a few organisations twice.
                key = organisation.identifier or organisation.name
                organisation = organisations.setdefault(key, organisation)
                locations.extend(_locations(element, organisation, Reporter(findings.append)))
            element.clear()
    except etree.XMLSyntaxError as error:
        reason = " ".join(str(error).split())
        raise RegisterError(f"The register export is not complete XML: {reason}") from error
    if not organisations:
        raise RegisterError("The register export has no organisation that exists today")
    for finding in findings:
        report.send(finding)
    return Register(organisations.values(), locations)


def location_url(value: str) -> str:
    """Return a registered value as an absolute https URL.

    A value without a scheme gets https, as in the guide's example (seed "Technische implementatie", section
    "Voorbeeld: van geregistreerde URL naar robots.txt en sitemapindex"). http becomes https. Raises
    ValueError if the value has no host on the web.
    """
    value = value.strip()
    scheme = _SCHEME.match(value)
    url = value if scheme and scheme[1] else f"https://{value[scheme.end() if scheme else 0 :]}"
    start = url.index("://") + 3
    if url[: start - 3].lower() not in {"http", "https"} or len(url) > _MAXLENGTH:
        raise ValueError(f"Expected an https URL, got {value[:_MAXLENGTH]!r}")
    authority = re.split("[/?#]", url[start:], maxsplit=1)[0]
    host = host_of(url)
    # A value without a scheme may be no URL at all: "geen", "n.v.t." or "woo@a.nl".
    if "@" in authority or not (scheme or _TOP_LEVEL.search(host)):
        raise ValueError(f"Expected an https URL, got {value!r}")
    return f"https://{host}{url[start + len(authority) :]}"


def _text(element: etree._Element, path: str) -> str:
    return element.findtext(path, "").strip()


def _has_ended(text: str, today: date) -> bool:
    """Return whether an end date is past. One that cannot be read does not count."""
    try:
        return parse_date(text) <= today
    except ValueError:
        return False


def _organisation(element: etree._Element) -> Organisation:
    attributes = {name.rpartition("}")[2]: value.strip() for name, value in element.items()}
    return Organisation(
        attributes.get("systeemId", ""),
        _text(element, "{*}naam"),
        attributes.get("resourceIdentifierTOOI") or None,
        _text(element, "{*}types/{*}type") or None,
        _text(element, "{*}afkorting") or None,
    )


def _locations(element: etree._Element, organisation: Organisation, report: Reporter) -> Iterator[Location]:
    """Yield the locations of an organisation; report those without a usable URL."""
    for place in element.iterfind("{*}woo/{*}wooIndex/{*}documentLocatie"):
        value = _text(place, "{*}url")
        try:
            url = location_url(value)
        except ValueError:
            report(
                "register.url-ongeldig",
                organisation=organisation.identifier,
                element="documentLocatie/url",
                seen=value,
                action="locatie overgeslagen",
            )
            continue
        category = informatiecategorieen().by_label(_text(place, "{*}informatiecategorie"))
        remark = shorten(_text(place, "{*}toelichting"), _REMARK_LENGTH, placeholder=" …") or None
        yield Location(organisation, url, category.uri if category else None, remark)
