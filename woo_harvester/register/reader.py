"""Reads the daily export of the Register van Overheidsorganisaties, as a stream.

The parser hands over names and texts as they come and builds no tree, so that memory does not grow with
whatever else the export holds. Elements and attributes are told by their local names: the namespace carries
the version of the export's schema, which changes now and then.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import partial
from sys import intern
from typing import Any, BinaryIO

from lxml import etree

from woo_harvester.dates import parse_date
from woo_harvester.findings import Finding, Reporter
from woo_harvester.register.organisations import Location, Organisation
from woo_harvester.register.register import Register
from woo_harvester.urls import host_of

#: Largest export that is read, in bytes; today's has 38 MB.
MAXSIZE = 500 * 1024 * 1024
#: Deepest nesting of elements; today's export has about ten.
MAXDEPTH = 100
#: Longest value that is read, in characters; today's longest URL has about 2,000.
MAXLENGTH = 10_000

_CHUNK = 64 * 1024
_PLACE = "documentLocatie"
#: How the host ends in a URL that somebody left the scheme out of: a top-level domain, or a port.
_TOP_LEVEL = re.compile(r"\.[a-z][a-z0-9-]+$|:[0-9]+$")
_SCHEME = re.compile(r"\s*(?:([a-z][a-z0-9+.-]*):)?//", re.IGNORECASE)


class RegisterError(ValueError):
    """The register cannot be had or read; the message is one line for the operator."""


def read_export(stream: BinaryIO, report: Reporter, today: date, *, maxsize: int = MAXSIZE) -> Register:
    """The bodies that exist on the day ``today`` and their Woo-index locations.

    A registered value that is no usable URL is left out, with the finding ``register.url-ongeldig``; findings
    are handed over once the whole export was read. Raises RegisterError for what is not XML, breaks off,
    holds a DOCTYPE or no body at all, or is larger than ``maxsize`` bytes.
    """
    export = _Export(today)
    target: Any = export  # the stubs ask for methods that the parser can do without
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
        raise RegisterError(f"The register export is not whole XML: {reason}") from error
    if not export.organisations:
        raise RegisterError("The register export holds no organisation that exists today")
    for finding in export.findings:
        report.send(finding)
    return Register(export.organisations.values(), export.locations)


def location_url(value: str) -> str:
    """A registered value as an absolute https URL.

    Without a scheme it is read as https, as the guide's own example has it
    (seed "Voorbeeld: van geregistreerde URL naar robots.txt en sitemapindex"); http counts as https.
    Raises ValueError for what names no host on the web.
    """
    value = value.strip()
    scheme = _SCHEME.match(value)
    url = value if scheme and scheme[1] else f"https://{value[scheme.end() if scheme else 0 :]}"
    start = url.index("://") + 3
    if url[: start - 3].lower() not in {"http", "https"} or len(url) > MAXLENGTH:
        raise ValueError(f"Expected an https URL, got {value[:MAXLENGTH]!r}")
    authority = re.split("[/?#]", url[start:], maxsplit=1)[0]
    host = host_of(url)
    # What has no scheme may be no URL at all: "geen", "n.v.t." or "woo@a.nl".
    if "@" in authority or not (scheme or _TOP_LEVEL.search(host)):
        raise ValueError(f"Expected an https URL, got {value!r}")
    return f"https://{host}{url[start + len(authority) :]}"


class _Body:
    """An ``organisatie`` of which the end has not been read yet; an ended body is known only then."""

    __slots__ = ("end", "name", "places", "system_id", "uri")

    def __init__(self, attributes: Mapping[str, str]) -> None:
        local = {_local_name(name): value.strip() for name, value in attributes.items()}
        self.system_id = local.get("systeemId", "")
        self.uri = local.get("resourceIdentifierTOOI") or None
        self.name = ""
        self.end = ""
        self.places: list[dict[str, str]] = []

    def has_ended(self, today: date) -> bool:
        """Whether the body no longer exists. A date that cannot be read does not end it."""
        try:
            return parse_date(self.end) <= today
        except ValueError:
            return False


class _Export:
    """The parser's target: https://lxml.de/parsing.html#the-target-parser-interface."""

    def __init__(self, today: date) -> None:
        self.organisations: dict[str, Organisation] = {}
        self.locations: list[Location] = []
        self.findings: list[Finding] = []
        self._report = Reporter(self.findings.append)
        self._today = today
        self._path: list[str] = []
        self._bodies: list[_Body] = []
        self._text: list[str] | None = None
        self._length = 0

    def doctype(self, name: str, public_id: str | None, system: str | None) -> None:
        raise RegisterError(f"The register export holds a DOCTYPE ({name}), so it is not read")

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        name = _local_name(tag)
        path = self._path
        parent = path[-1] if path else ""
        path.append(name)
        if len(path) > MAXDEPTH:
            raise RegisterError(f"The register export nests elements more than {MAXDEPTH} deep")
        self._text = None
        if name == "organisatie":
            self._bodies.append(_Body(attributes))
        elif (parent, name) in _WANTED and self._bodies:
            self._text = []
            self._length = 0
        elif name == _PLACE and self._bodies:
            self._bodies[-1].places.append({})

    def data(self, text: str) -> None:
        if self._text is not None and self._length <= MAXLENGTH:
            self._text.append(text)
            self._length += len(text)

    def end(self, tag: str) -> None:
        name = self._path.pop()
        if self._text is not None:
            self._value(name, "".join(self._text)[: MAXLENGTH + 1].strip())
            self._text = None
        elif name == "organisatie":
            self._finish(self._bodies.pop())

    def close(self) -> None:
        """Asked for by the parser; what was read is in the attributes."""

    def _value(self, name: str, value: str) -> None:
        body = self._bodies[-1]
        if name == "naam":
            body.name = body.name or value
        elif name == "eindDatum":
            body.end = body.end or value
        elif body.places:
            body.places[-1].setdefault(name, value)

    def _finish(self, body: _Body) -> None:
        if body.has_ended(self._today):
            return
        organisation = Organisation(body.system_id, body.name, body.uri)
        # The export lists a few bodies twice.
        organisation = self.organisations.setdefault(organisation.identifier or body.name, organisation)
        for place in body.places:
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
        self.locations.append(
            Location(organisation, url, intern(place.get("informatiecategorie", "")) or None)
        )


_WANTED = frozenset(
    {("organisatie", "naam"), ("organisatie", "eindDatum"), (_PLACE, "url"), (_PLACE, "informatiecategorie")}
)


def _local_name(name: str) -> str:
    return name.rpartition("}")[2]
