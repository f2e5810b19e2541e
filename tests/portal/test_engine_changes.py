"""The changes of an index, in the order in which they come into it, for a copy that follows them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from tests.portal.permits import permit
from tests.portal.suite_records import SECONDS, withdrawn, woo
from tests.utils.elasticsearch_fixtures import own_alias
from woo_harvester.kinds import PERMITS, WOO, Kind, record_kind_of
from woo_harvester.outputs.bulk import BulkWriter
from woo_harvester.outputs.document import Withdrawn, bulk_action
from woo_harvester.outputs.indices import create_index
from woo_portal.elasticsearch import ElasticsearchEngine
from woo_portal.embedded.engine import EmbeddedEngine
from woo_portal.engine import Engine, Followed
from woo_portal.question import Question, Sort

Json = dict[str, Any]
EARLY, LATE = "2026-11-20T08:00:00+01:00", "2026-11-21T08:00:00+01:00"


class Followable:
    """An engine to which records come while a copy follows it."""

    def __init__(self, engine: Engine, add: Callable[[Sequence[Json]], None]) -> None:
        self.engine = engine
        self.add = add
        self.copied: dict[str, Json] = {}
        self.followed = Followed()

    def follow(self, size: int = 100) -> list[str]:
        """Read on to the end, and return the ids in their order."""
        found: list[str] = []
        while True:
            page = self.engine.changes(WOO, self.followed, size)
            self.followed = page.followed
            assert len(page.documents) <= size
            self.copied |= {str(each["id"]): dict(each) for each in page.documents}
            found += [str(each["id"]) for each in page.documents]
            if not page.has_more:
                return found

    def is_complete(self) -> bool:
        """Return whether the copy has what the index has."""
        every = self.engine.all_documents(Question(WOO, status=None))
        return {str(each["id"]): dict(each) for each in every} == self.copied


@contextmanager
def embedded(folder: Path, again: Sequence[Json] = ()) -> Iterator[Followable]:
    """Give an index of its own; *again* are records in a file that it reads first."""
    with closing(EmbeddedEngine.open(folder / "portal", SECONDS, rebuild=bool(again))) as engine:
        numbers = iter(range(1000))

        def add(records: Sequence[Json]) -> None:
            file = folder / f"{len(list(folder.glob('*.jsonl')))}-{next(numbers)}.jsonl"
            file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
            engine.fill([file])

        if again:
            add(again)
        yield Followable(engine, add)


@contextmanager
def elasticsearch(url: str, again: Sequence[Json] = ()) -> Iterator[Followable]:
    """Give an index of its own in Elasticsearch."""
    with Elasticsearch(url, request_timeout=60) as client, own_alias(client) as one, own_alias(client) as two:
        aliases = {kind.name: alias for kind, alias in zip(Kind, (one, two), strict=True)}
        for kind in Kind:
            create_index(client, aliases[kind.name], kind, aliased=True)

        def add(records: Sequence[Json]) -> None:
            for kind in Kind:
                mine = [record for record in records if record_kind_of(record) == kind]
                actions = [bulk_action(kind, record, Withdrawn.MARK) for record in mine]
                assert not BulkWriter(client, aliases[kind.name], 1).write(actions).refused
                client.indices.refresh(index=aliases[kind.name])

        add(again)
        yield Followable(ElasticsearchEngine(client, aliases, SECONDS), add)


Opened = Callable[..., AbstractContextManager[Followable]]


@pytest.fixture(params=["embedded", pytest.param("elasticsearch", marks=pytest.mark.integration)])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """Give what opens an index of its own; with records it is made anew of these."""
    if request.param == "embedded":
        return lambda *again: embedded(tmp_path, again)
    url = request.getfixturevalue("elasticsearch_url")
    return lambda *again: elasticsearch(url, again)


def test_a_copy_that_follows_for_three_days_has_what_the_index_has(opened: Opened) -> None:
    with opened() as index:
        assert index.follow() == []
        index.add([woo("a", "Een"), woo("b", "Twee"), permit("p", title="Kap")])
        assert index.follow(1) == ["a", "b"]
        assert index.follow() == []
        index.add([woo("c", "Drie", harvested=EARLY)])  # later than those that were harvested after it
        index.add([woo("d", "Vier"), woo("e", "Vijf")])  # the same moment as a and b
        assert index.follow(2) == ["c", "d", "e"]
        index.add([woo("a", "Een gewijzigd", harvested="2026-11-21T09:00:00+01:00"), withdrawn("b")])
        assert index.follow() == ["a", "b"]
        assert index.copied["b"]["status"] == "ingetrokken"
        assert index.copied["a"]["document"]["titelcollectie"]["officieleTitel"] == "Een gewijzigd"
        assert index.is_complete()
        back = woo("b", "Terug", harvested="2026-11-23T08:00:00+01:00")
        back["versies"][0]["oorzaak"] = "herpublicatie"
        index.add([back])
        assert index.follow() == ["b"]
        assert index.copied["b"]["status"] == "gepubliceerd"
        assert index.is_complete()


def test_what_changed_more_than_once_comes_once_as_it_is_now(opened: Opened) -> None:
    with opened() as index:
        index.add([woo("a", "Een", harvested=EARLY), woo("b", "Twee")])
        index.add([woo("a", "Een gewijzigd")])
        assert index.follow() == ["b", "a"]
        index.add([woo("a", "Verouderd", harvested=EARLY)])
        assert index.follow() == []
        assert index.is_complete()


def test_changes_since_a_moment_are_those_harvested_since_then_and_all_that_come_later(
    opened: Opened,
) -> None:
    with opened() as index:
        index.add([woo("a", "Een", harvested=EARLY), woo("b", "Twee"), woo("c", "Drie", harvested=EARLY)])
        index.followed = Followed(moment=milliseconds(LATE))
        assert index.follow(1) == ["b"]
        index.add([woo("d", "Te laat", harvested=EARLY)])
        assert index.follow() == ["d"]
        index.followed = Followed(moment=milliseconds(LATE) + 1)
        assert index.follow() == []
        index.followed = Followed()
        assert index.follow() == ["a", "b", "c", "d"]


def test_each_kind_of_records_has_changes_of_its_own(opened: Opened) -> None:
    with opened() as index:
        index.add([woo("a", "Een"), permit("p", title="Kap"), permit("q", title="Dak")])
        found = index.engine.changes(PERMITS, Followed(), 1)
        assert ([each["id"] for each in found.documents], found.has_more) == (["p"], True)
        rest = index.engine.changes(PERMITS, found.followed, 5)
        assert ([each["id"] for each in rest.documents], rest.has_more) == (["q"], False)


def test_an_index_that_was_made_anew_loses_nothing_for_a_copy(opened: Opened) -> None:
    day, week = woo("a", "Een"), woo("b", "Twee", harvested="2026-11-14T07:59:59+01:00")
    with opened() as index:
        index.add([week, day])
        assert index.follow() == ["b", "a"]
        followed = replace(index.followed, moment=milliseconds(LATE))
    late = woo("c", "Drie", harvested="2026-11-15T08:00:00+01:00")
    with opened(late, week, day) as index:
        index.followed = followed
        assert index.follow() == ["c", "a"]  # what is older than a week before is not repeated
        index.add([woo("d", "Vier", harvested="2026-11-01T08:00:00+01:00")])
        assert index.follow() == ["d"]


def test_a_copy_that_had_not_everything_of_an_index_that_was_made_anew_begins_where_it_began(
    opened: Opened,
) -> None:
    records = [woo("a", "Een"), woo("b", "Twee", harvested="2020-01-01T08:00:00+01:00"), woo("c", "Drie")]
    with opened() as index:
        index.add(records)
        first = index.engine.changes(WOO, Followed(), 1)
        assert ([each["id"] for each in first.documents], first.has_more) == (["a"], True)
    with opened(*records) as index:
        index.followed = first.followed
        assert index.follow() == ["a", "b", "c"]


def test_an_index_that_is_opened_again_goes_on_with_its_numbers(tmp_path: Path) -> None:
    with embedded(tmp_path) as index:
        index.add([woo("a", "Een"), woo("b", "Twee")])
        assert index.follow() == ["a", "b"]
        followed = index.followed
    with embedded(tmp_path) as index:
        index.followed = followed
        assert index.follow() == []
        index.add([woo("c", "Drie", harvested=EARLY)])
        assert index.follow() == ["c"]


def test_a_record_that_is_read_once_more_is_no_change(tmp_path: Path) -> None:
    with embedded(tmp_path) as index:
        index.add([woo("a", "Een"), woo("b", "Twee")])
        assert index.follow() == ["a", "b"]
        index.add([woo("b", "Twee"), woo("a", "Een"), woo("c", "Drie")])  # another file with the same
        assert index.follow() == ["c"]
        assert index.is_complete()


@pytest.mark.parametrize("later", [["d"], ["d", "e"], ["d", "e", "f", "g"]])
def test_an_index_from_a_backup_gives_its_numbers_twice_and_a_copy_begins_again(
    tmp_path: Path, later: list[str]
) -> None:
    with embedded(tmp_path) as index:
        index.add([woo("a", "Een")])
    shutil.copytree(tmp_path / "portal", tmp_path / "backup")
    with embedded(tmp_path) as index:
        index.add([woo("b", "Twee"), woo("c", "Drie")])
        assert index.follow() == ["a", "b", "c"]
        followed = replace(index.followed, moment=milliseconds(LATE))
    shutil.rmtree(tmp_path / "portal")
    (tmp_path / "backup").rename(tmp_path / "portal")
    with embedded(tmp_path) as index:
        index.followed = followed
        index.add([woo(name, name) for name in later])
        assert index.follow() == ["a", *later]
        index.add([woo("h", "Acht")])
        assert index.follow() == ["h"]
    with embedded(tmp_path) as again:
        again.followed = index.followed
        again.add([woo("i", "Negen")])
        assert again.follow() == ["i"]  # each start has a name of its own, and its numbers go on


def test_the_order_by_harvest_has_the_latest_harvest_first(opened: Opened) -> None:
    with opened() as index:
        index.add([woo("b", "Een"), woo("a", "Twee"), woo("c", "Drie", harvested=EARLY), withdrawn("d")])
        asked = Question(WOO, status=None, sort=Sort.HARVESTED, size=3)
        assert [hit.document["id"] for hit in index.engine.search(asked).hits] == ["d", "a", "b"]
        every = index.engine.all_documents(asked)
        assert [each["id"] for each in every] == ["d", "a", "b", "c"]


def milliseconds(moment: str) -> int:
    return (datetime.fromisoformat(moment) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
