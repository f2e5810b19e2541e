from __future__ import annotations

import gzip

from hypothesis import given as drawn
from hypothesis import strategies as st

from tests.permits.reading import MAXSIZE, NOW, codes, faults, given, noted
from woo_harvester.permits.demo_messages import (
    message,
)
from woo_harvester.permits.messages import read_message
from woo_harvester.permits.parsing import has_message_root
from woo_harvester.record import json_value
from woo_harvester.tooi.lists import organisaties


def test_malformed_xml_is_reported_with_its_line() -> None:
    for content, line, seen in [
        (b"", 1, "Document is empty"),
        (b"  \n ", 2, "Start tag expected, '<' not found"),
        (b"geen xml", 1, "Start tag expected, '<' not found"),
        (b"<a>\n<b></a>", 2, "Opening and ending tag mismatch: b line 2 and a"),
        (b"<a>&eacute;</a>", 1, "Entity 'eacute' not defined"),
        (b"<x:a/>", 1, "Namespace prefix x on a is not defined"),
        (b"<html><body/></html>", None, "een webpagina (HTML)"),
        (b"<!DOCTYPE html><html>", None, "een webpagina (HTML)"),
        (b'\n<!doctype HTML PUBLIC "x">', None, "een webpagina (HTML)"),
        (b"<?xml version='1.0'?><!-- x --><!DOCTYPE html><html/>", None, "een webpagina (HTML)"),
        (gzip.compress(message())[:-20], None, "the gzip stream ends early"),
    ]:
        (fault,) = faults(content)
        assert fault["code"] == "ipm.ongeldig", content
        assert fault.get("line") == line, content
        assert seen in (None, fault["seen"]), content


BOMB = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))


def test_a_doctype_is_refused_before_anything_is_expanded() -> None:
    for content in [
        f'<!DOCTYPE message [<!ENTITY e0 "lol">{BOMB}]><message>&e11;</message>'.encode(),
        f'<!DOCTYPE message [<!ENTITY e0 "lol">{BOMB}]><message a="&e11;"/>'.encode(),
        f'<!DOCTYPE message [<!ENTITY e0 "lol">{BOMB}]><message>&e11;</message>'.encode("utf-16"),
        b'<!DOCTYPE message SYSTEM "https://elders.nl/x.dtd"><message/>',
        b'<!DOCTYPE message [<!ENTITY x SYSTEM "file:///etc/passwd">]><message>&x;</message>',
        b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- <message> -->\n<?pi x?> <!DOCTYPE message><message/>",
    ]:
        (fault,) = faults(content)
        assert (fault["code"], fault["seen"]) == ("ipm.doctype", "<!DOCTYPE message"), content


def test_an_encoding_that_would_hide_a_doctype_is_not_believed() -> None:
    for label in ["UTF-7", "utf-16"]:
        text = '<!DOCTYPE message [<!ENTITY a "b">]><message>&a;</message>'
        hidden = text.replace("<", "+ADw-").replace("!", "+ACE-").replace("&", "+ACY-")
        declaration = f"<?xml version='1.0' encoding='{label}'?>"
        assert [codes(f"{declaration}{each}".encode()) for each in (hidden, text)] == [
            ["ipm.ongeldig"],
            ["ipm.doctype"],
        ], label


def test_a_doctype_in_a_text_is_not_a_doctype() -> None:
    content = message(mantel="<dcterms:description><![CDATA[<!DOCTYPE x>]]></dcterms:description>")
    assert given(content)["description"] == "<!DOCTYPE x>"


def test_comments_before_the_root_do_not_take_long() -> None:
    (fault,) = faults(b"<!-- -->" * 20_000 + b"<!-- <!DOCTYPE x -->x")
    assert fault["code"] == "ipm.ongeldig"


def test_comments_and_instructions_in_a_message_are_ignored() -> None:
    content = message(title="Kappen").replace(b"Kappen", b"Kap<!-- x -->pen<?x y?>")
    assert given(content)["title"] == "Kappen"


def test_a_message_that_declares_an_encoding_it_cannot_have_is_read_with_a_warning() -> None:
    for label in ["utf-16", "UTF-16LE", "utf-32", "unicode"]:
        text = message(title="Eén café").decode()
        metadata, (finding,) = noted(text.replace("UTF-8", label).encode())
        assert metadata["title"] == "Eén café", label
        assert (finding["code"], finding["severity"], finding["line"]) == ("ipm.kop", "warning", 1), label
        assert (finding["seen"], finding["action"]) == (f'encoding="{label}"', "gelezen als UTF-8")


