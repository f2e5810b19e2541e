"""The records of the log of the process: without secrets, and lines of JSON with ``WOO_LOG_JSON``."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING

from woo_harvester.utils.program import NAME
from woo_harvester.utils.secrets import hide, logins_in, masked, secrets_in

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

#: Scrapy's ``LOG_FORMAT`` and ``LOG_DATEFORMAT`` for lines of JSON; the text is an attribute of JsonRecord.
_LINE = '{"time": "%(asctime)s", "level": "%(levelname)s", "logger": "%(name)s", "message": %(json)s}'
_TIME = "%Y-%m-%dT%H:%M:%S%z"


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


class JsonRecord(MaskedRecord):
    """A record that has its message and traceback as one text of JSON too."""

    exc_text = property(lambda self: None, lambda self, text: None)  # so that no formatter adds the traceback

    def getMessage(self) -> str:  # noqa: N802 -- every formatter calls it first
        """Return the message without the secrets in it, and keep the text of JSON."""
        message = super().getMessage()
        traceback = f"\n{logging.Formatter().formatException(self.exc_info)}" if self.exc_info else ""
        self.json = json.dumps(message + masked(traceback), ensure_ascii=False)
        return message


def set_log(settings: BaseSettings, arguments: Iterable[str] = ()) -> None:
    """Mask the log of this process, with the secrets in *settings* and the logins in *arguments*."""
    hide(secrets_in(settings))
    hide(chain.from_iterable(map(logins_in, (*arguments, *map(str, settings.values())))))
    logging.setLogRecordFactory(JsonRecord if settings.getbool("WOO_LOG_JSON") else MaskedRecord)
    if settings.getbool("WOO_LOG_JSON"):
        settings.setdict({"LOG_FORMAT": _LINE, "LOG_DATEFORMAT": _TIME}, "cmdline")


def log_line(text: str, level: str) -> str:
    """Return what is written to stderr beside the log: without secrets, and in its form."""
    if logging.getLogRecordFactory() is not JsonRecord:
        return masked(text)
    return logging.Formatter(_LINE, _TIME).format(
        logging.makeLogRecord({"name": NAME, "levelname": level, "msg": text})
    )
