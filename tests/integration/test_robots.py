"""From robots.txt to the indexes that are read: seeds "Robots.txt" and "Naamgeving van categorieën"."""

from __future__ import annotations

import pytest

from tests.integration.robots_sites import (
    BY_NUMBER,
    CATEGORIES,
    KERN,
    OTHER_NAMES,
    hosts,
    in_utf_16,
    naming_an_index_on_another_registered_host,
    that_nobody_registered,
    with_a_byte_order_mark,
    with_a_deep_path,
    with_a_page_for_robots,
    with_a_query_string,
    with_a_relative_line,
    with_a_sitemap_in_robots_itself,
    with_all_eighteen_names,
    with_an_index_of_another_host,
    with_an_index_on_an_unregistered_host,
    with_an_index_over_http,
    with_an_index_twice,
    with_broken_robots,
    with_capitals,
    with_crlf,
    with_forbidden_robots,
    with_moved_robots,
    with_only_other_names,
    with_other_letter_case,
    with_other_names,
    with_robots_moved_to_an_unregistered_host,
    with_robots_moved_to_http,
    with_too_much_robots,
    without_robots,
)
from tests.utils.publishers import (
    INDEX,
    Builder,
    Harvest,
    Publishers,
)


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    return publishers.harvest(hosts, "-a", "documents=none")


def test_the_run_ends_well(harvest: Harvest) -> None:
    assert harvest.run.returncode == 0
    assert "Traceback" not in harvest.run.stderr


def test_all_eighteen_names_of_the_convention_are_read(harvest: Harvest) -> None:
    names = (INDEX, *BY_NUMBER.values())
    assert harvest[with_all_eighteen_names].paths == sorted(f"/besluit-{name[1:-4]}.pdf" for name in names)
    assert not harvest[with_all_eighteen_names].errors


@pytest.mark.parametrize(("number", "category"), list(enumerate(CATEGORIES, start=1)))
def test_the_name_of_the_index_tells_the_category(
    harvest: Harvest, number: int, category: tuple[str, str]
) -> None:
    record = harvest[with_all_eighteen_names].record(f"/besluit-{BY_NUMBER[number][1:-4]}.pdf")
    (found,) = record["document"]["classificatiecollectie"]["informatiecategorieen"]
    assert (found["id"], found["label"]) == (KERN + category[0], category[1])


def test_a_name_in_capitals_is_read_and_reported(harvest: Harvest) -> None:
    host = harvest[with_capitals]
    assert host.paths == ["/a.pdf"]
    (finding,) = host.about("index.hoofdletters")
    assert finding["severity"] == "warning"
    assert "c_3baef532" in str(host.record("/a.pdf")["document"]["classificatiecollectie"])


def test_a_query_string_after_the_name_is_fine(harvest: Harvest) -> None:
    host = harvest[with_a_query_string]
    assert host.paths == ["/a.pdf"]
    assert not host.errors
    assert host.record("/a.pdf")["herkomst"]["index"] == host.site.url(f"{INDEX}?versie=2&taal=nl")


def test_an_index_may_stand_under_any_path(harvest: Harvest) -> None:
    assert harvest[with_a_deep_path].paths == ["/a.pdf"]


@pytest.mark.parametrize(("name", "code"), list(OTHER_NAMES.items()))
def test_an_index_with_another_name_is_not_read(harvest: Harvest, name: str, code: str) -> None:
    host = harvest[with_other_names]
    assert host.requested(name) == []
    (finding,) = [found for found in host.findings if found.get("seen") == host.site.url(name)]
    assert finding["code"] == code


def test_indexes_with_other_names_do_not_keep_the_right_one_from_being_read(harvest: Harvest) -> None:
    assert harvest[with_other_names].paths == ["/a.pdf"]


def test_sitemaps_for_google_are_left_alone_and_counted(harvest: Harvest) -> None:
    host = harvest[with_other_names]
    number = sum(code == "robots.andere-sitemap" for code in OTHER_NAMES.values())
    assert harvest.run.host(host.site.host)["findings"]["robots.andere-sitemap"] == number
    assert {finding["severity"] for finding in host.about("robots.andere-sitemap")} == {"info"}


