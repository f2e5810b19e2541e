"""Fills a new index from files of records, and replaces the old index with it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from elastic_transport import ApiError, TransportError

from woo_harvester.elastic import leftovers
from woo_harvester.elastic.bulk import BulkWriter
from woo_harvester.elastic.connection import SearchError, connect
from woo_harvester.elastic.indices import check_alias_kind, create_index, move_alias, search_errors
from woo_harvester.search.document import BulkAction, Withdrawn, bulk_action
from woo_harvester.search.record_kind import RecordKind
from woo_harvester.search.record_kinds import SingleKind
from woo_harvester.state.latest import Latest, RecordsError

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch
    from scrapy.settings import BaseSettings


@dataclass(frozen=True, slots=True)
class RebuildResult:
    """The result of a rebuild; ``str()`` gives the line for the operator."""

    alias: str
    index: str
    documents: int
    old: str
    """A sentence about the indices behind the alias before; empty if there were none."""
    truncated: Sequence[Path]
    """Files whose last line is truncated; that line is left out."""
    removed: Sequence[str] = ()
    """Indices left by an earlier rebuild that was killed."""
    others: Sequence[str] = ()
    """Indices of a rebuild on another machine or data folder, which may be active or killed."""

    def __str__(self) -> str:
        filled = f"Filled {self.index} with {self.documents} documents; {self.alias} stands for it."
        old = f" {self.old}." if self.old else ""
        removed = (
            f" Removed {', '.join(self.removed)}, left by a rebuild that was killed." if self.removed else ""
        )
        others = (
            f" {', '.join(self.others)} is of a rebuild elsewhere: delete it if that one was killed."
            if self.others
            else ""
        )
        return f"{filled}{old}{removed}{others}"


def rebuild(settings: BaseSettings, files: Sequence[Path], *, keep_old: bool) -> RebuildResult:
    """Fill the next index of the alias with the latest version of each document, and move the alias to it.

    The kind of the records determines the alias. After any error, also one refused document, the new index is
    deleted and the alias does not move. Indices left by a killed rebuild are removed. Raises SearchError and
    RecordsError.
    """
    one_kind = SingleKind()
    withdrawn = Withdrawn(settings["WOO_ELASTICSEARCH_WITHDRAWN"])
    with ExitStack() as stack:
        latest = stack.enter_context(Latest(files, one_kind))
        client = stack.enter_context(connect(settings))
        if (kind := one_kind.kind) is None:
            raise RecordsError("there is no record in the files, so the index to fill is not known")
        alias = settings[kind.setting]
        check_alias_kind(client, alias, kind)
        stack.enter_context(leftovers.rebuild_lock(settings, alias))
        owner = leftovers.owner_of(settings)
        removed, others = leftovers.remove(client, alias, owner)
        index = create_index(client, alias, kind, aliased=False, owner=owner)
        try:
            # A new index has nothing to delete, so withdrawn documents are just left out.
            lines = latest.lines(withdrawn=withdrawn is Withdrawn.MARK)
            _fill(client, index, kind, lines, settings)
            count = _complete(client, index)
            leftovers.mark(client, alias, None if keep_old else owner)
            old = move_alias(client, alias, index)
        except BaseException:
            with suppress(ApiError, TransportError):  # the first error is the one to report
                if not client.indices.exists_alias(name=alias, index=index):  # it may have moved
                    client.indices.delete(index=index)
            raise
        leftovers.mark(client, alias, None)
        left = _leave(client, old, keep_old=keep_old)
        return RebuildResult(alias, index, count, left, latest.truncated, removed, others)


def _leave(client: Elasticsearch, old: Sequence[str], *, keep_old: bool) -> str:
    """Delete the indices that the alias pointed to, unless *keep_old*; return a sentence about them."""
    names = ", ".join(old)
    if not old or keep_old:
        return names and f"{names} is kept"
    try:
        with search_errors():
            client.indices.delete(index=old)
    except SearchError as error:  # the new index is in use all the same
        return f"{names} is still there: {error}"
    return f"{names} is deleted"


def _fill(
    client: Elasticsearch, index: str, kind: RecordKind, lines: Iterable[bytes], settings: BaseSettings
) -> None:
    writer = BulkWriter(client, index, settings.getfloat("WOO_ELASTICSEARCH_PATIENCE"), aliased=False)
    actions = (bulk_action(kind, json.loads(line), Withdrawn.MARK) for line in lines)
    most = settings.getint("WOO_ELASTICSEARCH_BATCH")
    most_bytes = settings.getint("WOO_ELASTICSEARCH_BATCH_BYTES")
    with search_errors():
        client.indices.put_settings(index=index, settings={"index.refresh_interval": "-1"})
    for batch in batches_by_size(actions, most, most_bytes):
        outcome = writer.write(batch)
        if outcome.refused:
            one = outcome.refused[0]
            raise SearchError(f"the index refuses document {one.action.id}: {one.reason}")


def _complete(client: Elasticsearch, index: str) -> int:
    """Make all documents searchable, and return how many there are."""
    with search_errors():
        client.indices.put_settings(index=index, settings={"index.refresh_interval": None})
        client.options(request_timeout=600).indices.refresh(index=index)
        return int(client.count(index=index)["count"])


def batches_by_size(actions: Iterable[BulkAction], most: int, most_bytes: int) -> Iterator[list[BulkAction]]:
    """Yield the actions in batches: each has *most* actions, or ends when it reaches *most_bytes*."""
    batch: list[BulkAction] = []
    size = 0
    for action in actions:
        batch.append(action)
        size += len(action.lines)
        if len(batch) >= most or size >= most_bytes:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
