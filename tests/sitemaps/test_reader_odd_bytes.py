"""The reader on a good sitemap whose bytes are not what a strict reader expects."""

from __future__ import annotations

import pytest

from tests.sitemaps.reading import DECLARATION, read, urlset
from tests.utils.hostile import ODD_BYTES

#: What is wrong with the file, and how many of its two entries are read.
OUTCOMES: dict[str, tuple[str | None, int]] = {
    "byte order mark": (None, 2),
    "white space first": ("ongeldig", 0),
    "UTF-16": (None, 2),
    "declared UTF-16, is UTF-8": ("ongeldig", 0),
    "declared UTF-8, is Latin-1": ("ongeldig", 0),
    "unknown encoding": ("ongeldig", 0),
    "NUL bytes": ("ongeldig", 0),
    "control characters": ("ongeldig", 0),
    "gzip": (None, 2),
    "gzip twice": (None, 2),
    "gzip cut short": ("afgebroken", 0),
    "rubbish after the end": ("ongeldig", 2),
    "only zeros": ("ongeldig", 0),
    "nothing": ("ongeldig", 0),
}


@pytest.mark.parametrize("name", ODD_BYTES)
def test_a_sitemap_in_odd_bytes_is_read_or_its_fault_is_named(name: str) -> None:
    body = urlset("https://a.nl/1", "https://a.nl/2", head=DECLARATION).encode()

    outcome = read(ODD_BYTES[name](body))

    assert (outcome.reason, len(outcome.locs)) == OUTCOMES[name]
