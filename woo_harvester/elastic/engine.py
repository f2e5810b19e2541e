"""The search engine over Elasticsearch: it asks the indices that runs fill, and keeps nothing itself."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, cast

from elastic_transport import ConnectionTimeout, TransportError
from elasticsearch import ApiError, Elasticsearch, NotFoundError

from woo_harvester.dates import parse_datetime
from woo_harvester.elastic.connection import reason
from woo_harvester.elastic.hits import counts_of, hit_of
from woo_harvester.search.definition import DefinitionError, check
from woo_harvester.search.engine import Answer, Contents, EngineError, SlowQuestionError
from woo_harvester.search.facets import facets
from woo_harvester.search.queries import all_body, contents_body, search_body, version_body
from woo_harvester.search.question import Question
from woo_harvester.search.record_kind import RecordKind
from woo_harvester.search.record_kinds import KINDS

_log = logging.getLogger(__name__)

#: The number of documents that are read at a time when all hits are wanted.
_BATCH = 500

#: No record has a longer id: the mapping does not index it, and Elasticsearch refuses to search for it.
_LONGEST_ID = 8191

#: How long Elasticsearch keeps the state of an index between two such parts.
_KEPT = "5m"

#: The same copy of the index answers each time, so that no answer is older than the version before it.
_PREFERENCE = "woo-portal"

_SLOW = "Elasticsearch needs too long for this question"


class ElasticsearchEngine:
    """The engine over one alias for each kind of records. An alias without an index is empty.

    *seconds* is the longest time that a question may take.
    """

    def __init__(self, client: Elasticsearch, aliases: Mapping[str, str], seconds: float) -> None:
        self._client = client.options(request_timeout=seconds + 1)
        self._aliases = aliases
        self._seconds = seconds
        self._ready: set[str] = set()
        self._missing: set[str] = set()

    def search(self, question: Question) -> Answer:
        """Return the page of hits that the question asks for, with counts and highlights if it wants them."""
        found = self._search(question.kind, search_body(question, self._seconds))
        if found is None:
            names = [facet.name for facet in facets(question.kind)] if question.with_counts else []
            return Answer(0, [], {name: [] for name in names})
        counts = {name: counts_of(each) for name, each in found.get("aggregations", {}).items()}
        hits = [hit_of(question, each) for each in found["hits"]["hits"]]
        return Answer(found["hits"]["total"]["value"], hits, counts)

    def get(self, kind: RecordKind, record_id: str) -> Mapping[str, Any] | None:
        """Return the search document of a record, also of a withdrawn one, or None."""
        if len(record_id) > _LONGEST_ID:
            return None
        found = self._search(kind, {"size": 1, "query": {"term": {"id": record_id}}})
        hits = found["hits"]["hits"] if found is not None else []
        return cast("Mapping[str, Any]", hits[0]["_source"]) if hits else None

    def all_documents(self, question: Question) -> Iterator[Mapping[str, Any]]:
        """Yield the search documents of all hits in the question's order, read in parts.

        All parts show the index as it was at the first.
        """
        if not self._has_index(question.kind):
            return
        with _engine_errors():
            point = self._client.open_point_in_time(
                index=self._aliases[question.kind.name], keep_alive=_KEPT, preference=_PREFERENCE
            )["id"]
        body = all_body(question, _BATCH)
        try:
            while True:
                found = self._request({**body, "pit": {"id": point, "keep_alive": _KEPT}})
                point, hits = found["pit_id"], found["hits"]["hits"]
                yield from (hit["_source"] for hit in hits)
                if len(hits) < _BATCH:
                    return
                body["search_after"] = hits[-1]["sort"]
        finally:
            with suppress(ApiError, TransportError):  # Elasticsearch closes it itself after a while
                self._client.close_point_in_time(id=point)

    def contents(self, kind: RecordKind) -> Contents:
        """Return what the index has of *kind*."""
        found = self._search(kind, contents_body())
        if found is None:
            return Contents(0, 0, 0, None)
        total, about = found["hits"]["total"]["value"], found["aggregations"]
        published, newest = about["published"], about["newest"].get("value_as_string")
        count = published["doc_count"]
        return Contents(
            published=count,
            withdrawn=total - count,
            organisations=published["organisations"]["value"],
            newest=parse_datetime(newest) if newest else None,
        )

    def version(self) -> str:
        """Return the state of each index as searches see it. Call it before a search, not after."""
        return "-".join(map(self._version_of, KINDS))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _version_of(self, kind: RecordKind) -> str:
        found = self._search(kind, version_body())
        indices = found["aggregations"]["indices"]["buckets"] if found is not None else []
        parts = [
            f"{each['key']}.{numbers['count']}.{numbers['max']:.0f}.{numbers['sum']:.0f}"
            for each in indices
            if (numbers := each["numbers"])
        ]
        return "+".join(parts) or "0"

    def _search(self, kind: RecordKind, body: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the answer to a search, or None if there is no such index yet."""
        if not self._has_index(kind):
            return None
        return self._request(body, index=self._aliases[kind.name], preference=_PREFERENCE)

    def _request(self, body: Mapping[str, Any], **options: Any) -> Mapping[str, Any]:
        asked = {"timeout": f"{int(self._seconds * 1000)}ms", **body}
        with _engine_errors():
            answer = self._client.search(body=asked, allow_partial_search_results=False, **options)
        if answer["timed_out"]:
            raise SlowQuestionError(_SLOW)
        return cast("Mapping[str, Any]", answer.body)

    def _has_index(self, kind: RecordKind) -> bool:
        """Return whether there is an index of *kind*. Raises EngineError if it has another mapping."""
        alias = self._aliases[kind.name]
        if alias in self._ready:
            return True
        with _engine_errors():
            try:
                mappings = self._client.indices.get_mapping(index=alias).body
            except NotFoundError:
                if alias not in self._missing:
                    self._missing.add(alias)
                    _log.warning(
                        "Elasticsearch has no index %s yet (%s): it counts as empty", alias, kind.setting
                    )
                return False
            for name, found in mappings.items():
                check(kind, name, found["mappings"])
        self._ready.add(alias)
        return True


@contextmanager
def _engine_errors() -> Iterator[None]:
    """Turn errors of the client, and of an index that cannot be used, into EngineError."""
    try:
        yield
    except ConnectionTimeout as error:
        raise SlowQuestionError(_SLOW) from error
    except ApiError as error:
        if error.status_code == 504:
            raise SlowQuestionError(_SLOW) from error
        raise EngineError(reason(error)) from error
    except TransportError as error:
        raise EngineError(reason(error)) from error
    except DefinitionError as error:
        raise EngineError(str(error)) from error
