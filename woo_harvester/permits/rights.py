"""Decides which organisation may create, update and delete a case: by the register, else by its URL's host.

A case whose URL is on a registered host belongs to the organisations that registered that host, whoever
offered it first. On a host that nobody registered, an entry page on the same host comes before any other.

Source: "Whose it counts" in the interface description.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from enum import IntEnum

from msgspec.structs import replace

from woo_harvester.permits.mutations import Mutation
from woo_harvester.register import Register
from woo_harvester.utils.urls import host_of


class Right(IntEnum):
    """The right of an organisation on a case; the larger is the stronger."""

    NONE = 0
    """The host of the case is registered to other organisations."""
    ANY = 1
    """Nobody registered the host: the first organisation keeps the case."""
    OWN = 2
    """The organisation registered the host, or has an entry page on it where nobody registered it."""


class Rights:
    """The rights of organisations on cases, by the register of this run.

    *organisations* has the organisation of each entry page of this run, by URL; *named* has the names that
    operators gave to entry pages in this run and before. When an older message was read, the register or the
    operator may have named another organisation, or none.
    """

    def __init__(
        self, register: Register, organisations: Mapping[str, str], named: Mapping[str, str] | None = None
    ) -> None:
        self._register = register
        self._organisations = organisations
        self._named = {url: self._identifier(name) for url, name in (named or {}).items()}
        self._on_host = _by_host(self._named.items())

    def current(self, mutation: Mutation) -> Mutation:
        """Return *mutation* with the organisation that its entry page has today."""
        organisation = self._organisation(mutation.ingang, mutation.organisatie)
        if organisation == mutation.organisatie:
            return mutation
        return replace(mutation, organisatie=organisation)

    def shown(self, mutation: Mutation) -> str:
        """Return the organisation that records and findings name: that of the entry page in this run."""
        return self._organisations.get(mutation.ingang, mutation.organisatie)

    def _organisation(self, entry: str, known: str) -> str:
        """Return the organisation that has the cases of an entry page.

        *known* is the one that it had when the message was read. An entry page that was given without a name
        is that of the organisation that an operator named for it before; else of the only one that registered
        its host; else of the only one that has an entry page with a name on a host that nobody registered.
        """
        host = host_of(entry)
        given = self._organisations.get(entry)
        if given is None or given == host:
            if entry in self._named:
                return self._named[entry]
            given = given or known
        if given != host:
            return given
        registered = self._registered(host)
        found = registered or self._on_host.get(host, set())
        return next(iter(found)) if len(found) == 1 else host

    def _identifier(self, name: str) -> str:
        """Return the identifier of the organisation with this name, if the register has it, else the name."""
        with suppress(ValueError):
            if (found := self._register.find(name)) is not None:
                return found.identifier
        return name

    def right(self, case: str, mutation: Mutation, *, own_host: bool) -> Right:
        """Return the right that the organisation of *mutation* has on *case*.

        *own_host*: one of its entry pages that offer the case is on the host of the case.
        """
        owners = self._owners(case)
        if not owners:
            return Right.OWN if own_host else Right.ANY
        return Right.OWN if owners.issuperset(self._claimants(mutation)) else Right.NONE

    def registered_owners(self, case: str) -> str:
        """Return the names of the organisations that registered the host of *case*, for a finding."""
        return ", ".join(sorted(self._owners(case)))

    def _owners(self, case: str) -> frozenset[str]:
        return self._registered(host_of(case))

    def _claimants(self, mutation: Mutation) -> frozenset[str]:
        """Return the organisations that may own the entry page: several only if its host has several."""
        host = host_of(mutation.ingang)
        registered = self._registered(host) if mutation.organisatie == host else None
        return registered or frozenset({mutation.organisatie})

    def _registered(self, host: str) -> frozenset[str]:
        return frozenset(each.identifier for each in self._register.organisations_of_host(host))


def _by_host(named: Iterable[tuple[str, str]]) -> Mapping[str, set[str]]:
    """Return the organisations of the entry pages on each host."""
    found: dict[str, set[str]] = {}
    for url, organisation in named:
        found.setdefault(host_of(url), set()).add(organisation)
    return found


def is_own_host(case: str, mutation: Mutation) -> bool:
    """Return whether the entry page of *mutation* is on the host of *case*."""
    return host_of(mutation.ingang) == host_of(case)
