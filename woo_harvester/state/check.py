"""Compares the state with the files that runs wrote, document by document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, func, select, update

from woo_harvester.sitemaps.decide import Depth, KnownDocument, SitemapListing
from woo_harvester.sitemaps.lastmod import moment_compared
from woo_harvester.state import listings
from woo_harvester.state.deliveries import Harvested, KnownFile
from woo_harvester.state.documents import (
    KNOWN_COLUMNS,
    add_seen,
    confirm_harvested,
    confirm_withdrawn,
    look_up,
)
from woo_harvester.state.latest import Latest, LatestVersion
from woo_harvester.state.resources import forget_read, host_of_state, resource_of
from woo_harvester.state.schema import documents, resources
from woo_harvester.state.sql import BATCH, batches
from woo_harvester.utils.dates import iso_seconds
from woo_harvester.utils.inputs import parse_object
from woo_harvester.utils.urls import host_of, record_id


class Difference(StrEnum):
    """A difference between the files and the state."""

    MISSING = "missing"
    """A document or case that was delivered by the state, but that the files do not have."""
    OLDER = "older"
    """A document or case of which the files have only an earlier version."""
    EXTRA = "extra"
    """A document, case or version that only the files have. It may be delivered again."""


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
            if not version.withdrawn and not _is_harvested(known_by_loc.get(str(version.loc))):
                yield Difference.EXTRA, str(version.loc)


def take_over(connection: Connection, files: Latest) -> int:
    """Write what only the files have to the state, as after a back-up was restored; return how much it is.

    The state then has their versions, so that the next run harvests what is newer and withdraws what is gone.
    A document that they have withdrawn is marked: if it is listed, the next run delivers it again.
    """
    taken = 0
    for lines in batches(files.lines(withdrawn=True)):
        records = {record["id"]: record for record in map(parse_object, lines)}
        versions = [each for each in files.find(list(records)).values() if each.loc is not None]
        known_by_loc = look_up(connection, [str(each.loc) for each in versions])
        for version in versions:
            known = known_by_loc.get(str(version.loc))
            if known is None or known.harvested is None:
                is_extra = not version.withdrawn
            else:
                is_extra = _compare(known, version) is Difference.EXTRA
            if is_extra and _take_over(connection, version, records[version.id], known):
                taken += 1
    return taken


def _take_over(
    connection: Connection, version: LatestVersion, record: Mapping[str, Any], known: KnownDocument | None
) -> bool:
    """Write a version to the state; return False if its record does not say which sitemap listed it."""
    loc, at = str(version.loc), version.harvested // _SECOND
    sitemap_id = _sitemap_of(connection, record["herkomst"]) if known is None else known.sitemap_id
    if sitemap_id is None:
        return False
    key = known.id if known is not None else add_seen(connection, [loc], sitemap_id)[loc].id
    latest = record["versies"][-1]
    if version.withdrawn:
        confirm_withdrawn(connection, {key: at})
        values = {"again": True, "number": func.coalesce(version.number, documents.c.number)}
        connection.execute(update(documents).where(documents.c.id == key).values(**values))
    else:
        day = latest.get("openbaarmakingsdatum") or iso_seconds(at)[:10]
        files = latest.get("bestanden") or [{}]
        cause, number = latest["oorzaak"], version.number
        harvested = Harvested(
            *(key, version.lastmod, day, at, sitemap_id),
            file=_file(files),
            cause=cause,
            number=number,
            depth=_depth(files[0]),
        )
        confirm_harvested(connection, [harvested])
        listings.write(connection, sitemap_id, [SitemapListing(key)])
    for each in {sitemap_id, *listings.sitemaps_of(connection, key)}:
        forget_read(connection, each)
    return True


def _sitemap_of(connection: Connection, origin: Mapping[str, Any]) -> int | None:
    """Return the sitemap that the ``herkomst`` of a record names; add it if the state does not know it."""
    url, index = origin.get("sitemap"), origin.get("index")
    if not isinstance(url, str):
        return None
    found: int | None = connection.scalar(select(resources.c.id).where(resources.c.url == url).limit(1))
    if found is not None:
        return found
    try:
        host = host_of_state(connection, host_of(url))
    except ValueError:
        return None
    return resource_of(connection, host.id, url, "sitemap", index if isinstance(index, str) else None).id


def _file(files: Sequence[Mapping[str, Any]]) -> KnownFile | None:
    """Return the file that a record names, if it was stored or read; without what its server said of it."""
    try:
        digest = bytes.fromhex(files[0]["hash"])
    except (KeyError, TypeError, ValueError):
        return None
    size, pages = files[0].get("grootte"), files[0].get("paginas")
    return KnownFile(
        sha256=digest,
        size=size if isinstance(size, int) else None,
        media_type=_text(files[0].get("mime-type")),
        file_name=_text(files[0].get("bestandsnaam")),
        pages=pages if isinstance(pages, int) else None,
    )


def _depth(file: Mapping[str, Any]) -> Depth:
    """Return how much of a document was requested, by what its record says of the file."""
    if "tekst" in file:
        return Depth.TEXT
    return Depth.FILE if "hash" in file else Depth.HEADERS


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _is_harvested(known: KnownDocument | None) -> bool:
    return known is not None and known.harvested is not None


def _compare(known: KnownDocument, version: LatestVersion | None) -> Difference | None:
    """Return how the latest *version* in the files differs from a harvested document; None if it does not."""
    if version is None:
        return None if known.withdrawn else Difference.MISSING
    if version.withdrawn or known.withdrawn:
        if version.withdrawn and known.withdrawn:
            return None
        moment = (known.withdrawn or known.harvested or 0) * _SECOND
        return Difference.OLDER if moment >= version.harvested else Difference.EXTRA
    if version.number and known.number and version.number != known.number:
        return Difference.OLDER if version.number < known.number else Difference.EXTRA
    if version.lastmod == known.lastmod:
        return Difference.OLDER if version.harvested < (known.harvested or 0) * _SECOND else None
    in_files = _sort_key(moment_compared(version.lastmod, version.harvested // _SECOND))
    in_state = _sort_key(moment_compared(known.lastmod, known.harvested))
    return Difference.OLDER if in_files < in_state else Difference.EXTRA


def _sort_key(lastmod: int | None) -> tuple[bool, int]:
    """Return a key that sorts versions by time.

    No lastmod sorts first: a document may get a lastmod later, but never loses it.
    """
    return lastmod is not None, lastmod or 0
