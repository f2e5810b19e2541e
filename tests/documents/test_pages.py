from __future__ import annotations

import io

from tests.documents.contents import Counted
from woo_harvester.documents.pages import (
    PAGE_MAXSIZE,
    TEXT_MAXLENGTH,
    ask_for_documents,
    decode_page,
    documents_asked_for,
    documents_of_landing_page,
)

URL = "https://www.gemeente.nl/besluiten/besluit-12"
LINK = '<a href="/files/besluit-12.pdf">Download (PDF, 120 kB)</a>'
FILE = "https://www.gemeente.nl/files/besluit-12.pdf"


def page(body: str, head: str = "") -> str:
    return f"<!DOCTYPE html><html><head><title>Besluit</title>{head}</head><body>{body}</body></html>"


def found(text: str | bytes, url: str = URL, content_type: str | None = "text/html") -> list[str]:
    body = text if isinstance(text, bytes) else text.encode()
    return list(documents_of_landing_page(io.BytesIO(body), url, content_type))


def decoded(*pieces: bytes, content_type: str | None = None) -> tuple[str, str]:
    encoding, texts = decode_page(iter(pieces), content_type)
    return encoding, "".join(texts)


def test_a_page_with_little_text_leads_to_the_documents_that_it_links_to() -> None:
    other = '<p>Zie ook <a href="bijlage%201.docx?versie=2#blz">de bijlage</a>.</p>'
    assert found(page(f"<h1>Besluit 12</h1><p>Samenvatting.</p>{LINK}{other}{LINK}")) == [
        FILE,
        "https://www.gemeente.nl/besluiten/bijlage%201.docx?versie=2",
    ]


