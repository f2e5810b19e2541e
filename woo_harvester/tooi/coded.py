"""Coded values: what a publisher gave as label and URI, resolved against a value list."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from woo_harvester.tooi.lists import organisaties
from woo_harvester.tooi.organisations import is_tooi_organisation
from woo_harvester.tooi.values import Concept, ValueList, normal_label

#: Longer values than any list has are resolved anew each time: they would fill the memory, not save time.
_CACHED_LENGTH = 1000


@dataclass(frozen=True, slots=True)
class Resolved:
    """A coded value as the record has it."""

    concept: Concept | None
    """None where the value is absent, or unknown to a list without a concept for that."""
    bronwaarde: str | None = None
    """What the publisher gave, where the concept does not say it."""
    problem: str | None = None
    """Code of the finding: ``waarde.uri-onbekend``, ``waarde.label-onbekend`` or ``waarde.strijdig``."""


def resolve(values: ValueList, label: str | None, uri: str | None) -> Resolved | None:
    """The value that a label and a URI (attribute ``resource``) stand for; None where both are empty.

    The URI wins; a known label mends an unknown URI. A value that the list does not know at all
    (``waarde.label-onbekend``) becomes the list's concept for unknown, where it has one. A public body's
    TOOI URI is kept as given, because bodies come faster than lists.
    """
    label, uri = label or "", uri or ""
    if len(label) + len(uri) > _CACHED_LENGTH:
        return _resolve(values, label.strip(), uri.strip())
    return _resolve_cached(values, label, uri)


@lru_cache(maxsize=8192)
def _resolve_cached(values: ValueList, label: str, uri: str) -> Resolved | None:
    """The same few values come by for millions of documents."""
    return _resolve(values, label.strip(), uri.strip())


def _resolve(values: ValueList, label: str, uri: str) -> Resolved | None:
    if not label and not uri:
        return None
    if concept := values.by_uri(uri):
        return _known(concept, label)
    if values is organisaties() and is_tooi_organisation(uri):
        return Resolved(Concept(uri, label), problem="waarde.uri-onbekend")
    if concept := values.by_label(label):
        return Resolved(concept, bronwaarde=uri, problem="waarde.uri-onbekend") if uri else Resolved(concept)
    return Resolved(values.unknown, bronwaarde=_as_given(label, uri), problem="waarde.label-onbekend")


def _known(concept: Concept, label: str) -> Resolved:
    """A concept by its URI, beside a label that may say something else."""
    if not label or normal_label(label) == normal_label(concept.label):
        return Resolved(concept)
    return Resolved(concept, bronwaarde=label, problem="waarde.strijdig")


def _as_given(label: str, uri: str) -> str:
    """Both parts in one text: ``label (URI)``."""
    return f"{label} ({uri})" if label and uri else label or uri
