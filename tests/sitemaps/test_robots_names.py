"""The naming convention: which sitemap indexes are read, and which names are near misses."""

from __future__ import annotations

import string

from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.sitemaps.robots import INDEX_URL, IndexName, NameMatch, index_name, right_address

HOST = "https://www.gemeente.nl"
GENERAL = "sitemapindex-diwoo.xml"
OF_CATEGORY = [f"sitemapindex-diwoo-infocat{number:03}.xml" for number in range(1, 18)]
PATHS = st.lists(st.text(string.ascii_letters + string.digits + "-._~", min_size=1)).map("/".join)


def match(url: str) -> NameMatch:
    return index_name(url).match


def test_the_index_without_category_is_read_and_that_of_each_of_the_17_categories() -> None:
    assert index_name(f"{HOST}/{GENERAL}") == IndexName(NameMatch.INDEX)
    assert [index_name(f"{HOST}/{name}").number for name in OF_CATEGORY] == list(range(1, 18))


@given(st.integers(0, 1100), st.integers(0, 5))
def test_any_infocat_with_digits_is_one_of_the_17_or_unknown(number: int, zeros: int) -> None:
    digits = "0" * zeros + str(number)
    is_known = len(digits) == 3 and 1 <= number <= 17
    expected = IndexName(NameMatch.INDEX, number) if is_known else IndexName(NameMatch.UNKNOWN_INFOCAT)
    assert index_name(f"{HOST}/sitemapindex-diwoo-infocat{digits}.xml") == expected


def test_the_name_counts_in_any_letter_case_and_other_case_is_noted() -> None:
    for number, name in {None: GENERAL, 14: OF_CATEGORY[13]}.items():
        for written in (name.upper(), name.title(), name.replace("diwoo", "DiWoo")):
            assert index_name(f"{HOST}/{written}") == IndexName(NameMatch.INDEX, number, other_case=True)


@given(PATHS)
def test_the_index_may_stand_under_any_path(path: str) -> None:
    assert index_name(f"{HOST}/{path}/{GENERAL}") == IndexName(NameMatch.INDEX)


def test_a_query_or_fragment_after_the_name_is_fine() -> None:
    for more in ("?", "?versie=1", "?a=b/c", "?x=sitemap.xml", "#", "#deel/2", "?a#b"):
        assert index_name(f"{HOST}/{GENERAL}{more}") == IndexName(NameMatch.INDEX), more
        assert index_name(f"{HOST}/sitemap.xml{more}") == IndexName(NameMatch.OTHER), more
    assert match(f"{HOST}/sitemap.xml?{GENERAL}") is NameMatch.OTHER, "in the query alone"
    assert match(f"{HOST}/?file=/{GENERAL}") is NameMatch.OTHER
    assert index_name(f"{HOST}/sitemapindex%2Ddiwoo.xml") == IndexName(NameMatch.INDEX)


def test_a_folder_with_a_name_of_the_convention_makes_no_index_but_is_noticed() -> None:
    for folder in ("sitemapindex-diwoo", GENERAL, "nl/SiteMapIndex-Diwoo-infocat014"):
        assert match(f"{HOST}/{folder}/sitemap.xml?page=1") is NameMatch.NEAR_MISS, folder
    assert match(f"{HOST}/sitemapindex-diwoo/") is NameMatch.NEAR_MISS
    assert match(f"{HOST}/diwoo/sitemap.xml") is NameMatch.OTHER
    assert match("https://diwoo.nl/sitemap.xml") is NameMatch.OTHER


def test_an_index_gets_the_name_of_its_category_at_the_same_place() -> None:
    for path, right in {
        "x/sitemap-diwoo.xml": f"x/{GENERAL}",
        "x/sitemapindex-diwoo-infocat018.xml": f"x/{GENERAL}",
        "x/sitemap_diwoo_infocat14.xml?page=2": "x/sitemapindex-diwoo-infocat014.xml",
        "sitemapindex-diwoo/sitemap.xml": GENERAL,
        "nl/sitemapindex-diwoo-infocat007/index.xml#top": "nl/sitemapindex-diwoo-infocat007.xml",
        "sitemapindex.xml": GENERAL,
        "index.php?route=/sitemapindex-diwoo-infocat014.xml": "sitemapindex-diwoo-infocat014.xml",
        "sitemapindex-diwoo/diwoo.xml": f"sitemapindex-diwoo/{GENERAL}",
    }.items():
        assert right_address(f"{HOST}/{path}") == f"{HOST}/{right}", path


NEAR_MISSES = (
    *("sitemap-diwoo.xml", "sitemapindex_diwoo.xml", "sitemapindex-diwoo", "sitemapindex-diwoo.xml.gz"),
    *("sitemapindex-diwoo.xml/", "sitemapindex-diwoo.txt", "sitemapindex-diwoo-.xml", "Diwoo.xml"),
    *("sitemapindex-diwoo-001.xml", "sitemapindex-diwoo-infocat.xml", "sitemapindex-infocat001.xml"),
    *("sitemapindex-diwoo-infocat-001.xml", "sitemapindex-diwoo-infocat001", "infocat014.xml"),
    *("sitemapindex-diwoo-infocat001-2.xml", "sitemapindex-diwoo-infocatABC.xml"),
    *("sitemapindex-diwoo-infocat\u0661\u0662.xml", "sitemap-index-diwoo-infocat001.xml"),
    *("x%2Fsitemapindex-diwoo.xml", " sitemapindex-diwoo.xml", "sitemapindex-diwoo.xml%0A"),
)


def test_a_name_that_resembles_the_convention_is_a_near_miss_and_any_other_name_is_left_alone() -> None:
    for name in NEAR_MISSES:
        assert match(f"{HOST}/{name}") is NameMatch.NEAR_MISS, name
    others = ("", "/", "sitemap.xml", "sitemapindex.xml", "sitemap_index.xml", "woo.xml", "news-sitemap.xml")
    for name in others:
        assert index_name(f"{HOST}/{name}") == IndexName(NameMatch.OTHER), name


@given(st.text())
def test_any_text_has_a_match_and_only_the_18_names_are_an_index(text: str) -> None:
    judged = index_name(text)
    assert (judged.number is None) or judged.match is NameMatch.INDEX
    if judged.match is NameMatch.INDEX:
        assert any(name in text.lower() for name in (GENERAL, *OF_CATEGORY))


def test_the_convention_for_sitemap_follow_has_each_name_and_no_other() -> None:
    for name in (GENERAL, *OF_CATEGORY, GENERAL.upper()):
        for end in ("", "?page=1", "#top"):
            assert INDEX_URL.search(f"{HOST}/woo/{name}{end}"), name + end
    others = ("sitemapindex-diwoo-infocat018.xml", f"x-{GENERAL}", f"{GENERAL}.gz", f"a?b=/{GENERAL}")
    for path in others:
        assert not INDEX_URL.search(f"{HOST}/{path}"), path
        assert match(f"{HOST}/{path}") is not NameMatch.INDEX, path
