"""Coded values: the label and URI that a publisher gave, resolved against a waardelijst."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from woo_harvester.tooi.lists import ORGANISATIONS
from woo_harvester.tooi.values import (
    Concept,
    ValueList,
    is_tooi_organisation,
    normal_label,
    normal_uri,
    one_line,
)

_UNKNOWN_URI = "waarde.uri-onbekend"
_OTHER_LABEL = "waarde.strijdig"


@dataclass(frozen=True, slots=True)
class Resolved:
    """A coded value, resolved against its list."""

    concept: Concept | None
    """None if the list does not know the value and has no concept for unknown values."""
    bronwaarde: str | None = None
    """What the publisher gave, if it differs from the concept."""
    problems: tuple[str, ...] = ()
    """Codes of the findings: ``waarde.uri-onbekend``, ``waarde.label-onbekend``, ``waarde.strijdig``."""


def resolve(values: ValueList, label: str | None, uri: str | None) -> Resolved | None:
    """Return the value for a label and a URI (attribute ``resource``), or None if both are empty.

    A known URI decides. It may be given in another notation (``normal_uri``), or as its code alone. With an
    unknown URI, a known label decides. A URI or a code also counts in the place of the label. A value that is
    known by anything but the URI or label of the list is ``waarde.uri-onbekend``. If the list knows nothing
    of it (``waarde.label-onbekend``), it becomes the list's concept for unknown, if there is one. The TOOI
    URI of an organisation is kept even if the list lacks it: new organisations appear before the list is
    updated. The label has single spaces in the result.

    Source: seed "Aanbevelingen voor metadata".
    """
    label, uri = one_line(label or ""), (uri or "").strip()
    if not label and not uri:
        return None
    if concept := values.by_uri(uri):
        return _with_label(values, concept, label)
    if concept := values.by_similar_uri(uri) or values.by_code(uri):
        return _corrected(values, concept, label, uri)
    tooi = normal_uri(uri)
    if values.name == ORGANISATIONS and is_tooi_organisation(tooi):
        return Resolved(Concept(tooi, label), uri if tooi != uri else None, (_UNKNOWN_URI,))
    if concept := values.by_label(label):
        return _corrected(values, concept, label, uri) if uri else _with_label(values, concept, label)
    if concept := values.by_uri(label) or values.by_similar_uri(label) or values.by_code(label):
        return Resolved(concept, _as_given(label, uri), (_UNKNOWN_URI,))
    return Resolved(values.unknown, _as_given(label, uri), ("waarde.label-onbekend",))


def _with_label(values: ValueList, concept: Concept, label: str) -> Resolved:
    """Return a concept that is known as given; a different label becomes the bronwaarde."""
    if not _differs(label, concept):
        return Resolved(concept)
    return Resolved(concept, label, _contradictions(values, concept, label))


def _corrected(values: ValueList, concept: Concept, label: str, uri: str) -> Resolved:
    """Return a concept of which the list does not know the URI as given; that becomes the bronwaarde."""
    if not _differs(label, concept):
        return Resolved(concept, uri, (_UNKNOWN_URI,))
    problems = (_UNKNOWN_URI, *_contradictions(values, concept, label))
    return Resolved(concept, _as_given(label, uri), problems)


def _contradictions(values: ValueList, concept: Concept, label: str) -> tuple[str, ...]:
    """Return the code of the finding about a label that means something else than the concept.

    A label may differ from that of the concept and mean the same: "Amsterdam" for "gemeente Amsterdam".
    """
    return () if values.by_label(label) == concept else (_OTHER_LABEL,)


def _differs(label: str, concept: Concept) -> bool:
    return label != "" and normal_label(label) != normal_label(concept.label)


def _as_given(label: str, uri: str) -> str:
    """Return both parts as one text: ``label (URI)``."""
    return f"{label} ({uri})" if label and uri else label or uri


#: How alike two labels must be, 0 to 1.
_CUTOFF = 0.8

#: Longest label that is compared, in characters.
_MAXLENGTH = 120


@lru_cache(maxsize=1024)
def nearest_value(values: ValueList, label: str) -> Concept | None:
    """Return the value with the most similar label; None if none is like it, or if the list has this one."""
    plain = normal_label(label)
    if len(plain) > _MAXLENGTH or values.by_label(label) is not None:
        return None
    labels = {normal_label(concept.label): concept for concept in values if concept != values.unknown}
    close = get_close_matches(plain, labels, n=1, cutoff=_CUTOFF)
    return labels[close[0]] if close else None
