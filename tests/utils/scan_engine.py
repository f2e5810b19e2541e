"""A search engine that reads all records for each question, for tests of what is built upon an engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import cos, hypot, inf, radians
from typing import Any

from woo_harvester.kinds import Kind, record_kind_of
from woo_harvester.outputs.definition import Status, facet_values, facets, values_at
from woo_harvester.outputs.document import document_of, version_number
from woo_portal.engine import (
    CHANGE_DATES,
    Answer,
    Changes,
    Contents,
    Count,
    Followed,
    Hit,
    Piece,
    counted_facets,
    most_similar,
    page_of_changes,
)
from woo_portal.question import Place, Question, Sort, ids_of_part

_TITLES = {"woo": "document.titelcollectie.officieleTitel", "vergunningen": "vergunning.title"}
_DATES = {"woo": "versies.openbaarmakingsdatum", "vergunningen": "versies.mutatiedatumtijd"}


class ScanEngine:
    """The documents of records; a word is a hit if a title, description or text has it in any case."""

    def __init__(self, records: Iterable[Mapping[str, Any]]) -> None:
        records = list(records)
        self._kinds = {record["id"]: record_kind_of(record) for record in records}
        self._documents = {record["id"]: document_of(self._kinds[record["id"]], record) for record in records}

    def search(self, question: Question) -> Answer:
        """Return the hits, their counts and marked titles."""
        found = list(self.all_documents(question))
        shown = found[question.start : question.start + question.size]
        counts = {facet.name: self._counts(facet, found) for facet in counted_facets(question)}
        return Answer(len(found), [self._hit(question, document) for document in shown], counts)

    def get(self, kind: Kind, record_id: str) -> Mapping[str, Any] | None:
        """Return one document."""
        return self._documents.get(record_id) if self._kinds.get(record_id) == kind else None

    def all_documents(self, question: Question) -> Iterator[Mapping[str, Any]]:
        """Yield all hits."""
        found = [
            {key: value for key, value in document.items() if key != "tekst"}
            for document in self._documents.values()
            if self._kinds[document["id"]] == question.kind and self._is_hit(question, document)
        ]
        if question.sort is Sort.DISTANCE and question.near:
            near = question.near
            yield from sorted(found, key=lambda document: (_metres(near, document), document["id"]))
            return
        path = (_TITLES if question.sort is Sort.TITLE else _DATES)[question.kind.name]
        path = CHANGE_DATES[question.kind.name] if question.sort is Sort.CHANGED else path
        path = "herkomst.opgehaald" if question.sort is Sort.HARVESTED else path
        found.sort(key=lambda document: document["id"])
        found.sort(
            key=lambda document: str(next(iter(values_at(document, path)), "")),
            reverse=question.sort not in (Sort.OLDEST, Sort.TITLE),
        )
        yield from found

    def changes(self, kind: Kind, followed: Followed, size: int) -> Changes:
        """Return the first changes, which have the order of the records."""
        where = followed.within({"scan": len(self._documents)})
        found = [
            (number, document)
            for number, document in enumerate(self._documents.values(), 1)
            if self._kinds[document["id"]] == kind
            and number > where.number
            and (number > where.until or version_number(document) >= where.since)
        ]
        return page_of_changes(where, found, size)

    def similar_words(self, kind: Kind, word: str) -> list[str]:
        """Return words of titles that look like a word."""
        mine = [found for found in self._documents.values() if self._kinds[found["id"]] == kind]
        titles = [str(title) for found in mine for title in values_at(found, _TITLES[kind.name])]
        return most_similar(word, " ".join(titles).casefold().split())

    def contents(self, kind: Kind) -> Contents:
        """Return numbers; the moment is left out."""
        mine = [found for found in self._documents.values() if self._kinds[found["id"]] == kind]
        published = [found for found in mine if found["status"] == Status.GEPUBLICEERD]
        (facet,) = (each for each in facets(kind) if each.name == "organisatie")
        organisations = {value.value for found in published for value in facet_values(facet, found)}
        return Contents(len(published), len(mine) - len(published), len(organisations), None)

    def version(self) -> str:
        """Return the number of documents."""
        return str(len(self._documents))

    def close(self) -> None:
        """Do nothing."""

    def _is_hit(self, question: Question, document: Mapping[str, Any]) -> bool:
        if question.status is not None and document["status"] != question.status:
            return False
        if question.ids and document["id"] not in question.ids:
            return False
        if question.part:
            first, last = ids_of_part(*question.part)
            if not first <= int(document["id"].replace("-", "")[:15], 16) <= last:
                return False
        text = str(document).casefold()
        if any((clause.text.casefold() in text) is clause.is_excluded for clause in question.clauses):
            return False
        if not self._is_there(question, document) or not self._is_then(question, document):
            return False
        return all(
            {value.value for value in facet_values(facet, document)} & set(chosen)
            for facet in facets(question.kind)
            if (chosen := question.chosen.get(facet.name))
        )

    def _is_there(self, question: Question, document: Mapping[str, Any]) -> bool:
        places = document.get("locatie") or ()
        if (near := question.near) and _metres(near, document) > near.metres:
            return False
        box = question.box
        return box is None or any(
            box.south <= place["lat"] <= box.north and box.west <= place["lon"] <= box.east
            for place in places
        )

    def _is_then(self, question: Question, document: Mapping[str, Any]) -> bool:
        period = document.get("temporal") or {}
        begin, end = period.get("gte", ""), period.get("lte", "9999")
        if question.running_on:
            return bool(period) and begin <= question.running_on.isoformat() <= end
        return not question.ended_before or end < question.ended_before.isoformat()

    def _counts(self, facet: Any, documents: Iterable[Mapping[str, Any]]) -> list[Count]:
        found = Counter(value for document in documents for value in facet_values(facet, document))
        return [Count(value, number) for value, number in found.most_common()]

    def _hit(self, question: Question, document: Mapping[str, Any]) -> Hit:
        title = str(next(iter(values_at(document, _TITLES[question.kind.name])), ""))
        words = [clause.text.casefold() for clause in question.clauses]
        pieces = [Piece(word + " ", word.casefold() in words) for word in title.split()]
        metres = _metres(question.near, document) if question.near else None
        return Hit(document, title=pieces if question.clauses else (), metres=metres)


def _metres(near: Place, document: Mapping[str, Any]) -> float:
    """Return the distance to the nearest place of a document, on a sphere."""
    return min(
        (hypot((lat - near.lat) * 111_195, (lon - near.lon) * 111_195 * cos(radians(lat)))
         for lat, lon in ((place["lat"], place["lon"]) for place in document.get("locatie") or ())),
        default=inf,
    )  # fmt: skip
