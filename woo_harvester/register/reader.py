"""Read the daily export of the Register van Overheidsorganisaties as a stream.

The parser builds no tree, so that memory does not grow with the rest of the export. Elements and attributes
are found by their local names: the namespace has the version of the export's schema, which changes now and
then.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import partial
from textwrap import shorten
from typing import Any, BinaryIO

from lxml import etree

from woo_harvester.findings import Finding, Reporter
from woo_harvester.register.register import Location, Organisation, Register
from woo_harvester.tooi.lists import informatiecategorieen
from woo_harvester.utils.dates import parse_date
from woo_harvester.utils.urls import host_of

#: Largest export that is read, in bytes. The export of 2026 has 38 MB.
MAXSIZE = 500 * 1024 * 1024
#: Deepest nesting of elements. The export of 2026 has about ten.
MAXDEPTH = 100
#: Longest value that is read, in characters. The longest URL of 2026 has about 2,000.
_MAXLENGTH = 10_000

_CHUNK = 64 * 1024
_PLACE = "documentLocatie"
_CATEGORY = "informatiecategorie"
_REMARK = "toelichting"
#: Longest remark of a location that is kept, in characters.
_REMARK_LENGTH = 500
#: End of the host in a URL without a scheme: a top-level domain, or a port.
_TOP_LEVEL = re.compile(r"\.[a-z][a-z0-9-]+$|:[0-9]+$")
_SCHEME = re.compile(r"\s*(?:([a-z][a-z0-9+.-]*):)?//", re.IGNORECASE)


class RegisterError(ValueError):
    """The register is not available or cannot be read; the message is one line for the operator."""


def read_export(stream: BinaryIO, report: Reporter, today: date, *, maxsize: int = MAXSIZE) -> Register:
    """Return the register: the organisations that exist on the day *today*, and their Woo-index locations.

    A registered value that is no usable URL is skipped, with the finding ``register.url-ongeldig``. Findings
    are reported after the complete export has been read. Raises RegisterError if the export is not XML, is
    truncated, has a DOCTYPE or no organisation, or is larger than *maxsize* bytes.
    """
    export = _Export(today)
    target: Any = export  # the stubs require methods that the parser does not need
    parser = etree.XMLParser(target=target, resolve_entities=False, no_network=True)
    read = 0
    try:
        for chunk in iter(partial(stream.read, _CHUNK), b""):
            read += len(chunk)
            if read > maxsize:
                raise RegisterError(f"The register export is larger than {maxsize:,} bytes")
            parser.feed(chunk)
        parser.close()
    except etree.XMLSyntaxError as error:
        reason = " ".join(str(error).split())
        raise RegisterError(f"The register export is not complete XML: {reason}") from error
    if not export.organisations:
        raise RegisterError("The register export has no organisation that exists today")
    for finding in export.findings:
        report.send(finding)
    return Register(export.organisations.values(), export.locations)


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


class _OpenElement:
    """An element ``organisatie`` that has not been read to its end yet.

    Its end date, which shows that an organisation no longer exists, may come last.
    """

    __slots__ = ("end", "kind", "name", "places", "system_id", "uri")

    def __init__(self, attributes: Mapping[str, str]) -> None:
        local = {_local_name(name): value.strip() for name, value in attributes.items()}
        self.system_id = local.get("systeemId", "")
        self.uri = local.get("resourceIdentifierTOOI") or None
        self.name = ""
        self.kind: str | None = None
        self.end = ""
        self.places: list[dict[str, str]] = []

    def has_ended(self, today: date) -> bool:
        """Return whether the organisation no longer exists. An unreadable end date does not count."""
        try:
            return parse_date(self.end) <= today
        except ValueError:
            return False


class _Export:
    """A target for lxml's parser: https://lxml.de/parsing.html#the-target-parser-interface."""

    def __init__(self, today: date) -> None:
        self.organisations: dict[str, Organisation] = {}
        self.locations: list[Location] = []
        self.findings: list[Finding] = []
        self._report = Reporter(self.findings.append)
        self._today = today
        self._path: list[str] = []
        self._open: list[_OpenElement] = []
        self._text: list[str] | None = None
        self._length = 0

    def doctype(self, name: str, public_id: str | None, system: str | None) -> None:
        raise RegisterError(f"The register export has a DOCTYPE ({name}), so it is not read")

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        name = _local_name(tag)
        path = self._path
        parent = path[-1] if path else ""
        path.append(name)
        if len(path) > MAXDEPTH:
            raise RegisterError(f"The register export nests elements more than {MAXDEPTH} deep")
        self._text = None
        if name == "organisatie":
            self._open.append(_OpenElement(attributes))
        elif (parent, name) in _WANTED and self._open:
            self._text = []
            self._length = 0
        elif name == _PLACE and self._open:
            self._open[-1].places.append({})

    def data(self, text: str) -> None:
        if self._text is not None and self._length <= _MAXLENGTH:
            self._text.append(text)
            self._length += len(text)

    def end(self, tag: str) -> None:
        name = self._path.pop()
        if self._text is not None:
            self._value(name, "".join(self._text)[: _MAXLENGTH + 1].strip())
            self._text = None
        elif name == "organisatie":
            self._finish(self._open.pop())

    def close(self) -> None:
        """Do nothing: the parser calls this, but the attributes have the result."""

    def _value(self, name: str, value: str) -> None:
        element = self._open[-1]
        if name == "naam":
            element.name = element.name or value
        elif name == "eindDatum":
            element.end = element.end or value
        elif name == "type":
            element.kind = element.kind or value or None
        elif element.places:
            element.places[-1].setdefault(name, value)

    def _finish(self, element: _OpenElement) -> None:
        if element.has_ended(self._today):
            return
        organisation = Organisation(element.system_id, element.name, element.uri, element.kind)
        # The export has a few organisations twice.
        organisation = self.organisations.setdefault(organisation.identifier or element.name, organisation)
        for place in element.places:
            self._locate(organisation, place)

    def _locate(self, organisation: Organisation, place: Mapping[str, str]) -> None:
        value = place.get("url", "")
        try:
            url = location_url(value)
        except ValueError:
            self._report(
                "register.url-ongeldig",
                organisation=organisation.identifier,
                element=f"{_PLACE}/url",
                seen=value,
                action="locatie overgeslagen",
            )
            return
        category = informatiecategorieen().by_label(place.get(_CATEGORY, ""))
        remark = shorten(place.get(_REMARK, ""), _REMARK_LENGTH, placeholder=" …") or None
        self.locations.append(Location(organisation, url, category.uri if category else None, remark))


_WANTED = frozenset(
    {
        ("organisatie", "naam"),
        ("organisatie", "eindDatum"),
        ("types", "type"),
        (_PLACE, "url"),
        (_PLACE, _CATEGORY),
        (_PLACE, _REMARK),
    }
)


def _local_name(name: str) -> str:
    return name.rpartition("}")[2]
