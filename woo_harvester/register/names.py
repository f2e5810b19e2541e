"""Organisations by URI and by name: those of the value lists, and those of the register of this run.

The lists are years old, and the register is of today. A URI that the lists have keeps their label. A name is
looked up in the register first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from copy import copy
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain
from typing import Self

from woo_harvester.register.register import Organisation, Register
from woo_harvester.tooi.lists import ValueLists
from woo_harvester.tooi.values import Concept, ValueList, normal_label, organisation_type

#: How the name of an organisation begins if it has its kind in it, by the kind in its TOOI URI or in the
#: register. The first is how TOOI writes it.
_PREFIXES = {
    "gemeente": ("gemeente ",),
    "provincie": ("provincie ",),
    "waterschap": ("waterschap ", "hoogheemraadschap van ", "hoogheemraadschap ", "wetterskip "),
    "ministerie": ("ministerie van ",),
    "col": ("openbaar lichaam ",),
}
#: The kind of parts of an organisation: their names, such as "Communicatie", mean something only within it.
_PART = "organisatieonderdeel"


class KnownOrganisations(ValueList):
    """The organisations of the value lists and of the register.

    The register has some organisations without a URI. Their concepts have a label only.
    """

    def __init__(self, listed: ValueList, registered: Iterable[Organisation]) -> None:
        registered = tuple(registered)
        newer = (
            Concept(organisation.uri, organisation.name)
            for organisation in registered
            if organisation.uri and organisation.name and listed.by_uri(organisation.uri) is None
        )
        super().__init__(listed.name, chain(listed, newer), listed.unknown)
        self._listed = listed
        self._registered = _by_name(self._named(registered, full_names))
        self._on_host: dict[str, Concept | None] = {}
        # Made here once: each view of a host would make its own.
        self.by_similar_uri("")
        self.by_code("")

    def of_host(self, organisations: Iterable[Organisation]) -> Self:
        """Return the same organisations for values on the host of *organisations*.

        On their host they are also known by their names without the kind, where only one of them has it.
        """
        view = copy(self)
        full, short = self._named(organisations, full_names), self._named(organisations, short_names)
        view._on_host = _by_name([*full, *short]) | _by_name(full)
        return view

    def by_label(self, label: str) -> Concept | None:
        """Return the only organisation with this name, or None. Names are compared by ``normal_label``."""
        name = normal_label(label)
        return self._on_host.get(name) or self._registered.get(name) or self._listed.by_label(label)

    def _named(
        self, organisations: Iterable[Organisation], names: Callable[[Organisation], Iterable[str]]
    ) -> list[tuple[str, Concept]]:
        """Return the concept of each organisation, by each of its names."""
        return [(name, self._concept(each)) for each in organisations for name in names(each)]

    def _concept(self, organisation: Organisation) -> Concept:
        found = self.by_uri(organisation.uri) if organisation.uri else None
        return found or Concept(organisation.uri or "", organisation.name)


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


def full_names(organisation: Organisation) -> Iterator[str]:
    """Yield the name that means this organisation on any host, in the form for comparison."""
    name, prefixes = normal_label(organisation.name), _prefixes(organisation)
    if name and normal_label(organisation.kind or "") != _PART:
        yield f"{prefixes[0]}{name}" if prefixes and not name.startswith(prefixes) else name


def short_names(organisation: Organisation) -> Iterator[str]:
    """Yield the name that means this organisation on its own host only, in the form for comparison."""
    name, prefixes = normal_label(organisation.name), _prefixes(organisation)
    prefix = next(filter(name.startswith, prefixes), "")
    if prefixes or normal_label(organisation.kind or "") == _PART:
        yield name.removeprefix(prefix)


def _prefixes(organisation: Organisation) -> tuple[str, ...]:
    """Return how the name begins if it has the kind in it; empty for a kind that names do not have."""
    return _PREFIXES.get(
        organisation_type(organisation.uri or "") or normal_label(organisation.kind or ""), ()
    )


def _by_name(names: Iterable[tuple[str, Concept]]) -> dict[str, Concept | None]:
    """Return the concept of each name, or None for a name that another concept has too."""
    found: dict[str, Concept | None] = {}
    for name, concept in names:
        found[name] = concept if found.get(name, concept) == concept else None
    return found


#: Most names that are suggested for one that the register does not have, and the least likeness (0 to 1).
_SUGGESTED = 3
_SIMILARITY = 0.75
_EXPECTED = "TOOI URI, its code, systeemId, name, or a kind such as waterschap"


def find_organisations(register: Register, given: str) -> tuple[Organisation, ...]:
    """Return the organisations that a text with commas between them names, each once, in that order.

    Each is named by its TOOI URI, the code at the end of it, its systeemId or its name; letter case makes no
    difference. A name may have commas in it. A kind, such as ``provincie``, stands for all organisations of
    that kind. Raises ValueError, with one line, for a text that names none, or one of several.
    """
    parts = [part.strip() for part in given.split(",") if part.strip()]
    if not parts:
        raise ValueError(f"expected {_EXPECTED}")
    search = _Search(register)
    found: dict[Organisation, None] = {}
    while parts:
        for count in range(len(parts), 0, -1):
            if organisations := search.find(", ".join(parts[:count])):
                found.update(dict.fromkeys(organisations))
                del parts[:count]
                break
        else:
            raise ValueError(search.explain(parts[0]))
    return tuple(found)


def organisation_meant(register: Register, host: str) -> Organisation | None:
    """Return the organisation that a host which is not registered most likely belongs to, or None.

    It is the only one with hosts in the same domain, such as ``amersfoort.nl``. If nobody has such a host, it
    is the one with that name.
    """
    domain = ".".join(host.partition(":")[0].split(".")[-2:])
    near = [each for each in register.hosts if f".{each.partition(':')[0]}".endswith(f".{domain}")]
    found = {organisation for each in near for organisation in register.organisations_of_host(each)}
    if not near:
        with suppress(ValueError):  # several have this name
            found = set(_Search(register).find(domain.partition(".")[0]))
    return found.pop() if len(found) == 1 else None


class _Search:
    """The keys, names and kinds of the organisations in a register."""

    def __init__(self, register: Register) -> None:
        self._register = register
        self._by_key: dict[str, Organisation] = {}
        self._by_name: dict[str, dict[Organisation, None]] = {}
        self._by_kind: dict[str, list[Organisation]] = {}
        for organisation in register.organisations:
            uri = organisation.uri or ""
            for key in (uri, uri.rpartition("/")[2], organisation.system_id):
                self._by_key.setdefault(key.casefold(), organisation)
            for kind in {organisation_type(uri) or "", normal_label(organisation.kind or "")}:
                self._by_kind.setdefault(kind, []).append(organisation)
            names = normal_label(organisation.name), *full_names(organisation), *short_names(organisation)
            for name in names:
                self._by_name.setdefault(name, {})[organisation] = None

    def find(self, given: str) -> Iterable[Organisation]:
        """Return the organisation with this key or name, or those of this kind; empty if there is none."""
        exact = self._register.find(given)
        if exact is not None:
            return (exact,)
        if (found := self._by_key.get(given.casefold())) is not None:
            return (found,)
        name = normal_label(given)
        named = self._by_name.get(name, {})
        if len(named) > 1:
            choices = ", ".join(f"{each.identifier} ({each.name})" for each in named)
            raise ValueError(f"{given!r} is the name of {len(named)} organisations; choose one of {choices}")
        return named or self._by_kind.get(name, ())

    def explain(self, given: str) -> str:
        """Return that there is no such organisation, and the names that are most like it."""
        known = [name for name in (*self._by_name, *self._by_kind) if name]
        meant = [self._title(name) for name in _close(normal_label(given), known)]
        suggestion = (
            f"did you mean {' or '.join(dict.fromkeys(meant))}?" if meant else f"expected {_EXPECTED}"
        )
        return f"no organisation {given!r} in the register: {suggestion}"

    def _title(self, name: str) -> str:
        """Return a name as the register writes it, with a key that only one organisation has."""
        for organisation in self._by_name.get(name, ()):
            key = (organisation.uri or "").rpartition("/")[2] or organisation.system_id
            return f"{organisation.name} ({key})"
        return name


def _close(name: str, known: Iterable[str]) -> list[str]:
    return get_close_matches(name, list(known), _SUGGESTED, _SIMILARITY)
