from __future__ import annotations

import gzip
from io import BytesIO
from types import SimpleNamespace
from typing import Any, cast

import pytest
from scrapy.settings import Settings

from woo_harvester.crawl.download_delay import DownloadDelay
from woo_harvester.crawl.host import Visit
from woo_harvester.demo.sitemaps import Entry, sitemap
from woo_harvester.responses import StreamedResponse


def visit_of(host: str) -> Visit:
    return cast("Visit", SimpleNamespace(host=host))


def response_of(count: int, *, is_zipped: bool = False) -> StreamedResponse:
    content = sitemap(*(Entry(loc=f"https://www.a.nl/{number}.pdf") for number in range(count)))
    content = gzip.compress(content) if is_zipped else content
    return StreamedResponse("https://www.a.nl/s.xml", file=BytesIO(content), size=len(content))


def delay_of(**settings: Any) -> DownloadDelay:
    delay = DownloadDelay.of(Settings({"WOO_SITEMAP_MAXSIZE": 10**6, **settings}))
    assert delay is not None
    return delay


def test_without_a_delay_nothing_is_counted() -> None:
    assert DownloadDelay.of(Settings()) is None


@pytest.mark.parametrize("is_zipped", [False, True])
def test_the_warning_has_the_number_of_documents_and_the_time(
    caplog: pytest.LogCaptureFixture, *, is_zipped: bool
) -> None:
    delay_of(DOWNLOAD_DELAY=1).warn(visit_of("www.a.nl"), response_of(150, is_zipped=is_zipped), 30)
    (line,) = caplog.messages
    assert line.startswith(
        "DOWNLOAD_DELAY: www.a.nl lists 120 documents that this run may request, and one request in 1 s "
        "makes that about 2 min 00 s. "
    )


def test_documents_that_are_known_cost_nothing(caplog: pytest.LogCaptureFixture) -> None:
    delay_of(DOWNLOAD_DELAY=1).warn(visit_of("www.a.nl"), response_of(20), 20)
    assert caplog.messages == []


def test_it_warns_again_only_when_it_takes_ten_times_as_long(caplog: pytest.LogCaptureFixture) -> None:
    delay = delay_of(DOWNLOAD_DELAY=1)
    delay.warn(visit_of("www.a.nl"), response_of(3), 0)
    for number in range(20):
        delay.warn(visit_of(f"www.b{number}.nl"), response_of(29), 0)
    assert len(caplog.messages) == 1
    delay.warn(visit_of("www.a.nl"), response_of(40), 0)
    assert "www.a.nl lists 43 documents" in caplog.messages[1]


def test_a_delay_of_the_host_itself_counts(caplog: pytest.LogCaptureFixture) -> None:
    delay = delay_of(DOWNLOAD_DELAY=1, DOWNLOAD_SLOTS={"www.a.nl": {"delay": 0.001}, "b.nl": {"delay": 5}})
    delay.warn(visit_of("www.a.nl"), response_of(10), 0)
    assert caplog.messages == []
    delay.warn(visit_of("b.nl"), response_of(10), 0)
    assert "one request in 5 s makes that about 50 s" in caplog.text
