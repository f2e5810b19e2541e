"""The hosts that people mean: an address as they type it, or the name of an organisation of the register."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from woo_harvester.findings import Reporter
from woo_harvester.register import Register, RegisterCopy, RegisterError
from woo_harvester.register.fetch import obtain_register
from woo_harvester.register.stored_copy import read_file
from woo_harvester.running.paths import data_dir
from woo_harvester.utils.dates import day_of
from woo_harvester.utils.urls import host_of, is_web_url
from woo_portal.dutch import normalized, words
from woo_portal.names import organisations_named
from woo_portal.wording import visible

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_log = logging.getLogger(__name__)

#: The longest text that is understood, the shortest part of a name, and the most organisations that it names.
MAX_TYPED, _SHORTEST, _MOST_NAMED = 500, 3, 20
#: The name of a host on the internet, which ends in letters: no address, and no name of one network alone.
_PUBLIC = re.compile(r"[a-z0-9][a-z0-9_.-]*\.(?:[a-z]{2,}|xn--[a-z0-9-]+)")
_SCHEME = re.compile(r"(?P<web>https?:/+)|[a-z][a-z0-9+.-]*:(?![0-9]{1,5}(?:[/?#]|$))", re.IGNORECASE)
_ADDRESS = re.compile(r"\w\.\w|:\d")
_AROUND = " \"'<>()[],;"
_EXPECTED = "Typ het adres van uw website, zoals www.uwgemeente.nl."
#: Hosts by the name of their organisation, which is empty for one typed host.
Meant = Mapping[str, Sequence[str]]
#: Audits report what is wrong with the register.
_UNREPORTED = Reporter(lambda finding: None)


class NotUnderstoodError(Exception):
    """A text means no host; the message is for who typed it."""


class TypedHosts:
    """The register as runs keep it, by which a typed text is understood."""

    def __init__(self, settings: BaseSettings) -> None:
        self._source, self._folder = str(settings["WOO_REGISTER"]), data_dir(settings)
        self._user_agent = str(settings["USER_AGENT"])
        is_web = is_web_url(self._source)
        self._path = RegisterCopy(self._folder, self._source).path if is_web else Path(self._source)
        self._lock = Lock()
        self._seen: object = None
        self._register = Register((), ())

    async def obtain(self) -> None:
        """Fetch the register if there is no copy of it yet; later, each audit keeps the copy up to date."""
        if self._path.exists():
            return
        try:
            await obtain_register(
                self._source, self._folder, _UNREPORTED, _today(), user_agent=self._user_agent
            )
        except RegisterError as error:
            _log.warning("no names of organisations are understood yet: %s", error)

    def meant(self, typed: str) -> Meant:
        """Return the hosts that a text means.

        This reads files, so call it in a thread. Raises NotUnderstoodError.
        """
        text = " ".join(visible(typed).split()).strip(_AROUND)
        if not text or len(text) > MAX_TYPED or not text.isprintable():
            raise NotUnderstoodError(_EXPECTED)
        address, scheme = text.partition(" ")[0], _SCHEME.match(text)
        if scheme is None and not _ADDRESS.search(address):
            return self._named(text)
        if scheme is not None and not scheme["web"]:
            raise NotUnderstoodError(f"Dit is geen adres van een website. {_EXPECTED}")
        register = self._read()
        try:
            host = register.meant_host(host_of(f"https://{address[scheme.end() if scheme else 0 :]}"))
        except ValueError:
            raise NotUnderstoodError(f"Dit adres kan niet. {_EXPECTED}") from None
        # Only hosts of the register may have a port: this is no scanner of ports.
        if not (register.is_registered(host) or _PUBLIC.fullmatch(host)):
            raise NotUnderstoodError(f"Dit is geen website op het openbare internet. {_EXPECTED}")
        return {"": [host]}

    def _named(self, text: str) -> Meant:
        """Return the hosts of each organisation of which a text is the name, or a part of it."""
        register, part = self._read(), _compared(text)
        uris, known = organisations_named(text), register.organisations
        short = [each for each in known if each.abbreviation and _compared(each.abbreviation) == part]
        found = short or [each for each in known if each.uri in uris]
        if not found and len(part) >= _SHORTEST:
            found = [each for each in known if part in _compared(each.name)]
        hosts = {each.name: register.hosts_of(each) for each in found if register.hosts_of(each)}
        if not hosts and found:
            raise NotUnderstoodError(f"{found[0].name} heeft in het register geen adres. {_EXPECTED}")
        if not 0 < len(hosts) <= _MOST_NAMED:
            why = "past bij te veel organisaties" if hosts else "staat niet in het register"
            raise NotUnderstoodError(f"Deze naam {why}. {_EXPECTED}")
        return hosts

    def _read(self) -> Register:
        """Return the register, read again if its file is another one than before."""
        with self._lock:
            try:
                found = self._path.stat()
                seen = (found.st_ino, found.st_mtime_ns, found.st_size)
                if seen != self._seen:
                    self._seen = seen  # one that cannot be read is not tried for each visitor
                    self._register = read_file(self._path, _UNREPORTED, _today())
            except (OSError, RegisterError) as error:
                _log.warning("the register cannot be read: %s", error)
            return self._register


def _compared(name: str) -> str:
    """Return the words of a name; "en" may be "&" or a comma."""
    return " ".join(word for word in words(normalized(name)) if word != "en")


def _today() -> date:
    return day_of(datetime.now(UTC))
