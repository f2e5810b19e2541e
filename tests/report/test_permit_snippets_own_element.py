from __future__ import annotations

import pytest

from woo_harvester.report.permit_snippets import OwnElement, own_element


def element(given: str) -> OwnElement:
    found = own_element({"code": "ipm.schema", "given": given})
    assert found is not None
    return found


@pytest.mark.parametrize(
    "given", ["<a/>", '<p:a b="c">d</p:a>', "<a>\n  <b>c</b>\n  …\n</a>", "<a\n  b='c'/>", "<a></a>"]
)
def test_an_element_is_shown_as_it_was_written(given: str) -> None:
    assert "\n".join(element(given).lines) == given


def test_another_text_is_escaped() -> None:
    assert element("<p:a b='c'>d</p:a>").with_text("<&>") == "<p:a b='c'>&lt;&amp;&gt;</p:a>"
    assert element("<p:a/>").with_text("x") == "<p:a>x</p:a>"


def test_an_attribute_is_replaced_or_added() -> None:
    assert element("<a x='1' y='2'/>").with_attribute("x", 'q"') == "<a y='2' x='q\"'/>"
    assert element("<a>b</a>").with_attribute("x", "1") == '<a x="1">b</a>'


def test_a_child_comes_last_and_keeps_the_others() -> None:
    assert element("<p:a>\n  <b/>\n</p:a>").with_child(["<c/>"], ["d"]) == [
        "<p:a>",
        "  <b/>",
        "  <p:d>",
        "    <c/>",
        "  </p:d>",
        "</p:a>",
    ]


def test_the_texts_of_children_are_replaced_or_added() -> None:
    whole = element("<p:a>\n  <p:b>1</p:b>\n  <p:c/>\n</p:a>")
    assert whole.with_child_texts({"b": "2", "c": "3", "d": "4"}) == [
        "<p:a>",
        "  <p:b>2</p:b>",
        "  <p:c>3</p:c>",
        "  <p:d>4</p:d>",
        "</p:a>",
    ]


def test_a_finding_without_the_element_has_none_unless_its_code_says_which() -> None:
    assert own_element({"code": "ipm.schema", "element": "owmskern/title", "seen": "ontbreekt"}) is None
    known = own_element({"code": "ipm.transactie", "seen": "<X>"})
    assert known is not None
    assert known.lines == ["<overheidvg:transactietype>&lt;X&gt;</overheidvg:transactietype>"]
