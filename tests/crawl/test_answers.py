from __future__ import annotations

from datetime import timedelta
from time import time
from typing import get_args

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

URL = "https://www.a.nl/"
WEEK = timedelta(days=7)
DAY = 86_400


def read(
    days_ago: float | None, *, etag: str | None = '"e"', last_modified: str | None = "gisteren"
) -> Resource:
    at = None if days_ago is None else int(time() - days_ago * DAY)
    return Resource(1, etag, last_modified, None, at, None)


KINDS: tuple[RequestKind, ...] = get_args(RequestKind)
NOT_FOUND = HttpError(Response(URL, status=404))
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


def test_a_file_is_read_whole_at_first_and_a_week_later() -> None:
    for days_ago, due in ((None, True), (0, False), (6.9, False), (7.1, True)):
        assert is_due(read(days_ago), WEEK) is due, days_ago
    assert is_due(read(-1), WEEK), "the clock jumped back"
    assert is_due(read(0), timedelta(0)), "with an interval of nothing"


def test_a_file_is_asked_for_only_if_it_has_changed_by_what_the_server_gave() -> None:
    assert conditions(read(1), WEEK) == {"If-None-Match": '"e"', "If-Modified-Since": "gisteren"}
    assert conditions(read(1, last_modified=None), WEEK) == {"If-None-Match": '"e"'}
    assert conditions(read(1, etag=None), WEEK) == {"If-Modified-Since": "gisteren"}
    assert conditions(read(1, etag=None, last_modified=None), WEEK) == {}
    assert conditions(read(8), WEEK) == {}, "it is due"


def test_only_what_can_be_sent_back_is_kept() -> None:
    for given in ('"abc"', 'W/"abc"', "Tue, 02 Apr 2024 08:00:00 GMT"):
        assert validator(Response(URL, headers={"ETag": given}), "ETag") == given
    for refused in (b"", b'"\xe9"', b'"a\x00b"'):
        assert validator(Response(URL, headers={"ETag": refused}), "ETag") is None, refused
    assert validator(Response(URL), "ETag") is None


def test_the_code_says_what_kind_of_file_had_no_answer_unless_the_fault_has_a_code_of_its_own() -> None:
    for kind in KINDS:
        for error in NO_ANSWER:
            code = failure_code(error, kind)
            assert code == f"{kind}.onbereikbaar", (error, kind)
            assert explain(code).severity is Severity.ERROR, code
        for fault, code in OF_THEIR_OWN:
            assert failure_code(fault, kind) == code, (fault, kind)
            assert explain(code).severity is Severity.ERROR, code


def test_a_redirect_that_leads_nowhere_has_the_code_of_its_kind() -> None:
    kinds: tuple[RequestKind, ...] = ("robots", "index", "sitemap")
    for kind in kinds:
        assert failure_code(ELSEWHERE, kind) == "host.niet-geregistreerd"
        assert failure_code(NOT_HTTPS, kind) == f"{kind}.onbereikbaar"
        assert failure_code(MAX_REDIRECTIONS, kind) == f"{kind}.onbereikbaar"
    for error in (ELSEWHERE, NOT_HTTPS, MAX_REDIRECTIONS):
        assert failure_code(error, "document") == "document.doorverwijzing"
    for code in ("host.niet-geregistreerd", "document.doorverwijzing"):
        assert explain(code).severity is Severity.ERROR


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