#: What stands in the place of the declaration of a message, what of its title, and what is found.
ODD = [
    ("\n<?xml version='1.0'?>", "Kap", "Kap", ["ipm.kop"]),
    ("\ufeff\ufeff<?xml version='1.0'?>", "Kap", "Kap", ["ipm.kop"]),
    ("<?xml version='1.0' encoding=''?>", "Kap", "Kap", ["ipm.kop"]),
    ("<?xml encoding='UTF-8'?>", "Kap", "Kap", ["ipm.kop"]),
    ("\u200b<?xml version='1.0'>", "Kap", "Kap", ["ipm.kop"]),
    ("<?XML version='1.0'?><!-- a -- b -->", "Kap", "Kap", ["ipm.kop"]),
    ("<?xml version='1.0'?>", "Kap \x0beik & beuk", "Kap eik & beuk", ["ipm.tekens", "ipm.tekens"]),
    ("<?xml version='1.0'?>", "Kap &#x1F;eik", "Kap eik", ["ipm.tekens"]),
    ("\n<?xml version='1.0'?>", "Kap \x0beik", "Kap eik", ["ipm.kop", "ipm.tekens"]),
]


def test_a_message_that_can_mean_one_thing_only_is_read_with_a_warning() -> None:
    for head, written, title, found in ODD:
        text = message(title="Kap").decode()
        odd = (head + text.partition("?>")[2]).replace(">Kap<", f">{written}<")
        metadata, findings = noted(odd.encode())
        assert (metadata["title"], [each["code"] for each in findings]) == (title, found), (head, written)


def test_a_message_is_read_in_the_encoding_that_its_bytes_have() -> None:
    for declared, charset, encoding, found in (
        ("UTF-8", None, "cp1252", ["ipm.tekens"]),
        ("UTF-8", "windows-1252", "cp1252", []),
        ("UTF-8", "iso-8859-1", "utf-8", []),
        ("iso-8859-1", "utf-8", "utf-8", []),
        ("iso-8859-1", None, "cp1252", []),
        ("us-ascii", None, "utf-8", ["ipm.kop"]),
        ("us-ascii", None, "cp1252", ["ipm.tekens"]),
    ):
        text = message(title="Eén café ’s avonds").decode().replace("UTF-8", declared)
        read, findings = read_message([text.encode(encoding)], MAXSIZE, organisaties(), NOW, charset)
        assert [each.code for each in findings] == found, (declared, charset, encoding)
        assert read is not None
        assert read.gegevens is not None
        assert json_value(read.gegevens)["title"] == "Eén café ’s avonds", (declared, charset, encoding)


def test_a_message_of_any_encoding_that_it_declares_is_read() -> None:
    for encoding in ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"]:
        text = message(title="Eén café").decode()
        declared = text.replace("UTF-8", encoding.removesuffix("-sig"))
        assert given(declared.encode(encoding))["title"] == "Eén café", encoding


def test_a_compressed_message_is_read() -> None:
    assert given(gzip.compress(message())) == given(message())


def test_a_message_that_is_too_large_is_refused() -> None:
    (fault,) = faults(message(), maxsize=1000)
    assert (fault["code"], fault["seen"]) == ("ipm.te-groot", "meer dan 1000 bytes")
    (fault,) = faults(gzip.compress(b"x" * (MAXSIZE + 1)))
    assert fault["code"] == "ipm.te-groot"


def test_a_message_that_would_make_a_huge_tree_is_refused() -> None:
    for content in [
        b"<a>" + b"<b/>" * 300_000 + b"</a>",
        b"<a " + b" ".join(b'b%d=""' % n for n in range(300_000)) + b"/>",
        b"<a>" * 5000,
        b"<a>" + b"x" * 11_000_000 + b"</a>",
    ]:
        assert codes(content) == ["ipm.te-groot"], content[:60]


def test_an_endless_file_is_read_only_up_to_the_limit() -> None:
    taken = 0

    def endless() -> object:
        nonlocal taken
        while True:
            taken += 1
            yield b"x" * 65536

    _, (fault,) = read_message(endless(), MAXSIZE, organisaties(), NOW)  # type: ignore[arg-type]
    assert fault.code == "ipm.te-groot"
    assert taken < 400


@drawn(st.binary(max_size=300), st.integers(0, 2000))
def test_no_content_of_a_file_raises(noise: bytes, place: int) -> None:
    content = message()
    for broken in (noise, content[:place] + noise + content[place:], content[:place] + noise):
        read, findings = read_message([broken], MAXSIZE, organisaties(), NOW)
        assert read is not None or findings


def test_the_root_of_an_answer_shows_whether_it_is_a_message() -> None:
    for content, expected in [
        (message(), True),
        (gzip.compress(message()), True),
        (message().decode().replace("UTF-8", "utf-16").encode("utf-16"), True),
        (b"<message", True),
        (b"<x:zaak xmlns:x='http://standaarden.overheid.nl/vergunningen/3.0/'/>", True),
        (b"<zaak><x/></zaak>", False),
        (b"", False),
        (b"<!DOCTYPE html><html><p>Onderhoud</p></html>", False),
        (b'<?xml version="1.0"?><rss version="2.0"/>', False),
        (gzip.compress(b" " * 50_000_000), False),
    ]:
        assert has_message_root([content]) is expected, content
