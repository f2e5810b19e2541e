"""Fills a new index from files of records, and puts it in the place of the old one."""

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
    """What was done; as text, for the operator."""

    alias: str
    index: str
    documents: int
    old: str
    """What became of the indices that the alias stood for; empty where there were none."""
    truncated: Sequence[Path]
    """Files whose last line is truncated, and left out."""
    removed: Sequence[str] = ()
    """Indices that an earlier rebuild had left, since it was killed."""
    others: Sequence[str] = ()
    """Indices that a rebuild of another machine or data folder makes, or has left."""

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

    Where anything goes wrong, a document that is refused included, the new index is deleted and the alias
    stays where it is. What a rebuild left that was killed is removed. The records tell which kind of index it
    is. Raises SearchError and RecordsError.
    """
    one_kind = SingleKind()
    withdrawn = Withdrawn(settings["WOO_ELASTICSEARCH_WITHDRAWN"])
    with ExitStack() as stack:
        latest = stack.enter_context(Latest(files, one_kind))
        client = stack.enter_context(connect(settings))
        if (kind := one_kind.kind) is None:
            raise RecordsError("there is no record in the files, so that nothing tells which index to fill")
        alias = settings[kind.setting]
        check_alias_kind(client, alias, kind)
        stack.enter_context(leftovers.rebuild_lock(settings, alias))
        owner = leftovers.owner_of(settings)
        removed, others = leftovers.remove(client, alias, owner)
        index = create_index(client, alias, kind, aliased=False, owner=owner)
        try:
            # A withdrawn document is not deleted here: it is left out.
            lines = latest.lines(withdrawn=withdrawn is Withdrawn.MARK)
            _fill(client, index, kind, lines, settings)
            count = _complete(client, index)
            leftovers.mark(client, alias, None if keep_old else owner)
            old = move_alias(client, alias, index)
        except BaseException:
            with suppress(ApiError, TransportError):  # the first error is the one to report
                if not client.indices.exists_alias(name=alias, index=index):  # moved, and answered too late
                    client.indices.delete(index=index)
            raise
        leftovers.mark(client, alias, None)
        left = _leave(client, old, keep_old=keep_old)
        return RebuildResult(alias, index, count, left, latest.truncated, removed, others)


def _leave(client: Elasticsearch, old: Sequence[str], *, keep_old: bool) -> str:
    """Delete the indices that the alias stood for, unless they are to be kept; tells what became of them."""
    names = ", ".join(old)
    if not old or keep_old:
        return names and f"{names} is kept"
    try:
        with search_errors():
            client.indices.delete(index=old)
    except SearchError as error:  # the new one is in its place all the same
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
    for batch in batches(actions, most, most_bytes):
        outcome = writer.write(batch)
        if outcome.refused:
            one = outcome.refused[0]
            raise SearchError(f"the index refuses document {one.action.id}: {one.reason}")


def _complete(client: Elasticsearch, index: str) -> int:
    """Have all of it searchable; how many documents there are."""
    with search_errors():
        client.indices.put_settings(index=index, settings={"index.refresh_interval": None})
        client.options(request_timeout=600).indices.refresh(index=index)
        return int(client.count(index=index)["count"])


def batches(actions: Iterable[BulkAction], most: int, most_bytes: int) -> Iterator[list[BulkAction]]:
    """Up to *most* actions, or as many as reach *most_bytes*."""
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
