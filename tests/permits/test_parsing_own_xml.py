from __future__ import annotations

import gzip

import pytest

from woo_harvester.findings import Finding
from woo_harvester.permits.parsing import with_own_xml

MESSAGE = (
    """<?xml version="1.0"?>
<vg:message xmlns:vg="http://standaarden.overheid.nl/vergunningen/4.0/"
            xmlns:dct="http://purl.org/dc/terms/">
  <vg:aanmaakdatum>1 april</vg:aanmaakdatum>
  <z:owmskern>
    <dct:identifier>https://www.a.nl/1</dct:identifier>
    <dct:modified>gisteren</dct:modified><dct:spatial scheme="a">X</dct:spatial><dct:spatial>Y</dct:spatial>
    <dct:references
        resourceIdentifier="x"/>
    <dct:temporal>
      <start>2026-05-01</start>
    </dct:temporal>
    <dct:description>"""
    + "Lang. " * 60
    + """</dct:description>
  </z:owmskern>
</vg:message>
"""
)


def given(line: int | None, element: str | None, seen: str | None = None, text: str = MESSAGE) -> str | None:
    finding = Finding(code="ipm.schema", line=line, element=element, seen=seen)
    (found,) = with_own_xml([finding], [text.encode()], 10**6)
    return found.given


@pytest.mark.parametrize(
    ("line", "element", "own"),
    [
        (4, "aanmaakdatum", "<vg:aanmaakdatum>1 april</vg:aanmaakdatum>"),
        (7, "owmskern/modified", "<dct:modified>gisteren</dct:modified>"),
        (9, "owmskern/references", '<dct:references\n        resourceIdentifier="x"/>'),
        (10, "owmskern/temporal", "<dct:temporal>\n  <start>2026-05-01</start>\n</dct:temporal>"),
        (
            5,
            "owmskern/title",
            "<z:owmskern>\n  <dct:identifier>https://www.a.nl/1</dct:identifier>\n  …\n</z:owmskern>",
        ),
    ],
    ids=["control", "leaf", "tag on two lines", "short", "absent, so its parent"],
)
def test_the_element_is_given_as_the_sender_wrote_it(line: int, element: str, own: str) -> None:
    assert given(line, element) == own


def test_of_several_on_one_line_the_one_that_was_seen_is_given() -> None:
    assert given(7, "owmskern/spatial", "Y") == "<dct:spatial>Y</dct:spatial>"
    assert given(7, "owmskern/spatial") == '<dct:spatial scheme="a">X</dct:spatial>'


def test_a_message_on_one_line_is_read_too() -> None:
    assert (
        given(1, "owmskern/modified", text=MESSAGE.replace("\n", " "))
        == "<dct:modified>gisteren</dct:modified>"
    )


def test_a_line_that_is_no_xml_is_given_itself() -> None:
    assert given(4, None) == "<vg:aanmaakdatum>1 april</vg:aanmaakdatum>"


def test_a_long_element_is_given_without_its_text() -> None:
    long = MESSAGE.replace("gisteren", "g" * 1000)
    assert given(7, "owmskern/modified", text=long) == "<dct:modified>\n  …\n</dct:modified>"


@pytest.mark.parametrize(
    ("line", "element"), [(None, "owmskern"), (99, "owmskern"), (4, "owmskern/modified")]
)
def test_what_is_not_there_is_not_given(line: int | None, element: str) -> None:
    assert given(line, element) is None


def test_other_encodings_and_gzip_are_read() -> None:
    finding = Finding(code="ipm.datum", line=2, element="x")
    text = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<x>é</x>'
    false = text.replace("ISO-8859-1", "utf-16").encode()
    for body in (text.encode("latin-1"), gzip.compress(text.encode("latin-1")), text.encode("utf-16"), false):
        (found,) = with_own_xml([finding], [body], 10**6)
        assert found.given == "<x>é</x>"


def test_a_file_that_cannot_be_unpacked_leaves_the_findings_as_they_are() -> None:
    findings = [Finding(code="ipm.ongeldig", line=1)]
    assert with_own_xml(findings, [gzip.compress(b"<x/>")[:-5]], 10**6) == findings
    assert with_own_xml(findings, [b"<x>" + b" " * 100], 10) == findings
