from __future__ import annotations

import re
import tomllib
from string import Formatter
from typing import Any, get_args

import pytest

from tests.conftest import ROOT
from woo_harvester.findings import Language
from woo_harvester.kinds import Kind
from woo_harvester.report.counts import shown_in
from woo_harvester.report.funnel import FIELDS, GAP_KINDS, HostGapKind, losses_of
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.score import NOT_JUDGED, SECTIONS, PartState, parts_of

FOLDER = ROOT / "woo_harvester" / "report" / "html"
CATALOGUE: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "texts.toml").read_text(encoding="utf-8"))
PERMITS: dict[str, dict[str, Any]] = tomllib.loads(
    (ROOT / "woo_harvester" / "permits" / "texts.toml").read_text(encoding="utf-8")
)


def names(text: Any) -> list[set[str | None]]:
    texts = text if isinstance(text, list) else [text]
    return [{name for _, name, _, _ in Formatter().parse(each) if name} for each in texts]


def test_both_languages_have_the_same_words_with_the_same_values() -> None:
    assert CATALOGUE["nl"].keys() == CATALOGUE["en"].keys()
    assert [
        key for key in CATALOGUE["nl"] if names(CATALOGUE["nl"][key]) != names(CATALOGUE["en"][key])
    ] == []


def test_the_words_for_permits_stand_in_for_others_with_the_same_values() -> None:
    assert PERMITS["nl"].keys() == PERMITS["en"].keys()
    for lang, texts in PERMITS.items():
        assert texts.keys() <= CATALOGUE[lang].keys()
        for key, text in texts.items():
            assert names(text) == names(CATALOGUE[lang][key]), key
            assert text != CATALOGUE[lang][key], key
    assert Texts("nl", Kind.vergunningen).count(2, "document") == "2 berichten"
    assert Texts("en", Kind.vergunningen)("severity_error") == "Error"


def test_every_word_is_used_and_every_word_that_is_used_is_there() -> None:
    folders = FOLDER.parent, ROOT / "woo_harvester" / "permits"
    paths = [path for each in folders for path in each.rglob("*.*") if path.suffix in (".py", ".html")]
    code = "".join(path.read_text(encoding="utf-8") for path in paths)
    used = set(re.findall(r"(?:\bt|texts)(?:\.all)?\('?\"?(\w+)['\"]", code))
    used |= set(re.findall(r"(?:count|noun)\([^()]*?'(\w+)'\)", code))
    used |= {label for _, label in shown_in("page", of_cases=True)}
    used |= set(re.findall(r'self\._say\("(\w+)"', (ROOT / "woo_harvester/commands/audit.py").read_text()))
    literal = used | {key for key in CATALOGUE["nl"] if f"'{key}'" in code or f'"{key}"' in code}
    families = ["stage", "part", "section", "state", "field", "severity", "documents", "gap", "not_judged"]
    starts = tuple(f"{family}_" for family in families)
    assert [key for key in CATALOGUE["nl"] if key not in literal and not key.startswith(starts)] == []
    assert {key for key in used if not key.endswith("_")} <= CATALOGUE["nl"].keys()


def test_every_stage_part_section_field_and_gap_has_a_name() -> None:
    needed = [f"stage_{stage}" for stage in losses_of(Kind.woo)] + [
        f"stage_{stage}_why" for stage in losses_of(Kind.woo)
    ]
    needed += [f"part_{part.name}" for kind in Kind for part in parts_of(kind)]
    needed += [f"section_{section}" for section in SECTIONS] + [f"field_{name}" for name in FIELDS]
    needed += [f"gap_{kind}{more}" for kind in GAP_KINDS for more in ("", "_lead")]
    needed += [f"gap_{kind}_short" for kind in get_args(HostGapKind)]
    needed += [f"not_judged_{subject}" for kind in Kind for subject in kind.own("not_judged", NOT_JUDGED)]
    needed += [f"state_{state}" for state in get_args(PartState)]
    assert [key for key in needed if key not in CATALOGUE["nl"]] == []


@pytest.mark.parametrize(
    ("lang", "value", "text"),
    [
        ("nl", 1234567, "1.234.567"),
        ("nl", 5.8, "5,8"),
        ("nl", 5.0, "5"),
        ("en", 1234.5, "1,234.5"),
        ("en", "x", "x"),
    ],
)
def test_numbers_are_written_as_the_language_does(lang: Language, value: Any, text: str) -> None:
    assert Texts(lang).number(value) == text


def test_figures_and_moments_are_written_in_words_of_the_language() -> None:
    nl, en = Texts("nl"), Texts("en")
    assert (nl.count(1, "document"), nl.count(3044, "document")) == ("1 document", "3.044 documenten")
    assert (nl.points(0.0001), nl.points(0)) == ("<0,1", "0")
    at = "2026-11-21T08:05:00+01:00"
    assert [nl.moment(at), en.moment(at), nl.moment(None)] == ["21-11-2026 08:05", "2026-11-21 08:05", "–"]


@pytest.mark.parametrize(
    ("part", "total", "text"),
    [(0, 5, "0%"), (5, 5, "100%"), (1, 1000, "<1%"), (999, 1000, ">99%"), (1, 3, "33%"), (0, 0, "–")],
)
def test_a_share_is_never_rounded_to_all_or_nothing(part: int, total: int, text: str) -> None:
    assert Texts("nl").percent(part, total) == text


def test_xml_in_a_text_is_shown_as_code_and_never_as_markup() -> None:
    shown = str(Texts.marked("Zet <loc> en <script>alert(1)</script> & meer"))
    assert "<code>&lt;loc&gt;</code>" in shown
    assert "<script" not in shown
    assert "<code>&amp;</code> meer" in shown


def test_a_word_that_is_not_there_is_an_error() -> None:
    with pytest.raises(KeyError):
        Texts("nl")("no such word")


def test_points_have_their_noun_in_the_right_number() -> None:
    for points, dutch, english in (
        (1, "1 punt", "1 point"),
        (1.04, "1 punt", "1 point"),
        (0.5, "0,5 punten", "0.5 points"),
    ):
        assert (Texts("nl").gain(points), Texts("en").gain(points)) == (dutch, english)
