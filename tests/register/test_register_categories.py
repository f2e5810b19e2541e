from __future__ import annotations

import pytest

from tests.register.exports import AMSTERDAM, TOOI, organisation, read
from woo_harvester.register import Location, Organisation, Register
from woo_harvester.register.register import Published, PublishedCategories
from woo_harvester.tooi import UNKNOWN_CATEGORY, category_of_index

ADVIEZEN, CONVENANTEN, JAARPLANNEN = (category_of_index(number).uri for number in (10, 11, 12))
A = Organisation("1", "gemeente Amsterdam", AMSTERDAM)
B = Organisation("2", "gemeente Utrecht", f"{TOOI}gemeente/gm0344")


class Documents:
    """Documents that are counted as a run does: by the match of each."""

    def __init__(self, register: Register) -> None:
        self._register = register
        self.published = PublishedCategories()

    def count(self, loc: str, categories: list[str], host: str) -> None:
        self.published.count(self._register.organisation_of(loc, host), categories, host)

    def conflicts(self) -> list[Published]:
        return list(self.published.conflicts())


def published(*locations: Location) -> Documents:
    return Documents(Register([A, B], locations))


def count(found: Documents, *documents: tuple[str, str], host: str = "www.a.nl") -> None:
    for path, category in documents:
        found.count(f"https://www.a.nl{path}", [category], host)


def test_the_reader_keeps_the_category_of_a_location_by_its_label() -> None:
    register = read(organisation("gemeente Amsterdam", "https://www.a.nl/woo", uri=AMSTERDAM))
    registered = register.organisation_of("https://www.a.nl/woo/besluit.pdf", "www.a.nl").registered
    assert registered is not None
    assert (registered.url, registered.categories) == ("https://www.a.nl/woo", frozenset({ADVIEZEN}))
    assert register.organisation_of("https://www.a.nl/ander.pdf", "www.a.nl").registered is None
    assert register.organisation_of("https://www.b.nl/woo", "www.a.nl").registered is None


def test_a_location_conflicts_if_no_document_has_its_category() -> None:
    found = published(Location(A, "https://www.a.nl/woo", ADVIEZEN))
    count(found, ("/woo/1.pdf", CONVENANTEN), ("/woo/2.pdf", JAARPLANNEN), ("/woo/3.pdf", CONVENANTEN))
    (conflict,) = found.conflicts()
    assert conflict.organisation == A
    assert conflict.documents == 3
    assert conflict.categories.most_common() == [(CONVENANTEN, 2), (JAARPLANNEN, 1)]
    assert conflict.hosts == {"www.a.nl"}
    count(found, ("/woo/4.pdf", ADVIEZEN))
    assert found.conflicts() == []


def test_a_document_with_several_categories_agrees_with_one_of_them() -> None:
    found = published(Location(A, "https://www.a.nl/woo", ADVIEZEN))
    found.count("https://www.a.nl/woo/1.pdf", [CONVENANTEN, ADVIEZEN], "www.a.nl")
    assert found.conflicts() == []


def test_the_longest_prefix_decides() -> None:
    found = published(
        Location(A, "https://www.a.nl/woo", ADVIEZEN), Location(A, "https://www.a.nl/woo/c", CONVENANTEN)
    )
    count(found, ("/woo/c/1.pdf", CONVENANTEN), ("/woo/2.pdf", ADVIEZEN))
    assert found.conflicts() == []
    count(found, ("/wootiek/1.pdf", CONVENANTEN))
    assert found.conflicts() == []


def test_a_url_that_is_registered_for_several_categories_may_have_documents_of_each() -> None:
    found = published(
        Location(A, "https://www.a.nl/woo", ADVIEZEN), Location(B, "https://www.a.nl/woo/", CONVENANTEN)
    )
    count(found, ("/woo/1.pdf", CONVENANTEN))
    assert found.conflicts() == []
    count(wrong := published(Location(A, "https://www.a.nl/", ADVIEZEN)), ("/1.pdf", CONVENANTEN))
    assert len(wrong.conflicts()) == 1


@pytest.mark.parametrize("category", ["Andere documenten", "Adviesen", ""])
def test_a_location_without_a_known_category_permits_every_category(category: str) -> None:
    text = organisation("gemeente A", "https://www.a.nl/woo").replace("Adviezen", category)
    register = read(text, organisation("gemeente B", "https://www.a.nl/woo", id="2"))
    found = Documents(register)
    count(found, ("/woo/1.pdf", CONVENANTEN))
    assert found.conflicts() == []


def test_a_document_whose_category_is_unknown_says_nothing() -> None:
    found = published(Location(A, "https://www.a.nl/woo", ADVIEZEN))
    count(found, ("/woo/1.pdf", UNKNOWN_CATEGORY.uri), ("/woo/2.pdf", "https://www.a.nl/eigen"))
    assert found.conflicts() == []


def test_memory_does_not_grow_with_the_documents() -> None:
    found = published(Location(A, "https://www.a.nl/woo", ADVIEZEN))
    for number in range(1000):
        count(found, (f"/woo/{number}.pdf", CONVENANTEN))
    assert len(found.published._found) == 1
    assert len(found.published._found["https://www.a.nl/woo"].categories) == 1
