"""Mutations: messages with where they came from, in their order, and what is known by the last of them."""

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
    """What a row is about. The URL of a case may be that of a document too."""

    soort: Soort
    identifier: str


class Order(NamedTuple):
    """When a mutation comes, among those of one organisation: the larger is the later."""

    aanmaakdatum: date
    transactie_id: tuple[bool, int, str]
    """Numbers by value and before all other texts, of any length."""
    volgnummer: int
    file_date: datetime
    rank: int
    """Of two that differ in nothing else, a removal comes last."""


@dataclass(frozen=True)
class Mutation:
    """A valid message, with where it came from."""

    message: Message
    organisatie: str
    """The body whose entry offers it."""
    ingang: str
    """URL of the entry page."""
    bestand: str
    """URL of the file."""
    datum: datetime | None = None
    """The file's date, aware: by listing or ``Last-Modified``, else the moment of fetching."""
    bevindingen: tuple[str, ...] = ()
    """Codes of the findings about the message."""
    digest: str | None = None
    """SHA-256 of the file; None for a message that an older version kept."""

    @property
    def key(self) -> Key:
        """The row that it is about."""
        return Key(self.message.soort, self.message.identifier)

    @property
    def alive(self) -> bool:
        """Whether the case or document is there by this message."""
        return self.message.transactie is not Transactie.DELETE

    @cached_property
    def order(self) -> Order:
        """When it comes among the mutations of its organisation."""
        message = self.message
        return Order(
            message.aanmaakdatum,
            _comparable(message.transactie_id),
            message.volgnummer,
            self.datum or _NO_DATE,
            _RANK[message.transactie],
        )


def _comparable(transactie_id: str) -> tuple[bool, int, str]:
    """A number by its value, whatever its length: more digits are more, among as many the text decides."""
    if not _DIGITS.fullmatch(transactie_id):
        return True, 0, transactie_id
    digits = transactie_id.lstrip("0")
    return False, len(digits), digits


@dataclass(frozen=True)
class Known:
    """The last message of an organisation about an identifier: a row of the state, as JSON (``dump``)."""

    mutation: Mutation
    """The message that was applied last."""
    zaak: str | None = None
    """The case that it belongs to: itself, or that of a document. None for a document that no case had."""
    present: bool | None = None
    """Of cases: whether outputs have it (True), had it (False) or never did (None)."""
    opgehaald: datetime | None = None
    """Of cases: the moment of the record that outputs have or had."""
    eigen: bool = False
    """Of cases: whether an entry page on the host of the case offered it."""

    @property
    def key(self) -> Key:
        """What the row is about."""
        return self.mutation.key

    def dump(self) -> str:
        """The row as JSON."""
        return _rows().dump_json(self, exclude_none=True).decode()

    @staticmethod
    def load(text: str) -> Known:
        """The row that was dumped; raises ``pydantic.ValidationError`` for anything else."""
        return _rows().validate_json(text)


@cache
def _rows() -> TypeAdapter[Known]:
    return TypeAdapter(Known)
