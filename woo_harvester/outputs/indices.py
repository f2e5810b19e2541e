"""Indices and their alias: made at the start of a run, and replaced by a rebuild without any downtime."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from elastic_transport import ApiError, TransportError
from elasticsearch import Elasticsearch

from woo_harvester.kinds import Kind, SingleKind
from woo_harvester.outputs.bulk import BulkWriter, SearchError, connect, reason
from woo_harvester.outputs.definition import DefinitionError, check, check_kind, definition
from woo_harvester.outputs.document import BATCH_BYTES, BulkAction, Withdrawn, bulk_action
from woo_harvester.state.latest import Latest, RecordsError

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch
    from scrapy.settings import BaseSettings


#: The timeout, in seconds, of requests that change indices or aliases.
_CHANGE_TIMEOUT = 120


@contextmanager
def search_errors() -> Iterator[None]:
    """Turn errors of the client and of the index definition into SearchError."""
    try:
        yield
    except (ApiError, TransportError) as error:
        raise SearchError(reason(error)) from error
    except DefinitionError as error:
        raise SearchError(str(error)) from error


def prepare_index(client: Elasticsearch, alias: str, kind: Kind) -> str:
    """Return the name of the index behind *alias*; make the index if there is none.

    Raises SearchError if the server cannot be used, or if the index has a mapping that this version cannot
    write.
    """
    with search_errors():
        if not client.indices.exists_alias(name=alias):
            if client.indices.exists(index=alias):
                raise SearchError(
                    f"{alias} is an index, and not an alias of one: choose another name with {kind.setting}"
                )
            try:
                return create_index(client, alias, kind, aliased=True)
            except SearchError:
                if not client.indices.exists_alias(name=alias):  # otherwise another run has just made it
                    raise
        indices = client.indices.get(index=alias)
        if len(indices) != 1:
            names = ", ".join(sorted(indices.keys()))
            raise SearchError(f"the alias {alias} stands for several indices ({names}): leave one")
        (name, found), *_ = indices.items()
        check(kind, name, found["mappings"])
        return str(name)


def check_alias_kind(client: Elasticsearch, alias: str, kind: Kind) -> None:
    """Raise SearchError if *alias* points to an index for another kind of records."""
    with search_errors():
        if client.indices.exists_alias(name=alias):
            for name, found in client.indices.get(index=alias).items():
                check_kind(kind, name, found["mappings"])


def create_index(client: Elasticsearch, alias: str, kind: Kind, *, aliased: bool) -> str:
    """Make the next index of *alias* for *kind*, such as ``woo-v1``, and return its name.

    With *aliased*, the alias points to it. Raises SearchError.
    """
    with search_errors():
        name = f"{alias}-v{max(_indices(client, alias), default=0) + 1}"
        made = definition(kind)
        client.options(request_timeout=_CHANGE_TIMEOUT).indices.create(
            index=name,
            settings=made["settings"],
            mappings=made["mappings"],
            aliases={alias: {"is_write_index": True}} if aliased else None,
        )
    return name


def move_alias(client: Elasticsearch, alias: str, index: str) -> list[str]:
    """Make *alias* point only to *index*, in one step; return the indices to which it pointed before.

    Raises SearchError.
    """
    with search_errors():
        old = []
        if client.indices.exists_alias(name=alias):
            old = [str(name) for name in client.indices.get_alias(name=alias).keys()]  # noqa: SIM118
        actions = [{"remove": {"index": name, "alias": alias}} for name in old]
        added = {"add": {"index": index, "alias": alias, "is_write_index": True}}
        client.options(request_timeout=_CHANGE_TIMEOUT).indices.update_aliases(actions=[*actions, added])
    return old


def _indices(client: Elasticsearch, alias: str) -> dict[int, tuple[str, bool]]:
    """Return each index made for *alias*, by number: its name, and whether the alias stands for it."""
    found = client.indices.get(index=f"{alias}-v*", features=["aliases"])
    # The pattern woo-v* also matches indices of other aliases, such as woo-test-v1.
    names = {name: re.fullmatch(re.escape(alias) + r"-v(\d+)", name) for name in found.keys()}  # noqa: SIM118
    return {int(match[1]): (name, alias in found[name]["aliases"]) for name, match in names.items() if match}


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
    unused: Sequence[str] = ()
    """Its other indices, which are not in use: kept before, or of a rebuild that was killed."""

    def __str__(self) -> str:
        filled = f"Filled {self.index} with {self.documents} documents; {self.alias} stands for it."
        old = f" {self.old}." if self.old else ""
        names = ", ".join(self.unused)
        unused = f" Not in use: {names}; delete what you need no more." if names else ""
        return f"{filled}{old}{unused}"


def rebuild(settings: BaseSettings, files: Sequence[Path], *, keep_old: bool) -> RebuildResult:
    """Fill the next index of the alias with the latest version of each document, and move the alias to it.

    The kind of the records determines the alias. After any error, also one refused document, the new index is
    deleted and the alias does not move. Raises SearchError and RecordsError.
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
        index = create_index(client, alias, kind, aliased=False)
        try:
            # A new index has nothing to delete, so withdrawn documents are just left out.
            lines = latest.lines(withdrawn=withdrawn is Withdrawn.MARK)
            _fill(client, index, kind, lines, settings)
            count = _complete(client, index)
            old = move_alias(client, alias, index)
        except BaseException:
            with suppress(ApiError, TransportError):  # the first error is the one to report
                if not client.indices.exists_alias(name=alias, index=index):  # it may have moved
                    client.indices.delete(index=index)
            raise
        left = _leave(client, old, keep_old=keep_old)
        with search_errors():
            unused = [
                name for name, is_used in _indices(client, alias).values() if not is_used and name not in old
            ]
        return RebuildResult(alias, index, count, left, latest.truncated, unused)


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
    client: Elasticsearch, index: str, kind: Kind, lines: Iterable[bytes], settings: BaseSettings
) -> None:
    writer = BulkWriter(client, index, settings.getfloat("WOO_ELASTICSEARCH_PATIENCE"), aliased=False)
    actions = (bulk_action(kind, json.loads(line), Withdrawn.MARK) for line in lines)
    most = settings.getint("WOO_ELASTICSEARCH_BATCH")
    with search_errors():
        client.indices.put_settings(index=index, settings={"index.refresh_interval": "-1"})
    for batch in batches_by_size(actions, most, BATCH_BYTES):
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
