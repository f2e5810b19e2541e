from __future__ import annotations

import encodings
import pkgutil

import pytest

from woo_harvester.utils.encodings import decode, decode_pieces, encoding_of, is_false, xml_encoding

TEXT = "<p>Besluit – € 5, café"
WIDE = ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]
#: Every codec of Python, and names that are none.
LABELS = [
    *(module.name for module in pkgutil.iter_modules(encodings.__path__)),
    *WIDE,
    "",
    "unicode",
    "UTF-16",
]


@pytest.mark.parametrize("label", [None, "utf-8", "latin-1", *WIDE])
@pytest.mark.parametrize("encoding", [*WIDE, "utf-8-sig"])
def test_the_first_bytes_decide_whatever_the_label_is(encoding: str, label: str | None) -> None:
    assert decode(TEXT.encode(encoding), label) == TEXT


@pytest.mark.parametrize("label", [*WIDE, "UTF-16", "utf-7", "idna", "cp037", "hz", "base64", "onzin", ""])
def test_a_false_label_means_utf_8(label: str) -> None:
    assert is_false(label)
    assert (encoding_of(TEXT.encode(), label), decode(TEXT.encode(), label)) == ("utf-8", TEXT)


@pytest.mark.parametrize("label", ["windows-1252", "CP1252", "iso-8859-15", "koi8-r", "gb18030", "shift_jis"])
def test_a_label_that_may_be_true_counts(label: str) -> None:
    assert not is_false(label)
    assert decode("<p>een\\twee ~ é€".encode(label, "replace"), label).startswith("<p>een\\twee ~ ")


@pytest.mark.parametrize("label", [None, "UTF8", "utf-16"])
def test_what_is_not_utf_8_is_of_windows(label: str | None) -> None:
    assert decode("café € ’".encode("cp1252"), label) == "café € ’"


CONTENTS = [bytes(range(256)) * 2, b"\x1b$B" * 9, TEXT.encode(), TEXT.encode("utf-16-le")[:-1], b"abc", b""]


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("content", CONTENTS)
def test_no_label_makes_any_content_an_error_in_any_pieces(label: str, content: bytes) -> None:
    for size in range(1, 9):
        pieces = (content[start : start + size] for start in range(0, len(content), size))
        assert "".join(decode_pieces(pieces, encoding_of(content, label))) == decode(content, label)


@pytest.mark.parametrize(
    ("head", "label"),
    [
        ("<?xml version='1.0' encoding='utf-16'?><a/>", "utf-16"),
        ('<?xml version="1.0"\n  encoding = "unicode" standalone="yes"?><a/>', "unicode"),
        ('<?xml version="1.0" encoding="windows-1252"?><a/>', None),
        ('<?xml version="1.0"?><a encoding="utf-16"/>', None),
        ('<a><![CDATA[<?xml version="1.0" encoding="utf-16"?>]]></a>', None),
        ("", None),
    ],
)
def test_the_false_label_of_xml_is_that_of_its_declaration(head: str, label: str | None) -> None:
    assert xml_encoding(head.encode()).false_label == label
    assert xml_encoding(head.encode("utf-16")).false_label is None
