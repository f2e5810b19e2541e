"""Compares the state with the files that runs wrote, document by document."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, select

from woo_harvester.sitemaps.facts import KnownDocument
from woo_harvester.sitemaps.lastmod import moment_compared
from woo_harvester.state.batches import BATCH, batches
from woo_harvester.state.differences import Difference
from woo_harvester.state.documents import KNOWN_COLUMNS, look_up
from woo_harvester.state.latest import Latest, LatestVersion
from woo_harvester.state.schema import documents
from woo_harvester.urls import record_id

#: Microseconds in a second.
_SECOND = 1_000_000


def differences(connection: Connection, files: Latest) -> Iterator[tuple[Difference, str]]:
    """Yield each difference, with the URL of the document."""
    query = select(*KNOWN_COLUMNS).where(documents.c.harvested.is_not(None)).order_by(documents.c.id)
    rows = connection.execute(query.execution_options(yield_per=BATCH))
    for known in batches(map(KnownDocument._make, rows)):
        ids = [record_id(one.loc) for one in known]
        found = files.find(ids)
        for key, one in zip(ids, known, strict=True):
            if difference := _compare(one, found.get(key)):
                yield difference, one.loc
    for versions in batches(version for version in files if version.loc is not None):
        known_by_loc = look_up(connection, [str(version.loc) for version in versions])
        for version in versions:
            document = known_by_loc.get(str(version.loc))
            if document is None or document.harvested is None:
                yield Difference.EXTRA, str(version.loc)


def _compare(known: KnownDocument, version: LatestVersion | None) -> Difference | None:
    """Return how the latest *version* in the files differs from a harvested document; None if it does not."""
    if version is None:
        return None if known.withdrawn else Difference.MISSING
    if version.withdrawn or known.withdrawn:
        if version.withdrawn and known.withdrawn:
            return None
        moment = (known.withdrawn or known.harvested or 0) * _SECOND
        return Difference.OLDER if moment >= version.harvested else Difference.EXTRA
    if version.lastmod == known.lastmod:
        is_supplied = known.supplied_at is not None and version.harvested < known.supplied_at * _SECOND
        return Difference.OLDER if is_supplied else None
    in_files = _sort_key(moment_compared(version.lastmod, version.harvested // _SECOND))
    in_state = _sort_key(moment_compared(known.lastmod, known.harvested))
    return Difference.OLDER if in_files < in_state else Difference.EXTRA


def _sort_key(lastmod: int | None) -> tuple[bool, int]:
    """Return a key that sorts versions by time.

    No lastmod sorts first: a document may get a lastmod later, but never loses it.
    """
    return lastmod is not None, lastmod or 0
