"""Coded values: the label and URI that a publisher gave, resolved against a waardelijst."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from woo_harvester.tooi.lists import organisaties
from woo_harvester.tooi.organisations import is_tooi_organisation
from woo_harvester.tooi.values import Concept, ValueList, normal_label

#: Longest value whose result is cached, in characters of label and URI. No list has longer ones, and a cache
#: of thousands of them would take much memory.
_CACHED_LENGTH = 1000


@dataclass(frozen=True, slots=True)
class Resolved:
    """A coded value, resolved against its list."""

    concept: Concept | None
    """None if the list does not know the value and has no concept for unknown values."""
    bronwaarde: str | None = None
    """What the publisher gave, if it differs from the concept."""
    problem: str | None = None
    """Code of the finding: ``waarde.uri-onbekend``, ``waarde.label-onbekend`` or ``waarde.strijdig``."""


def resolve(values: ValueList, label: str | None, uri: str | None) -> Resolved | None:
    """Return the value for a label and a URI (attribute ``resource``), or None if both are empty.

    A known URI decides. With an unknown URI, a known label decides. If the list knows neither
    (``waarde.label-onbekend``), the value becomes the list's concept for unknown, if it has one. The TOOI URI
    of an organisation is kept even if the list lacks it: new organisations appear before the list is updated.
    Source: seed "Aanbevelingen voor metadata".
    """
    label, uri = label or "", uri or ""
    if len(label) + len(uri) > _CACHED_LENGTH:
        return _resolve(values, label.strip(), uri.strip())
    return _resolve_cached(values, label, uri)


@lru_cache(maxsize=8192)
def _resolve_cached(values: ValueList, label: str, uri: str) -> Resolved | None:
    """Resolve a value once: millions of documents share the same few values."""
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
    """Return the concept found by URI; a different label becomes the bronwaarde."""
    if not label or normal_label(label) == normal_label(concept.label):
        return Resolved(concept)
    return Resolved(concept, bronwaarde=label, problem="waarde.strijdig")


def _as_given(label: str, uri: str) -> str:
    """Return both parts as one text: ``label (URI)``."""
    return f"{label} ({uri})" if label and uri else label or uri
