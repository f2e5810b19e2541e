# ruff: noqa: E501  -- pages as web servers write them
from __future__ import annotations

import gzip

from tests.permits import listing_pages
from woo_harvester.permits.listing import Listing, read_listing

FOLDER = "https://www.voorbeeldstad.nl/xml/"
MAXSIZE = 1_000_000


def read(
    page: str | bytes, url: str = FOLDER, maxsize: int = MAXSIZE, content_type: str | None = None
) -> Listing:
    content = page if isinstance(page, bytes) else page.encode()
    return read_listing([content], url, maxsize, content_type)


def dates(page: str) -> dict[str, str | None]:
    """Return the date of each file, by its name."""
    return {link.url.removeprefix(FOLDER): str(link.date) if link.date else None for link in read(page).links}


def urls(page: str, url: str = FOLDER) -> list[str]:
    return [link.url for link in read(page, url).links]


def test_a_listing_has_its_xml_files_with_their_dates() -> None:
    pages = {
        name: page for name, page in vars(listing_pages).items() if isinstance(page, str) and name.isupper()
    }
    assert len(pages) == 9
    for name, page in pages.items():
        assert dates(page) == listing_pages.EXPECTED, name


LIGHTTPD = """<table><tbody><tr class="d"><td class="n"><a href="../">..</a>/</td><td class="m">&nbsp;</td></tr>
  <tr><td class="n"><a href="a.xml">a.xml</a></td><td class="m">2026-Apr-01 10:00:07</td>
  <td class="s">1.2K</td><td class="t">application/xml</td></tr></tbody></table>"""
#: A page, and the date of each of its files.
DATED: dict[str, tuple[str, dict[str, str | None]]] = {
    "of lighttpd, with seconds": (LIGHTTPD, {"a.xml": "2026-04-01T10:00:07"}),
    "with a zone": (
        "<table><tr><td><a href='a.xml'>x</a></td><td>1.2 kb</td><td>Wed, 01 Apr 2026 10:00:00 GMT</td></table>",
        {"a.xml": "2026-04-01T10:00:00+00:00"},
    ),
    "of Python, without dates": (
        '<h1>Directory listing for /xml/</h1><hr><ul><li><a href="a.xml">a.xml</a></li></ul><hr>',
        {"a.xml": None},
    ),
    "of Caddy, with the moment in a time element": (
        "<tr><td><a href='./a.xml'><svg></svg>a.xml</a></td><td class='size'>1.2 KiB</td><td>"
        "<time datetime='2026-04-01T08:00:07.123Z'>04/01/2026 08:00:07 AM +00:00</time></td></tr>",
        {"a.xml": "2026-04-01T08:00:07+00:00"},
    ),
    "with a time element without a moment": (
        '<li><a href="a.xml">a</a> <time datetime="2026-05-05">2026-04-01 10:00</time></li>',
        {"a.xml": "2026-04-01T10:00"},
    ),
    "of a row with several files": (
        '<a href="a.xml">a</a> 2026-04-01 10:00 12 <a href="b.xml">b</a> 2026-04-02 11:00 12',
        {"a.xml": None, "b.xml": None},
    ),
    "in the name of the file": ('<li><a href="a.xml">2026-04-01 10:00</a></li>', {"a.xml": None}),
    "in a script": ('<li><a href="a.xml">a</a><script>"2026-04-01 10:00"</script></li>', {"a.xml": None}),
    "at one of three links to a file": (
        '<p><a href="a.xml#1">a</a></p><p><a href="a.xml">a</a> 2026-04-01 10:00</p><p><a href="a.xml#2">a</a></p>',
        {"a.xml": "2026-04-01T10:00"},
    ),
}


def test_a_date_is_read_where_software_writes_it() -> None:
    for page, expected in DATED.values():
        assert dates(page) == expected, (page, expected)


def test_only_a_date_with_a_time_and_of_a_possible_year_is_the_date_of_a_file() -> None:
    for text in [
        *("1 april 2026", "2026-04-01", "31-02-2026 10:00", "2026-04-01 25:00", "2026-13-01 10:00", "10:00"),
        *("v2.10:00", "01-01-0001 00:00", "31-12-1969 23:59", "9999-12-31 23:59 -0500"),
        '<time datetime="0001-01-01T00:00:00+14:00">lang geleden</time>',
    ]:
        assert dates(f'<li><a href="a.xml">Kapvergunning</a> {text}</li>') == {"a.xml": None}, text


def test_a_date_is_american_only_with_slashes_and_am_or_pm_and_months_are_in_two_languages() -> None:
    for text, expected in {
        "05/04/2026 10:00": "2026-04-05T10:00",
        "05/04/2026 10:00 AM": "2026-05-04T10:00",
        "05/04/2026 12:30:09 p.m.": "2026-05-04T12:30:09",
        "05/04/2026 12:30 am": "2026-05-04T00:30",
        "5.4.2026 10:00": "2026-04-05T10:00",
        "5 mrt. 2026 om 9:00": "2026-03-05T09:00",
        "5 maart 2026 10:00": "2026-03-05T10:00",
        "5 mei 2026 10:00": "2026-05-05T10:00",
        "MAY 5, 2026, 10:00": "2026-05-05T10:00",
        "5 okt 2026 10:00 +0200": "2026-10-05T10:00+02:00",
        "5 September 2026 10:00 UTC": "2026-09-05T10:00+00:00",
    }.items():
        assert dates(f'<li><a href="a.xml">a</a> {text}</li>') == {"a.xml": expected}, text


