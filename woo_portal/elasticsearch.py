"""The requests to Elasticsearch for a question, as the body of ``_search``."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import product
from typing import Any, cast

from elastic_transport import ConnectionTimeout, TransportError
from elasticsearch import ApiError, Elasticsearch, NotFoundError

from woo_harvester.kinds import Kind
from woo_harvester.outputs.bulk import reason
from woo_harvester.outputs.definition import MAX_COUNTS, DefinitionError, FacetValue, Status, check, values_at
from woo_harvester.utils.dates import parse_datetime
from woo_portal.dutch import cleaned
from woo_portal.engine import (
    CHANGE_DATES,
    ITSELF,
    METADATA_FIELD,
    NAMED,
    ORGANISATION,
    PARTS_SHARE,
    PERIOD_FIELDS,
    SORT_DATES,
    Answer,
    Changes,
    Contents,
    Count,
    Documents,
    EngineError,
    Followed,
    Hit,
    Piece,
    SlowQuestionError,
    TextField,
    counted_facets,
    most_similar,
    page_of_changes,
    text_fields,
    title_field,
)
from woo_portal.question import MAX_VALUES, PART_BITS, Clause, Question, Sort, ids_of_part, spellings

#: Marks around a match in highlighted text: two characters of the private use area, which no text needs.
MATCH_BEGIN, MATCH_END = "\ue000", "\ue001"

#: The field with the moment of harvest.
HARVESTED = "herkomst.opgehaald"
#: The field with the number of the last write of a document.
_NUMBER = "_seq_no"

#: The date-times of a day are those of a day in the Netherlands.
_ZONE = "Europe/Amsterdam"

#: The characters that are highlighted for one page, and the fewest of each text. Elasticsearch analyses them
#: again for each question: 200,000 took a second or two on a busy machine, which its time-out does not count.
#: A match further on in a text is found, and not shown.
_HIGHLIGHTED, _LEAST_HIGHLIGHTED = 200_000, 5_000

FRAGMENTS, _FRAGMENT_SIZE = 3, 200


def search_body(question: Question, seconds: float) -> dict[str, Any]:
    """Return the request for one page of hits, with counts and highlights if the question wants them.

    If the question has a place, the distance of a hit in metres is its last sort value; if that is the order,
    the first.
    """
    chosen = _chosen(question)
    body: dict[str, Any] = {
        "from": question.start,
        "size": question.size,
        "timeout": f"{int(seconds * 1000)}ms",
        "track_total_hits": True,
        "query": _query(question),
        "sort": [*sort_of(question), *([] if question.sort is Sort.DISTANCE else _distance(question))],
    }
    if chosen:
        body["post_filter"] = {"bool": {"filter": list(chosen.values())}}
    if question.with_counts:
        body["aggs"] = dict(_counts(question, chosen))
    if wants_highlights(question):
        body["highlight"] = _highlight(question)
    return body


def wants_highlights(question: Question) -> bool:
    """Return whether the hits of a question come with marked texts."""
    return question.with_highlights and any(not clause.is_excluded for clause in question.clauses)


def all_body(question: Question, size: int) -> dict[str, Any]:
    """Return the request for the first part of all hits, without counts and highlights."""
    filters = [_query(question), *_chosen(question).values()]
    query = {"bool": {"must": filters[0], "filter": filters[1:]}}
    return {"size": size, "track_total_hits": False, "query": query, "sort": sort_of(question)}


def suggest_body(kind: Kind, word: str) -> dict[str, Any]:
    """Return the request for words that look like *word*, in the fields that lend their words."""
    options = {"suggest_mode": "missing", "max_edits": 2, "prefix_length": 1, "size": 20}
    fields = (title_field(kind), METADATA_FIELD)
    return {"text": word} | {
        field.path: {"term": {"field": field.exact, "analyzer": "exact", **options}} for field in fields
    }


def contents_body() -> dict[str, Any]:
    """Return the request for what an index contains."""
    count = {"field": f"facetten.{ORGANISATION}.waarde", "precision_threshold": 40_000}
    is_published = {"term": {"status": Status.GEPUBLICEERD.value}}
    published = {"filter": is_published, "aggs": {"organisations": {"cardinality": count}}}
    newest = {"max": {"field": HARVESTED}}
    return {"size": 0, "track_total_hits": True, "aggs": {"published": published, "newest": newest}}


def changes_body(followed: Followed, size: int) -> dict[str, Any]:
    """Return the request for the first changes that a copy does not have.

    Elasticsearch numbers each write to an index. The index has one shard, so no two have the same number.
    """
    filters: list[dict[str, Any]] = [{"range": {_NUMBER: {"gte": followed.number}}}]
    if followed.until:
        later = {"range": {_NUMBER: {"gte": followed.until}}}
        newer = {"range": {HARVESTED: {"gte": followed.since, "format": "epoch_millis"}}}
        filters.append({"bool": {"should": [later, newer], "minimum_should_match": 1}})
    query = {"bool": {"filter": filters}}
    return {"size": size, "track_total_hits": False, "query": query, "sort": [{_NUMBER: "asc"}]}


def version_body() -> dict[str, Any]:
    """Return the request for what changes with each change that a search can see.

    A change gives a document a higher sequence number, and a deletion takes one away, so count and sum differ
    after it. Each index has numbers of its own.
    """
    numbers = {"numbers": {"stats": {"field": _NUMBER}}}
    indices = {"terms": {"field": "_index"}, "aggs": numbers}
    return {"size": 0, "track_total_hits": False, "aggs": {"indices": indices}}


def sort_of(question: Question) -> list[dict[str, Any]]:
    """Return the order of the hits. Equal hits are in the order of their ids."""
    kind, sort, by_id = question.kind, question.sort, {"id": "asc"}
    if sort is Sort.DISTANCE and question.near is not None:
        return [*_distance(question), by_id]
    if sort is Sort.RELEVANCE and question.clauses:
        return [{"_score": "desc"}, by_id]
    orders = {
        Sort.TITLE: (f"{title_field(kind).path}.keyword", "asc"),
        Sort.OLDEST: (SORT_DATES[kind.name], "asc"),
        Sort.CHANGED: (CHANGE_DATES[kind.name], "desc"),
        Sort.HARVESTED: (HARVESTED, "desc"),
    }
    field, order = orders.get(sort, (SORT_DATES[kind.name], "desc"))
    return [{field: {"order": order, "missing": "_last"}}, by_id]


def _distance(question: Question) -> list[dict[str, Any]]:
    if (near := question.near) is None:
        return []
    place = {"lat": near.lat, "lon": near.lon}
    options = {"order": "asc", "unit": "m", "ignore_unmapped": True}
    return [{"_geo_distance": {"locatie": place, **options}}]


def _query(question: Question) -> dict[str, Any]:
    """Return the query of the text, with all filters but the chosen values of facets."""
    fields = text_fields(question.kind)
    wanted = [_clause(clause, fields) for clause in question.clauses if not clause.is_excluded]
    excluded = [_clause(each, fields, without_words="none") for each in question.clauses if each.is_excluded]
    if question.lacking:
        least = max(1, len(wanted) - question.lacking)
        wanted = [{"bool": {"should": wanted, "minimum_should_match": least}}]
    made = {"must": wanted, "must_not": excluded, "filter": list(_filters(question))}
    if question.named:
        named = {"terms": {f"facetten.{ORGANISATION}.waarde": list(question.named)}}
        made["should"] = [{"constant_score": {"filter": named, "boost": NAMED}}]
    return {"bool": made}


def _clause(clause: Clause, fields: Sequence[TextField], without_words: str = "all") -> dict[str, Any]:
    """Return the query of a word or phrase, which one of the fields must have.

    *without_words* says what a text of stop words alone finds: ``all`` documents, or ``none``.
    """
    queries: list[dict[str, Any]] = []
    for text, field in product(spellings(clause), fields):
        given = {"query": text, "zero_terms_query": without_words if text == clause.text else "none"}
        if clause.is_phrase:
            queries.append({"match_phrase": {field.exact: {**given, "boost": field.boost}}})
            continue
        queries.append({"match": {field.path: {**given, "operator": "and", "boost": field.boost}}})
        # One token of a word such as "raad-verslag" may be a part of a compound, and another a stem.
        either = {"type": "cross_fields", "fields": [field.path, field.parts], "operator": "and"}
        queries.append({"multi_match": {**given, **either, "boost": field.boost * PARTS_SHARE}})
    if not clause.is_phrase and not clause.is_excluded:
        itself = {"query": clause.text, "operator": "and", "boost": fields[0].boost * ITSELF}
        queries.append({"match": {fields[0].exact: itself}})
    return {"dis_max": {"queries": queries, "tie_breaker": 0.2}}


def _filters(question: Question) -> Iterator[dict[str, Any]]:
    if question.status is not None:
        yield {"term": {"status": question.status.value}}
    if question.ids:
        yield {"terms": {"id": list(question.ids)}}
    if question.part:
        first, last = map(_beginning_of_id, ids_of_part(*question.part))
        yield {"range": {"id": {"gte": first, "lt": f"{last}g"}}}  # what follows the last digit is below g
    for name, period in question.periods.items():
        days = {"gte": period.begin, "lte": period.end}
        given = {key: day.isoformat() for key, day in days.items() if day is not None}
        yield {"range": {PERIOD_FIELDS[name]: {**given, "time_zone": _ZONE}}}
    if (near := question.near) is not None:
        place = {"lat": near.lat, "lon": near.lon}
        yield {"geo_distance": {"distance": f"{near.metres}m", "locatie": place, "ignore_unmapped": True}}
    if (box := question.box) is not None:
        north_west, south_east = {"lat": box.north, "lon": box.west}, {"lat": box.south, "lon": box.east}
        corners = {"top_left": north_west, "bottom_right": south_east}
        yield {"geo_bounding_box": {"locatie": corners, "ignore_unmapped": True}}
    if question.running_on is not None:
        day = question.running_on.isoformat()
        yield {"range": {"temporal": {"gte": day, "lte": day}}}
    if question.ended_before is not None:
        yield {"range": {"temporal": {"lt": question.ended_before.isoformat(), "relation": "within"}}}


def _beginning_of_id(number: int) -> str:
    digits = f"{number:0{PART_BITS // 4}x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:]}"


def _chosen(question: Question) -> dict[str, dict[str, Any]]:
    """Return the filter of each facet of which values are chosen, by its name."""
    given = {name: [*values] for name, values in question.chosen.items() if values}
    return {name: {"terms": {f"facetten.{name}.waarde": values}} for name, values in given.items()}


def _counts(question: Question, chosen: dict[str, dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the counts of each wanted facet among the hits of the other facets' filters."""
    for facet in counted_facets(question):
        others = [given for name, given in chosen.items() if name != facet.name]
        terms = {
            "field": f"facetten.{facet.name}.paar",
            "size": MAX_VALUES if question.all_of else MAX_COUNTS,
            "order": [{"_count": "desc"}, {"_key": "asc"}],
        }
        yield facet.name, {"filter": {"bool": {"filter": others}}, "aggs": {"values": {"terms": terms}}}


