"""Indices and their alias: made at the start of a run, and replaced by a rebuild without any downtime."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from elastic_transport import ApiError, TransportError
from elasticsearch import Elasticsearch

from woo_harvester.elastic.connection import SearchError, reason
from woo_harvester.search.definition import DefinitionError, check, check_kind, definition
from woo_harvester.search.record_kind import RecordKind

#: The key in the ``_meta`` of a mapping that marks an index for removal; see ``leftovers``.
REBUILD_MARK = "woo_harvester_rebuild"

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


def prepare_index(client: Elasticsearch, alias: str, kind: RecordKind) -> str:
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


def check_alias_kind(client: Elasticsearch, alias: str, kind: RecordKind) -> None:
    """Raise SearchError if *alias* points to an index for another kind of records."""
    with search_errors():
        if client.indices.exists_alias(name=alias):
            for name, found in client.indices.get(index=alias).items():
                check_kind(kind, name, found["mappings"])


def create_index(
    client: Elasticsearch, alias: str, kind: RecordKind, *, aliased: bool, owner: str | None = None
) -> str:
    """Make the next index of *alias* for *kind*, such as ``woo-v1``, and return its name.

    With *aliased*, the alias points to it. With *owner*, it is marked for removal. Raises SearchError.
    """
    with search_errors():
        name = f"{alias}-v{_last(client, alias) + 1}"
        made = definition(kind)
        if owner is not None:
            made["mappings"]["_meta"] = {**made["mappings"].get("_meta", {}), REBUILD_MARK: owner}
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


def _last(client: Elasticsearch, alias: str) -> int:
    names = client.indices.get(index=f"{alias}-v*", features=["aliases"]).keys()
    numbers = (re.fullmatch(re.escape(alias) + r"-v(\d+)", name) for name in names)
    return max((int(number[1]) for number in numbers if number), default=0)
