from __future__ import annotations

import re

import pytest

from tools.reference.__main__ import render
from tools.reference.findings import AREAS, area_of
from woo_harvester.findings import explanations

PAGE = render("findings.md")


def test_every_code_has_a_section_and_a_link() -> None:
    for code in explanations():
        assert PAGE.count(f"\n### {code}\n") == 1
        assert PAGE.count(f"[`{code}`]") == 1


def test_every_link_leads_to_a_heading() -> None:
    headings = {heading.replace(".", "") for heading in re.findall(r"^### (\S+)$", PAGE, flags=re.MULTILINE)}
    links = re.findall(r"\]\(#([^)]+)\)", PAGE)
    assert len(links) == len(headings)
    assert set(links) == headings


def test_every_area_stands_once_and_in_order() -> None:
    assert re.findall(r"^## (.+)$", PAGE, flags=re.MULTILINE) == list(AREAS)


def test_a_code_stands_under_its_area() -> None:
    assert area_of("tls.ongeldig") == "Verbinding"
    assert area_of("titel.ontbreekt") == "Metadata"


def test_a_code_without_area_is_refused() -> None:
    with pytest.raises(ValueError, match=r"No area for 'weer\.nat'"):
        area_of("weer.nat")


def test_tags_and_entities_are_shown_as_they_are_written() -> None:
    outside_code = re.sub(r"`[^`]*`", "", PAGE.partition("-->")[2])
    assert not re.search(r"[<>&]", outside_code)
    assert "`<titelcollectie><officieleTitel>`" in PAGE
