"""Mutations: messages with their origin and order, and the rows that the state keeps of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache, cached_property
from typing import NamedTuple

from pydantic import TypeAdapter

from woo_harvester.permits.messages import Message, Soort, Transactie

_DIGITS = re.compile("[0-9]+")
_RANK = {Transactie.CREATE: 0, Transactie.UPDATE: 1, Transactie.DELETE: 2}
_NO_DATE = datetime.min.replace(tzinfo=UTC)


class Key(NamedTuple):
    """The subject of a row: its kind and its URL. A case and a document may have the same URL."""

    soort: Soort
    identifier: str


class Order(NamedTuple):
    """The order of the mutations of one organisation: the larger is the later."""

    aanmaakdatum: date
    transactie_id: tuple[bool, int, str]
    """Sorts numbers by value, whatever their length, before all other texts."""
    volgnummer: int
    file_date: datetime
    rank: int
    """Puts a delete last if nothing else differs."""


@dataclass(frozen=True)
class Mutation:
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
    digest: str | None = None
    """SHA-256 of the file, in hexadecimals; None for a message that an older version of this program kept."""

    @property
    def key(self) -> Key:
        """The key of its row."""
        return Key(self.message.soort, self.message.identifier)

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
            _comparable(message.transactie_id),
            message.volgnummer,
            self.datum or _NO_DATE,
            _RANK[message.transactie],
        )


def _comparable(transactie_id: str) -> tuple[bool, int, str]:
    """Return a sort key: numbers by value, whatever their length, and before all other texts."""
    if not _DIGITS.fullmatch(transactie_id):
        return True, 0, transactie_id
    digits = transactie_id.lstrip("0")
    return False, len(digits), digits


@dataclass(frozen=True)
class PermitRow:
    """The last message of an organisation about a case or document: a row of the state, kept as JSON."""

    mutation: Mutation
    """The message that was applied last."""
    zaak: str | None = None
    """URL of the case that it is or belongs to; None for a document that never had a case."""
    present: bool | None = None
    """True if the outputs have the case, False if they had it, None if they never had it; cases only."""
    opgehaald: datetime | None = None
    """Moment of the case's last record; cases only."""
    eigen: bool = False
    """True if an entry page on the host of the case offered it; cases only."""

    @property
    def key(self) -> Key:
        """The subject of the row."""
        return self.mutation.key

    def dump(self) -> str:
        """Return the row as JSON."""
        return _rows().dump_json(self, exclude_none=True).decode()

    @staticmethod
    def load(text: str) -> PermitRow:
        """Return the row of a text that :meth:`dump` made. Raises ``pydantic.ValidationError``."""
        return _rows().validate_json(text)


@cache
def _rows() -> TypeAdapter[PermitRow]:
    return TypeAdapter(PermitRow)
