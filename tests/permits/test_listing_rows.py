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


READ, NEXT = "2026-04-01T10:00", "2026-04-02T11:00"
OTHER_LINE = '2026-04-02 11:00 <a href="b.xml">b</a> 12'
OTHER_PARAGRAPHS = '<p><a href="b.xml">b</a></p><p>2026-04-02 11:00</p>'
OTHER_LINKS = f'<a href="b.pdf">b</a> {DATE} <a href="c.xml">c</a> 2026-04-02 11:00'
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
    "text after a link that is left alone": (
        f"<li>{LINK} x {OTHER_LINKS}</li>",
        {"a.xml": None, "c.xml": NEXT},
    ),
}


@pytest.mark.parametrize(("page", "expected"), PAGES.values(), ids=PAGES.keys())
def test_a_date_in_the_row_of_a_link_is_its_file_s(page: str, expected: dict[str, str | None]) -> None:
    assert dates(page) == expected


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


def test_a_page_says_by_which_encoding_it_was_read_which_its_first_bytes_may_declare() -> None:
    assert read(LINK).encoding == "utf-8"
    assert read(LINK.encode("utf-16")).encoding.startswith("utf-16")
    declaration = '<meta charset="iso-8859-15">'
    assert read(declaration + LINK).encoding == "iso8859-15"
    assert read(" " * 5000 + declaration + LINK).encoding == "utf-8"


def test_a_page_that_is_too_large_or_damaged_says_so() -> None:
    found = read(LINK, maxsize=10)
    assert (found.fault, found.links, found.seen) == ("ipm.te-groot", [], "more than 10 bytes")
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
