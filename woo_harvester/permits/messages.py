"""Reads messages of Vergunningen IPM 4.0: from bytes to a valid message, or to findings.

Source: seed "Vergunningen op Internet IPM 4.0: Harvesting van metadata", sections "XML bestand per mutatie
van de zaak" and "Validatie en foutmeldingen"; the schema is ``schema/ipm-4.0.xsd``.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import date, datetime
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from lxml import etree
from msgspec import Struct
from msgspec.structs import replace

from woo_harvester.diwoo.metadata import without_references
from woo_harvester.findings import Finding, Severity
from woo_harvester.permits import schema
from woo_harvester.permits.mapping import conform, map_metadata
from woo_harvester.permits.parsing import UNPROCESSED, MessageError, Notebook, parse, text_of
from woo_harvester.permits.record import Metadata, Vergunning, VergunningDocument
from woo_harvester.sitemaps.lastmod import FIRST_YEAR
from woo_harvester.sitemaps.xml_stream import local_name, namespace
from woo_harvester.tooi.values import ValueList
from woo_harvester.utils.dates import CLOCK_SLACK, day_of, is_no_date, parse_date, parse_datetime
from woo_harvester.utils.terminal import visible
from woo_harvester.utils.urls import loc_problem, secured, tidy_loc

_ROOT = f"{{{schema.MESSAGE_NS}}}message"
_CASE = f"{{{schema.CASE_NS}}}vergunningzaak"
_TITLE, _IDENTIFIER, _PART = (
    f"{{{schema.DCTERMS_NS}}}{name}" for name in ("title", "identifier", "isPartOf")
)
_PLACE = f"{{{schema.CASE_NS}}}coordinaten"
_URI = "resourceIdentifier"
_KEPT = "bewaard zoals gegeven"
#: Most names of elements in one finding.
NAMES_MAX = 20
#: Days in a message, in any namespace.
_DAYS = tuple(f"{{*}}{name}" for name in schema.DAYS)
#: Place of the aanmaakdatum in a message.
_CREATION = 3


class Soort(StrEnum):
    """Subject of a message."""

    ZAAK = "zaak"
    DOCUMENT = "document"


class Transactie(StrEnum):
    """Action of a message."""

    CREATE = "C"
    UPDATE = "U"
    DELETE = "D"


_ACTIONS = {letter: action for action in Transactie for letter in (action, action.lower())}


class Message(Struct, omit_defaults=True):
    """A valid message: it creates, updates or deletes a case, or a document of a case."""

    soort: Soort
    transactie: Transactie
    transactie_id: str
    volgnummer: int
    aanmaakdatum: date
    identifier: str
    """URL of the zaakpagina, or of the document."""
    zaak: str | None = None
    """URL of the zaakpagina of the case; None if the delete of a document does not name it."""
    gegevens: Metadata | None = None
    """The metadata, :class:`Vergunning` or :class:`VergunningDocument`; None for a delete."""
    aanmaakmoment: datetime | None = None
    """The aanmaakdatum in UTC, if it has a time."""

    def undated(self) -> Message:
        """Return the message without its aanmaakdatum, to compare what it says."""
        return replace(self, aanmaakdatum=date.min, aanmaakmoment=None)


class MessageResult(NamedTuple):
    """The message in a file, and the findings about it. These have no url, organisation or host yet."""

    message: Message | None
    """None if one of the findings is an error."""
    findings: list[Finding]


def read_message(
    chunks: Iterable[bytes],
    maxsize: int,
    organisations: ValueList,
    now: datetime,
    charset: str | None = None,
) -> MessageResult:
    """Read one file: *chunks* of bytes, gzip or not, of at most *maxsize* bytes after decompression.

    *organisations* are those that the message may name; *now* is the moment of the harvest, in UTC. *charset*
    is the encoding that its server names. Never raises for the content of a file. With a finding that is an
    error there is no message. Other findings come with a message.
    """
    try:
        root, found = parse(chunks, maxsize, charset)
    except MessageError as error:
        return MessageResult(None, [error.finding])
    if (fault := _root_fault(root)) is not None:
        return MessageResult(None, [fault])
    unused = []
    if not schema.is_valid(root):
        unused = conform(root)  # real software writes other namespaces, and other elements
        if faults := schema.faults_of(root):
            return MessageResult(None, faults)
    note = Notebook()
    note.findings += found
    message = _message(root, organisations, note)
    if unused:
        names = dict.fromkeys(local_name(element.tag) for element in unused)
        note("ipm.element-onbekend", unused[0], ", ".join(islice(names, NAMES_MAX)), "niet gebruikt")
    day = text_of(root[_CREATION]) or ""
    if is_in_future(day, now):
        note("ipm.datum-toekomst", root[_CREATION], day)
    for element in root.iter(*_DAYS):
        with suppress(ValueError):  # in an element with any content
            moment = parse_datetime(element.text or "")
            is_before_web = moment.year < FIRST_YEAR and local_name(element.tag) in schema.MADE
            if is_before_web or is_no_date(moment):
                note("ipm.datum-onwaarschijnlijk", element, text_of(element), _KEPT)
    errors = [finding for finding in note.findings if finding.severity is Severity.ERROR]
    return MessageResult(None if errors else message, (errors or note.findings)[: schema.FAULTS_MAX])


def is_in_future(aanmaakdatum: str, now: datetime) -> bool:
    """Return whether an aanmaakdatum, as given, is later than *now* (in UTC), by more than clocks differ.

    One without a time is in the future until its day begins in Dutch time. Raises ValueError if it cannot be
    read.
    """
    if "T" in aanmaakdatum:
        return parse_datetime(aanmaakdatum) > now + CLOCK_SLACK
    day = parse_date(aanmaakdatum)
    # The Dutch day is that of UTC or the next one, so most need no time zone.
    return day > now.date() and day > day_of(now)


def _root_fault(root: etree._Element) -> Finding | None:
    """Return the finding about a wrong root element, or None. The schema would not say what is wrong."""
    if root.tag == _ROOT:
        return None
    name, space = local_name(root.tag), namespace(str(root.tag))
    expected = f"één <message> in naamruimte {schema.MESSAGE_NS}"
    return Finding(
        code="ipm.schema",
        line=root.sourceline,
        element=name,
        seen=f"<{name}> in naamruimte {space or '(geen)'}",
        action=f"{UNPROCESSED}; verwacht: {expected}",
    )


def _message(root: etree._Element, organisations: ValueList, note: Notebook) -> Message:
    """Return the message of a tree that is valid by the schema; *note* gets what the schema cannot check."""
    transactietype, transactie_id, volgnummer, aanmaakdatum, subject = root
    meta = subject[0]
    _correct(meta, note)
    is_case = subject.tag == _CASE
    odd: list[etree._Element] = []
    given = map_metadata(meta, organisations, odd, is_case=is_case)
    for element in odd:
        code, done = ("ipm.zaak-plaats", _KEPT) if element.tag == _PLACE else ("ipm.dubbel", "de eerste telt")
        note(code, element, " ".join(" ".join(element.itertext()).split()), done)
    action = _ACTIONS[(text_of(transactietype) or "")[0]]
    day = text_of(aanmaakdatum) or ""
    identifier = _identifier(given.identifier, meta, note)
    case = identifier if isinstance(given, Vergunning) else _case_of(given, action, meta, note)
    if action is not Transactie.DELETE:
        _require(given, meta, note)
    return Message(
        soort=Soort.ZAAK if is_case else Soort.DOCUMENT,
        transactie=action,
        transactie_id=" ".join((transactie_id.text or "").split()),
        volgnummer=int(volgnummer.text or ""),
        aanmaakdatum=parse_date(day),
        identifier=identifier,
        zaak=case,
        gegevens=given if action is not Transactie.DELETE else None,
        aanmaakmoment=parse_datetime(day) if "T" in day else None,
    )


def _correct(meta: etree._Element, note: Notebook) -> None:
    """Correct titles that were escaped twice, and addresses with signs that nobody sees."""
    for element in meta.iter(_TITLE, _IDENTIFIER, _PART):
        given = ((element.get(_URI) if element.tag == _PART else element.text) or "").strip(" \t\r\n")
        right = without_references(given) if element.tag == _TITLE else tidy_loc(given)
        if right != given:
            code = "ipm.entiteiten" if element.tag == _TITLE else "ipm.tekens"
            note(code, element, visible(given), f"gelezen als {right}")
            if element.tag == _PART:
                element.set(_URI, right)
            else:
                element.text = right


def _identifier(given: str, meta: etree._Element, note: Notebook) -> str:
    elements = list(meta.iter(_IDENTIFIER))
    if loc_problem(secured(given)):
        note("ipm.identifier", elements[0] if elements else meta, given or "ontbreekt")
        return ""
    other = next((each for each in elements if text_of(each) not in (given, None)), None)
    if other is not None:  # a message about two things
        note("ipm.identifier", other, f"{given} en {text_of(other)}")
    return given


def _case_of(
    given: VergunningDocument, action: Transactie, meta: etree._Element, note: Notebook
) -> str | None:
    """Return the URL of the case that a document belongs to; None if it is absent, as a delete allows."""
    case = given.isPartOf.id if given.isPartOf else None
    if case is None:
        if action is not Transactie.DELETE:
            note.missing(_group(meta, "owmsmantel"), "isPartOf")
        return None
    if loc_problem(secured(case)):
        note("ipm.identifier", next(meta.iter(_PART), meta), case)
    return case


def _require(given: Vergunning | VergunningDocument, meta: etree._Element, note: Notebook) -> None:
    """Note the elements that are missing in a create or update. A delete may leave them out."""
    for name in ("title", "type", "creator", "modified"):
        if getattr(given, name) is None:
            note.missing(_group(meta, "owmskern"), name)
    if isinstance(given, Vergunning) and (given.product is None or given.product.producttype is None):
        note.missing(_group(meta, "vergunningenmeta"), "product/producttype")


def _group(meta: etree._Element, name: str) -> etree._Element:
    """Return the group *name* of *meta*, in which something is missing; *meta* itself if it is absent."""
    return next((each for each in meta if local_name(each.tag) == name), meta)
