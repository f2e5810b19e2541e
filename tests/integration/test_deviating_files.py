"""Indexes, sitemaps and robots.txt files that deviate from the guide, and can still mean one thing only."""

from __future__ import annotations

import pytest

from tests.integration.deviating_sites import (
    INFOCAT_2,
    INFOCAT_10,
    SHARED,
    hosts,
    with_a_circle_by_way_of_another_name,
    with_a_sitemap_that_robots_calls_an_index,
    with_a_sitemap_under_sitemapindex,
    with_an_empty_index_under_urlset,
    with_an_empty_sitemap_under_sitemapindex,
    with_an_index_of_which_another_has_all_sitemaps,
    with_an_index_that_lists_only_itself,
    with_an_index_under_a_root_of_its_own,
    with_an_index_under_urlset,
    with_documents_between_sitemaps,
    with_documents_between_sitemaps_under_urlset,
    with_documents_in_an_index,
    with_indexes_that_list_each_other,
    with_joined_lines,
    with_lines_in_other_words,
    with_lines_that_refer_to_nothing,
    with_sitemaps_between_documents,
    with_sitemaps_in_a_sitemap,
    with_the_general_index_first,
    with_the_general_index_last,
    with_two_categories,
    with_two_categories_the_other_way_round,
)
from tests.utils.publishers import (
    INDEX,
    Builder,
    Harvest,
    Host,
    Publishers,
)
from woo_harvester.demo.sitemaps import categorie


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    return publishers.harvest(hosts, "-a", "documents=none")


def seen(host: Host, code: str) -> list[str | None]:
    return [found.get("seen") for found in host.about(code)]


def category_of(host: Host) -> str:
    (found,) = host.record("/a.pdf")["document"]["classificatiecollectie"]["informatiecategorieen"]
    return str(found["id"])


def test_the_run_ends_well(harvest: Harvest) -> None:
    assert harvest.run.returncode == 0
    assert "Traceback" not in harvest.run.stderr


