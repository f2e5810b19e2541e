"""Hosts whose index, sitemap or robots.txt deviates from the guide."""

from __future__ import annotations

from tests.utils.publishers import (
    INDEX,
    XML,
    Hosts,
    document,
    entries_of,
    index_of,
    publish,
)
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import SITEMAP_NAMESPACE, robots_txt

INFOCAT_2 = "/sitemapindex-diwoo-infocat002.xml"
INFOCAT_10 = "/sitemapindex-diwoo-infocat010.xml"
SHARED = "/gedeeld.xml"
hosts = Hosts()


def file_of(site: Site, root: str, *listed: str) -> Page:
    """Return an index or sitemap with another root; ``.xml`` makes a sitemap, any other path a document."""
    entries = ""
    for path in listed:
        name = "sitemap" if path.endswith(".xml") else "url"
        entries += f"<{name}><loc>{site.url(path)}</loc></{name}>"
    return Page(f'<{root} xmlns="{SITEMAP_NAMESPACE}">{entries}</{root}>', content_type=XML)


def listing(site: Site, index: Page, **sitemaps: Page) -> None:
    """Have robots.txt name one index, of which these are the sitemaps."""
    publish(site)
    site.pages |= {INDEX: index, **{f"/{name}.xml": page for name, page in sitemaps.items()}}


def sharing(site: Site, *indexes: str) -> None:
    """Have these indexes list one sitemap, whose document has no category of its own."""
    site.pages |= {
        "/robots.txt": Page(robots_txt(*map(site.url, indexes))),
        SHARED: entries_of(site, document(site, "/a.pdf")),
        **{index: index_of(site, SHARED) for index in indexes},
    }


# Roots and entries


@hosts.site
def with_an_index_under_urlset(site: Site) -> None:
    listing(site, file_of(site, "urlset", "/1.xml", "/2.xml"))
    site.pages |= {"/1.xml": entries_of(site, "/a.pdf"), "/2.xml": entries_of(site, "/b.pdf")}


@hosts.site
def with_an_index_under_a_root_of_its_own(site: Site) -> None:
    listing(site, file_of(site, "sitemaps", "/a.xml"), a=entries_of(site, "/a.pdf"))


@hosts.site
def with_a_sitemap_under_sitemapindex(site: Site) -> None:
    listing(site, index_of(site, "/a.xml"), a=file_of(site, "sitemapindex", "/a.pdf", "/b.pdf"))


@hosts.site
def with_documents_between_sitemaps(site: Site) -> None:
    mixed = file_of(site, "sitemapindex", "/los.pdf", "/a.xml", "/los2.pdf")
    listing(site, mixed, a=entries_of(site, "/a.pdf"))


@hosts.site
def with_documents_between_sitemaps_under_urlset(site: Site) -> None:
    listing(site, file_of(site, "urlset", "/los.pdf", "/a.xml"), a=entries_of(site, "/a.pdf"))


@hosts.site
def with_sitemaps_between_documents(site: Site) -> None:
    mixed = file_of(site, "urlset", "/a.pdf", "/diep.xml", "/b.pdf")
    listing(site, index_of(site, "/a.xml"), a=mixed, diep=entries_of(site, "/diep.pdf"))


@hosts.site
def with_sitemaps_in_a_sitemap(site: Site) -> None:
    listing(
        site,
        index_of(site, "/a.xml", "/b.xml"),
        a=file_of(site, "urlset", "/diep.xml"),
        b=entries_of(site, "/b.pdf"),
        diep=entries_of(site, "/diep.pdf"),
    )


@hosts.site
def with_documents_in_an_index(site: Site) -> None:
    listing(site, file_of(site, "sitemapindex", "/los.pdf", "/los2.pdf"))


@hosts.site
def with_an_empty_index_under_urlset(site: Site) -> None:
    listing(site, file_of(site, "urlset"))