def test_only_links_that_are_or_may_be_messages_are_returned() -> None:
    page = """<ul>
      <li><a href="zaak-1.xml">xml</a> <a href="ZAAK-2.XML">hoofdletters</a> <a href="zaak.xml?versie=2">vraag</a>
      <li><a href="zaken/12">zonder extensie</a> <a href="besluit-1.2">geen extensie</a>
      <li><a href="besluit.pdf">pdf</a> <a href="stijl.css">css</a> <a href="zip.xml.gz">zip</a> <a href="lijst.aspx?x">x</a>
      <li><a href="map/">map</a> <a href="../">omhoog</a> <a href="/">hoofdmap</a> <a href="">zelf</a> <a href="#x">x</a>
      <li><a href="mailto:info@voorbeeldstad.nl">mail</a> <a href="javascript:x.xml">js</a> <a href="ftp://a.nl/x.xml">f</a>
      <li><a href="http://[::1/x.xml">kapot</a> <a name="anker">anker</a> <!-- <a href="weg.xml">weg</a> -->
    </ul>"""
    assert [(link.url.removeprefix(FOLDER), link.is_xml) for link in read(page).links] == [
        ("zaak-1.xml", True),
        ("ZAAK-2.XML", True),
        ("zaak.xml?versie=2", True),
        ("zaken/12", False),
        ("besluit-1.2", False),
        ("zip.xml.gz", True),
        ("lijst.aspx?x", False),
    ]


def test_what_a_script_makes_or_has_another_extension_may_be_a_message() -> None:
    for href in [
        *("zaak.php?id=1", "zaak.aspx", "zaak.ASHX?x", "zaak.jsp", "zaak.do?id=1", "zaak.cfm", "cgi.pl?x"),
        *("?id=1", "./?id=1", "map/?zaak=1", "index.html?zaak=1", "download.php?bestand=z.xml", "zaak.php5"),
        *("berichten.zip", "zaak.xml.bak", "zaak.ipm"),
    ]:
        (link,) = read(f'<a href="{href}">Zaak</a>').links
        assert not link.is_xml, href


def test_files_that_are_never_messages_and_the_ways_around_a_site_are_left_out() -> None:
    for href in [
        *("besluit.pdf", "logo.PNG", "stijl.css?v=3", "lees.txt", "ipm.xsd", "contact.html", "index.htm"),
        *("../", "map/", "#top", "?C=N;O=D", "?sort=name&order=desc", "mailto:a@b.nl", "tel:14020"),
        *("javascript:volgende()", "ftp://a.nl/x.zip", "", "x" * 3000 + ".xml"),
    ]:
        assert urls(f'<a href="{href}">x</a>') == [], href


def test_links_are_resolved_against_the_page() -> None:
    page = """<a href="a.xml">1</a><a href="./b.xml">2</a><a href="/c.xml">3</a><a href="../d.xml">4</a>
      <a href="//open.voorbeeldstad.nl/e.xml">5</a><a href="HTTPS://www.dorp.nl/f.xml">6</a><a href=" g&amp;h.xml ">7</a>
      <a href="sub/i%20j.xml">8</a>"""
    assert urls(page, "https://www.voorbeeldstad.nl/xml/index.html") == [
        FOLDER + "a.xml",
        FOLDER + "b.xml",
        "https://www.voorbeeldstad.nl/c.xml",
        "https://www.voorbeeldstad.nl/d.xml",
        "https://open.voorbeeldstad.nl/e.xml",
        "https://www.dorp.nl/f.xml",
        FOLDER + "g&h.xml",
        FOLDER + "sub/i%20j.xml",
    ]


def test_the_first_base_element_counts_if_it_is_a_url() -> None:
    for base, url in (
        ('<base href="/elders/"><base href="/nergens/">', "https://www.voorbeeldstad.nl/elders/a.xml"),
        ('<base href=" ../oud/ ">', "https://www.voorbeeldstad.nl/oud/a.xml"),
        ('<base href="http://[">', FOLDER + "a.xml"),
        ('<base href="mailto:x">', FOLDER + "a.xml"),
    ):
        assert urls(f'{base}<a href="a.xml">a</a>') == [url], base


def test_a_page_can_be_compressed_and_come_in_parts_of_any_size() -> None:
    content = (listing_pages.NGINX + '<a href="één.xml">één</a>').encode()
    assert read(gzip.compress(content)) == read(content)
    for size in (1, 2, 3, 1000):
        pieces = [content[start : start + size] for start in range(0, len(content), size)]
        assert read_listing(pieces, FOLDER, MAXSIZE) == read(content), size


