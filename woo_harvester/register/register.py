"""The register in memory: the hosts to visit, and the organisations of a host or a URL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from datetime import date
from typing import Self

from woo_harvester.register.organisations import Location, Match, Organisation
from woo_harvester.register.prefix import HostLocations, split_url
from woo_harvester.urls import host_of

_UNKNOWN = Match()


class Register:
    """The organisations that exist today, and their locations in the Woo-index. Immutable.

    Hosts are written as by ``urls.host_of``: ``www.a.nl``, or ``www.a.nl:8443``.
    """

    def __init__(self, organisations: Iterable[Organisation], locations: Iterable[Location]) -> None:
        self.locations = tuple(locations)
        by_host: dict[str, list[Location]] = {}
        for location in self.locations:
            by_host.setdefault(host_of(location.url), []).append(location)
        self.organisations = tuple(organisations)
        self.date: date | None = None
        """Day of the export, if it is known."""
        self._hosts = {host: HostLocations(found) for host, found in by_host.items()}
        self._hosts_by_organisation = _hosts_by_organisation(self._hosts)
        self._ad_hoc: frozenset[str] = frozenset()
        self._keys = _keys(self.organisations)
        self._names: dict[str, list[Organisation]] = {}
        for organisation in self.organisations:
            self._names.setdefault(organisation.name, []).append(organisation)

    @property
    def location_count(self) -> int:
        """The number of locations."""
        return len(self.locations)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts to visit, in alphabetical order."""
        return tuple(sorted(self._ad_hoc.union(self._hosts)))

    def is_registered(self, host: str) -> bool:
        """Return whether documents on this host may be harvested: registered, or added by with_domains."""
        return host in self._hosts or host in self._ad_hoc

    def with_domains(self, hosts: Iterable[str]) -> Self:
        """Return a copy in which these hosts count as registered too, for a run with ``-a domains=``.

        That gives them no organisation.
        """
        extended = copy(self)
        extended._ad_hoc = self._ad_hoc.union(hosts)
        return extended

    def organisations_of_host(self, host: str) -> tuple[Organisation, ...]:
        """Return the organisations that registered a location on the host, in the order of the register."""
        found = self._hosts.get(host)
        return found.organisations if found is not None else ()

    def hosts_of(self, organisation: Organisation) -> tuple[str, ...]:
        """Return the hosts on which an organisation registered locations, in alphabetical order."""
        return self._hosts_by_organisation.get(organisation.system_id, ())

    def owners(self, url: str) -> tuple[Organisation, ...]:
        """Return the organisations that *url* may belong to by the register, whichever host lists it.

        These are the organisation with the longest registered URL that is a prefix, or those that share that
        URL; else all organisations on the host of *url*. Raises ValueError if *url* is no absolute http or
        https URL.
        """
        on_host, match = self._look_up(url)
        if match is None:
            if on_host is None:
                return ()
            match = on_host.only
        return (match.organisation,) if match.organisation is not None else match.candidates

    def is_own(self, url: str, host: str) -> bool:
        """Return whether an entry for *url* in a sitemap of *host* comes from an owner of *url*.

        It does if *url* is on *host*, or if one of its owners is registered on *host*. Source: "Whose entry
        counts" in the interface description.
        """
        if url.startswith(f"https://{host}/") or host_of(url) == host:
            return True
        on_host = self._hosts.get(host)
        return on_host is not None and any(owner in on_host.organisations for owner in self.owners(url))

    def own_hosts(self, url: str) -> tuple[str, ...]:
        """Return the registered hosts that may list *url*: its own, and those of its only owner."""
        owners = self.owners(url)
        hosts = {host_of(url), *(self.hosts_of(owners[0]) if len(owners) == 1 else ())}
        return tuple(sorted(host for host in hosts if self.is_registered(host)))

    def find(self, key: str) -> Organisation | None:
        """Return the organisation with this TOOI URI, code at the end of that URI, systeemId, or exact name.

        An organisation without registered locations is found too, one that no longer exists is not. Raises
        ValueError for a name that several organisations have.
        """
        key = key.strip()
        if (found := self._keys.get(key)) is not None:
            return found
        named = self._names.get(key, [])
        if len(named) > 1:
            choices = ", ".join(organisation.identifier for organisation in named)
            raise ValueError(f"{key!r} is the name of {len(named)} organisations; choose one of {choices}")
        return named[0] if named else None

    def organisation_of(self, url: str, index_host: str) -> Match:
        """Return the organisation of the document at *url*, according to the register.

        First choice is the organisation with the longest registered URL that is a prefix of *url*. Without
        such a URL it is the only organisation on the host of *url*, else the only one on *index_host*, the
        host whose index lists the document. If several organisations have that URL or host, they are the
        candidates. Raises ValueError if *url* is no absolute http or https URL. Source: "Publisher by
        register" in the interface description.
        """
        on_host, match = self._look_up(url)
        if match is not None:
            return match
        if on_host is not None and on_host.only.organisation is not None:
            return on_host.only
        on_index = self._hosts.get(index_host)
        if on_index is not None and (on_host is None or on_index.only.organisation is not None):
            return on_index.only
        return on_host.only if on_host is not None else _UNKNOWN

    def _look_up(self, url: str) -> tuple[HostLocations | None, Match | None]:
        """Return what is registered on the host of *url*, and the match of its longest registered prefix."""
        authority, path, query = split_url(url)
        on_host = self._hosts.get(authority)
        if on_host is None:
            on_host = self._hosts.get(host_of(url))
        return on_host, on_host.longest_prefix(path, query) if on_host is not None else None


def _hosts_by_organisation(hosts: Mapping[str, HostLocations]) -> dict[str, tuple[str, ...]]:
    """Return the hosts of each organisation in alphabetical order, by its systeemId."""
    found: dict[str, list[str]] = {}
    for host in sorted(hosts):
        for organisation in hosts[host].organisations:
            found.setdefault(organisation.system_id, []).append(host)
    return {key: tuple(names) for key, names in found.items()}


def _keys(organisations: Iterable[Organisation]) -> dict[str, Organisation]:
    """Return the organisations by TOOI URI, code and systeemId. Of two with the same key the first counts."""
    keys: dict[str, Organisation] = {}
    for organisation in organisations:
        if organisation.uri:
            keys.setdefault(organisation.uri, organisation)
            keys.setdefault(organisation.uri.rpartition("/")[2], organisation)
        if organisation.system_id:
            keys.setdefault(organisation.system_id, organisation)
    return keys
