from __future__ import annotations

import pytest

from woo_harvester.utils.templates import base_css, is_web, make_environment


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "data:text/html,x", "", None, "/x", "ftp://a.nl", "https://", "https://[::1"],
)
def test_only_web_addresses_become_links(url: str | None) -> None:
    assert not is_web(url)
    assert is_web("https://www.a.nl/")


def test_templates_escape_what_they_are_given() -> None:
    made = make_environment("woo_harvester.report.html").from_string("<p title='{{ x }}'>{{ x }}</p>")
    assert made.render(x="<'>") == "<p title='&lt;&#39;&gt;'>&lt;&#39;&gt;</p>"


def test_the_base_style_asks_for_nothing_from_elsewhere() -> None:
    assert "url(" not in base_css()
    assert "@import" not in base_css()
