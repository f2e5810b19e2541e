from __future__ import annotations

import pytest
from scrapy.settings import Settings

from woo_harvester.running.default_settings import complete
from woo_portal.asking import MAX_DOWNLOADS, BusyError, Downloads
from woo_portal.server import _options


@pytest.mark.parametrize("processes", [1, 2, 3, MAX_DOWNLOADS, 5 * MAX_DOWNLOADS])
def test_one_visitor_never_has_all_places_of_a_process(processes: int) -> None:
    settings = Settings({"WOO_PORTAL_PROCESSES": processes, "WOO_PORTAL_TILES": "none"})
    complete(settings)
    options = _options(settings)
    assert options.concurrency >= 2
    downloads = Downloads(options.downloads)
    for _ in range(options.downloads // 2):
        downloads.begin("192.0.2.1")
    with pytest.raises(BusyError):
        downloads.begin("192.0.2.1")
    downloads.begin("192.0.2.2")
