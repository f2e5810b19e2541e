"""Sitemaps in the form of other software: another root, metadata elsewhere, XML that needs a repair."""

from __future__ import annotations

import pytest

from tests.utils.publishers import (
    INDEX,
    XML,
    Builder,
    Harvest,
    Hosts,
    Publishers,
    entries_of,
    entry,
    index_of,
    publish,
)
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import (
    DIWOO_NAMESPACE,
    GEMEENTE,
    ONTVANGST,
    PDF,
    SITEMAP_NAMESPACE,
    Coded,
    DiWoo,
    categorie,
    sitemap,
)

SITEMAP = f"{INDEX}/sitemap.xml"
MANY = 2_000
hosts = Hosts()

DIWOO = DiWoo(titel="Besluit", informatiecategorieen=[categorie(14)], format=PDF)
DECLARATION = f' xmlns:diwoo="{DIWOO_NAMESPACE}"'.encode()


def element(name: str, value: Coded) -> str:
    """Return a value with its URI in an element, as OpenCatalogi writes it."""
    return f"<diwoo:{name}>{value.label}<resource>{value.uri}</resource></diwoo:{name}>"


def catalogue(site: Site, *paths: str) -> Page:
    """Return the documents at these paths as OpenCatalogi lists them."""
    category = element("informatiecategorie", categorie(14))
    handling = f"{element('soortHandeling', ONTVANGST)}<diwoo:atTime>2024-04-01 10:00:00</diwoo:atTime>"
    documents = "".join(
        f"""
  <diwoo:Document>
    <diwoo:DiWoo>
      <loc>{site.url(path)}</loc>
      <lastmod>2024-04-02 10:00:00</lastmod>
      <diwoo:creatiedatum>2024-04-01</diwoo:creatiedatum>
      {element("publisher", GEMEENTE)}
      {element("format", PDF)}
      <diwoo:classificatiecollectie>
        <diwoo:informatiecategorieen>{category}</diwoo:informatiecategorieen>
      </diwoo:classificatiecollectie>
      <diwoo:documenthandelingen>
        <diwoo:documenthandeling>{handling}</diwoo:documenthandeling>
      </diwoo:documenthandelingen>
    </diwoo:DiWoo>
  </diwoo:Document>"""
        for path in paths
    )
    schema = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:a a.xsd"'
    root = f'diwoo:Documents xmlns="{SITEMAP_NAMESPACE}" xmlns:diwoo="{DIWOO_NAMESPACE}" {schema}'
    return Page(f'<?xml version="1.0"?>\n<{root}>{documents or "<diwoo:Document />"}</diwoo:Documents>')


def serve(site: Site, page: Page) -> None:
    """Have the site list *page* as its first sitemap, and a good one after it."""
    publish(site)
    site.pages |= {
        INDEX: index_of(site, "/eerst.xml", "/daarna.xml"),
        "/eerst.xml": page,
        "/daarna.xml": entries_of(site, "/daarna.pdf"),
    }


# Another root


@hosts.site
def of_open_catalogi(site: Site) -> None:
    serve(site, catalogue(site, "/a.pdf", "/b.pdf", "/c.pdf"))


@hosts.site
def of_open_catalogi_without_documents(site: Site) -> None:
    serve(site, catalogue(site))


@hosts.site
def with_locs_beside_the_metadata(site: Site) -> None:
    document = f"<diwoo:Document><loc>{site.url('/{}.pdf')}</loc>{DIWOO.xml()}</diwoo:Document>"
    body = "".join(document.format(name) for name in "ab")
    serve(site, Page(f'<diwoo:Documents xmlns:diwoo="{DIWOO_NAMESPACE}">{body}</diwoo:Documents>'))


@hosts.site
def with_a_document_that_has_no_loc(site: Site) -> None:
    body = f"<diwoo:Document>{DIWOO.xml()}</diwoo:Document>"
    serve(site, Page(f'<diwoo:Documents xmlns:diwoo="{DIWOO_NAMESPACE}">{body}</diwoo:Documents>'))


# Metadata in another place


@hosts.site
def with_metadata_in_another_place(site: Site) -> None:
    own = (
        "<diwoo:extraMetadata><diwoo:extraMetadatavelden><diwoo:extraMetadataveld><diwoo:key>wijk</diwoo:key>"
        "<diwoo:values><diwoo:value>Noord</diwoo:value></diwoo:values></diwoo:extraMetadataveld>"
        "</diwoo:extraMetadatavelden></diwoo:extraMetadata>"
    )
    second = DiWoo(titel="Het tweede").xml()
    publish(
        site,
        entry(site, "/diwoo.pdf", raw=DIWOO.xml()),
        entry(site, "/eigen.pdf", raw=own),
        entry(site, "/beide.pdf", raw=f"{own}<diwoo:Document>{DIWOO.xml()}</diwoo:Document>"),
        entry(
            site,
            "/twee.pdf",
            raw=f"<diwoo:Document>{DIWOO.xml()}</diwoo:Document><diwoo:Document>{second}</diwoo:Document>",
        ),
        entry(site, "/geen.pdf"),
    )


