from __future__ import annotations

import pytest

from woo_harvester.report.html.environment import is_web


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "", None, "/x", "ftp://a.nl"])
def test_only_web_addresses_become_links(url: str | None) -> None:
    assert not is_web(url)
    assert is_web("https://www.a.nl/")
