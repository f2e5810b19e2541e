from __future__ import annotations

import re

import pytest
from lxml import html

from tools.reference.__main__ import EXPLAINED, render
from tools.reference.findings import AREAS, area_of
from woo_harvester.findings import Language, explanations
from woo_harvester.findings.catalogue import fix_templates

LISTS: dict[Language, tuple[str, str]] = {
    "en": (render("findings.md"), "explained.html"),
    "nl": (render("bevindingen.md"), "uitleg.html"),
}
PAGES = {lang: html.document_fromstring(render(name)) for name, lang in EXPLAINED.items()}

each_language = pytest.mark.parametrize("lang", LISTS)


@each_language
def test_every_code_is_listed_by_area_and_leads_to_its_entry(lang: Language) -> None:
    text, page = LISTS[lang]
    listed = re.findall(rf"\[`([\w.-]+)`\]\({page}#([\w.-]+)\)", text)
    assert [code for code, anchor in listed if code != anchor] == []
    by_area = [code for parts in AREAS for code in explanations() if code.partition(".")[0] in parts]
    assert sorted(code for code, _ in listed) == sorted(by_area)


def test_the_list_for_publishers_says_what_each_code_means() -> None:
    text, page = LISTS["nl"]
    for code, each in explanations().items():
        (line,) = re.findall(rf"^- \[`{code}`\]\({page}#{code}\), (.+)$", text, flags=re.MULTILINE)
        assert line.partition(": ")[2].replace("`", "") == each.what


@each_language
def test_an_entry_has_all_that_the_catalogue_says(lang: Language) -> None:
    for code, each in explanations(lang).items():
        (body,) = PAGES[lang].xpath(f"//details/details/*[@id='{code}']")
        summary = body.getprevious().text_content()
        assert each.what in summary
        assert code in summary
        assert {each.why, each.mend} <= {found.text_content() for found in body.iter("dd")}


@each_language
def test_an_anchor_is_in_what_is_folded_so_that_a_browser_unfolds_it(lang: Language) -> None:
    assert PAGES[lang].xpath("//details[@open]") == []
    assert PAGES[lang].xpath("//main//@id[ancestor::summary]") == []


def test_most_fixes_in_a_text_have_an_example() -> None:
    shown = set(PAGES["en"].xpath("//figure/ancestor::*[@id][1]/@id"))
    assert shown <= fix_templates().keys()
    assert len(shown) > 0.85 * len(fix_templates())


def test_an_entry_names_the_parts_of_the_score_that_it_lowers() -> None:
    (body,) = PAGES["nl"].xpath("//*[@id='loc.geen-https']")
    assert body.xpath("dl[2]/dd/text()") == ["Sitemaps: Sitemaps zijn te lezen; Sitemaps: Adressen (loc)"]
    assert not PAGES["nl"].xpath("//*[@id='index.dubbel']/dl[2]"), "a notice costs nothing"


@each_language
def test_every_area_stands_once_and_in_order(lang: Language) -> None:
    names = [names[lang] for names in AREAS.values()]
    form = {"nl": r"^## (.+)$", "en": r"^- \*\*(?!\w+\*\*:)(.+)\*\*$"}[lang]
    assert re.findall(form, LISTS[lang][0], flags=re.MULTILINE) == names
    assert PAGES[lang].xpath("//h2/text()") == names


def test_a_code_stands_under_its_area() -> None:
    assert area_of("tls.ongeldig", "nl") == "Verbinding"
    assert area_of("titel.ontbreekt", "en") == "Metadata"


def test_a_code_without_area_is_refused() -> None:
    with pytest.raises(ValueError, match=r"No area for 'weer\.nat'"):
        area_of("weer.nat", "nl")


@each_language
def test_tags_and_entities_are_shown_as_they_are_written(lang: Language) -> None:
    outside_code = re.sub(r"`[^`]*`", "", LISTS[lang][0].partition("-->")[2])
    assert not re.search(r"[<>&]", outside_code)
