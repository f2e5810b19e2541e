"""Organisations by URI and by name: those of the value lists, and those of the register of this run.

The lists may be old, and the register is of today. A URI that the lists have keeps their label.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from copy import copy
from dataclasses import replace
from typing import Self

from woo_harvester.register.register import Organisation, Register
from woo_harvester.tooi.lists import ValueLists
from woo_harvester.tooi.values import Concept, ValueList, normal_label, organisation_type


class KnownOrganisations(ValueList):
    """The organisations of the value lists and of the register."""

    def __init__(self, listed: ValueList, registered: Iterable[Organisation]) -> None:
        newer = (Concept(each.uri, each.name) for each in registered if each.uri and each.name)
        super().__init__(listed.name, listed, listed.unknown, newer)
        self._on_host: dict[str, Concept | None] = {}
        # Made here once: each view of a host would make its own.
        self.by_similar_uri("")
        self.by_code("")

    def of_host(self, organisations: Iterable[Organisation]) -> Self:
        """Return the same organisations for values on the host of *organisations*.

        On their host they are also known by their names in the register, with or without the kind, where only
        one of them has it.
        """
        view = copy(self)
        view._on_host = {}
        for organisation in organisations:
            found = self.by_uri(organisation.uri or "") or Concept(organisation.uri or "", organisation.name)
            for name in _names(organisation):
                view._on_host[name] = found if view._on_host.get(name, found) == found else None
        return view

    def by_label(self, label: str) -> Concept | None:
        """Return the only organisation with this name, or None. Names are compared by ``normal_label``."""
        return self._on_host.get(normal_label(label)) or super().by_label(label)


def _names(organisation: Organisation) -> set[str]:
    """Return the name of an organisation in the register, as it is, with its kind and without it."""
    name = normal_label(organisation.name)
    kind = normal_label(organisation_type(organisation.uri or "") or organisation.kind or "")
    prefix = "ministerie van " if kind == "ministerie" else f"{kind} "
    return {name, prefix + name, name.removeprefix(prefix)} if name else set()


class Vocabulary:
    """The value lists of a run, for the values on each host."""

    def __init__(self, lists: ValueLists, register: Register) -> None:
        self._register = register
        self._hosts: dict[str, ValueLists] = {}
        self._organisations = KnownOrganisations(lists.organisaties, register.organisations)
        self.lists = replace(lists, organisaties=self._organisations)
        """The lists for values that are on no host."""

    def of_host(self, host: str) -> ValueLists:
        """Return the lists for values in sitemaps of *host*."""
        lists = self._hosts.get(host)
        if lists is None:
            there = self._register.organisations_of_host(host)
            lists = self.lists
            if there:
                lists = replace(lists, organisaties=self._organisations.of_host(there))
            self._hosts[host] = lists
        return lists


def shown_name(identifier: str, register: Register | None, listed: ValueList) -> str | None:
    """Return the name of an organisation in the register, else in the value list; None if neither has it.

    *identifier* is a TOOI URI, a systeemId or a name, as findings have it.
    """
    with suppress(ValueError):  # it is the name of several organisations
        found = register.find(identifier) if register is not None else None
        if found is not None and found.name:
            return found.name
    concept = listed.by_uri(identifier)
    return concept.label if concept is not None else None


_EXPECTED = "TOOI URI, its code, systeemId, name, or a kind such as waterschap"


def find_organisations(register: Register, given: str) -> tuple[Organisation, ...]:
    """Return the organisations that a text with commas between them names, each once, in that order.

    Each is named by its TOOI URI, the code at the end of it, its systeemId or its name. A kind, such as
    ``provincie``, stands for all organisations of that kind. Letter case makes no difference. A text that is
    one name may have commas in it. Raises ValueError, with one line, if there is no such organisation.
    """
    found = dict.fromkeys(_find(register, given))
    if not found:
        for part in given.split(","):
            organisations = _find(register, part)
            if part.strip() and not organisations:
                raise ValueError(f"no organisation {part.strip()!r} in the register: expected {_EXPECTED}")
            found.update(dict.fromkeys(organisations))
    if not found:
        raise ValueError(f"expected {_EXPECTED}")
    return tuple(found)


def _find(register: Register, given: str) -> tuple[Organisation, ...]:
    """Return the organisation with this key or name, or those of this kind; empty if there is none."""
    if (exact := register.find(given)) is not None:
        return (exact,)
    kind = normal_label(given)
    return tuple(
        each
        for each in register.organisations
        if kind and kind in (organisation_type(each.uri or ""), normal_label(each.kind or ""))
    )