# XML that needs a repair


@hosts.site
def without_the_declaration(site: Site) -> None:
    body = sitemap(*(entry(site, f"/{name}.pdf", diwoo=DIWOO) for name in "ab"))
    serve(site, Page(body.replace(DECLARATION, b""), content_type=XML))


@hosts.site
def without_the_declaration_of_many(site: Site) -> None:
    body = sitemap(*(entry(site, f"/{number}.pdf", diwoo=DIWOO) for number in range(MANY)))
    serve(site, Page(body.replace(DECLARATION, b""), content_type=XML))


@hosts.site
def with_bare_ampersands(site: Site) -> None:
    locs = [entry(site, f"/{name}?x=1&copy=2", diwoo=DIWOO) for name in ("a.pdf", "b.pdf", "c.pdf")]
    body = sitemap(locs[0], "\n", locs[1]).replace(b"&amp;", b"&")
    serve(site, Page(body.replace(b"</urlset>", locs[2].xml().encode() + b"</urlset>"), content_type=XML))


@hosts.site
def with_a_bare_ampersand_in_the_index(site: Site) -> None:
    publish(site)
    index = b"".join(index_of(site, "/s.xml?a=1&b=2").chunks()).replace(b"&amp;", b"&")
    site.pages |= {INDEX: Page(index), "/s.xml?a=1&b=2": entries_of(site, "/a.pdf")}


@hosts.site
def in_utf_16_with_a_bare_ampersand(site: Site) -> None:
    body = sitemap(entry(site, "/a.pdf?x=1&y=2")).decode().replace("&amp;", "&").replace("UTF-8", "UTF-16")
    serve(site, Page(body.encode("utf-16"), content_type=XML))


@hosts.site
def with_a_bare_ampersand_and_a_wrong_end_tag(site: Site) -> None:
    body = sitemap(entry(site, "/a.pdf"), entry(site, "/b.pdf?x&y"), entry(site, "/c.pdf")).replace(
        b"&amp;", b"&"
    )
    serve(site, Page(body.replace(b"</urlset>", b"</urlsets>"), content_type=XML))


@hosts.site
def with_an_entity_of_html(site: Site) -> None:
    body = sitemap(entry(site, "/a.pdf"), entry(site, "/b.pdf?x&nbsp;y"), entry(site, "/c.pdf"))
    serve(site, Page(body.replace(b"&amp;nbsp;", b"&nbsp;"), content_type=XML))


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    return publishers.harvest(hosts, "-a", "documents=none")


def test_the_run_ends_well(harvest: Harvest) -> None:
    assert harvest.run.returncode == 0
    assert "Traceback" not in harvest.run.stderr


def test_the_documents_of_open_catalogi_are_read_completely(harvest: Harvest) -> None:
    host = harvest[of_open_catalogi]
    assert host.paths == ["/a.pdf", "/b.pdf", "/c.pdf", "/daarna.pdf"]
    record = host.record("/b.pdf")
    assert record["document"] == {
        "weblocatie": host.site.url("/b.pdf"),
        "creatiedatum": "2024-04-01",
        "publisher": {"type": "gemeente", "id": GEMEENTE.uri, "label": GEMEENTE.label},
        "verantwoordelijke": {"type": "gemeente", "id": GEMEENTE.uri, "label": GEMEENTE.label},
        "titelcollectie": {"officieleTitel": "Onbekend"},
        "format": {"id": PDF.uri, "label": PDF.label},
        "classificatiecollectie": {
            "informatiecategorieen": [{"id": categorie(14).uri, "label": categorie(14).label}]
        },
        "documenthandelingen": [
            {
                "soortHandeling": {"id": ONTVANGST.uri, "label": ONTVANGST.label},
                "atTime": "2024-04-01T10:00:00+02:00",
            }
        ],
    }
    assert record["versies"][0]["mutatiedatumtijd"] == "2024-04-02T10:00:00+02:00"
    assert record["herkomst"]["lastmod"] == "2024-04-02 10:00:00"


def test_another_root_is_reported_with_the_number_of_its_documents(harvest: Harvest) -> None:
    (finding,) = harvest[of_open_catalogi].about("sitemap.andere-wortel")
    assert (finding["seen"], finding["line"], finding["severity"]) == (
        "<Documents> met 3 documenten",
        2,
        "warning",
    )
    assert harvest[of_open_catalogi].codes_about("/b.pdf") == {
        "metadata.resource-element",
        "titel.onbekend",
        "verantwoordelijke.ontbreekt",
    }
    (first, *_) = harvest[of_open_catalogi].about("metadata.resource-element")
    assert first["seen"] == "publisher, format, informatiecategorie, soortHandeling"


