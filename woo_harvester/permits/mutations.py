"""Mutations: messages with their origin and order, and the rows that the state keeps of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Any, NamedTuple

from msgspec import Struct, convert, json

from woo_harvester.permits.messages import Message, Soort, Transactie
from woo_harvester.permits.record import Metadata, Vergunning, VergunningDocument
from woo_harvester.utils.urls import https_form

_DIGITS = re.compile("[0-9]+")
_RANK = {Transactie.CREATE: 0, Transactie.UPDATE: 1, Transactie.DELETE: 2}


class Key(NamedTuple):
    """The subject of a row: its kind and its URL. A case and a document may have the same URL."""

    soort: Soort
    identifier: str
    """Its URL with https. A case whose URL moves from http to https, or back, is the same case."""


@dataclass(frozen=True, slots=True)
class Order:
    """The place of a mutation among those of its organisation: the larger is the later.

    Mutations of one day are compared by what both have: the time in aanmaakdatum, else the number in
    transactieID, else the date of the file. If all of it is equal, the one that arrives later is the later.
    So two orders can be neither smaller nor larger and yet differ. Source: the facts about IPM.
    """

    day: date
    moment: datetime | None
    """The aanmaakdatum in UTC, if it has a time."""
    number: tuple[int, str] | None
    """The transactieID if it is a number: the count of its digits, without zeros before them, and these."""
    file_date: datetime | None

    def __lt__(self, other: Order) -> bool:
        if self.day != other.day:
            return self.day < other.day
        for own, others in (
            (self.moment, other.moment),
            (self.number, other.number),
            (self.file_date, other.file_date),
        ):
            if own is not None and others is not None and own != others:
                return own < others  # type: ignore[operator]  # both are of the same field
        return False


class Mutation(Struct, frozen=True, dict=True, omit_defaults=True):
    """A valid message with its origin."""

    message: Message
    organisatie: str
    """The organisation whose entry page offers it."""
    ingang: str
    """URL of the entry page."""
    bestand: str
    """URL of the file."""
    datum: datetime | None = None
    """The file's date, aware: from the listing or ``Last-Modified``, else the moment of the request."""
    bevindingen: tuple[str, ...] = ()
    """Codes of the findings about the message."""
    digest: str = ""
    """SHA-256 of the file, in hexadecimals."""

    @cached_property
    def key(self) -> Key:
        """The key of its row."""
        return Key(self.message.soort, https_form(self.message.identifier))

    @property
    def case(self) -> str | None:
        """The identifier in the key of the case that it names; None if it names none."""
        return None if self.message.zaak is None else https_form(self.message.zaak)

    @property
    def alive(self) -> bool:
        """True if the case or document exists after this message."""
        return self.message.transactie is not Transactie.DELETE

    @cached_property
    def order(self) -> Order:
        """Its place among the mutations of its organisation."""
        message = self.message
        return Order(
            message.aanmaakdatum,
            message.aanmaakmoment,
            _number(message.transactie_id),
            self.datum,
        )


def in_order(mutations: Iterable[Mutation]) -> list[Mutation]:
    """Return mutations that arrived together in their order, the last one last.

    If that leaves two of them equal, the volgnummer decides, then a delete comes last.
    """
    arrived = sorted(mutations, key=lambda each: (each.message.volgnummer, _RANK[each.message.transactie]))
    return sorted(arrived, key=lambda each: each.order)


def _number(transactie_id: str) -> tuple[int, str] | None:
    """Return a number so that numbers are compared by value; Python reads none of thousands of digits."""
    if not _DIGITS.fullmatch(transactie_id):
        return None
    digits = transactie_id.lstrip("0")
    return len(digits), digits


class PermitRow(Struct, frozen=True, omit_defaults=True):
    """The last message of an organisation about a case or document: a row of the state, kept as JSON."""

    mutation: Mutation
    """The message that was applied last."""
    zaak: str | None = None
    """URL of the case that it is or belongs to; None for a document that never had a case."""
    present: bool | None = None
    """True if the outputs have the case, False if they had it, None if they never had it; cases only."""
    opgehaald: datetime | None = None
    """Moment of the case's last record; cases only."""
    eerste: str | None = None
    """URL that the case had in its first record, which decides the id of all its records; cases only."""

    @property
    def key(self) -> Key:
        """The subject of the row."""
        return self.mutation.key

    @property
    def case(self) -> str | None:
        """The identifier in the key of the case that it is or belongs to; None if there is none."""
        return None if self.zaak is None else https_form(self.zaak)

    @property
    def first_url(self) -> str:
        """The URL that decides the id of the records of the case."""
        return self.eerste or self.mutation.message.identifier

    @property
    def ends(self) -> date | None:
        """The last day of the period of a case that exists; None without one."""
        given = self.mutation.message.gegevens
        if not isinstance(given, Vergunning) or given.temporal is None or given.temporal.end is None:
            return None
        return given.temporal.end

    def dump(self) -> str:
        """Return the row as JSON."""
        return _encode(self).decode()

    @staticmethod
    def load(text: str) -> PermitRow:
        """Return the row of a text that :meth:`dump` made."""
        return _decode(text)


def _metadata(_: type, given: Any) -> Metadata:
    """Return the metadata of a case or a document: only a document is part of one case, not of a list.

    msgspec asks for it where a field is a :class:`Metadata`, the one type in a row that it does not know.
    """
    is_document = isinstance(given, dict) and isinstance(given.get("isPartOf"), dict)
    return convert(given, VergunningDocument if is_document else Vergunning)


_encode = json.Encoder().encode
_decode = json.Decoder(PermitRow, dec_hook=_metadata).decode
