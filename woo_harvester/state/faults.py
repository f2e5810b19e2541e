"""Faults: reasons why listed documents could not be harvested, kept so that each run reports them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection, bindparam, func, select, update

from woo_harvester.state.schema import documents

if TYPE_CHECKING:
    from woo_harvester.state.versions import Harvested

#: Values of the columns for a document without a fault.
NO_FAULT = dict.fromkeys(
    ("fault", "fault_seen", "fault_since", "refused_at", "refused_lastmod", "refused_with")
)


@dataclass(frozen=True, slots=True)
class DocumentFault:
    """A document that could not be harvested, and the reason."""

    loc: str
    code: str
    seen: str | None
    since: int
    """Seconds since 1970."""


def keep_fault(
    connection: Connection,
    version: Harvested,
    code: str,
    seen: str | None,
    *,
    at: int,
    refused: bool,
    wanted: int | None = None,
) -> None:
    """Keep why a *version* of a document could not be harvested.

    *refused*: the document was fetched, but not accepted; else it could not be fetched. *at* is in seconds
    since 1970. *wanted* is the number of what the run wanted to know of its content. The openbaarmakingsdatum
    stays that of the first time the document was seen.
    """
    connection.execute(
        update(documents)
        .where(documents.c.id == version.id)
        .values(
            published=version.published,
            sitemap_id=func.coalesce(
                None if version.takes_over else version.sitemap_id, documents.c.sitemap_id
            ),
            fault=code,
            fault_seen=seen,
            fault_since=func.coalesce(documents.c.fault_since, at),
            refused_at=at if refused else None,
            refused_lastmod=version.lastmod if refused else None,
            refused_with=wanted if refused else None,
        )
    )


def end_faults(connection: Connection, ids: Iterable[int]) -> None:
    """Remove the faults of documents whose entries are again those of the harvested versions."""
    rows = [{"key": key} for key in sorted(ids)]
    if rows:
        statement = update(documents).where(documents.c.id == bindparam("key"))
        connection.execute(statement.values(**NO_FAULT), rows)


def faults_of(connection: Connection, sitemap_id: int) -> list[DocumentFault]:
    """Return the faults of a sitemap's documents, in the order in which these were first seen."""
    return [DocumentFault(*row) for row in connection.execute(_FAULTS, {"sitemap_id": sitemap_id})]


def first_refused(connection: Connection, sitemap_id: int) -> int | None:
    """Return when the first of the refused documents of a sitemap was refused, in seconds since 1970."""
    moment: int | None = connection.scalar(_FIRST_REFUSED, {"sitemap_id": sitemap_id})
    return moment


# Built once, since they run for each sitemap of each host.
_FAULTY = (documents.c.sitemap_id == bindparam("sitemap_id")) & documents.c.fault.is_not(None)
_FAULTS = (
    select(documents.c.loc, documents.c.fault, documents.c.fault_seen, documents.c.fault_since)
    .where(_FAULTY)
    .order_by(documents.c.id)
)
_FIRST_REFUSED = select(func.min(documents.c.refused_at)).where(_FAULTY)
