"""What an index is made from: one numbered file a version, with mapping, analysis and word lists."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

MAPPING = 1
"""Number of the mapping that this version writes: ``index-1.json``."""

META = "woo_harvester"


class DefinitionError(Exception):
    """This version cannot write to an index; the message tells why, and what to do."""


@cache
def _file(number: int) -> str:
    return files(__package__).joinpath(f"index-{number}.json").read_text(encoding="utf-8")


def definition(number: int = MAPPING) -> dict[str, Any]:
    """Settings and mappings for a new index; ``_meta`` tells the mapping's number and who made it."""
    body: dict[str, Any] = json.loads(_file(number))
    return body


def check(index: str, mappings: Mapping[str, Any]) -> None:
    """Raise :class:`DefinitionError` unless this version can write to an index with these *mappings*."""
    meta = (mappings.get("_meta") or {}).get(META)
    mend = "fill a new one (scrapy index --rebuild FILES), or choose another name (WOO_ELASTICSEARCH_INDEX)"
    if not isinstance(meta, Mapping):
        raise DefinitionError(f"the index {index} was not made by woo-harvester: {mend}")
    if (found := meta.get("mapping")) != MAPPING:
        raise DefinitionError(
            f"the index {index} has mapping {found} of woo-harvester {meta.get('version')}, and this version "
            f"writes mapping {MAPPING}: {mend}"
        )
