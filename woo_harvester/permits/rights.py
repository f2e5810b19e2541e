"""Decides which organisation may create, update and delete a case: by the register, else by its URL's host.

A case whose URL is on a registered host belongs to the organisations that registered that host, whoever
offered it first. On a host that nobody registered, an entry page on the same host comes before any other.

Source: "Whose entry counts" in the interface description.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    """The organisation registered the host, or its entry page is on it and nobody registered it."""


class Rights:
    """The rights of organisations on cases, by the register of this run.

    *organisations* has the organisation of each entry page of this run, by URL, and *named* the one that an
    operator named for it last, in this run or before.
    """

    def __init__(
        self, register: Register, organisations: Mapping[str, str], named: Mapping[str, str] | None = None
    ) -> None:
        self._register = register
        self._organisations = organisations
        self._having = {**organisations, **(named or {})}

    def current(self, mutation: Mutation) -> Mutation:
        """Return *mutation* with the organisation that has the cases of its entry page today."""
        owner = self._having.get(mutation.ingang, mutation.organisatie)
        return mutation if owner == mutation.organisatie else replace(mutation, organisatie=owner)

    def shown(self, mutation: Mutation) -> str:
        """Return the organisation that records and findings name: that of the entry page in this run."""
        return self._organisations.get(mutation.ingang, mutation.organisatie)

    def right(self, case: str, mutation: Mutation) -> Right:
        """Return the right that the organisation of *mutation* has on *case*."""
        owners, page = self.owners(case), host_of(mutation.ingang)
        if not owners:
            return Right.OWN if page == host_of(case) else Right.ANY
        # If several organisations registered the host of a page without a name, it may be any one's.
        claimants = self.owners(mutation.ingang) if mutation.organisatie == page else frozenset()
        return Right.OWN if owners.issuperset(claimants or {mutation.organisatie}) else Right.NONE

    def owners(self, url: str) -> frozenset[str]:
        """Return the organisations that registered the host of a case or a page."""
        return frozenset(each.identifier for each in self._register.organisations_of_host(host_of(url)))
