"""The definition of an index: the settings, which all kinds share, and a numbered file per mapping.

The settings, ``analysis.json``, have the analysis with its word lists. Every mapping depends on them, so each
mapping gets a new number when they change.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from woo_harvester.program import program
from woo_harvester.search.record_kind import RecordKind
from woo_harvester.search.woo import WOO

_META = "woo_harvester"
_SETTINGS = "analysis.json"
_WORD_LISTS = frozenset({"stopwords", "word_list"})
"""The filter parameters that are lists of words."""
_SHORT_LIST = 100
"""A list of at most this many words stays a list: it may name a list of the server, such as ``_dutch_``."""


class DefinitionError(Exception):
    """This version cannot write to the index; the message says why, and what to do."""


@cache
def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def definition(kind: RecordKind) -> dict[str, Any]:
    """Return settings and mappings for a new index; ``_meta`` has the number of the mapping and its maker."""
    mappings = f"{kind.name}-{kind.mapping}.json"
    index: dict[str, Any] = {**json.loads(_file(_SETTINGS)), **json.loads(_file(mappings))}
    for part in index["settings"]["analysis"]["filter"].values():
        for name in _WORD_LISTS & part.keys():
            if len(part[name]) > _SHORT_LIST:
                # A list means the same, but the server then needs 6 seconds instead of 0.3.
                part[name] = ",".join(part[name])
    return index


def check(kind: RecordKind, index: str, mappings: Mapping[str, Any]) -> None:
    """Raise DefinitionError unless this version can write *kind* to an index with these *mappings*."""
    fix = f"fill a new one ({program()} index --rebuild FILES), or choose another name ({kind.setting})"
    check_kind(kind, index, mappings)
    meta = (mappings.get("_meta") or {}).get(_META)
    if not isinstance(meta, Mapping):
        raise DefinitionError(f"the index {index} was not made by woo-harvester: {fix}")
    if (found := meta.get("mapping")) != kind.mapping:
        raise DefinitionError(
            f"the index {index} has mapping {found} of woo-harvester {meta.get('version')}, and this version "
            f"writes mapping {kind.mapping}: {fix}"
        )


def check_kind(kind: RecordKind, index: str, mappings: Mapping[str, Any]) -> None:
    """Raise DefinitionError for an index that was made for records of another kind."""
    meta = (mappings.get("_meta") or {}).get(_META)
    # The first mapping of the kind woo does not name its kind.
    if isinstance(meta, Mapping) and (found := meta.get("records", WOO.name)) != kind.name:
        raise DefinitionError(
            f"the index {index} holds records of the kind {found}, and not {kind.name}: choose another name "
            f"({kind.setting})"
        )