def test_a_page_of_open_catalogi_without_documents_is_empty(harvest: Harvest) -> None:
    host = harvest[of_open_catalogi_without_documents]
    assert host.paths == ["/daarna.pdf"]
    assert {"sitemap.andere-wortel", "sitemap.leeg"} <= host.codes


def test_a_loc_beside_the_metadata_is_read_too(harvest: Harvest) -> None:
    host = harvest[with_locs_beside_the_metadata]
    assert host.paths == ["/a.pdf", "/b.pdf", "/daarna.pdf"]
    assert host.record("/a.pdf")["document"]["titelcollectie"] == {"officieleTitel": "Besluit"}


def test_a_document_without_a_loc_is_reported(harvest: Harvest) -> None:
    host = harvest[with_a_document_that_has_no_loc]
    assert host.errors == {"loc.ontbreekt"}
    assert host.paths == ["/daarna.pdf"]


def test_metadata_in_another_place_are_read_and_reported(harvest: Harvest) -> None:
    host = harvest[with_metadata_in_another_place]
    for name in ("diwoo", "beide", "twee"):
        title = host.record(f"/{name}.pdf")["document"]["titelcollectie"]
        assert title == {"officieleTitel": "Besluit"}, name
    own = [{"velden": [{"key": "wijk", "values": ["Noord"]}]}]
    assert host.record("/eigen.pdf")["document"]["extraMetadata"] == own
    assert host.record("/beide.pdf")["document"]["extraMetadata"] == own
    seen = {found["url"]: found["seen"] for found in host.about("metadata.plaats")}
    assert seen == {
        host.site.url("/diwoo.pdf"): "DiWoo",
        host.site.url("/eigen.pdf"): "extraMetadata",
        host.site.url("/beide.pdf"): "extraMetadata",
    }
    assert [(found["url"], found["seen"]) for found in host.about("metadata.dubbel")] == [
        (host.site.url("/twee.pdf"), "Document")
    ]
    assert [found["url"] for found in host.about("metadata.ontbreekt")] == [host.site.url("/geen.pdf")]


@pytest.mark.parametrize(
    ("build", "count"), [(without_the_declaration, 2), (without_the_declaration_of_many, MANY)]
)
def test_a_prefix_that_is_not_declared_is_read_and_reported(
    harvest: Harvest, build: Builder, count: int
) -> None:
    host = harvest[build]
    assert len(host.records) == count + 1
    titles = {record["document"]["titelcollectie"]["officieleTitel"] for record in host.records}
    assert titles == {"Besluit", "daarna"}
    (finding,) = host.about("sitemap.voorvoegsel")
    assert (finding["seen"], finding["line"], finding["action"]) == (
        "diwoo",
        2,
        f"gelezen als {DIWOO_NAMESPACE}",
    )
    assert not host.errors


def test_a_bare_ampersand_is_read_and_reported_with_its_line(harvest: Harvest) -> None:
    host = harvest[with_bare_ampersands]
    assert host.paths == [
        "/a.pdf?x=1&copy=2",
        "/b.pdf?x=1&copy=2",
        "/c.pdf?x=1&copy=2",
        "/daarna.pdf",
    ]
    (finding,) = host.about("sitemap.ampersand")
    assert finding["seen"] == host.site.url("/a.pdf?x=1&copy=2")
    assert (finding["line"], finding["action"]) == (3, "gelezen als &amp;; ook op regel 5")
    assert not host.errors


def test_a_bare_ampersand_in_an_index_is_read_and_reported(harvest: Harvest) -> None:
    host = harvest[with_a_bare_ampersand_in_the_index]
    assert host.paths == ["/a.pdf"]
    (finding,) = host.about("sitemap.ampersand")
    assert (finding["url"], finding["seen"]) == (host.site.url(INDEX), host.site.url("/s.xml?a=1&b=2"))


def test_a_file_in_utf_16_is_repaired_too(harvest: Harvest) -> None:
    host = harvest[in_utf_16_with_a_bare_ampersand]
    assert host.paths == ["/a.pdf?x=1&y=2", "/daarna.pdf"]
    assert "sitemap.ampersand" in host.codes


@pytest.mark.parametrize(
    ("build", "seen"),
    [
        (
            with_a_bare_ampersand_and_a_wrong_end_tag,
            "EntityRef: expecting ';'; line 6: Opening and ending tag mismatch: urlset line 2 and urlsets",
        ),
        (with_an_entity_of_html, "Entity 'nbsp' not defined"),
    ],
)
def test_a_file_with_another_fault_is_read_up_to_the_first_and_what_is_lost_is_counted(
    harvest: Harvest, build: Builder, seen: str
) -> None:
    host = harvest[build]
    assert host.paths == ["/a.pdf", "/daarna.pdf"]
    assert host.errors == {"sitemap.ongeldig"}
    (finding,) = host.about("sitemap.ongeldig")
    assert (finding["line"], finding["seen"]) == (4, seen)
    assert finding["action"] == "ongeveer 2 documenten niet gelezen"
    assert "sitemap.ampersand" not in host.codes
