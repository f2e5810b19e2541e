from __future__ import annotations

import json
from io import StringIO

import pytest

from woo_harvester.utils.terminal import PrintableLines, printable, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Gemeente Súdwest-Fryslân\xa0✓", "Gemeente Súdwest-Fryslân\xa0✓"),
        ("a\u202eb", r"a\u202eb"),
        ("a\x1b[2J\r\n", r"a\u001b[2J\u000d\u000a"),
        ("\u200b\xad\x85\u2066", r"\u200b\u00ad\u0085\u2066"),
        ("\U000e0041\udcff", r"\udb40\udc41\udcff"),
    ],
)
def test_an_invisible_sign_is_written_out(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_an_invisible_sign_is_shown_by_its_number() -> None:
    shown = "<U+FEFF>a b<U+00A0><U+FE0F><U+E0001><U+000A><U+DC80>é"
    assert visible("\ufeffa b\xa0\ufe0f\U000e0001\n\udc80é") == shown


def test_a_line_of_json_stays_the_same_json() -> None:
    record = {"titel": "a\u202eb\u2028\x7f\U000e0041\n"}
    text = json.dumps(record, ensure_ascii=False)
    assert json.loads(printable(text)) == record
    file = StringIO()
    PrintableLines(file).write(f"{text}\n{text}\n")
    assert [json.loads(line) for line in file.getvalue().splitlines()] == [record, record]
