"""The requests to Elasticsearch for a question, as the body of ``_search``. ``docs/search.md`` shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from woo_harvester.search.facets import MAX_COUNTS, facets
from woo_harvester.search.fields import (
    PARTS_SHARE,
    PERIOD_FIELDS,
    SORT_DATES,
    TextField,
    text_fields,
    title_field,
)
from woo_harvester.search.question import Clause, Question, Sort
from woo_harvester.search.record_kind import RecordKind, Status

#: Marks around a match in highlighted text: two characters of the private use area, which no text needs.
MATCH_BEGIN, MATCH_END = "\ue000", "\ue001"

#: The date-times of a day are those of a day in the Netherlands.
_ZONE = "Europe/Amsterdam"

#: The first characters of a text that are highlighted; a match further on is found, and not shown.
_HIGHLIGHTED = 200_000

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
        body["aggs"] = dict(_counts(question.kind, chosen))
    if wants_highlights(question):
        body["highlight"] = _highlight(question.kind)
    return body


def wants_highlights(question: Question) -> bool:
    """Return whether the hits of a question come with marked texts."""
    return question.with_highlights and any(not clause.is_excluded for clause in question.clauses)


def all_body(question: Question, size: int) -> dict[str, Any]:
    """Return the request for the first part of all hits, without counts and highlights."""
    filters = [_query(question), *_chosen(question).values()]
    return {
        "size": size,
        "track_total_hits": False,
        "query": {"bool": {"must": filters[0], "filter": filters[1:]}},
        "sort": sort_of(question),
    }


def contents_body() -> dict[str, Any]:
    """Return the request for what an index contains."""
    published = {
        "filter": {"term": {"status": Status.GEPUBLICEERD.value}},
        "aggs": {
            "organisations": {"cardinality": {"field": "herkomst.organisatie", "precision_threshold": 40_000}}
        },
    }
    newest = {"max": {"field": "herkomst.opgehaald"}}
    return {"size": 0, "track_total_hits": True, "aggs": {"published": published, "newest": newest}}


def version_body() -> dict[str, Any]:
    """Return the request for what changes with each change that a search can see.

    A change gives a document a higher sequence number, and a deletion takes one away, so count and sum differ
    after it. Each index has numbers of its own.
    """
    numbers = {"stats": {"field": "_seq_no"}}
    return {
        "size": 0,
        "track_total_hits": False,
        "aggs": {"indices": {"terms": {"field": "_index"}, "aggs": {"numbers": numbers}}},
    }


def sort_of(question: Question) -> list[dict[str, Any]]:
    """Return the order of the hits. Equal hits are in the order of their ids."""
    date = SORT_DATES[question.kind.name]
    by_id = {"id": "asc"}
    match question.sort:
        case Sort.DISTANCE if question.near is not None:
            return [*_distance(question), by_id]
        case Sort.TITLE:
            title = f"{title_field(question.kind).path}.keyword"
            return [{title: {"order": "asc", "missing": "_last"}}, by_id]
        case Sort.RELEVANCE if question.clauses:
            return [{"_score": "desc"}, by_id]
        case Sort.OLDEST:
            return [{date: {"order": "asc", "missing": "_last"}}, by_id]
        case _:
            return [{date: {"order": "desc", "missing": "_last"}}, by_id]


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
    excluded = [
        _clause(clause, fields, without_words="none") for clause in question.clauses if clause.is_excluded
    ]
    return {"bool": {"must": wanted, "must_not": excluded, "filter": list(_filters(question))}}


def _clause(clause: Clause, fields: Sequence[TextField], without_words: str = "all") -> dict[str, Any]:
    """Return the query of a word or phrase, which one of the fields must have.

    *without_words* says what a text of stop words alone finds: ``all`` documents, or ``none``.
    """
    queries: list[dict[str, Any]] = []
    for field in fields:
        given = {"query": clause.text, "zero_terms_query": without_words}
        if clause.is_phrase:
            queries.append({"match_phrase": {field.exact: {**given, "boost": field.boost}}})
            continue
        for path, boost in ((field.stems, field.boost), (field.parts, field.boost * PARTS_SHARE)):
            queries.append({"match": {path: {**given, "operator": "and", "boost": boost}}})
    return {"dis_max": {"queries": queries, "tie_breaker": 0.2}}


def _filters(question: Question) -> Iterator[dict[str, Any]]:
    if question.status is not None:
        yield {"term": {"status": question.status.value}}
    if question.ids:
        yield {"terms": {"id": list(question.ids)}}
    for name, period in question.periods.items():
        days = {"gte": period.begin, "lte": period.end}
        given = {key: day.isoformat() for key, day in days.items() if day is not None}
        yield {"range": {PERIOD_FIELDS[name]: {**given, "time_zone": _ZONE}}}
    if (near := question.near) is not None:
        place = {"lat": near.lat, "lon": near.lon}
        yield {"geo_distance": {"distance": f"{near.metres}m", "locatie": place, "ignore_unmapped": True}}
    if (box := question.box) is not None:
        corners = {
            "top_left": {"lat": box.north, "lon": box.west},
            "bottom_right": {"lat": box.south, "lon": box.east},
        }
        yield {"geo_bounding_box": {"locatie": corners, "ignore_unmapped": True}}
    if question.running_on is not None:
        day = question.running_on.isoformat()
        yield {"range": {"temporal": {"gte": day, "lte": day}}}
    if question.ended_before is not None:
        yield {"range": {"temporal": {"lt": question.ended_before.isoformat(), "relation": "within"}}}


def _chosen(question: Question) -> dict[str, dict[str, Any]]:
    """Return the filter of each facet of which values are chosen, by its name."""
    return {
        name: {"terms": {f"facetten.{name}.waarde": list(values)}}
        for name, values in question.chosen.items()
        if values
    }


def _counts(kind: RecordKind, chosen: dict[str, dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the counts of each facet among the hits of the other facets' filters."""
    for facet in facets(kind):
        others = [given for name, given in chosen.items() if name != facet.name]
        terms = {
            "field": f"facetten.{facet.name}.paar",
            "size": MAX_COUNTS,
            "order": [{"_count": "desc"}, {"_key": "asc"}],
        }
        yield facet.name, {"filter": {"bool": {"filter": others}}, "aggs": {"values": {"terms": terms}}}


def _highlight(kind: RecordKind) -> dict[str, Any]:
    """Return what to highlight: the whole title, and fragments of descriptions and text."""
    title, *others = text_fields(kind)
    fragments = {"number_of_fragments": FRAGMENTS, "fragment_size": _FRAGMENT_SIZE, "order": "score"}
    shown: dict[str, dict[str, Any]] = {title.path: {"number_of_fragments": 0}}
    shown |= {field.path: fragments for field in others if field.path == field.stems}
    return {
        "pre_tags": [MATCH_BEGIN],
        "post_tags": [MATCH_END],
        "max_analyzed_offset": _HIGHLIGHTED,
        "fields": {
            path: {**options, "matched_fields": [path, f"{path}.exact", f"{path}.delen"]}
            for path, options in shown.items()
        },
    }
