"""Keeps secrets out of the log of the process: every record is masked where it becomes text."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING

from woo_harvester.utils.secrets import hide, logins_in, masked, secrets_in

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


class MaskedRecord(logging.LogRecord):
    """A record of the log whose message and traceback have no secrets, whatever handler writes it."""

    def getMessage(self) -> str:  # noqa: N802 -- the name of logging's method
        """Return the message without the secrets in it."""
        return masked(super().getMessage())

    @property
    def exc_text(self) -> str | None:
        """The text of the traceback, which the first formatter sets."""
        return self._exc_text

    @exc_text.setter
    def exc_text(self, text: str | None) -> None:
        self._exc_text = None if text is None else masked(text)


def mask_log(settings: BaseSettings, arguments: Iterable[str] = ()) -> None:
    """Mask the log of this process, with the secrets in *settings* and the logins in *arguments*."""
    hide(secrets_in(settings))
    hide(chain.from_iterable(map(logins_in, (*arguments, *map(str, settings.values())))))
    logging.setLogRecordFactory(MaskedRecord)
