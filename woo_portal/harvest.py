"""How complete the documents of an organisation are: what the report of the last run says of its hosts."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from woo_harvester.findings import Explanation, Severity
from woo_harvester.kinds import Kind
from woo_harvester.report.coverage import RunRegister
from woo_harvester.report.json_file import read_head, read_hosts
from woo_harvester.report.model import FindingRow, HostReport
from woo_harvester.report.run_folder import RunFolder
from woo_portal.names import learn
from woo_portal.wording import explained

_log = logging.getLogger(__name__)

#: The most findings that a page names of a host; the report has the others.
_MOST = 5


@dataclass(frozen=True, slots=True)
class Lost:
    """A finding about a host, because of which documents could not be harvested."""

    explanation: Explanation
    count: int
    about_document: bool
    """True if *count* is a number of documents, false if it is one of files."""


@dataclass(frozen=True, slots=True)
class HarvestOfHost:
    """What the run says of one host of an organisation."""

    host: str
    read: str | None = None
    """When the run ended, ISO 8601; None if nothing of the host could be read."""
    listed: int = 0
    harvested: int = 0
    complete: bool = False
    shared: bool = False
    """True if other organisations publish on it too: the numbers are those of all of them."""
    lost: tuple[Lost, ...] = ()
    """Those that cost the publisher the most first, five at most."""
    remarks: tuple[str, ...] = ()
    """What the organisation says of its addresses in the register (``toelichting``)."""


_Hosts = Mapping[str, tuple[HarvestOfHost, ...]]


class Harvest:
    """The report of the last run, in *folder*; it is read again when another run has made a report.

    Without a folder, or while there is no report in it, nothing is known of any organisation.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._lock = Lock()
        self._seen: object = None
        self._hosts: _Hosts = {}
        self.of("")  # so that the abbreviations of the register are known from the start

    def of(self, organisation: str) -> tuple[HarvestOfHost, ...]:
        """Return what is known of the hosts of an organisation, by its TOOI URI.

        This reads files, so call it in a thread. A report that cannot be read is named in the log, and what
        was known before stays.
        """
        if self._folder is None:
            return ()
        with self._lock:
            try:
                self._read(RunFolder(self._folder))
            except (OSError, ValueError) as error:
                _log.error("the report of the harvest cannot be read: %s", error)
            return self._hosts.get(organisation, ())

    def _read(self, folder: RunFolder) -> None:
        """Read the report, if it is another one than before. Raises OSError and ValueError."""
        if not folder.report.exists():
            return
        found = folder.report.stat()
        seen = (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size)
        if seen != self._seen:
            self._seen = seen  # one that cannot be read is not tried for each visitor
            self._hosts = _hosts(folder)


def _hosts(folder: RunFolder) -> _Hosts:
    """Return the hosts of each organisation, by their names. Raises OSError and ValueError."""
    finished = read_head(folder.report).run.finished
    found: dict[str, dict[str, HarvestOfHost]] = {}
    for report in read_hosts(folder.report):
        if report.kind is not Kind.woo:  # pages of permits: they list no documents
            continue
        about = _about(report, finished)
        for organisation in report.organisations:
            found.setdefault(organisation.id, {})[report.host] = about
    for one, host, remarks in _registered(folder):
        there = found.setdefault(one, {})
        there[host] = replace(there.get(host, HarvestOfHost(host)), remarks=remarks)
    return {one: tuple(hosts[name] for name in sorted(hosts)) for one, hosts in found.items()}


def _registered(folder: RunFolder) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield each host that an organisation registered, and its remarks about that host.

    A run that is not over the register leaves none. The portal learns the abbreviations of the others.
    """
    register = RunRegister.read(folder.register)
    if register is None:
        return
    learn((each.uri, each.name, each.abbreviation) for each in register.organisations)
    for host, organisations in register.places().items():
        for one, urls in organisations:
            yield one.id, host, tuple(dict.fromkeys(one.remarks_on(urls)))


def _about(host: HostReport, finished: str | None) -> HarvestOfHost:
    return HarvestOfHost(
        host=host.host,
        read=None if host.complete is None or host.unreached else finished,
        listed=host.listed,
        harvested=host.harvested,
        complete=bool(host.complete),
        shared=len(host.organisations) > 1,
        lost=tuple(_lost(row) for row in host.findings if row.severity is Severity.ERROR)[:_MOST],
    )


def _lost(row: FindingRow) -> Lost:
    return Lost(explained(row.code), row.count, row.about_document)
