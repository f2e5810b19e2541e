"""The project's own XML Schema of a message of Vergunningen IPM 4.0, and what it has against a message.

``ipm-4.0.xsd`` and what it imports tell what is allowed. Elements below ``vergunningzaak`` and
``vergunningdocument`` are written in the namespace of the case, in that of the message or in none by real
software: they are brought into the one that the schema has before it is asked.
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
from woo_harvester.permits.parsing import REFUSED, path_of
from woo_harvester.sitemaps.reader import local_name, namespace

MESSAGE = "http://standaarden.overheid.nl/vergunningen/4.0/"
CASE = f"{MESSAGE}zaak"
DOCUMENT = f"{MESSAGE}document"
DCTERMS = "http://purl.org/dc/terms/"

#: Findings that are told of one message; a broken export gives the same one for each element.
FAULTS_MAX = 20

_CONTROL = ("transactietype", "transactieID", "volgnummer", "aanmaakdatum")
_META = ("meta", "owmskern", "owmsmantel", "vergunningenmeta")
_CASE_META = (
    *("product", "producttype", "activiteit"),
    *("termijn", "fase", "termijnsoortPeriode", "termijnsoort", "startdatumTermijn", "einddatumTermijn"),
    *("actor", "bedrijfsnaam", "bedrijfsadres", "object", "referentienummer"),
    *("adres", "postcodeHuisnummer", "postcode", "huisnummer", "huisnummertoevoeging"),
    *("woonplaatsAdres", "woonplaats", "gemeente", "provincie"),
    *("perceel", "kadastralegemeente", "sectie", "nummer"),
    *("coordinaten", "x-waarde", "y-waarde", "z-waarde"),
)


def _places(subject: str, names: tuple[str, ...]) -> dict[str, str]:
    """The tag that the schema has, by each tag that is read as it."""
    own = {name: f"{{{MESSAGE}}}{name}" for name in _CONTROL}
    own |= {name: f"{{{subject}}}{name}" for name in names}
    spaces = (MESSAGE, CASE, DOCUMENT)
    found = {
        f"{{{space}}}{name}": tag
        for name, tag in own.items()
        for space in spaces
        if tag != f"{{{space}}}{name}"
    }
    found |= own
    return found | {f"{{{space}}}{name}": name for name in ("start", "end") for space in (*spaces, DCTERMS)}


_PLACES = {
    CASE: _places(CASE, ("vergunningzaak", *_META, *_CASE_META)),
    DOCUMENT: _places(DOCUMENT, ("vergunningdocument", *_META, "documenttype")),
}


def correct_namespaces(message: etree._Element) -> None:
    """Bring the elements of a message into the namespaces of the schema, as far as they are known."""
    last = message[-1] if len(message) else message
    places = _PLACES[DOCUMENT if local_name(last.tag) == "vergunningdocument" else CASE]
    for element in message.iterdescendants():
        if (tag := places.get(str(element.tag))) is not None:
            element.tag = tag


def faults(message: etree._Element) -> list[Finding]:
    """What the schema has against a message, with its namespaces corrected; empty for a valid one."""
    schema = validator()
    if schema.validate(message):  # most are as they should be, and correcting costs half as much again
        return []
    correct_namespaces(message)
    if schema.validate(message):
        return []
    prefixes = {prefix: uri for each in message.iter() for prefix, uri in each.nsmap.items() if prefix}
    first = islice(schema.error_log, FAULTS_MAX)
    return list(dict.fromkeys(_finding(_located(message, error, prefixes), error) for error in first))


class _Packaged(etree.Resolver):
    """Finds the imported files in the package, which can be a zip file."""

    def resolve(self, system_url: str | None, public_id: str | None, context: Any) -> Any:
        name = (system_url or "").rpartition("/")[2]
        return self.resolve_string(_file(name), context, base_url=system_url)


def _file(name: str) -> bytes:
    return files(__package__).joinpath(name).read_bytes()


@cache
def validator() -> etree.XMLSchema:
    """The schema, as lxml has it: for messages whose namespaces are corrected."""
    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(_Packaged())
    return etree.XMLSchema(etree.fromstring(_file("ipm-4.0.xsd"), parser))


_TRANSACTION = "transactietype"
#: Elements whose value is a day.
_DAYS = frozenset({"aanmaakdatum", "modified", "start", "end", "startdatumTermijn", "einddatumTermijn"})

_EXPECTED: dict[str, tuple[str, str]] = {
    _TRANSACTION: ("ipm.transactie", "C, U of D"),
    **dict.fromkeys(_DAYS, ("ipm.datum", "een datum als 2009-09-01")),
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
    """The element that an error is about."""
    with suppress(etree.XPathError):  # of a prefix that stands for several namespaces
        found = message.xpath(error.path or "", namespaces=prefixes)
        if isinstance(found, list) and found and isinstance(found[0], etree._Element):
            return found[0]
    return None


def _finding(element: etree._Element | None, error: Any) -> Finding:
    """libxml2's message as a finding: what stands there, and what is expected."""
    named = _NAME.match(error.message)
    tag = named[1] if named else ""
    name = local_name(tag)
    code, expected = "ipm.schema", _listed(error.message)
    if error.type in _STRUCTURE:
        seen = f"<{name}> is niet volledig" if "Missing" in error.message else _unexpected(tag, error.message)
    else:
        code, expected = _EXPECTED.get(name, (code, expected))
        seen = (element.text or "").strip() if element is not None else error.message
    action = f"{REFUSED}; verwacht: {expected}" if expected else f"{REFUSED}; niet in het schema"
    return Finding(
        code=code,
        line=error.line or None,
        element=name if element is None else path_of(element),
        seen=seen,
        action=action,
    )


def _unexpected(tag: str, said: str) -> str:
    if "not allowed" in said:
        return f"tekst in <{local_name(tag)}>"
    space = namespace(tag)
    known = space in (MESSAGE, CASE, DOCUMENT, DCTERMS)
    return f"<{local_name(tag)}>" if known else f"<{local_name(tag)}> in naamruimte {space or '(geen)'}"


def _listed(said: str) -> str:
    """The elements that may stand there: their names, with the namespace of the first."""
    found = _LIST.search(said)
    if found is None:
        return ""
    tags = found[1].split(", ")
    return f"{', '.join(map(local_name, tags))} (naamruimte {namespace(tags[0]) or 'geen'})"
