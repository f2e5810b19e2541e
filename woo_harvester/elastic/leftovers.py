"""Indices that a killed rebuild leaves behind, and their removal by the next rebuild.

An index to be removed is marked in its mapping (``_meta.woo_harvester_rebuild``): a new index until the alias
points to it, an old one just before the alias moves away. A lock on this machine shows whether the rebuild
that made the mark is still active.
"""

from __future__ import annotations

import fcntl
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from woo_harvester.elastic.connection import SearchError
from woo_harvester.elastic.indices import REBUILD_MARK, search_errors
from woo_harvester.paths import data_dir, node_name

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch
    from scrapy.settings import BaseSettings


def owner_of(settings: BaseSettings) -> str:
    """Return the owner of the indices that this process makes: its machine and data folder, with the lock."""
    return f"{node_name(settings)} {data_dir(settings).absolute()}"


@contextmanager
def rebuild_lock(settings: BaseSettings, alias: str) -> Iterator[None]:
    """Lock *alias* against other rebuilds by this installation; the kernel unlocks it if the process dies.

    Raises SearchError if another rebuild is active, or if the lock file cannot be made.
    """
    path = data_dir(settings) / f"index-{alias}.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab")
    except OSError as error:
        raise SearchError(f"the lock of rebuilds {path} cannot be used: {error}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise SearchError(f"another rebuild of {alias} is going on: wait until it ends") from error
        yield


def mark(client: Elasticsearch, alias: str, owner: str | None) -> None:
    """Mark the indices behind *alias* for removal by *owner*; with None, remove the mark.

    Raises SearchError.
    """
    with search_errors():
        if not client.indices.exists_alias(name=alias):
            return
        for index, found in client.indices.get_mapping(index=alias).items():
            meta = _meta(found)
            if meta.get(REBUILD_MARK) != owner:
                others = {key: value for key, value in meta.items() if key != REBUILD_MARK}
                client.indices.put_mapping(
                    index=index, meta={**others, **({REBUILD_MARK: owner} if owner else {})}
                )


def remove(client: Elasticsearch, alias: str, owner: str) -> tuple[list[str], list[str]]:
    """Delete the indices that rebuilds of *owner* left behind; call it inside :func:`rebuild_lock`.

    Return the deleted indices, and those of other owners. Raises SearchError.
    """
    removed: list[str] = []
    others: list[str] = []
    with search_errors():
        # The pattern woo-v* also matches indices of other aliases, such as woo-vergunningen-v1.
        for index, found in client.indices.get(index=f"{alias}-v*").items():
            made_by = _meta(found).get(REBUILD_MARK)
            if made_by is None or alias in found["aliases"] or not _is_of(index, alias):
                continue
            if made_by == owner:
                client.indices.delete(index=index)
                removed.append(index)
            else:
                others.append(index)
    return removed, others


def _is_of(index: str, alias: str) -> bool:
    return re.fullmatch(re.escape(alias) + r"-v\d+", index) is not None


def _meta(found: Mapping[str, Any]) -> Mapping[str, Any]:
    meta: Mapping[str, Any] = found["mappings"].get("_meta") or {}
    return meta
