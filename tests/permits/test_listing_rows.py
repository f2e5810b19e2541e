"""Which text of an entry page stands in the row of which link."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from woo_harvester.permits import listing
from woo_harvester.permits.listing import Listing, read_listing

FOLDER = "https://www.voorbeeldstad.nl/xml/"
LINK = '<a href="a.xml">a</a>'
DATE = "2026-04-01 10:00"


def read(page: str | bytes, maxsize: int = 1_000_000) -> Listing:
    return read_listing([page if isinstance(page, bytes) else page.encode()], FOLDER, maxsize)


def dates(page: str) -> dict[str, str | None]:
    """The date of each file, by its name."""
    return {link.url.removeprefix(FOLDER): str(link.date) if link.date else None for link in read(page).links}


@pytest.mark.parametrize("element", ["script", "style", "template"])
def test_the_text_after_an_element_without_text_belongs_to_the_row(element: str) -> None:
    assert dates(f"<li>{LINK}<{element}>x</{element}> {DATE}</li>") == {"a.xml": "2026-04-01T10:00"}


def test_a_new_line_ends_a_row_only_within_preformatted_text() -> None:
    assert dates(f"<pre>x</pre>{LINK}\n{DATE}") == {"a.xml": "2026-04-01T10:00"}
    assert dates(f"<pre>{LINK}\n{DATE}</pre>") == {"a.xml": None}
    assert dates(f"<pre><table><tr><td>{LINK}</td>\n<td>{DATE}</td></tr></table></pre>") == {
        "a.xml": "2026-04-01T10:00"
    }


def test_the_text_before_and_after_the_link_of_a_line_belongs_to_its_row() -> None:
    page = f'<pre>\n\n{DATE} {LINK}\nx\ny\n2026-04-02 11:00 <a href="b.xml">b</a> 12\n</pre>'
    assert dates(page) == {"a.xml": "2026-04-01T10:00", "b.xml": "2026-04-02T11:00"}


def test_a_paragraph_ends_a_row_but_not_within_a_table() -> None:
    row = f"<tr><td><p>{LINK}</p></td><td><p>{DATE}</p></td></tr>"
    paragraphs = '<p><a href="b.xml">b</a></p><p>2026-04-02 11:00</p>'
    assert dates(f"<table>{row}</table>{paragraphs}") == {"a.xml": "2026-04-01T10:00", "b.xml": None}


def test_a_block_ends_the_row_before_it() -> None:
    assert dates(f"{LINK}<div>{DATE}</div>") == {"a.xml": None}


def test_a_row_of_a_table_ends_where_the_next_one_begins() -> None:
    page = f"<table><tr><td>{LINK}</td></tr>{DATE}<tr><td>{DATE}</td></tr></table>"
    assert dates(page) == {"a.xml": None}


def test_text_before_a_row_is_not_of_that_row() -> None:
    assert dates(f"<p>{DATE}</p><p>{LINK}</p>") == {"a.xml": None}


def test_of_two_links_to_one_file_the_text_around_both_counts() -> None:
    assert dates(f"<li>{LINK} x {LINK} {DATE}</li>") == {"a.xml": "2026-04-01T10:00"}


def test_a_link_that_is_left_alone_takes_the_text_after_it() -> None:
    page = f'<li>{LINK} x <a href="b.pdf">b</a> {DATE} <a href="c.xml">c</a> 2026-04-02 11:00</li>'
    assert dates(page) == {"a.xml": None, "c.xml": "2026-04-02T11:00"}


@pytest.mark.parametrize("given", ["2026-04-01T08:00:07Z", " 2026-04-01T10:00:07.123456+02:00 "])
def test_the_moment_of_a_time_element_is_read_to_the_second(given: str) -> None:
    (link,) = read(f'<li>{LINK} <time datetime="{given}">gisteren</time></li>').links
    assert link.date is not None
    assert link.date.moment == datetime(2026, 4, 1, 8, 0, 7, tzinfo=UTC)
    assert str(link.date).startswith(f"2026-04-01T{given.strip()[11:19]}")


@pytest.mark.parametrize("given", ["2026-05-05", "gisteren", "2026-13-01T10:00", ""])
def test_a_time_element_without_a_moment_leaves_it_to_the_text(given: str) -> None:
    assert dates(f'<li>{LINK} <time datetime="{given}">{DATE}</time></li>') == {"a.xml": "2026-04-01T10:00"}


def test_the_first_time_element_of_a_row_counts() -> None:
    times = "".join(f'<time datetime="2026-04-0{day}T10:00:00">x</time>' for day in (1, 2))
    assert dates(f"<li>{LINK} {times}</li>") == {"a.xml": "2026-04-01T10:00:00"}


def test_a_page_with_too_many_links_is_read_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_LINKS_MAX", 2)
    page = "".join(f'<li><a href="{name}.xml">x</a></li>' for name in "abc") + f"<li>{LINK} {DATE}</li>"
    assert dates(page) == {"a.xml": "2026-04-01T10:00", "b.xml": None}


def test_a_page_says_by_which_encoding_it_was_read() -> None:
    assert read(LINK).encoding == "utf-8"
    assert read(LINK.encode("utf-16")).encoding.startswith("utf-16")
    assert read('<meta charset="iso-8859-15">' + LINK).encoding == "iso8859-15"


def test_the_declaration_of_an_encoding_is_looked_for_in_the_first_bytes_only() -> None:
    page = " " * 5000 + '<meta charset="iso-8859-15">' + LINK
    assert read(page).encoding == "utf-8"


def test_a_page_that_is_too_large_says_so() -> None:
    found = read(LINK, maxsize=10)
    assert (found.fault, found.links) == ("ipm.te-groot", [])
    assert found.seen == "more than 10 bytes"


def test_a_page_whose_gzip_is_damaged_says_so() -> None:
    found = read(b"\x1f\x8b\x08" + b"x" * 100)
    assert found.fault == "ipm.ingang-onbereikbaar"
    assert found.seen


def test_a_base_element_is_relative_to_the_page_and_its_white_space_is_left_off() -> None:
    assert [link.url for link in read(f'<base href=" ../oud/ ">{LINK}').links] == [
        "https://www.voorbeeldstad.nl/oud/a.xml"
    ]


def test_a_page_does_not_list_itself() -> None:
    page = read_listing([b'<a href="lijst.xml#x">x</a><a href="a.xml">a</a>'], FOLDER + "lijst.xml#y", 1000)
    assert [(link.url, link.is_xml) for link in page.links] == [(FOLDER + "a.xml", True)]


def test_the_links_that_sort_a_page_which_is_itself_sorted_are_left_alone() -> None:
    content = b'<a href="?C=N;O=D">naam</a><a href="?zaak=1">zaak</a>'
    page = read_listing([content], "https://www.voorbeeldstad.nl/xml?C=M;O=A", 1000)
    assert [link.url for link in page.links] == ["https://www.voorbeeldstad.nl/xml?zaak=1"]
