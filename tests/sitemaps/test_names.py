"""The naming convention: which sitemap indexes are read, and which near misses are told."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.sitemaps.names import IndexName, NameKind, index_name

HOST = "https://www.gemeente.nl"
GENERAL = "sitemapindex-diwoo.xml"
OF_CATEGORY = [f"sitemapindex-diwoo-infocat{number:03}.xml" for number in range(1, 18)]
PATHS = st.lists(st.text(string.ascii_letters + string.digits + "-._~", min_size=1)).map("/".join)


def kind(url: str) -> NameKind:
    return index_name(url).kind


def test_the_index_without_category_is_read() -> None:
    assert index_name(f"{HOST}/{GENERAL}") == IndexName(NameKind.INDEX)


@pytest.mark.parametrize("number", range(1, 18))
def test_the_index_of_each_of_the_17_categories_is_read(number: int) -> None:
    url = f"{HOST}/sitemapindex-diwoo-infocat{number:03}.xml"

    assert index_name(url) == IndexName(NameKind.INDEX, number)


@pytest.mark.parametrize(
    "name",
    [
        "infocat000",
        "infocat018",
        "infocat099",
        "infocat999",
        "infocat1",
        "infocat01",
        "infocat0001",
        "infocat18",
    ],
)
def test_an_infocat_with_another_number_is_not_read(name: str) -> None:
    assert kind(f"{HOST}/sitemapindex-diwoo-{name}.xml") is NameKind.UNKNOWN_INFOCAT


@given(st.integers(min_value=0), st.integers(0, 5))
def test_any_infocat_with_digits_is_one_of_the_17_or_unknown(number: int, zeros: int) -> None:
    digits = "0" * zeros + str(number)
    name = index_name(f"{HOST}/sitemapindex-diwoo-infocat{digits}.xml")

    if len(digits) == 3 and 1 <= number <= 17:
        assert name == IndexName(NameKind.INDEX, number)
    else:
        assert name == IndexName(NameKind.UNKNOWN_INFOCAT)


@pytest.mark.parametrize("name", [GENERAL, *OF_CATEGORY])
def test_the_name_counts_in_any_letter_case_and_that_is_told(name: str) -> None:
    number = index_name(f"{HOST}/{name}").number

    for written in (name.upper(), name.title(), name.replace("diwoo", "DiWoo")):
        assert index_name(f"{HOST}/{written}") == IndexName(NameKind.INDEX, number, other_case=True)


@given(PATHS)
def test_the_index_may_stand_under_any_path(path: str) -> None:
    assert index_name(f"{HOST}/{path}/{GENERAL}") == IndexName(NameKind.INDEX)


@pytest.mark.parametrize("more", ["?", "?versie=1", "?a=b/c", "?x=sitemap.xml", "#", "#deel/2", "?a#b"])
def test_a_query_or_fragment_after_the_name_is_fine(more: str) -> None:
    assert index_name(f"{HOST}/{GENERAL}{more}") == IndexName(NameKind.INDEX)
    assert index_name(f"{HOST}/sitemap.xml{more}") == IndexName(NameKind.OTHER)


def test_a_name_in_the_query_alone_is_no_name() -> None:
    assert kind(f"{HOST}/sitemap.xml?{GENERAL}") is NameKind.OTHER
    assert kind(f"{HOST}/?file=/{GENERAL}") is NameKind.OTHER


def test_a_name_that_is_percent_encoded_is_the_same_name() -> None:
    assert index_name(f"{HOST}/sitemapindex%2Ddiwoo.xml") == IndexName(NameKind.INDEX)


def test_only_the_last_segment_counts() -> None:
    assert kind(f"{HOST}/{GENERAL}/publications") is NameKind.OTHER
    assert kind(f"{HOST}/diwoo/sitemap.xml") is NameKind.OTHER
    assert kind("https://diwoo.nl/sitemap.xml") is NameKind.OTHER


@pytest.mark.parametrize(
    "name",
    [
        "sitemap-diwoo.xml",
        "sitemapindex_diwoo.xml",
        "sitemapindex-diwoo",
        "sitemapindex-diwoo.xml.gz",
        "sitemapindex-diwoo.xml/",
        "sitemapindex-diwoo.txt",
        "sitemapindex-diwoo-.xml",
        "sitemapindex-diwoo-001.xml",
        "sitemapindex-diwoo-infocat.xml",
        "sitemapindex-diwoo-infocat-001.xml",
        "sitemapindex-diwoo-infocat001",
        "sitemapindex-diwoo-infocat001-2.xml",
        "sitemapindex-diwoo-infocatABC.xml",
        "sitemapindex-diwoo-infocat\u0661\u0662.xml",
        "sitemap-index-diwoo-infocat001.xml",
        "sitemapindex-infocat001.xml",
        "infocat014.xml",
        "Diwoo.xml",
        "x%2Fsitemapindex-diwoo.xml",
        " sitemapindex-diwoo.xml",
        "sitemapindex-diwoo.xml%0A",
    ],
)
def test_a_name_that_resembles_the_convention_is_a_near_miss(name: str) -> None:
    assert kind(f"{HOST}/{name}") is NameKind.NEAR_MISS


@pytest.mark.parametrize(
    "name", ["", "/", "sitemap.xml", "sitemapindex.xml", "sitemap_index.xml", "woo.xml", "news-sitemap.xml"]
)
def test_any_other_name_is_left_alone(name: str) -> None:
    assert index_name(f"{HOST}/{name}") == IndexName(NameKind.OTHER)


@given(st.text())
def test_any_text_gets_a_judgement_and_is_an_index_by_one_of_the_18_names_only(text: str) -> None:
    judged = index_name(text)

    assert (judged.number is None) or judged.kind is NameKind.INDEX
    if judged.kind is NameKind.INDEX:
        assert GENERAL in text.lower() or any(name in text.lower() for name in OF_CATEGORY)