def test_a_host_with_only_other_names_has_no_index(harvest: Harvest) -> None:
    host = harvest[with_only_other_names]
    assert host.errors == {"robots.geen-diwoo-index", "index.naam"}
    assert [request.path for request in host.requests] == ["/robots.txt"]


def test_a_sitemap_in_robots_txt_itself_is_not_read(harvest: Harvest) -> None:
    host = harvest[with_a_sitemap_in_robots_itself]
    assert host.paths == ["/a.pdf"]
    assert host.requested("/documenten-2024.xml") == []


def test_a_relative_line_is_read_with_a_finding(harvest: Harvest) -> None:
    host = harvest[with_a_relative_line]
    assert host.paths == ["/a.pdf"]
    (finding,) = host.about("robots.sitemap-relatief")
    assert (finding["severity"], finding["seen"], finding["line"]) == ("info", INDEX, 2)


@pytest.mark.parametrize(
    "build", [with_a_byte_order_mark, with_crlf, with_other_letter_case, in_utf_16], ids=lambda b: b.__name__
)
def test_a_line_is_read_however_it_is_written(harvest: Harvest, build: Builder) -> None:
    host = harvest[build]
    assert host.paths == ["/a.pdf"]
    assert not host.errors


def test_an_index_that_is_named_twice_is_read_once(harvest: Harvest) -> None:
    host = harvest[with_an_index_twice]
    assert host.requested(INDEX) == ["GET"]
    assert host.paths == ["/a.pdf"]


def test_a_host_without_robots_txt_is_reported(harvest: Harvest) -> None:
    host = harvest[without_robots]
    assert host.errors == {"robots.ontbreekt"}
    assert host.requested("/robots.txt") == ["GET"]


def test_a_page_of_html_as_robots_txt_has_no_index(harvest: Harvest) -> None:
    assert harvest[with_a_page_for_robots].errors == {"robots.geen-diwoo-index"}


@pytest.mark.parametrize(("build", "status"), [(with_forbidden_robots, 403), (with_broken_robots, 500)])
def test_robots_txt_with_another_status_is_out_of_reach(
    harvest: Harvest, build: Builder, status: int
) -> None:
    host = harvest[build]
    (finding,) = host.about("robots.onbereikbaar")
    assert finding["seen"] == f"HTTP {status}"
    assert host.paths == []


def test_robots_txt_is_read_up_to_500_kib(harvest: Harvest) -> None:
    host = harvest[with_too_much_robots]
    assert host.paths == ["/a.pdf"]
    assert host.requested(BY_NUMBER[1]) == []
    (finding,) = host.about("robots.te-groot")
    assert finding["severity"] == "warning"


def test_an_index_over_http_is_not_read(harvest: Harvest) -> None:
    host = harvest[with_an_index_over_http]
    assert host.paths == []
    assert host.errors == {"index.geen-https"}


def test_an_index_on_an_unregistered_host_is_not_read(harvest: Harvest) -> None:
    host = harvest[with_an_index_on_an_unregistered_host]
    assert host.errors == {"host.niet-geregistreerd"}
    assert host.requested(INDEX) == []


def test_an_index_on_another_registered_host_is_read(harvest: Harvest) -> None:
    assert harvest[with_an_index_of_another_host].paths == ["/a.pdf", "/b.pdf"]
    assert not harvest[naming_an_index_on_another_registered_host].errors


def test_a_host_that_nobody_registered_is_not_visited(harvest: Harvest) -> None:
    assert not harvest[that_nobody_registered].requests


def test_a_redirect_of_robots_txt_within_https_is_followed(harvest: Harvest) -> None:
    assert harvest[with_moved_robots].paths == ["/a.pdf"]


def test_a_redirect_of_robots_txt_to_http_is_not_followed(harvest: Harvest) -> None:
    host = harvest[with_robots_moved_to_http]
    (finding,) = host.about("robots.onbereikbaar")
    assert "http://" in finding["seen"]
    assert host.requested("/robots2.txt") == []


def test_a_redirect_of_robots_txt_to_an_unregistered_host_is_not_followed(harvest: Harvest) -> None:
    host = harvest[with_robots_moved_to_an_unregistered_host]
    assert host.errors == {"host.niet-geregistreerd"}
    assert host.requested("/robots2.txt") == []
