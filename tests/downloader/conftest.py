"""Fixture that fetches in a real crawl, with the handler and without the project's other parts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.utils.command import run_scrapy
from tests.utils.sites import ca, ca_bundle, make_raw_site, make_site, site

__all__ = ["Answer", "Fetch", "ca", "ca_bundle", "fetch", "make_raw_site", "make_site", "site"]

SETTINGS = """
DOWNLOAD_HANDLERS = {"https": "woo_harvester.downloader.streaming.StreamingDownloadHandler"}
COOKIES_ENABLED = RETRY_ENABLED = REDIRECT_ENABLED = TELNETCONSOLE_ENABLED = REMOTE_CONTROL_ENABLED = False
"""

SPIDER = """
import json
from scrapy import Request, Spider
from woo_harvester.items import StreamedResponse

class Proef(Spider):
    name = "proef"

    async def start(self):
        for given in json.load(open("requests.json")):
            yield Request(callback=self.parse, errback=self.failed, dont_filter=True, **given)

    def parse(self, response):
        streamed = isinstance(response, StreamedResponse)
        body = b"".join(response.chunks()) if streamed else response.body
        yield {
            "url": response.url,
            "status": response.status,
            "streamed": streamed,
            "body": body[:1000].decode("latin-1"),
            "length": len(body),
            "size": response.size if streamed else None,
            "sha256": response.sha256 if streamed else None,
            "flags": response.flags,
            "headers": {k.decode(): v[-1].decode() for k, v in response.headers.items()},
            "latency": response.meta.get("download_latency"),
        }
        if streamed:
            response.close()

    def failed(self, failure):
        reason = failure.getErrorMessage()
        yield {"url": failure.request.url, "error": failure.type.__name__, "reason": reason}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the callback, or the errback, of a request was given."""

    url: str
    status: int | None = None
    streamed: bool = False
    body: str = ""
    """The first thousand bytes."""
    length: int = 0
    size: int | None = None
    sha256: str | None = None
    flags: list[str] = field(default_factory=list)
    headers: Mapping[str, str]
    latency: float | None = None
    error: str | None = None
    """Name of the exception."""
    reason: str = ""


class Fetch(Protocol):
    """Makes requests in one crawl; gives the answers in the order of the requests."""

    def __call__(self, *requests: Mapping[str, Any], **settings: object) -> list[Answer]: ...


@pytest.fixture
def fetch(tmp_path: Path, ca_bundle: Path) -> Fetch:
    def run(*requests: Mapping[str, Any], **settings: object) -> list[Answer]:
        (tmp_path / "proef.py").write_text(SPIDER)
        (tmp_path / "instellingen.py").write_text(SETTINGS)
        (tmp_path / "requests.json").write_text(json.dumps(requests))
        done = run_scrapy(
            ["runspider", "proef.py", "-O", "uit.jsonl"],
            tmp_path,
            ca_bundle,
            settings=settings,
            env={"SCRAPY_SETTINGS_MODULE": "instellingen"},
        )
        assert "Traceback" not in done.stderr, done.stderr
        answers = {given["url"]: Answer(**{"headers": {}, **given}) for given in done.records}
        return [answers[request["url"]] for request in requests]

    return run


def streamed(
    url: str, *, method: str = "GET", headers: Mapping[str, str] | None = None, **meta: Any
) -> dict[str, Any]:
    """A request that is streamed, with these further keys in its meta."""
    return {
        "url": url,
        "method": method,
        "headers": headers or {},
        "meta": {"woo_stream": True, "handle_httpstatus_all": True, **meta},
    }
