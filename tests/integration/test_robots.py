"""From robots.txt to the indexes that are read: seeds "Robots.txt" and "Naamgeving van categorieën"."""

from __future__ import annotations

import pytest

from tests.utils.publishers import (
    INDEX,
    Builder,
    Harvest,
    Hosts,
    Publishers,
    entries_of,
    index_of,
    publish,
    robots_of,
)
from woo_harvester.demo.server import Page, redirect
from woo_harvester.demo.site import Site

KERN = "https://identifier.overheid.nl/tooi/def/thes/kern/"
#: The table of the seed page "Naamgeving van informatiecategorieën", 001 first.
CATEGORIES = [
    ("c_139c6280", "wetten en algemeen verbindende voorschriften"),
    ("c_aab6bfc7", "overige besluiten van algemene strekking"),
    ("c_759721e2", "ontwerpen van wet- en regelgeving met adviesaanvraag"),
    ("c_40a05794", "organisatie en werkwijze"),
    ("c_89ee6784", "bereikbaarheidsgegevens"),
    ("c_8c840238", "bij vertegenwoordigende organen ingekomen stukken"),
    ("c_c76862ab", "vergaderstukken Staten-Generaal"),
    ("c_db4862c3", "vergaderstukken decentrale overheden"),
    ("c_3a248e3a", "agenda’s en besluitenlijsten bestuurscolleges"),
    ("c_99a836c7", "adviezen"),
    ("c_8fc2335c", "convenanten"),
    ("c_c6cd1213", "jaarplannen en jaarverslagen"),
    ("c_cf268088", "subsidieverplichtingen anders dan met beschikking"),
    ("c_3baef532", "Woo-verzoeken en -besluiten"),
    ("c_fdaee95e", "onderzoeksrapporten"),
    ("c_46a81018", "beschikkingen"),
    ("c_a870c43d", "klachtoordelen"),
]
BY_NUMBER = {number: f"/sitemapindex-diwoo-infocat{number:03d}.xml" for number in range(1, 18)}
#: Near misses, each with the finding that tells how to mend it.
OTHER_NAMES = {
    "/sitemap-diwoo.xml": "index.naam",
    "/sitemapindex-diwoo.xml.gz": "index.naam",
    "/sitemapindex_diwoo.xml": "index.naam",
    "/sitemapindex-diwoo/": "index.naam",
    "/diwoo-sitemapindex.xml": "index.naam",
    "/sitemapindex-infocat014.xml": "index.naam",
    "/sitemapindex-diwoo-infocat.xml": "index.naam",
    "/sitemapindex-diwoo-infocat18.xml": "index.infocat-onbekend",
    "/sitemapindex-diwoo-infocat018.xml": "index.infocat-onbekend",
    "/sitemapindex-diwoo-infocat000.xml": "index.infocat-onbekend",
    "/sitemapindex-diwoo-infocat14.xml": "index.infocat-onbekend",
    "/sitemap.xml": "robots.andere-sitemap",
    "/sitemap_index.xml": "robots.andere-sitemap",
    "/nieuws/sitemap-2024.xml.gz": "robots.andere-sitemap",
}
hosts = Hosts()


@hosts.site
def with_all_eighteen_names(site: Site) -> None:
    site.pages["/robots.txt"] = robots_of(site, INDEX, *BY_NUMBER.values())
    for name in (INDEX, *BY_NUMBER.values()):
        document = f"/besluit-{name[1:-4]}.pdf"
        site.pages |= {name: index_of(site, f"{name}/1"), f"{name}/1": entries_of(site, document)}


@hosts.site
def with_capitals(site: Site) -> None:
    publish(site, "/a.pdf", index="/SiteMapIndex-DIWOO-Infocat014.XML")


@hosts.site
def with_a_query_string(site: Site) -> None:
    publish(site, "/a.pdf", index=f"{INDEX}?versie=2&taal=nl")


@hosts.site
def with_a_deep_path(site: Site) -> None:
    publish(site, "/a.pdf", index="/apps/x/api/y/sitemaps/sitemapindex-diwoo-infocat001.xml")


@hosts.site
def with_other_names(site: Site) -> None:
    publish(site, "/a.pdf")
    site.pages["/robots.txt"] = robots_of(site, INDEX, *OTHER_NAMES)
    for number, name in enumerate(OTHER_NAMES):
        site.pages |= {
            name: index_of(site, f"/{number}.xml"),
            f"/{number}.xml": entries_of(site, "/andere.pdf"),
        }


@hosts.site
def with_only_other_names(site: Site) -> None:
    site.pages["/robots.txt"] = robots_of(site, "/sitemap.xml", "/sitemap-diwoo.xml")


@hosts.site
def with_a_sitemap_in_robots_itself(site: Site) -> None:
    publish(site, "/a.pdf")
    site.pages["/robots.txt"] = robots_of(site, INDEX, "/documenten-2024.xml")
    site.pages["/documenten-2024.xml"] = entries_of(site, "/los.pdf")


