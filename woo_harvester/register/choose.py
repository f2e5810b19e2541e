"""Finds the organisations that a user names: one or more, in whatever letter case, or all of a kind."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from woo_harvester.register.names import full_names, short_names
from woo_harvester.register.organisations import Organisation
from woo_harvester.register.register import Register
from woo_harvester.tooi.organisations import organisation_type
from woo_harvester.tooi.values import normal_label

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
