"""What an index is made from: the settings that all have, and one numbered file a version of a mapping.

The settings, ``analysis.json``, hold the analysis with its word lists; they belong to each mapping, so that
another analysis gives each one a new number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from woo_harvester.search.record_kind import RecordKind
from woo_harvester.search.woo import WOO

_META = "woo_harvester"
_SETTINGS = "analysis.json"
_WORD_LISTS = frozenset({"stopwords", "word_list"})
"""Parameters of filters that are lists of words."""
_SHORT_LIST = 100
"""Words that stay a list; a short one may name a list of the server's own (``_dutch_``)."""


class DefinitionError(Exception):
    """This version cannot write to an index; the message tells why, and what to do."""


@cache
def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def definition(kind: RecordKind) -> dict[str, Any]:
    """Settings and mappings for a new index; ``_meta`` tells the mapping's number and who made it."""
    mappings = f"{kind.name}-{kind.mapping}.json"
    body: dict[str, Any] = {**json.loads(_file(_SETTINGS)), **json.loads(_file(mappings))}
    for part in body["settings"]["analysis"]["filter"].values():
        for name in _WORD_LISTS & part.keys():
            if len(part[name]) > _SHORT_LIST:
                # A list means the same, but the server looks at each word many times: 6 seconds, not 0.3.
                part[name] = ",".join(part[name])
    return body


def check(kind: RecordKind, index: str, mappings: Mapping[str, Any]) -> None:
    """Raise :class:`DefinitionError` unless this version writes *kind* to an index with these *mappings*."""
    mend = f"fill a new one (scrapy index --rebuild FILES), or choose another name ({kind.setting})"
    check_kind(kind, index, mappings)
    meta = (mappings.get("_meta") or {}).get(_META)
    if not isinstance(meta, Mapping):
        raise DefinitionError(f"the index {index} was not made by woo-harvester: {mend}")
    if (found := meta.get("mapping")) != kind.mapping:
        raise DefinitionError(
            f"the index {index} has mapping {found} of woo-harvester {meta.get('version')}, and this version "
            f"writes mapping {kind.mapping}: {mend}"
        )


def check_kind(kind: RecordKind, index: str, mappings: Mapping[str, Any]) -> None:
    """Raise :class:`DefinitionError` for an index that was made for records of another kind."""
    meta = (mappings.get("_meta") or {}).get(_META)
    # The first mapping of the Woo does not name its kind.
    if isinstance(meta, Mapping) and (found := meta.get("records", WOO.name)) != kind.name:
        raise DefinitionError(
            f"the index {index} holds records of the kind {found}, and not {kind.name}: choose another name "
            f"({kind.setting})"
        )
