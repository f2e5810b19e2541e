from __future__ import annotations

from datetime import timedelta
from time import time
from typing import get_args

import pytest
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
)
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError

from woo_harvester.crawl.answers import (
    UNREACHABLE,
    RequestKind,
    conditions,
    failure_code,
    failure_seen,
    is_due,
    is_ours,
    validator,
)
from woo_harvester.downloader.bodies import SpoolError
from woo_harvester.downloader.middlewares import RedirectRefused, RobotsForbidden
from woo_harvester.downloader.streaming import NoSuchHostError, PrivateHostError, TlsError
from woo_harvester.findings import Severity, explain
from woo_harvester.state.resources import Resource

WEEK = timedelta(days=7)
DAY = 86_400


def read(
    days_ago: float | None, *, etag: str | None = '"e"', last_modified: str | None = "gisteren"
) -> Resource:
    at = None if days_ago is None else int(time() - days_ago * DAY)
    return Resource(1, etag, last_modified, None, at, None)


KINDS: tuple[RequestKind, ...] = get_args(RequestKind)
NOT_FOUND = HttpError(Response("https://www.a.nl/", status=404))
ELSEWHERE = RedirectRefused("https://www.b.nl/x", "host.niet-geregistreerd")
NOT_HTTPS = RedirectRefused("http://www.a.nl/x", None)


#: Errors that say that there was no answer, or none of use.
NO_ANSWER: tuple[Exception | None, ...] = (
    NOT_FOUND,
    DownloadTimeoutError("no complete answer"),
    DownloadConnectionRefusedError("refused"),
    DownloadFailedError("reset"),
    CannotResolveHostError("no such name"),
    None,
)
OF_THEIR_OWN = (
    (TlsError("certificate has expired"), "tls.ongeldig"),
    (NoSuchHostError("Name or service not known"), "host.bestaat-niet"),
    (PrivateHostError("10.0.0.1"), "host.prive-adres"),
    (RobotsForbidden("https://www.a.nl/"), "robots.verboden"),
)
MAX_REDIRECTIONS = IgnoreRequest("max redirections reached")


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
def test_a_file_is_read_whole_at_first_and_a_week_later(days_ago: float | None, due: bool) -> None:
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


def test_the_code_says_what_kind_of_file_had_no_answer_unless_the_fault_has_a_code_of_its_own() -> None:
    for kind in KINDS:
        for error in NO_ANSWER:
            code = failure_code(error, kind)
            assert code == UNREACHABLE.get(kind, f"{kind}.onbereikbaar"), (error, kind)
            assert explain(code).severity is Severity.ERROR, code
        for fault, code in OF_THEIR_OWN:
            assert failure_code(fault, kind) == code, (fault, kind)
            assert explain(code).severity is Severity.ERROR, code


def test_a_redirect_to_an_unregistered_host_is_reported_as_that() -> None:
    kinds: tuple[RequestKind, ...] = ("robots", "index", "sitemap")
    for kind in kinds:
        assert failure_code(ELSEWHERE, kind) == "host.niet-geregistreerd"
        assert failure_code(NOT_HTTPS, kind) == f"{kind}.onbereikbaar"
        assert failure_code(MAX_REDIRECTIONS, kind) == f"{kind}.onbereikbaar"
    assert explain("host.niet-geregistreerd").severity is Severity.ERROR


def test_any_redirect_of_a_document_that_leads_nowhere_is_a_redirect() -> None:
    for error in (ELSEWHERE, NOT_HTTPS, MAX_REDIRECTIONS):
        assert failure_code(error, "document") == "document.doorverwijzing"
    assert explain("document.doorverwijzing").severity is Severity.ERROR


def test_what_was_there_instead_is_reported_in_one_line() -> None:
    seen = {
        NOT_FOUND: "HTTP 404",
        ELSEWHERE: "doorverwijzing naar https://www.b.nl/x",
        DownloadTimeoutError("https://www.a.nl took longer"): "time-out",
        RobotsForbidden("https://www.a.nl/"): "verboden door robots.txt",
        TlsError("certificate has expired"): "certificate has expired",
        DownloadFailedError("  a\n b  "): "a b",
        DownloadFailedError(): "DownloadFailedError",
        None: "geen antwoord",
    }
    for error, text in seen.items():
        assert failure_seen(error) == text


def test_only_a_full_disk_is_not_the_publishers_affair() -> None:
    assert is_ours(SpoolError("no space left"))
    assert not any(map(is_ours, (NOT_FOUND, ELSEWHERE, DownloadFailedError("reset"), None)))
