from __future__ import annotations

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

from woo_harvester.crawl.answers import UNREACHABLE, RequestKind, failure_code, failure_seen, is_ours
from woo_harvester.downloader.bodies import SpoolError
from woo_harvester.downloader.middlewares import RedirectRefused, RobotsForbidden
from woo_harvester.downloader.streaming import NoSuchHostError, PrivateHostError, TlsError
from woo_harvester.findings import Severity, explain

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
