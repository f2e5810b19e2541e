"""A batch that comes in parts: each document is acknowledged once, and in order."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from elasticsearch import Elasticsearch

from tests.utils.crawlers import crawler_of
from tests.utils.proxy import Proxy
from woo_harvester.kinds import WOO
from woo_harvester.outputs.bulk import BulkOutcome, BulkWriter, SearchError, connect
from woo_harvester.outputs.document import BulkAction, Withdrawn, bulk_action
from woo_harvester.outputs.indices import prepare_index

pytestmark = pytest.mark.integration


def actions(count: int) -> list[BulkAction]:
    records = (
        {
            "id": f"id{number}",
            "document": {"weblocatie": f"https://www.a.nl/{number}.pdf"},
            "versies": [{"oorzaak": "aanlevering"}],
            "herkomst": {"opgehaald": "2026-11-01T08:00:00+01:00"},
        }
        for number in range(count)
    )
    return [bulk_action(WOO, record, Withdrawn.MARK) for record in records]


def written(
    client: Elasticsearch, alias: str, url: str, bulk: Callable[[int], int | None], count: int
) -> tuple[BulkOutcome, list[str]]:
    """Write a batch through a proxy; return the result, and the ids in the order in which they were sent."""
    prepare_index(client, alias, WOO)
    with Proxy(url, bulk) as proxy:
        settings = crawler_of(WOO_ELASTICSEARCH_URL=proxy.url).settings
        with connect(settings) as behind:
            outcome = BulkWriter(behind, alias, 60).write(actions(count))
    lines = (line for body in proxy.bodies for line in body.splitlines()[1::2])
    return outcome, [json.loads(line)["id"] for line in lines]


def test_a_batch_that_comes_in_parts_is_acknowledged_once_and_in_order(
    elasticsearch: Elasticsearch, elasticsearch_url: str, alias: str
) -> None:
    outcome, sent = written(elasticsearch, alias, elasticsearch_url, {1: 503, 2: 429}.get, 10)
    expected = [action.id for action in actions(10)]
    assert sent == expected
    assert [action.id for action in outcome.acknowledged] == expected
    assert not outcome.refused


def test_a_request_that_is_too_large_ends_with_one_line(
    elasticsearch: Elasticsearch, elasticsearch_url: str, alias: str
) -> None:
    with pytest.raises(SearchError, match="Elasticsearch answered 413"):
        written(elasticsearch, alias, elasticsearch_url, {1: 413}.get, 10)