def test_a_page_with_text_of_its_own_is_a_document() -> None:
    little = "x" * (TEXT_MAXLENGTH - 1)
    assert found(page(f"<p>{little}</p>{LINK}")) == [FILE]
    assert found(page(f"<p>{little}y</p>{LINK}")) == []
    assert found(page(LINK + "<p>zin.</p>\n" * (TEXT_MAXLENGTH // 4))) == []


def test_only_text_of_its_own_makes_a_page_a_document() -> None:
    for body, expected in [
        (f"<p>\n{' ' * 10_000}</p>" + "<br>\n\t" * 1000 + LINK, [FILE]),
        (f'<a href="/ander">{"lang " * 1000}</a>{LINK}', [FILE]),
        (f"<nav>menu</nav>{'tekst ' * 1000}{LINK}", []),
    ]:
        assert found(page(body)) == expected, body


def test_what_stands_around_the_content_does_not_count() -> None:
    for around in [
        *("nav", "header", "footer", "script", "style", "noscript", "template", "select", "button", "dialog"),
    ]:
        tag = around.partition(" ")[0]
        menu = f"<{around}>{'tekst ' * 1000}</{tag}>"
        assert found(page(f"{menu}{LINK}")) == [FILE], around
        assert found(page(f"<p>Kort.</p><{around}>{LINK}</{tag}>")) == [], around


def test_other_links_are_not_documents_of_this_host() -> None:
    for link in [
        '<a href="https://www.elders.nl/a.pdf">',
        '<a href="https://www.gemeente.nl:8443/a.pdf">',
        '<a href="//elders.nl/a.pdf">',
        '<a href="/pagina.html">',
        '<a href="/pagina">',
        '<a href="/foto.jpg">',
        '<a href="/download/12" download>',
        '<a href="/pagina.html" download="besluit.pdf">',
        '<a href="mailto:a.pdf">',
        '<a href="javascript:open(1).pdf">',
        '<a href="https://[::1/a.pdf">',
        '<a href="https://a..nl:99999/a.pdf">',
        '<a href="">',
        "<a name='x.pdf'>",
        f'<a href="/{"x" * 3000}.pdf">',
        "/files/besluit-12.pdf",
    ]:
        assert found(page(f"<p>Kort.</p>{link}x</a>")) == [], link


def test_a_document_is_known_by_its_name_or_by_what_the_link_says() -> None:
    for link, expected in [
        ('<A HREF="/FILES/A.PDF">', "https://www.gemeente.nl/FILES/A.PDF"),
        ('<a href=" /a b.pdf\n">', "https://www.gemeente.nl/a%20b.pdf"),
        ('<a href="https://WWW.Gemeente.nl:443/a.odt">', "https://www.gemeente.nl:443/a.odt"),
        ('<a href="http://www.gemeente.nl/a.pdf">', "http://www.gemeente.nl/a.pdf"),
        ('<a href="/download/12" download="besluit.pdf">', "https://www.gemeente.nl/download/12"),
        ('<a href="/download/12" type="application/pdf">', "https://www.gemeente.nl/download/12"),
        ('<iframe src="/viewer/a.pdf"></iframe>', "https://www.gemeente.nl/viewer/a.pdf"),
        ('<object data="/a.pdf"></object>', "https://www.gemeente.nl/a.pdf"),
        ('<embed src="/a.pdf">', "https://www.gemeente.nl/a.pdf"),
    ]:
        assert found(page(f"<p>Kort.</p>{link}")) == [expected], link


def test_the_port_belongs_to_the_host() -> None:
    assert found(page(LINK), "https://localhost:8443/x") == ["https://localhost:8443/files/besluit-12.pdf"]


def test_a_page_of_any_common_encoding_is_read() -> None:
    for encoding in ["utf-8", "utf-16", "windows-1252"]:
        body = page("<p>Één</p><a href='/één.pdf'>één</a>").encode(encoding)
        assert found(body, content_type=f"text/html; charset={encoding}") == [
            "https://www.gemeente.nl/%C3%A9%C3%A9n.pdf"
        ], encoding


def test_xhtml_with_a_declaration_is_read() -> None:
    head = '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><body>'
    assert found(f"{head}<p>Kort.</p>{LINK}</body></html>", content_type="application/xhtml+xml") == [FILE]


def test_what_is_no_page_leads_nowhere() -> None:
    for body in [
        b"",
        b"\x00" * 100,
        bytes(range(256)) * 100,
        b"<",
        b"<!--",
        b"<a href=",
        b"plat",
        b"<frameset>",
    ]:
        assert found(body) == [], body


def test_a_hostile_page_is_read_to_its_limit_at_most() -> None:
    for piece in [
        *("<b>", "<div>", "<a href=x.pdf>", "<p>", "<b><i><u><p>", "a=1 ", "<", "&"),
        *("<table><tr><td>", "<base>"),
    ]:
        file = Counted((piece * (3 * PAGE_MAXSIZE // len(piece))).encode())
        documents_of_landing_page(file, URL, "text/html")
        assert file.count <= PAGE_MAXSIZE, piece


def test_of_many_links_the_first_thousand_are_read() -> None:
    assert len(found(page("".join(f'<a href="/{number}.pdf">x</a>' for number in range(2000))))) == 1000


def test_the_question_has_the_first_documents_and_the_number_of_others() -> None:
    links = [f"https://www.a.nl/{number}.pdf?x=1,2" for number in range(5)]
    assert ask_for_documents(links[:1]) == f"bedoelde u {links[0]}?"
    assert ask_for_documents(links) == f"bedoelde u {links[0]}, {links[1]}, {links[2]}, en nog 2?"


def test_the_documents_in_a_question_can_be_read_back() -> None:
    for count in [1, 2, 3, 7]:
        links = [f"https://www.a.nl/{number}.pdf?" for number in range(count)]
        assert documents_asked_for(ask_for_documents(links)) == links[:3], count


def test_a_question_stays_within_the_length_of_a_finding() -> None:
    long = [f"https://www.a.nl/{number}/{'x' * 300}.pdf" for number in range(3)]
    assert ask_for_documents(long) == f"bedoelde u {long[0]}, en nog 2?"
    too_long = f"https://www.a.nl/{'x' * 1000}.pdf"
    cut = ask_for_documents([too_long])[:499] + "…"
    assert documents_asked_for(cut) == []


def test_the_byte_order_mark_goes_before_the_header_and_that_before_the_page_itself() -> None:
    page = '<meta charset="iso-8859-1">één'
    assert decoded(page.encode("utf-16"), content_type="text/html; charset=ascii")[1] == page
    page = '<meta charset="utf-8">één'
    assert decoded(page.encode("cp1252"), content_type="text/html; charset=windows-1252") == ("cp1252", page)
    assert decoded(page.encode()) == ("utf-8", page)
    assert decoded("één".encode("cp1252")) == ("utf-8", "één"), "else what is not UTF-8 is of Windows"


def test_a_name_that_is_no_encoding_of_text_counts_as_none() -> None:
    for name in ["base64", "idna", "rot13", "undefined", "onzin"]:
        assert decoded(b"abc", content_type=f"text/html; charset={name}") == ("utf-8", "abc"), name


def test_a_page_that_is_not_in_the_wide_encoding_it_claims_is_utf_8() -> None:
    for label in ["utf-16", "utf-16le", "UTF-32", "utf-7"]:
        for where in ["header", "meta", "declaration"]:
            head = {
                "meta": f'<meta charset="{label}">',
                "declaration": f'<?xml version="1.0" encoding="{label}"?>',
            }
            text = head.get(where, "") + "één"
            content_type = f"text/html; charset={label}" if where == "header" else None
            assert decoded(text[:9].encode(), text[9:].encode(), content_type=content_type) == (
                "utf-8",
                text,
            ), (label, where)


def test_a_character_may_be_in_two_pieces_and_the_last_one_may_be_cut_off() -> None:
    body = ("x" * 4095 + "é" + "y€").encode()
    assert decoded(body[:4096], body[4096:-1])[1].startswith("x" * 4095 + "éy")
    assert decoded()[1] == ""
