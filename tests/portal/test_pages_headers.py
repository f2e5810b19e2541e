from __future__ import annotations

import pytest

from tests.portal.client import client_of
from woo_portal.pages import HEADERS, policy


@pytest.mark.parametrize("path", ["/", "/niets", "/?onbekend=1", "/gezond", "/robots.txt"])
def test_every_answer_has_the_safe_headers(path: str) -> None:
    headers = client_of([]).get(path).headers
    assert {name: headers[name] for name in HEADERS} == HEADERS


def test_nothing_inline_and_nothing_from_elsewhere_is_permitted() -> None:
    assert policy() == (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )


def test_a_page_may_have_scripts_of_the_portal_and_images_of_one_host() -> None:
    made = policy(scripts=True, images="https://service.pdok.nl/brt/{z}/{x}/{y}.png").split("; ")
    assert "img-src 'self' https://service.pdok.nl" in made
    assert "script-src 'self'" in made
    assert "img-src 'self'" in policy(images="").split("; ")