def _highlight(question: Question) -> dict[str, Any]:
    """Return what to highlight: the whole title, and fragments of descriptions and text."""
    title, *others = text_fields(question.kind)
    fragments = {"number_of_fragments": FRAGMENTS, "fragment_size": _FRAGMENT_SIZE, "order": "score"}
    shown: dict[str, dict[str, Any]] = {title.path: {"number_of_fragments": 0}}
    shown |= {field.path: fragments for field in others if field.is_quoted}
    return {
        "pre_tags": [MATCH_BEGIN],
        "post_tags": [MATCH_END],
        "max_analyzed_offset": max(_LEAST_HIGHLIGHTED, _HIGHLIGHTED // max(1, question.size)),
        "fields": {
            path: {**options, "matched_fields": [path, f"{path}.exact", f"{path}.delen"]}
            for path, options in shown.items()
        },
    }


def counts_of(found: Mapping[str, Any]) -> list[Count]:
    """Return the counts of a facet."""
    buckets = found["values"]["buckets"]
    return [Count(FacetValue.of_pair(bucket["key"]), bucket["doc_count"]) for bucket in buckets]


def hit_of(question: Question, found: Mapping[str, Any]) -> Hit:
    """Return a hit with its marked texts and its distance."""
    document, marked = found["_source"], found.get("highlight", {})
    title: list[Piece] = []
    if wants_highlights(question):
        path = text_fields(question.kind)[0].path
        title = pieces(next(iter(marked.get(path) or map(str, values_at(document, path))), ""))
    others = (marked.get(field.path, ()) for field in text_fields(question.kind)[1:])
    fragments = [pieces(text) for texts in others for text in texts]
    return Hit(document, title, fragments[:FRAGMENTS], _metres(question, found))


def pieces(text: str) -> list[Piece]:
    """Return a highlighted text in pieces."""
    made = []
    for part in cleaned(text).split(MATCH_BEGIN):
        match, end, rest = part.partition(MATCH_END)
        if end and match:
            made.append(Piece(match, is_match=True))
        if text_after := rest if end else match:
            made.append(Piece(text_after.replace(MATCH_END, "")))
    return [piece for piece in made if piece.text]


def _metres(question: Question, found: Mapping[str, Any]) -> float | None:
    place = 0 if question.sort is Sort.DISTANCE else -1
    return None if question.near is None else float(found["sort"][place])


_log = logging.getLogger(__name__)

#: The number of documents that are read at a time when all hits are wanted.
_BATCH = 500

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
            names = [facet.name for facet in counted_facets(question)] if question.with_counts else []
            return Answer(0, [], {name: [] for name in names})
        counts = {name: counts_of(each) for name, each in found.get("aggregations", {}).items()}
        hits = [hit_of(question, each) for each in found["hits"]["hits"]]
        return Answer(found["hits"]["total"]["value"], hits, counts)

    def get(self, kind: Kind, record_id: str) -> Mapping[str, Any] | None:
        """Return the search document of a record, also of a withdrawn one, or None."""
        found = self._search(kind, {"size": 1, "query": {"term": {"id": record_id}}})
        hits = found["hits"]["hits"] if found is not None else []
        return cast("Mapping[str, Any]", hits[0]["_source"]) if hits else None

    def all_documents(self, question: Question) -> Documents:
        """Yield the search documents of all hits in the question's order, read in parts.

        All parts show the index as it was at the first.
        """
        if not self._has_index(question.kind):
            return
        body, name = all_body(question, _BATCH), self._aliases[question.kind.name]
        with _engine_errors():
            opened = self._client.open_point_in_time(index=name, keep_alive=_KEPT, preference=_PREFERENCE)
        point = opened["id"]
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

    def changes(self, kind: Kind, followed: Followed, size: int) -> Changes:
        """Return the first changes that a copy does not have.

        Elasticsearch numbers from 0 and we from 1, so that a copy without any change has the number 0.
        """
        indices = self._indices(kind)
        if not indices:
            return Changes([], followed)
        name = sha256("+".join(sorted(each["key"] for each in indices)).encode()).hexdigest()[:12]
        where = followed.within({name: 1 + int(max(each["numbers"]["max"] for each in indices))})
        found = self._search(kind, changes_body(where, size + 1))
        hits = found["hits"]["hits"] if found is not None else []
        return page_of_changes(where, [(1 + int(hit["sort"][0]), hit["_source"]) for hit in hits], size)

    def similar_words(self, kind: Kind, word: str) -> list[str]:
        """Return words of titles and metadata that look like *word*, the most similar first."""
        found = self._search(kind, {"size": 0, "suggest": suggest_body(kind, word)})
        parts = found["suggest"].values() if found is not None else ()
        given = [option["text"] for part in parts for each in part for option in each["options"]]
        return most_similar(word, given)

    def contents(self, kind: Kind) -> Contents:
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
        return "-".join(map(self._version_of, Kind))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _version_of(self, kind: Kind) -> str:
        found = ((each["key"], each["numbers"]) for each in self._indices(kind))
        parts = [f"{key}.{of['count']}.{of['max']:.0f}.{of['sum']:.0f}" for key, of in found if of]
        return "+".join(parts) or "0"

    def _indices(self, kind: Kind) -> Sequence[Mapping[str, Any]]:
        """Return the indices of a kind that have documents, each with the numbers of its writes."""
        found = self._search(kind, version_body())
        return found["aggregations"]["indices"]["buckets"] if found is not None else []

    def _search(self, kind: Kind, body: Mapping[str, Any]) -> Mapping[str, Any] | None:
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

    def _has_index(self, kind: Kind) -> bool:
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
                    text = "Elasticsearch has no index %s yet (%s): it counts as empty"
                    _log.warning(text, alias, kind.setting)
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
    except (ApiError, TransportError) as error:
        is_slow = isinstance(error, ConnectionTimeout) or getattr(error, "status_code", None) == 504
        raise (SlowQuestionError(_SLOW) if is_slow else EngineError(reason(error))) from error
    except DefinitionError as error:
        raise EngineError(str(error)) from error
