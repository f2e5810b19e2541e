"""The search engine over Elasticsearch: it asks the indices that runs fill, and keeps nothing itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from elastic_transport import ConnectionTimeout, TransportError
from elasticsearch import ApiError, Elasticsearch, NotFoundError

from woo_harvester.dates import parse_datetime
from woo_harvester.elastic.connection import reason
from woo_harvester.search.engine import (
    Answer,
    Contents,
    Count,
    EngineError,
    Hit,
    Piece,
    SlowQuestionError,
)
from woo_harvester.search.facets import LABEL_END, FacetValue, facets
from woo_harvester.search.fields import title_field
from woo_harvester.search.queries import MATCH_BEGIN, MATCH_END, all_body, contents_body, search_body
from woo_harvester.search.question import Question, Sort
from woo_harvester.search.record_kind import RecordKind

#: The number of documents that are read at a time when all hits are wanted.
_BATCH = 500

#: How long Elasticsearch keeps the state of an index between two such parts.
_KEPT = "2m"

_SLOW = "Elasticsearch needs too long for this question"


class ElasticsearchEngine:
    """The engine over one alias for each kind of records. An alias without an index is empty.

    *seconds* is the longest time that a question may take.
    """

    def __init__(self, client: Elasticsearch, aliases: Mapping[str, str], seconds: float) -> None:
        self._client = client.options(request_timeout=seconds + 1, max_retries=0)
        self._aliases = aliases
        self._seconds = seconds

    def search(self, question: Question) -> Answer:
        """Return the page of hits that the question asks for, with counts and highlights if it wants them."""
        found = self._search(question.kind, search_body(question, self._seconds))
        if found is None:
            return Answer(0, [], {facet.name: [] for facet in facets(question.kind)})
        counts = {name: _counts_of(each) for name, each in found.get("aggregations", {}).items()}
        hits = [_hit_of(question, each) for each in found["hits"]["hits"]]
        return Answer(found["hits"]["total"]["value"], hits, counts)

    def get(self, kind: RecordKind, record_id: str) -> Mapping[str, Any] | None:
        """Return the search document of a record, also of a withdrawn one, or None."""
        body = {"size": 1, "query": {"term": {"id": record_id}}}
        found = self._search(kind, body)
        hits = found["hits"]["hits"] if found is not None else []
        return cast("Mapping[str, Any]", hits[0]["_source"]) if hits else None

    def all_documents(self, question: Question) -> Iterator[Mapping[str, Any]]:
        """Yield the search documents of all hits in the question's order, read in parts."""
        with _engine_errors():
            try:
                opened = self._client.open_point_in_time(
                    index=self._aliases[question.kind.name], keep_alive=_KEPT
                )
            except NotFoundError:
                return
        point = {"id": opened["id"], "keep_alive": _KEPT}
        body = {**all_body(question, _BATCH), "pit": point}
        try:
            while hits := self._part(body):
                yield from (hit["_source"] for hit in hits)
                body["search_after"] = hits[-1]["sort"]
        finally:
            with _engine_errors():
                self._client.close_point_in_time(id=opened["id"])

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
        """Return the number of documents of each index, and of the changes that its searches see."""
        parts = [self._version_of(name) for name in sorted(self._aliases)]
        return "-".join(parts)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _version_of(self, kind: str) -> str:
        body = {"size": 0, "track_total_hits": True, "aggs": {"last": {"max": {"field": "_seq_no"}}}}
        found = self._request(self._aliases[kind], body)
        if found is None:
            return "0"
        return f"{found['hits']['total']['value']}.{found['aggregations']['last']['value'] or 0:.0f}"

    def _part(self, body: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        with _engine_errors():
            answer = self._client.search(body=dict(body))
        return cast("Sequence[Mapping[str, Any]]", answer["hits"]["hits"])

    def _search(self, kind: RecordKind, body: Mapping[str, Any]) -> Mapping[str, Any] | None:
        return self._request(self._aliases[kind.name], body)

    def _request(self, alias: str, body: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the answer to a search, or None if there is no such index yet."""
        with _engine_errors():
            try:
                answer = self._client.search(index=alias, body=dict(body))
            except NotFoundError:
                return None
        if answer["timed_out"]:
            raise SlowQuestionError(_SLOW)
        return cast("Mapping[str, Any]", answer.body)


@contextmanager
def _engine_errors() -> Iterator[None]:
    """Turn errors of the client into EngineError."""
    try:
        yield
    except ConnectionTimeout as error:
        raise SlowQuestionError(_SLOW) from error
    except (ApiError, TransportError) as error:
        raise EngineError(reason(error)) from error


def _counts_of(found: Mapping[str, Any]) -> list[Count]:
    counts = []
    for bucket in found["values"]["buckets"]:
        label, _, value = bucket["key"].partition(LABEL_END)
        counts.append(Count(FacetValue(value, label), bucket["doc_count"]))
    return counts


def _hit_of(question: Question, found: Mapping[str, Any]) -> Hit:
    marked = dict(found.get("highlight", {}))
    (title,) = marked.pop(title_field(question.kind).path, None) or [""]
    fragments = [_pieces(text) for texts in marked.values() for text in texts]
    is_by_distance = question.sort is Sort.DISTANCE and question.near is not None
    return Hit(
        found["_source"],
        title=_pieces(title) if title else (),
        fragments=fragments[:3],
        metres=found["sort"][0] if is_by_distance else None,
    )


def _pieces(text: str) -> list[Piece]:
    """Return a highlighted text in pieces."""
    pieces = []
    for part in text.split(MATCH_BEGIN):
        match, end, rest = part.partition(MATCH_END)
        if end:
            pieces.append(Piece(match, is_match=True))
        if text_after := rest if end else match:
            pieces.append(Piece(text_after))
    return pieces
