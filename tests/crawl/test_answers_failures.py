from __future__ import annotations

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

from woo_harvester.crawl.answers import UNREACHABLE, RequestKind, failure_code, failure_seen, is_ours
from woo_harvester.downloader.bodies import SpoolError
from woo_harvester.downloader.middlewares import RedirectRefused, RobotsForbidden
from woo_harvester.downloader.streaming import NoSuchHostError, PrivateHostError, TlsError
from woo_harvester.findings import Severity, explain

KINDS: tuple[RequestKind, ...] = get_args(RequestKind)
NOT_FOUND = HttpError(Response("https://www.a.nl/", status=404))
ELSEWHERE = RedirectRefused("https://www.b.nl/x", "host.niet-geregistreerd")
NOT_HTTPS = RedirectRefused("http://www.a.nl/x", None)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "error",
    [
        NOT_FOUND,
        DownloadTimeoutError("no complete answer"),
        DownloadConnectionRefusedError("refused"),
        DownloadFailedError("reset"),
        CannotResolveHostError("no such name"),
        None,
    ],
)
def test_no_answer_is_out_of_reach(error: Exception | None, kind: RequestKind) -> None:
    assert failure_code(error, kind) == UNREACHABLE.get(kind, f"{kind}.onbereikbaar")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (TlsError("certificate has expired"), "tls.ongeldig"),
        (NoSuchHostError("Name or service not known"), "host.bestaat-niet"),
        (PrivateHostError("10.0.0.1"), "host.prive-adres"),
        (RobotsForbidden("https://www.a.nl/"), "robots.verboden"),
    ],
)
def test_faults_that_have_a_code_of_their_own_are_reported_apart(
    error: Exception, code: str, kind: RequestKind
) -> None:
    assert failure_code(error, kind) == code


@pytest.mark.parametrize("kind", ["robots", "index", "sitemap"])
def test_a_redirect_to_an_unregistered_host_is_reported_as_that(kind: RequestKind) -> None:
    assert failure_code(ELSEWHERE, kind) == "host.niet-geregistreerd"
    assert failure_code(NOT_HTTPS, kind) == f"{kind}.onbereikbaar"
    assert failure_code(IgnoreRequest("max redirections reached"), kind) == f"{kind}.onbereikbaar"


@pytest.mark.parametrize("error", [ELSEWHERE, NOT_HTTPS, IgnoreRequest("max redirections reached")])
def test_any_redirect_of_a_document_that_leads_nowhere_is_a_redirect(error: Exception) -> None:
    assert failure_code(error, "document") == "document.doorverwijzing"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("error", [TlsError("x"), PrivateHostError("x"), ELSEWHERE, NOT_FOUND, None])
def test_every_code_is_an_error_of_the_catalogue(error: Exception | None, kind: RequestKind) -> None:
    assert explain(failure_code(error, kind)).severity is Severity.ERROR


@pytest.mark.parametrize(
    ("error", "seen"),
    [
        (NOT_FOUND, "HTTP 404"),
        (ELSEWHERE, "doorverwijzing naar https://www.b.nl/x"),
        (DownloadTimeoutError("https://www.a.nl took longer"), "time-out"),
        (RobotsForbidden("https://www.a.nl/"), "verboden door robots.txt"),
        (TlsError("certificate has expired"), "certificate has expired"),
        (DownloadFailedError("  a\n b  "), "a b"),
        (DownloadFailedError(), "DownloadFailedError"),
        (None, "geen antwoord"),
    ],
)
def test_what_was_there_instead_is_reported_in_one_line(error: Exception | None, seen: str) -> None:
    assert failure_seen(error) == seen


def test_only_a_full_disk_is_not_the_publishers_affair() -> None:
    assert is_ours(SpoolError("no space left"))
    assert not any(map(is_ours, (NOT_FOUND, ELSEWHERE, DownloadFailedError("reset"), None)))
