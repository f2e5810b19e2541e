from __future__ import annotations

import re

import pytest
from lxml import html

from tools.reference.__main__ import EXPLAINED, render
from tools.reference.findings import AREAS, area_of
from woo_harvester.findings import explanations
from woo_harvester.findings.catalogue import fix_templates

LISTS = {"explained.html": render("findings.md"), "uitleg.html": render("bevindingen.md")}
PAGES = {name: html.document_fromstring(render(name)) for name in EXPLAINED}
BY_AREA = [code for parts in AREAS for code in explanations() if code.partition(".")[0] in parts]


@pytest.mark.parametrize("page", LISTS)
def test_every_code_is_listed_once_and_leads_to_its_entry(page: str) -> None:
    listed = re.findall(rf"\[`([\w.-]+)`\]\({page}#([\w.-]+)\)", LISTS[page])
    assert sorted(listed) == sorted((code, code) for code in BY_AREA)


@pytest.mark.parametrize(("page", "lang"), EXPLAINED.items())
def test_an_entry_has_all_that_the_catalogue_says_and_its_anchor_is_in_what_is_folded(
    page: str, lang: str
) -> None:
    for code, each in explanations("nl" if lang == "nl" else "en").items():
        (body,) = PAGES[page].xpath(f"//details/details[not(@open)]/div[@id='{code}']")
        assert body.getprevious().xpath("normalize-space(span[@class='what'])") == f"{each.what} {code}"
        assert {each.why, each.mend} <= {found.text_content() for found in body.iter("dd")}


def test_most_fixes_have_an_example_and_costs_their_part_of_the_score() -> None:
    page = PAGES["uitleg.html"]
    shown = set(page.xpath("//figure/ancestor::*[@id][1]/@id"))
    assert shown <= fix_templates().keys()
    assert len(shown) > 0.85 * len(fix_templates())
    (cost,) = page.xpath("//*[@id='loc.geen-https']/dl[2]/dd/text()")
    assert cost == "Sitemaps: Sitemaps zijn te lezen; Sitemaps: Adressen (loc)"


def test_a_code_without_area_is_refused() -> None:
    with pytest.raises(ValueError, match=r"No area for 'weer\.nat'"):
        area_of("weer.nat", "nl")
