"""Answers requests with files on disk, for an audit of files that are not online."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.exceptions import IgnoreRequest

from woo_harvester.extensions.findings import Findings
from woo_harvester.items import StreamedResponse

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


class NotGivenError(IgnoreRequest):
    """The file is not among those that an audit was given."""


class GivenFilesHandler(BaseDownloadHandler):
    """The download handler that answers with the files of the spider's argument ``_on_disk``.

    No host may be asked for a robots.txt that was not given: without one, all is allowed.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._given = crawler.spider.on_disk  # type: ignore[union-attr]

    async def download_request(self, request: Request) -> StreamedResponse:
        """Return the file that a request asks for. Raises NotGivenError, and OSError if it cannot be read."""
        host = request.meta["woo_host"]
        found = self._given[host].answer(request.url)
        if found is None and urlsplit(request.url).path != "/robots.txt":
            raise NotGivenError(request.url)
        if found is None and (findings := self.crawler.get_extension(Findings)) is not None:
            findings.accounts.of(host).leave_unjudged("other_hosts")
        file = found.open("rb") if isinstance(found, Path) else BytesIO(found or b"")
        size = found.stat().st_size if isinstance(found, Path) else len(found or b"")
        headers = {"ETag": '"given"'}  # an audit knows no date of the file
        response = StreamedResponse(request.url, 200, headers, file=file, size=size, request=request)
        if maxsize := request.meta.get("download_maxsize"):
            _cut(response, maxsize)
        return response


def _cut(response: StreamedResponse, maxsize: int) -> None:
    """Leave out what is beyond the limit of the request."""
    if response.size > maxsize:
        with response.file as whole:
            response.file = BytesIO(whole.read(maxsize))
        response.size = maxsize
        response.flags.append("maxsize")
