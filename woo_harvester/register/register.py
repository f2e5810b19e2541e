"""The data of the register: organisations, and the locations where each publishes its documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from hashlib import sha256
from typing import Self
from urllib.parse import unquote

from woo_harvester.tooi.lists import informatiecategorieen
from woo_harvester.utils.urls import host_of


@dataclass(frozen=True, slots=True)
class Organisation:
    """One organisation in the Register van Overheidsorganisaties (ROO)."""

    system_id: str
    """The register's own number, ``systeemId``; every organisation has one."""
    name: str
    uri: str | None = None
    """The TOOI URI; many organisations have none."""
    kind: str | None = field(default=None, compare=False)
    """The kind of organisation as the register names it, such as ``Gemeente``."""
    abbreviation: str | None = field(default=None, compare=False)
    """Its short name in the register, ``afkorting``, such as ``VWS``."""

    @property
    def identifier(self) -> str:
        """The identifier in records and findings: the TOOI URI, else the systeemId."""
        return self.uri or self.system_id


@dataclass(frozen=True, slots=True)
class Location:
    """One ``documentLocatie``: a URL in the Woo-index where an organisation publishes its documents."""

    organisation: Organisation
    url: str
    """The absolute URL, with the scheme https and the host as ``urls.host_of`` writes it."""
    category: str | None = None
    """URI of the informatiecategorie of its documents; None for "Andere documenten", or if it is unknown."""
    remark: str | None = field(default=None, compare=False)
    """What the organisation says of the location, as ``toelichting``."""


@dataclass(frozen=True, slots=True)
class RegisteredUrl:
    """A URL that one location or more have."""

    url: str
    categories: frozenset[str]
    """URIs of the informatiecategorieën that it is registered for; empty if any category may be there."""


@dataclass(frozen=True, slots=True)
class Match:
    """The organisation of a URL, according to the register."""

    organisation: Organisation | None = None
    """None if the register has no organisation for the URL, or more than one."""
    candidates: tuple[Organisation, ...] = ()
    """The organisations that the URL may belong to, if there is more than one; else empty."""
    registered: RegisteredUrl | None = field(default=None, compare=False, repr=False)
    """The longest registered URL that is a prefix of the URL; None if there is none."""


_Path = tuple[str, ...]

#: Scheme, authority, path and query of an absolute URL.
_URL = re.compile(r"https?://([^/?#]*)([^?#]*)(\?[^#]+)?", re.IGNORECASE)


def _split(url: str) -> tuple[str, _Path, bool]:
    """Return the authority of an absolute URL, the segments of its path, and whether it has a query.

    A final slash and percent-encoding make no difference; an escaped slash stays within its segment. Raises
    ValueError for any other text.
    """
    match = _URL.match(url.strip())
    if match is None:
        raise ValueError(f"Expected an absolute URL such as https://www.a.nl/x, got {url!r}")
    parts = match[2].rstrip("/").split("/")[1:]
    return match[1], tuple(map(unquote, parts)), match[3] is not None


class HostLocations:
    """The registered URLs of one host, at least one, indexed to find the longest prefix of a location."""

    __slots__ = ("_deepest", "_paths", "only", "organisations")

    def __init__(self, locations: Sequence[Location]) -> None:
        paths: dict[_Path, list[Location]] = {}
        for location in locations:
            _, path, has_query = _split(location.url)
            if not has_query:  # a page of results: no document is below it
                paths.setdefault(path, []).append(location)
        self._paths = {path: _match_of_url(found) for path, found in paths.items()}
        # This bounds the steps of a search by the register, however long the location is.
        self._deepest = max(map(len, paths), default=-1)
        self.organisations = tuple(dict.fromkeys(location.organisation for location in locations))
        """The organisations on the host, in the order of the register."""
        self.only = _match(self.organisations)
        """The match of the whole host: its organisation if there is one only, else the candidates."""

    def longest_prefix(self, path: _Path) -> Match | None:
        """Return the match of the longest registered URL that is a prefix of the location, or None."""
        for length in range(min(len(path), self._deepest), -1, -1):
            if (found := self._paths.get(path[:length])) is not None:
                return found
        return None


