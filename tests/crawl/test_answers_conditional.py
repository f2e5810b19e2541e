from __future__ import annotations

from datetime import timedelta
from time import time

import pytest
from scrapy.http import Response

from woo_harvester.crawl.answers import conditions, is_due, validator
from woo_harvester.state.resources import Resource

WEEK = timedelta(days=7)
DAY = 86_400


def read(
    days_ago: float | None, *, etag: str | None = '"e"', last_modified: str | None = "gisteren"
) -> Resource:
    at = None if days_ago is None else int(time() - days_ago * DAY)
    return Resource(1, etag, last_modified, None, at, None)


@pytest.mark.parametrize(
    ("days_ago", "due"),
    [
        (None, True),  # never read completely
        (0, False),
        (6.9, False),
        (7.1, True),
        (-1, True),  # the clock jumped back
    ],
)
def test_a_file_is_read_whole_when_it_never_was_after_a_week_and_when_the_clock_jumped_back(
    days_ago: float | None, due: bool
) -> None:
    assert is_due(read(days_ago), WEEK) is due


def test_with_an_interval_of_nothing_every_file_is_read_whole() -> None:
    assert is_due(read(0), timedelta(0))


def test_a_file_is_asked_for_only_if_it_has_changed() -> None:
    assert conditions(read(1), WEEK) == {"If-None-Match": '"e"', "If-Modified-Since": "gisteren"}


def test_only_what_the_server_gave_is_sent_back() -> None:
    assert conditions(read(1, last_modified=None), WEEK) == {"If-None-Match": '"e"'}
    assert conditions(read(1, etag=None), WEEK) == {"If-Modified-Since": "gisteren"}
    assert conditions(read(1, etag=None, last_modified=None), WEEK) == {}


def test_a_file_that_is_due_is_asked_for_without_conditions() -> None:
    assert conditions(read(8), WEEK) == {}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (b'"abc"', '"abc"'),
        (b'W/"abc"', 'W/"abc"'),
        (b"", None),
        (b'"\xe9"', None),
        (b'"a\x00b"', None),
        (b"Tue, 02 Apr 2024 08:00:00 GMT", "Tue, 02 Apr 2024 08:00:00 GMT"),
    ],
)
def test_only_what_can_be_sent_back_is_kept(given: bytes, kept: str | None) -> None:
    assert validator(Response("https://a.nl/", headers={"ETag": given}), "ETag") == kept


def test_a_response_without_the_header_gives_nothing() -> None:
    assert validator(Response("https://a.nl/"), "ETag") is None