@pytest.mark.parametrize(
    ("build", "paths", "code", "text"),
    [
        (
            with_an_index_under_urlset,
            ["/a.pdf", "/b.pdf"],
            "index.andere-wortel",
            "<urlset> met 2 sitemaps",
        ),
        (
            with_an_index_under_a_root_of_its_own,
            ["/a.pdf"],
            "index.andere-wortel",
            "<sitemaps> met 1 sitemap",
        ),
        (
            with_a_sitemap_under_sitemapindex,
            ["/a.pdf", "/b.pdf"],
            "sitemap.andere-wortel",
            "<sitemapindex> met 2 documenten",
        ),
        (with_an_empty_index_under_urlset, [], "index.andere-wortel", "<urlset> met 0 sitemaps"),
        (
            with_an_empty_sitemap_under_sitemapindex,
            [],
            "sitemap.andere-wortel",
            "<sitemapindex> met 0 documenten",
        ),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_the_entries_of_a_file_decide_what_it_is_and_not_its_root(
    harvest: Harvest, build: Builder, paths: list[str], code: str, text: str
) -> None:
    host = harvest[build]
    assert host.paths == paths
    assert seen(host, code) == [text]
    assert not host.errors
    assert ("sitemap.leeg" in host.codes) == (paths == [])


@pytest.mark.parametrize(
    ("build", "code", "text"),
    [
        (with_documents_between_sitemaps, "index.gemengd", "2 documenten"),
        (with_documents_between_sitemaps_under_urlset, "index.gemengd", "1 document"),
        (with_sitemaps_between_documents, "sitemap.gemengd", "1 sitemap"),
        (with_sitemaps_in_a_sitemap, "index.genest", "<urlset> met 1 sitemap"),
        (with_documents_in_an_index, "index.is-urlset", "<sitemapindex> met 2 documenten"),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_what_a_file_may_not_list_is_not_read_and_counted(
    harvest: Harvest, build: Builder, code: str, text: str
) -> None:
    host = harvest[build]
    assert host.errors == {code}
    assert seen(host, code) == [text]
    assert not {"/los.pdf", "/diep.pdf"} & set(host.paths)
    assert host.requested("/diep.xml") == []


@pytest.mark.parametrize(
    "build", [with_documents_between_sitemaps, with_documents_between_sitemaps_under_urlset]
)
def test_the_sitemaps_in_an_index_with_documents_are_read(harvest: Harvest, build: Builder) -> None:
    assert harvest[build].paths == ["/a.pdf"]


def test_the_documents_in_a_sitemap_with_sitemaps_are_harvested(harvest: Harvest) -> None:
    assert harvest[with_sitemaps_between_documents].paths == ["/a.pdf", "/b.pdf"]


@pytest.mark.parametrize(
    ("build", "listed"),
    [
        (with_an_index_that_lists_only_itself, {INDEX: INDEX}),
        (with_indexes_that_list_each_other, {INDEX: INFOCAT_2, INFOCAT_2: INDEX}),
    ],
)
def test_each_index_that_lists_only_indexes_has_a_finding_and_is_read_once(
    harvest: Harvest, build: Builder, listed: dict[str, str]
) -> None:
    host = harvest[build]
    assert {found["url"]: found["seen"] for found in host.about("index.genest")} == {
        host.site.url(index): host.site.url(other) for index, other in listed.items()
    }
    assert all(host.requested(index) == ["GET"] for index in listed)


def test_a_circle_by_way_of_a_file_with_another_name_has_a_finding_on_that_file(harvest: Harvest) -> None:
    host = harvest[with_a_circle_by_way_of_another_name]
    assert host.codes_about("/a.xml") == {"index.genest"}
    assert host.requested(INDEX) == ["GET"]


def test_an_index_whose_sitemaps_another_one_has_says_so(harvest: Harvest) -> None:
    host = harvest[with_an_index_of_which_another_has_all_sitemaps]
    assert seen(host, "index.dubbel") == [f"1 sitemap, ook in {host.site.url(INDEX)}"]
    assert host.paths == ["/a.pdf"]
    assert not host.errors


def test_a_sitemap_that_robots_txt_calls_an_index_is_read_if_an_index_lists_it(harvest: Harvest) -> None:
    host = harvest[with_a_sitemap_that_robots_calls_an_index]
    assert host.paths == ["/a.pdf"]
    assert host.errors == {"index.is-urlset"}


def test_each_index_of_a_joined_line_is_read_and_the_rules_in_it_are_obeyed(harvest: Harvest) -> None:
    host = harvest[with_joined_lines]
    assert host.paths == ["/0.pdf", "/1.pdf", "/2.pdf"]
    (finding,) = host.about("robots.samengevoegd")
    assert (finding["line"], finding["action"]) == (1, "gelezen als 3 adressen")
    assert host.errors == {"robots.verboden"}
    assert host.requested("/besloten/3.xml") == []


def test_a_line_in_other_words_that_can_only_be_a_reference_is_read(harvest: Harvest) -> None:
    host = harvest[with_lines_in_other_words]
    assert [found["line"] for found in host.about("robots.regel-afwijkend")] == [1, 2, 3]
    for index in (INDEX, INFOCAT_2, INFOCAT_10, "/a/sitemapindex-diwoo.xml"):
        assert host.requested(index) == ["GET"], index
    assert not host.errors


def test_a_line_that_names_an_index_and_refers_to_nothing_is_not_passed_over(harvest: Harvest) -> None:
    host = harvest[with_lines_that_refer_to_nothing]
    assert [found["line"] for found in host.about("robots.regel-genegeerd")] == [4, 5]
    assert host.requested(INFOCAT_2) == []
    assert host.paths == ["/a.pdf"]


@pytest.mark.parametrize(
    ("build", "number", "codes"),
    [
        (with_the_general_index_first, 10, {"index.dubbel"}),
        (with_the_general_index_last, 10, {"index.dubbel"}),
        (with_two_categories, 2, {"index.dubbel", "index.strijdig"}),
        (with_two_categories_the_other_way_round, 2, {"index.dubbel", "index.strijdig"}),
    ],
)
def test_the_index_that_names_a_category_decides_it_in_whatever_order(
    harvest: Harvest, build: Builder, number: int, codes: set[str]
) -> None:
    host = harvest[build]
    assert category_of(host) == categorie(number).uri
    record = host.record("/a.pdf")
    assert record["herkomst"]["index"].endswith(f"-infocat{number:03}.xml")
    assert {code for code in host.codes if code.startswith("index.")} == codes
    assert host.requested(SHARED) == ["GET"]
    assert not host.errors