@hosts.site
def with_an_empty_sitemap_under_sitemapindex(site: Site) -> None:
    listing(site, index_of(site, "/a.xml"), a=file_of(site, "sitemapindex"))


# Indexes without a sitemap to read


@hosts.site
def with_an_index_that_lists_only_itself(site: Site) -> None:
    listing(site, index_of(site, INDEX))


@hosts.site
def with_indexes_that_list_each_other(site: Site) -> None:
    listing(site, index_of(site, INFOCAT_2))
    site.pages |= {
        "/robots.txt": Page(robots_txt(site.url(INDEX), site.url(INFOCAT_2))),
        INFOCAT_2: index_of(site, INDEX),
    }


@hosts.site
def with_a_circle_by_way_of_another_name(site: Site) -> None:
    listing(site, index_of(site, "/a.xml"), a=index_of(site, INDEX))


@hosts.site
def with_an_index_of_which_another_has_all_sitemaps(site: Site) -> None:
    sharing(site, INDEX, "/b/sitemapindex-diwoo.xml")


@hosts.site
def with_a_sitemap_that_robots_calls_an_index(site: Site) -> None:
    listing(site, index_of(site, INFOCAT_10))
    site.pages |= {
        "/robots.txt": Page(robots_txt(site.url(INFOCAT_10), site.url(INDEX))),
        INFOCAT_10: entries_of(site, "/a.pdf"),
    }


# robots.txt


@hosts.site
def with_joined_lines(site: Site) -> None:
    """The line of one of the products: several indexes with a written end of line between them."""
    indexes = (INDEX, INFOCAT_2, INFOCAT_10)
    lines = ["User-agent: *", "Disallow: /besloten/", *(f"Sitemap: {site.url(index)}" for index in indexes)]
    site.pages |= {
        "/robots.txt": Page(r"\n".join(lines) + r"\n"),
        INDEX: index_of(site, "/0.xml", "/besloten/3.xml"),
        INFOCAT_2: index_of(site, "/1.xml"),
        INFOCAT_10: index_of(site, "/2.xml"),
        **{f"/{number}.xml": entries_of(site, f"/{number}.pdf") for number in range(3)},
        "/besloten/3.xml": entries_of(site, "/besloten/3.pdf"),
    }


@hosts.site
def with_lines_in_other_words(site: Site) -> None:
    sharing(site, INDEX, INFOCAT_2, INFOCAT_10, "/a/sitemapindex-diwoo.xml")
    site.pages["/robots.txt"] = Page(
        f"Sitemap {site.url(INDEX)}\n"
        f"Site-map: {INFOCAT_2}\n"
        f"{site.url(INFOCAT_10)}\n"
        f"Sitemap : {site.url('/a/sitemapindex-diwoo.xml')}\n"
    )


@hosts.site
def with_lines_that_refer_to_nothing(site: Site) -> None:
    publish(site, "/a.pdf")
    site.pages["/robots.txt"] = Page(
        f"# Sitemap: {site.url(INFOCAT_10)}\n"
        f"Sitemap: {site.url(INDEX)}\n"
        f"Allow: {INDEX}\n"
        f"Allow: {INFOCAT_2}\n"
        f"Woo-index: {site.url(INFOCAT_2)}\n"
    )
    site.pages[INFOCAT_2] = index_of(site, "/b.xml")


# One sitemap in several indexes


@hosts.site
def with_the_general_index_first(site: Site) -> None:
    sharing(site, INDEX, INFOCAT_10)


@hosts.site
def with_the_general_index_last(site: Site) -> None:
    sharing(site, INFOCAT_10, INDEX)


@hosts.site
def with_two_categories(site: Site) -> None:
    sharing(site, INFOCAT_10, INDEX, INFOCAT_2)


@hosts.site
def with_two_categories_the_other_way_round(site: Site) -> None:
    sharing(site, INFOCAT_2, INDEX, INFOCAT_10)
