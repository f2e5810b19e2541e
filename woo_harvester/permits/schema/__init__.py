"""Validates a message of Vergunningen IPM 4.0 with the project's own XML Schema.

The schema is ``ipm-4.0.xsd`` with the files that it imports.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any

from lxml import etree

from woo_harvester.findings import Finding
from woo_harvester.permits.parsing import UNPROCESSED, element_path
from woo_harvester.sitemaps.xml_stream import local_name, namespace

MESSAGE_NS = "http://standaarden.overheid.nl/vergunningen/4.0/"
CASE_NS = f"{MESSAGE_NS}zaak"
DOCUMENT_NS = f"{MESSAGE_NS}document"
DCTERMS_NS = "http://purl.org/dc/terms/"

#: Most findings that are reported about one message. A broken export has the same one for each element.
FAULTS_MAX = 20


def is_valid(message: etree._Element) -> bool:
    """Return whether a message is valid."""
    return compiled_schema().validate(message)


def faults_of(message: etree._Element) -> list[Finding]:
    """Return the findings that make a message invalid; none if it is valid."""
    schema = compiled_schema()
    if schema.validate(message):
        return []
    prefixes = {prefix: uri for each in message.iter() for prefix, uri in each.nsmap.items() if prefix}
    first = islice(schema.error_log, FAULTS_MAX)
    return list(dict.fromkeys(_finding(_located(message, error, prefixes), error) for error in first))


class _SchemaFiles(etree.Resolver):
    """Resolver that reads imported schemas from the Python package, which may be in a zip file."""

    def resolve(self, system_url: str | None, public_id: str | None, context: Any) -> Any:
        name = (system_url or "").rpartition("/")[2]
        return self.resolve_string(_file(name), context, base_url=system_url)


def _file(name: str) -> bytes:
    return files(__package__).joinpath(name).read_bytes()


@cache
def compiled_schema() -> etree.XMLSchema:
    """Return the compiled schema, for messages in the namespaces of the schema."""
    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(_SchemaFiles())
    return etree.XMLSchema(etree.fromstring(_file("ipm-4.0.xsd"), parser))


_TRANSACTION = "transactietype"
#: Elements with the day on which the data were made, which is never before the first year of the web.
MADE = ("aanmaakdatum", "modified")
#: Elements whose value is a day.
DAYS = (*MADE, "issued", "start", "end", "startdatumTermijn", "einddatumTermijn")

_EXPECTED: dict[str, tuple[str, str]] = {
    _TRANSACTION: ("ipm.transactie", "C, U of D"),
    **dict.fromkeys(DAYS, ("ipm.datum", "een datum als 2009-09-01")),
    "volgnummer": ("ipm.schema", "een getal: 0 voor de zaak, 1 en verder voor documenten"),
    "transactieID": ("ipm.schema", "een kenmerk van 1 tot 255 tekens"),
    **dict.fromkeys(("x-waarde", "y-waarde", "z-waarde"), ("ipm.schema", "een getal in meters")),
}

_NAME = re.compile(r"Element '([^']+)'")
_LIST = re.compile(r"Expected is (?:one of )?\( (.+?) \)")
_STRUCTURE = frozenset(
    {etree.ErrorTypes.SCHEMAV_ELEMENT_CONTENT, etree.ErrorTypes.SCHEMAV_CVC_COMPLEX_TYPE_2_3}
)


def _located(message: etree._Element, error: Any, prefixes: dict[str, str]) -> etree._Element | None:
    """Return the element that an error is about, or None."""
    with suppress(etree.XPathError):  # a prefix may stand for several namespaces
        found = message.xpath(error.path or "", namespaces=prefixes)
        if isinstance(found, list) and found and isinstance(found[0], etree._Element):
            return found[0]
    return None


def _finding(element: etree._Element | None, error: Any) -> Finding:
    """Return libxml2's error as a finding: what was found, and what is expected."""
    named = _NAME.match(error.message)
    tag = named[1] if named else ""
    name = local_name(tag)
    code, expected = "ipm.schema", _expected_elements(error.message)
    if error.type in _STRUCTURE:
        seen = f"<{name}> is niet volledig" if "Missing" in error.message else _unexpected(tag, error.message)
    else:
        code, expected = _EXPECTED.get(name, (code, expected))
        seen = (element.text or "").strip() if element is not None else error.message
    action = f"{UNPROCESSED}; verwacht: {expected}" if expected else f"{UNPROCESSED}; niet in het schema"
    return Finding(
        code=code,
        line=error.line or None,
        element=name if element is None else element_path(element),
        seen=seen,
        action=action,
    )


def _unexpected(tag: str, said: str) -> str:
    if "not allowed" in said:
        return f"tekst in <{local_name(tag)}>"
    space = namespace(tag)
    known = space in (MESSAGE_NS, CASE_NS, DOCUMENT_NS, DCTERMS_NS)
    return f"<{local_name(tag)}>" if known else f"<{local_name(tag)}> in naamruimte {space or '(geen)'}"


def _expected_elements(said: str) -> str:
    """Return the names of the elements that are expected, with the namespace of the first."""
    found = _LIST.search(said)
    if found is None:
        return ""
    tags = found[1].split(", ")
    return f"{', '.join(map(local_name, tags))} (naamruimte {namespace(tags[0]) or 'geen'})"
