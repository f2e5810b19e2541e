from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from woo_harvester.findings import Finding, Language, Severity, explain, explanations
from woo_harvester.findings.catalogue import SEEN_MAXLENGTH, source_links

LANGUAGES: tuple[Language, ...] = get_args(Language)
SEVERITIES = [Severity.ERROR, Severity.WARNING, Severity.INFO]


def test_every_text_of_every_code_is_a_full_sentence() -> None:
    for lang in LANGUAGES:
        for code, found in explanations(lang).items():
            assert re.fullmatch(r"[a-z]+\.[a-z]+(-[a-z]+)*", code), "an area and a name in small letters"
            for text in (found.what, found.why, found.mend):
                assert re.fullmatch(r"\S.*[^\s.]\.", text), (code, text)
                assert "  " not in text, (code, text)
                assert not text[0].islower(), (code, text)
                assert "!" not in text.replace("<!DOCTYPE", ""), (code, text)
                harvesting = re.search(r"\b(?:ge|her)?harvest(?:en|te|ten|t)?\b", text, re.IGNORECASE)
                assert lang != "nl" or not harvesting, "Dutch texts have one word for it"
            assert not re.search(r"(?<!robots)\. ", found.what), (code, "what was found is one sentence")
            assert found.source, code
            assert not found.source.endswith("."), code
        whats = [found.what for found in explanations(lang).values()]
        assert len(set(whats)) == len(whats), "no two codes say the same"


def test_both_languages_have_the_same_codes_with_the_same_severities() -> None:
    dutch, english = explanations("nl"), explanations("en")
    assert list(dutch) == list(english)
    assert all(dutch[code].severity == english[code].severity for code in dutch)
    assert all(dutch[code].what != english[code].what for code in dutch)


def test_a_text_comes_in_the_language_that_is_asked_for() -> None:
    assert explain("loc.geen-https").what == "De <loc> begint met http:// in plaats van https://."
    assert explain("loc.geen-https", "en").what == "The <loc> begins with http:// instead of https://."


def test_a_source_that_is_no_page_or_rfc_is_reported_in_english_as_well() -> None:
    assert explain("document.te-groot", "nl").source == "Instelling WOO_DOCUMENT_MAXSIZE"
    assert explain("document.te-groot", "en").source == "Setting WOO_DOCUMENT_MAXSIZE"
    assert explain("tls.ongeldig", "en").source == explain("tls.ongeldig", "nl").source


def test_an_unknown_code_is_refused_by_its_name() -> None:
    with pytest.raises(ValueError, match=r"No finding 'loc\.nergens' in findings/catalogue\.toml"):
        explain("loc.nergens")


def test_every_code_that_is_promised_is_there_with_its_severity() -> None:
    promised = promised_codes(Path(__file__).with_name("promised.md").read_text(encoding="utf-8"))
    assert len(promised) > 80
    assert {code: explain(code).severity for code in promised} == promised


def promised_codes(page: str) -> dict[str, Severity]:
    """The table of codes: a row an area, a column a severity."""
    table = page.partition("| area | error | warning | info |")[2]
    rows = [row.strip("|").split("|")[1:] for row in table.splitlines()[2:]]
    return {
        code: severity
        for row in rows
        for severity, cell in zip(SEVERITIES, row, strict=True)
        for code in re.findall(r"`([^`]+)`", cell)
    }


def test_a_finding_tells_what_applies_in_a_fixed_order() -> None:
    finding = Finding(
        code="loc.geen-https",
        at="2026-11-21T08:00:00+01:00",
        action="overgeslagen",
        seen="http://www.gemeente.nl/besluit.pdf",
        element="loc",
        line=12,
        sitemap="https://www.gemeente.nl/sitemap.xml",
        host="www.gemeente.nl",
        organisation="https://identifier.overheid.nl/tooi/id/gemeente/gm9999",
        url="http://www.gemeente.nl/besluit.pdf",
    )
    assert list(finding.as_dict().items()) == [
        ("code", "loc.geen-https"),
        ("severity", "error"),
        ("url", "http://www.gemeente.nl/besluit.pdf"),
        ("organisation", "https://identifier.overheid.nl/tooi/id/gemeente/gm9999"),
        ("host", "www.gemeente.nl"),
        ("sitemap", "https://www.gemeente.nl/sitemap.xml"),
        ("line", 12),
        ("element", "loc"),
        ("seen", "http://www.gemeente.nl/besluit.pdf"),
        ("action", "overgeslagen"),
        ("at", "2026-11-21T08:00:00+01:00"),
    ]


def test_what_does_not_apply_is_left_out_and_an_empty_text_applies() -> None:
    assert Finding(code="sitemap.leeg").as_dict() == {"code": "sitemap.leeg", "severity": "info"}
    lowered = Finding(code="register.domein-ontbreekt", lowered_to=Severity.INFO)
    assert lowered.as_dict() == {"code": "register.domein-ontbreekt", "severity": "info"}
    assert Finding(code="loc.ontbreekt", seen="").as_dict()["seen"] == ""
    line = json.dumps(Finding(code="lastmod.ongeldig", line=0, seen="gisteren").as_dict())
    assert line == '{"code": "lastmod.ongeldig", "severity": "warning", "line": 0, "seen": "gisteren"}'


def test_a_text_that_was_seen_is_cut_beyond_the_greatest_length() -> None:
    longest = "x" * SEEN_MAXLENGTH
    assert Finding(code="lastmod.ongeldig", seen=longest).seen == longest
    assert Finding(code="lastmod.ongeldig", seen=longest + "x").seen == longest[:-1] + "…"


#: Sources that are not published as a page of their own.
UNPUBLISHED = ("Vergunningen op Internet IPM 4.0", "Instelling WOO_", "Setting WOO_")


def test_a_source_has_the_address_of_its_page() -> None:
    for source, address in [
        (
            "Technische implementatie, paragraaf Schema",
            "https://standaarden.overheid.nl/diwoo/metadata/diwoo-handleiding-technische-implementatie",
        ),
        ("RFC 9309, 2.2.2", "https://www.rfc-editor.org/rfc/rfc9309#section-2.2.2"),
        ("RFC 6890", "https://www.rfc-editor.org/rfc/rfc6890"),
        ("sitemaps.org, Protocol", "https://www.sitemaps.org/protocol.html"),
        ("Instelling WOO_DOCUMENT_MAXSIZE", None),
    ]:
        assert source_links(source) == [(source, address)], source


def test_each_of_several_sources_has_its_own_address() -> None:
    assert source_links("RFC 9112, 8; sitemaps.org, Protocol; Elders") == [
        ("RFC 9112, 8", "https://www.rfc-editor.org/rfc/rfc9112#section-8"),
        ("sitemaps.org, Protocol", "https://www.sitemaps.org/protocol.html"),
        ("Elders", None),
    ]


def test_every_source_of_the_catalogue_is_a_link_or_unpublished() -> None:
    for lang in ["nl", "en"]:
        parts = {part for found in explanations(lang).values() for part in source_links(found.source)}
        without = [text for text, address in parts if address is None and not text.startswith(UNPUBLISHED)]
        assert without == [], (
            "add the page to the table in findings/sources.py, or its title to UNPUBLISHED here"
        )