@hosts.site
def with_a_relative_line(site: Site) -> None:
    publish(site, "/a.pdf", robots=f"User-agent: *\nSitemap: {INDEX}\n")


@hosts.site
def with_a_byte_order_mark(site: Site) -> None:
    publish(site, "/a.pdf", robots=f"\ufeffSitemap: {site.url(INDEX)}\n")


@hosts.site
def with_crlf(site: Site) -> None:
    publish(site, "/a.pdf", robots=f"User-agent: *\r\nDisallow:\r\n\r\nSitemap: {site.url(INDEX)}\r\n")


@hosts.site
def with_other_letter_case(site: Site) -> None:
    publish(site, "/a.pdf", robots=f"SITEMAP : {site.url(INDEX)}  # die van de Woo")


@hosts.site
def in_utf_16(site: Site) -> None:
    publish(site, "/a.pdf", robots=f"Sitemap: {site.url(INDEX)}\r\n".encode("utf-16"))


@hosts.site
def with_an_index_twice(site: Site) -> None:
    publish(site, "/a.pdf", robots=f"Sitemap: {INDEX}\nSitemap: {site.url(INDEX)}\nSitemap: {INDEX}\n")


@hosts.site
def without_robots(site: Site) -> None:
    publish(site, "/a.pdf")
    del site.pages["/robots.txt"]


@hosts.site
def with_a_page_for_robots(site: Site) -> None:
    publish(site, "/a.pdf", robots="<!DOCTYPE html><html><body>Sitemap van de site</body></html>")


@hosts.site
def with_forbidden_robots(site: Site) -> None:
    publish(site, "/a.pdf")
    site.pages["/robots.txt"] = Page("Nee", status=403)


@hosts.site
def with_broken_robots(site: Site) -> None:
    publish(site, "/a.pdf")
    site.pages["/robots.txt"] = Page("Storing", status=500)


@hosts.site
def with_too_much_robots(site: Site) -> None:
    filling = "# vulling\n" * 60_000
    other = BY_NUMBER[1]
    publish(site, "/a.pdf", robots=f"Sitemap: {site.url(INDEX)}\n{filling}Sitemap: {site.url(other)}\n")
    site.pages |= {other: index_of(site, "/b.xml"), "/b.xml": entries_of(site, "/b.pdf")}


@hosts.site
def with_an_index_over_http(site: Site) -> None:
    publish(site, "/a.pdf", robots=f"Sitemap: {site.url(INDEX).replace('https', 'http')}\n")


@hosts.unregistered
def that_nobody_registered(site: Site) -> None:
    publish(site, "/geheim.pdf")


@hosts.site
def with_an_index_on_an_unregistered_host(site: Site) -> None:
    index = f"https://127.0.0.1:{site.port}{INDEX}"
    publish(site, "/a.pdf", robots=f"Sitemap: {index}\n")


@hosts.site
def with_an_index_of_another_host(site: Site) -> None:
    publish(site, "/a.pdf")
    site.pages |= {BY_NUMBER[2]: index_of(site, "/b.xml"), "/b.xml": entries_of(site, "/b.pdf")}


@hosts.site
def naming_an_index_on_another_registered_host(site: Site) -> None:
    site.pages["/robots.txt"] = robots_of(site, hosts[with_an_index_of_another_host].url(BY_NUMBER[2]))


@hosts.site
def with_moved_robots(site: Site) -> None:
    publish(site, "/a.pdf")
    site.pages |= {"/robots.txt": redirect("/woo/robots.txt", 301), "/woo/robots.txt": robots_of(site, INDEX)}


@hosts.site
def with_robots_moved_to_http(site: Site) -> None:
    publish(site, "/a.pdf")
    site.pages["/robots.txt"] = redirect(site.url("/robots2.txt").replace("https", "http"))


@hosts.site
def with_robots_moved_to_an_unregistered_host(site: Site) -> None:
    publish(site, "/a.pdf")
    site.pages["/robots.txt"] = redirect(f"https://127.0.0.1:{site.port}/robots2.txt")


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


def test_a_name_in_capitals_is_read_and_told(harvest: Harvest) -> None:
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
    assert harvest.run.stats[f"woo/hosts/{host.site.host}/robots.andere-sitemap"] == number
    assert {finding["severity"] for finding in host.about("robots.andere-sitemap")} == {"info"}


def test_a_host_with_only_other_names_has_no_index(harvest: Harvest) -> None:
    host = harvest[with_only_other_names]
    assert host.errors == {"robots.geen-diwoo-index", "index.naam"}
    assert [request.path for request in host.requests] == ["/robots.txt"]


def test_a_sitemap_in_robots_txt_itself_is_not_read(harvest: Harvest) -> None:
    host = harvest[with_a_sitemap_in_robots_itself]
    assert host.paths == ["/a.pdf"]
    assert host.requested("/documenten-2024.xml") == []


def test_a_relative_line_is_read_and_told(harvest: Harvest) -> None:
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


def test_a_host_without_robots_txt_is_told(harvest: Harvest) -> None:
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