def _match_of_url(locations: Sequence[Location]) -> Match:
    """Return the match of one URL, which all *locations* have."""
    categories = {location.category for location in locations}
    known = frozenset(category for category in categories if category is not None)
    registered = RegisteredUrl(locations[0].url, known if len(known) == len(categories) else frozenset())
    return _match((location.organisation for location in locations), registered)


def _match(organisations: Iterable[Organisation], registered: RegisteredUrl | None = None) -> Match:
    different = tuple(dict.fromkeys(organisations))
    if len(different) == 1:
        return Match(different[0], registered=registered)
    return Match(candidates=different, registered=registered)


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
            self._names.setdefault(organisation.name.casefold(), []).append(organisation)

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

    def meant_host(self, typed: str) -> str:
        """Return the registered host that a domain means: with or without ``www.``; else the one typed."""
        if self.is_registered(typed):
            return typed
        other = typed.removeprefix("www.") if typed.startswith("www.") else f"www.{typed}"
        return other if self.is_registered(other) else typed

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
        """Return the organisation with this TOOI URI, code at the end of that URI, systeemId, or name.

        Letter case makes no difference. An organisation without registered locations is found too, one that
        no longer exists is not. Raises ValueError for a name that several organisations have.
        """
        key = key.strip().casefold()
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
        authority, path, _ = _split(url)
        on_host = self._hosts.get(authority)
        if on_host is None:
            on_host = self._hosts.get(host_of(url))
        return on_host, on_host.longest_prefix(path) if on_host is not None else None


class OpenRegister(Register):
    """The register of an audit of files, which do not show it: each host is registered, and an owner."""

    def __init__(self) -> None:
        super().__init__((), ())

    def is_registered(self, host: str) -> bool:
        """Return True."""
        return True

    def is_own(self, url: str, host: str) -> bool:
        """Return True."""
        return True


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
        uri = organisation.uri or ""
        for key in filter(None, (uri, uri.rpartition("/")[2], organisation.system_id)):
            keys.setdefault(key.casefold(), organisation)
    return keys


@dataclass(slots=True)
class Published:
    """The documents that were seen under one registered URL."""

    registered: RegisteredUrl
    organisation: Organisation | None
    """The organisation that registered the URL; None if several did."""
    documents: int = 0
    """Documents with a known category."""
    categories: Counter[str] = field(default_factory=Counter)
    """Number of those documents by the URI of their category; a document may have several."""
    hosts: set[str] = field(default_factory=set)
    """The hosts whose sitemaps list them."""

    @property
    def is_conflict(self) -> bool:
        """True if no document has a category for which the URL is registered."""
        return self.registered.categories.isdisjoint(self.categories)


class PublishedCategories:
    """Counts the documents under each registered URL by category.

    The longest registered URL that is a prefix of a document's location decides. Memory grows with the number
    of registered URLs, not with that of documents.
    """

    def __init__(self) -> None:
        self._found: dict[str, Published] = {}

    def count(self, match: Match, categories: Collection[str], host: str) -> None:
        """Count a document of *match* that *host* lists. One without a known category does not count."""
        registered = match.registered
        if registered is None or not registered.categories:
            return
        if not (known := _known_categories().intersection(categories)):
            return
        if (found := self._found.get(registered.url)) is None:
            found = self._found[registered.url] = Published(registered, match.organisation)
        found.documents += 1
        for uri in known:
            found.categories[uri] += 1
        found.hosts.add(host)

    def conflicts(self) -> Iterator[Published]:
        """Yield the registered URLs that no document seen agrees with."""
        return (found for found in self._found.values() if found.is_conflict)


@cache
def _known_categories() -> frozenset[str]:
    return frozenset(concept.uri for concept in informatiecategorieen())


def shard_of(host: str, total: int) -> int:
    """Return the shard of a host, from 1 to *total*. It depends only on a hash of the host."""
    return int.from_bytes(sha256(host.encode()).digest()[:8]) % total + 1


def parse_shard(text: str) -> tuple[int, int]:
    """Return the number and total of a shard such as ``2/8``. Raises ValueError for any other text."""
    number, _, total = text.partition("/")
    try:
        shard = (int(number), int(total))
    except ValueError:
        shard = (0, 0)
    if not 1 <= shard[0] <= shard[1]:
        raise ValueError(f"expected a shard such as 2/8 (the second of eight), got {text!r}")
    return shard
