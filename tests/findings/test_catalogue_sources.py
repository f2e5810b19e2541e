from __future__ import annotations

import pytest

from woo_harvester.findings import Language, explanations
from woo_harvester.findings.catalogue import source_links

#: Sources that are not published as a page of their own.
UNPUBLISHED = ("Vergunningen op Internet IPM 4.0", "Instelling WOO_", "Setting WOO_")


@pytest.mark.parametrize(
    ("source", "address"),
    [
        (
            "Technische implementatie, paragraaf Schema",
            "https://standaarden.overheid.nl/diwoo/metadata/diwoo-handleiding-technische-implementatie",
        ),
        ("RFC 9309, 2.2.2", "https://www.rfc-editor.org/rfc/rfc9309#section-2.2.2"),
        ("RFC 6890", "https://www.rfc-editor.org/rfc/rfc6890"),
        ("sitemaps.org, Protocol", "https://www.sitemaps.org/protocol.html"),
        ("Instelling WOO_DOCUMENT_MAXSIZE", None),
    ],
)
def test_a_source_has_the_address_of_its_page(source: str, address: str | None) -> None:
    assert source_links(source) == [(source, address)]


def test_each_of_several_sources_has_its_own_address() -> None:
    assert source_links("RFC 9112, 8; sitemaps.org, Protocol; Elders") == [
        ("RFC 9112, 8", "https://www.rfc-editor.org/rfc/rfc9112#section-8"),
        ("sitemaps.org, Protocol", "https://www.sitemaps.org/protocol.html"),
        ("Elders", None),
    ]


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_every_source_of_the_catalogue_is_a_link_or_is_known_to_be_unpublished(
    lang: Language,
) -> None:
    parts = {part for found in explanations(lang).values() for part in source_links(found.source)}
    without = [text for text, address in parts if address is None and not text.startswith(UNPUBLISHED)]
    assert without == [], "add the page to the table in findings/sources.py, or its title to UNPUBLISHED here"
