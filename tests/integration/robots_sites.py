"""Publishers with robots.txt files of all kinds."""

from __future__ import annotations

from tests.utils.publishers import (
    INDEX,
    Hosts,
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
