"""Whether the state and the files that runs wrote say the same of each document."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from sqlalchemy import Connection, select

from woo_harvester.state.batches import BATCH, batches
from woo_harvester.state.decision import Known
from woo_harvester.state.documents import KNOWN_COLUMNS, look_up
from woo_harvester.state.latest import Latest, Version
from woo_harvester.state.schema import documents
from woo_harvester.urls import record_id

#: In microseconds.
SECOND = 1_000_000


class Difference(StrEnum):
    """How the files differ from the state."""

    MISSING = "missing"
    """The files do not have it, and the state holds that it was delivered."""
    OLDER = "older"
    """The files have an earlier version only."""
    EXTRA = "extra"
    """The files have a document or version that the state does not know; it may be delivered again."""


def differences(connection: Connection, files: Latest) -> Iterator[tuple[Difference, str]]:
    """Each difference with the document's location."""
    query = select(*KNOWN_COLUMNS).where(documents.c.harvested.is_not(None)).order_by(documents.c.id)
    rows = connection.execute(query.execution_options(yield_per=BATCH))
    for known in batches(map(Known._make, rows)):
        ids = [record_id(one.loc) for one in known]
        found = files.find(ids)
        for key, one in zip(ids, known, strict=True):
            if difference := _compare(one, found.get(key)):
                yield difference, one.loc
    for versions in batches(version for version in files if version.loc is not None):
        kept = look_up(connection, [str(version.loc) for version in versions])
        for version in versions:
            document = kept.get(str(version.loc))
            if document is None or document.harvested is None:
                yield Difference.EXTRA, str(version.loc)


def _compare(known: Known, version: Version | None) -> Difference | None:
    """How the latest version in the files differs from what the state knows of a harvested document."""
    if version is None:
        return None if known.withdrawn else Difference.MISSING
    if version.withdrawn or known.withdrawn:
        if version.withdrawn and known.withdrawn:
            return None
        moment = (known.withdrawn or known.harvested or 0) * SECOND
        return Difference.OLDER if moment >= version.harvested else Difference.EXTRA
    given, kept = _place(version.lastmod), _place(known.lastmod)
    if given == kept:
        return None
    return Difference.OLDER if given < kept else Difference.EXTRA


def _place(lastmod: int | None) -> tuple[bool, int]:
    """Where a version stands in time: a document without a lastmod may be given one, but never loses it."""
    return lastmod is not None, lastmod or 0