def test_the_first_links_of_a_page_that_is_too_large_are_returned() -> None:
    listing = read(listing_pages.NGINX, maxsize=len(listing_pages.NGINX) - 100)
    assert listing.fault == "ipm.te-groot"
    assert [link.url for link in listing.links] == [FOLDER + "zaak-1.xml", FOLDER + "zaak-2.xml"]
    none = read(listing_pages.NGINX, maxsize=10)
    assert (none.links, none.fault, none.seen) == ([], "ipm.te-groot", "more than 10 bytes")


def test_the_first_links_of_a_page_that_breaks_off_are_returned() -> None:
    packed = gzip.compress((listing_pages.NGINX * 50).encode(), compresslevel=0)
    listing = read(packed[:2000])
    assert listing.fault == "ipm.ingang-onbereikbaar"
    assert listing.seen == "the gzip stream ends early"
    assert len(listing.links) == 2


def test_a_page_without_links_has_no_links() -> None:
    for content in [b"", b" ", b"\x00\x01", b'{"a": 1}', b"%PDF-1.7", b"<html>", b"<<<>>>", b"\xff\xfe"]:
        listing = read(content)
        assert (listing.links, listing.fault) == ([], None), content


def test_a_page_of_ten_megabytes_is_read() -> None:
    for page in [
        "<p>" + "".join(f'<a href="{n}.xml">{n}</a> 2026-04-01 10:00 ' for n in range(170_000)),
        "<pre>" + "x\n" * 5_000_000,
        '<a href="a.xml">a</a>' + "2026-04-" * 1_200_000,
        '<a href="a.xml">a</a>' + " " * 9_000_000 + "10:00",
        '<a href="' * 1_000_000,
        '<a href="' + "x" * 10_000_000,
        "<a href=a.xml>" * 700_000,
        "<div>" * 2_000_000,
        "<" * 10_000_000,
    ]:
        listing = read_listing([page.encode()], FOLDER, 20_000_000)
        assert listing.fault is None, page[:60]
        assert all(link.url.endswith(".xml") for link in listing.links), page


# Which text of an entry page stands in the row of which link.


LINK = '<a href="a.xml">a</a>'
DATE = "2026-04-01 10:00"


READ, NEXT = "2026-04-01T10:00", "2026-04-02T11:00"
OTHER_LINE = '2026-04-02 11:00 <a href="b.xml">b</a> 12'
OTHER_PARAGRAPHS = '<p><a href="b.xml">b</a></p><p>2026-04-02 11:00</p>'
#: A page, and the date of each of its files.
PAGES: dict[str, tuple[str, dict[str, str | None]]] = {
    **{
        f"an element without text: {name}": (f"<li>{LINK}<{name}>x</{name}> {DATE}</li>", {"a.xml": READ})
        for name in ("script", "style", "template")
    },
    "a new line": (f"<pre>x</pre>{LINK}\n{DATE}", {"a.xml": READ}),
    "a new line within preformatted text": (f"<pre>{LINK}\n{DATE}</pre>", {"a.xml": None}),
    "a new line in a table within preformatted text": (
        f"<pre><table><tr><td>{LINK}</td>\n<td>{DATE}</td></tr></table></pre>",
        {"a.xml": READ},
    ),
    "text before and after the link of a line": (
        f"<pre>\n\n{DATE} {LINK}\nx\ny\n{OTHER_LINE}\n</pre>",
        {"a.xml": READ, "b.xml": NEXT},
    ),
    "a paragraph, within a table and outside": (
        f"<table><tr><td><p>{LINK}</p></td><td><p>{DATE}</p></td></tr></table>{OTHER_PARAGRAPHS}",
        {"a.xml": READ, "b.xml": None},
    ),
    "a block": (f"{LINK}<div>{DATE}</div>", {"a.xml": None}),
    "the next row of a table": (
        f"<table><tr><td>{LINK}</td></tr>{DATE}<tr><td>{DATE}</td></tr></table>",
        {"a.xml": None},
    ),
    "text before the row": (f"<p>{DATE}</p><p>{LINK}</p>", {"a.xml": None}),
    "text around two links to one file": (f"<li>{LINK} x {LINK} {DATE}</li>", {"a.xml": READ}),
}


def test_a_date_in_the_row_of_a_link_is_its_file_s() -> None:
    for page, expected in PAGES.values():
        assert dates(page) == expected, (page, expected)


def test_a_page_does_not_list_itself() -> None:
    page = read_listing([b'<a href="lijst.xml#x">x</a><a href="a.xml">a</a>'], FOLDER + "lijst.xml#y", 1000)
    assert [(link.url, link.is_xml) for link in page.links] == [(FOLDER + "a.xml", True)]


def test_the_links_that_sort_a_page_are_ignored() -> None:
    page = '<a href="?C=N;O=D">naam</a><a href="?sort=size&amp;order=asc">grootte</a><a href="?zaak=1">z</a>'
    for address in ("https://www.voorbeeldstad.nl/xml", "https://www.voorbeeldstad.nl/xml?C=M;O=A"):
        assert urls(page, address) == ["https://www.voorbeeldstad.nl/xml?zaak=1"], address
