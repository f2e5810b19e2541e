from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from lxml import html

from tests.report.coverages import registered, run_with_each_gap, unread, write_whole_run
from tests.report.runs import HOST, about_document, about_host, read, write_run
from woo_harvester.findings import Finding, Language
from woo_harvester.report.assemble import assemble_report, make_report
from woo_harvester.report.funnel import Account
from woo_harvester.report.html import render
from woo_harvester.report.html.page import changed_lines, policy
from woo_harvester.report.model import Snippet

EVIL = '"><script>alert(1)</script><img src=x onerror=alert(1)>'


def page(tmp_path: Path, accounts: list[Account], *findings: Finding, lang: Language = "nl") -> str:
    folder = write_run(tmp_path / "woo-1", accounts, findings)
    assemble_report(folder)
    return render(folder, lang=lang).read_text(encoding="utf-8")


def words(text: str) -> str:
    """Return the text of a page as a person reads it."""
    document = html.fromstring(text)
    for element in document.xpath("//style | //script"):
        element.drop_tree()
    return " ".join(document.text_content().split())


def test_one_host_has_its_answer_at_the_top(tmp_path: Path) -> None:
    finding = about_document("loc.geen-https", url="http://www.a.nl/1.pdf", seen="http://www.a.nl/1.pdf")
    text = page(tmp_path, [read(harvested=9, findings=[finding])], finding)
    shown = words(text)
    assert "9 van de 10 vermelde documenten worden geoogst" in shown
    assert re.search(
        "Doe dit eerst ?[+]5,6 punten 1 document ?Schrijf het adres in <loc> met https://", shown
    )
    assert "Technische implementatie, paragraaf Protocol indicatie" in shown
    assert html.fromstring(text).findtext(".//h1") == HOST


def test_a_host_without_errors_is_described_in_words(tmp_path: Path) -> None:
    notice = about_document("creatiedatum.ontbreekt")
    shown = words(page(tmp_path, [read(harvested=2, findings=[notice])], notice))
    assert "100 van 100 punten · geen fouten en geen waarschuwingen, 1 ter informatie" in shown
    assert "Alle 2 vermelde documenten worden geoogst" in shown
    assert "Doe dit eerst" not in shown


def test_what_could_not_be_read_stands_beside_the_count(tmp_path: Path) -> None:
    finding = about_host("sitemap.ongeldig", url="https://www.a.nl/s.xml")
    shown = words(page(tmp_path, [read(harvested=2)], finding))
    assert "Sommige bestanden waren niet te lezen. Wat daarin staat, is niet meegeteld." in shown


def test_only_the_first_unreadable_files_are_shown_at_the_top(tmp_path: Path) -> None:
    codes = ("onbereikbaar", "ongeldig", "afgebroken", "wortelelement", "doctype", "te-groot")
    findings = [about_host(f"sitemap.{code}") for code in codes]
    assert "(1 keer) en nog 2" in words(page(tmp_path, [read(harvested=2)], *findings)).replace(")en", ") en")


def test_what_hides_the_rest_costs_all_of_it(tmp_path: Path) -> None:
    account = Account(HOST, visited=True, complete=False)
    shown = words(page(tmp_path, [account], about_host("robots.ontbreekt")))
    assert "Er wordt niets geoogst" in shown
    assert "+95 punten" in shown
    assert "niet aan toegekomen" in shown


def test_parts_that_do_not_apply_look_different_from_parts_that_passed(tmp_path: Path) -> None:
    shown = words(page(tmp_path, [read()], about_host("sitemap.leeg")))
    assert "Er staan geen documenten in de sitemaps" in shown
    assert "niet van toepassing" in shown
    assert "9 van de 14 onderdelen waren niet van toepassing en tellen niet mee." in shown
    assert "geen score" in shown
    assert "van toepassing zijn, is" not in shown


def test_a_host_without_documents_was_visited_all_the_same(tmp_path: Path) -> None:
    accounts = [read(), read("www.b.nl", harvested=1)]
    shown = words(page(tmp_path, accounts, about_host("robots.te-groot"), about_host("sitemap.leeg")))
    assert "niet bezocht" not in shown


def test_what_files_cannot_show_is_said_and_not_passed(tmp_path: Path) -> None:
    account = read(harvested=1)
    account.not_judged = ["register", "robots", "connection", "documents", "withdrawal"]
    text = page(tmp_path, [account])
    shown = words(text)
    rows = html.fromstring(text).xpath("//tr[@class='not_judged']")
    parts = ["Registratie in het ROO", "robots.txt", "Op te halen", "Intrekking"]
    assert [row.xpath("string(th)") for row in rows] == parts
    assert all(row.xpath("string(td[last()])") == "niet beoordeeld" for row in rows)
    assert "Niet beoordeeld, en niet in de score: de registratie in het ROO, robots.txt" in shown
    assert "Deze host is in deze ronde niet bezocht" not in shown


def test_several_hosts_have_an_overview_with_each_on_the_same_page(tmp_path: Path) -> None:
    finding = about_document("titel.ontbreekt")
    accounts = [read(harvested=1, findings=[finding]), read("www.b.nl:8443", harvested=1)]
    document = html.fromstring(page(tmp_path, accounts, finding))
    for link in document.xpath("//table[@id='tabel-hosts']//a/@href"):
        assert document.get_element_by_id(link.removeprefix("#")).tag == "article"
    assert not (tmp_path / "woo-1" / "hosts").exists()
    ids = document.xpath("//@id")
    assert len(ids) == len(set(ids))
    levels = [int(each.tag[1]) for each in document.xpath("//h1|//h2|//h3|//h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_the_page_needs_no_other_files(tmp_path: Path) -> None:
    finding = about_document("titel.ontbreekt")
    document = html.fromstring(page(tmp_path, [read(harvested=1, findings=[finding])], finding))
    assert document.xpath("//*[@src] | //link | //iframe | //object | //@style") == []
    assert document.xpath("//meta[@http-equiv='Content-Security-Policy']/@content") == [policy()]
    assert "default-src 'none'" in policy()
    assert "unsafe" not in policy()


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_what_publishers_wrote_is_never_markup(tmp_path: Path, lang: Language) -> None:
    findings = [
        about_document("loc.ongeldig", url=EVIL, seen=EVIL, action=EVIL),
        about_document("waarde.uri-onbekend", url="javascript:alert(1)", element="publisher", seen=EVIL),
        about_host("index.naam", url="javascript:alert(1)", seen=EVIL),
    ]
    account = read(harvested=1, findings=findings, body={"id": EVIL, "name": EVIL})
    account.sitemaps += 1
    other = read("www.b.nl", harvested=1, body={"id": EVIL, "name": EVIL})
    more = about_host("index.naam", host="www.b.nl", seen=EVIL)
    document = html.fromstring(page(tmp_path, [account, other], *findings, more, lang=lang))
    assert len(document.xpath("//script")) == 1
    assert document.xpath("//img | //@onerror") == []
    assert [link for link in document.xpath("//a/@href") if link.startswith("javascript")] == []


@pytest.mark.parametrize(
    ("lang", "source"), [("nl", "uit de tabel in de handleiding"), ("en", "of the table in the guide")]
)
def test_each_category_has_its_article_of_the_woo_and_the_page_says_where_that_is_from(
    tmp_path: Path, lang: Language, source: str
) -> None:
    unknown = read("www.b.nl", harvested=1)
    unknown.categories = {"https://identifier.overheid.nl/tooi/id/informatiecategorie_onbekend": 1}
    document = html.fromstring(page(tmp_path, [read(harvested=2), unknown], lang=lang))
    rows = document.xpath("//section[h2][.//th[text()='Informatiecategorie']]//tbody/tr/th")
    assert [row.text_content() for row in rows] == [
        "Woo-verzoeken en -besluiten Woo art. 3.3, 2, i",
        "onbekend",
    ]
    assert source in document.text_content()
    articles = document.xpath("//article//tbody/tr/th/span/text()")
    assert articles == ["Woo art. 3.3, 2, i"]


@pytest.mark.parametrize(
    ("lang", "short"),
    [
        ("nl", "organisaties zonder locatie: 1; hosts zonder robots.txt: 2, zonder sitemapindex: 1"),
        (
            "en",
            "organisations without a location: 1; hosts without robots.txt: 2, without a",
        ),
    ],
)
def test_a_run_over_the_register_has_a_coverage_page(tmp_path: Path, lang: Language, short: str) -> None:
    folder = run_with_each_gap(tmp_path / "woo-21")
    make_report(folder, lang=lang, history=False)
    overview = html.fromstring(folder.page.read_text(encoding="utf-8"))
    (link,) = overview.xpath("//a[@href='coverage.html']/..")
    assert short in link.text_content()
    document = html.fromstring(folder.coverage_page.read_text(encoding="utf-8"))
    assert document.get("lang") == lang
    tables = {
        section.get("id"): section.xpath(".//table[starts-with(@id, 'tabel-')]/tbody/tr/th/text()")
        for section in document.xpath("//section[@id]")
    }
    assert tables == {
        "no_location": ["Dienst"],
        "no_robots": ["geen-robots.nl", "kapot.nl"],
        "no_index": ["geen-index.nl"],
        "dead": ["dood.nl"],
    }
    (dead,) = document.xpath("//section[@id='dead']//tbody/tr")
    assert "https://dood.nl/woo" in dead.text_content()
    assert "Gemeente dood.nl" in dead.text_content()
    seen = "time-out" if lang == "nl" else "timeout"
    assert f"{seen} robots.onbereikbaar" in words(html.tostring(dead, encoding="unicode"))
    links = document.xpath("//a[@download]/@href")
    assert [(folder.path / name).is_file() for name in links] == [True] * 4


def test_a_gap_has_what_its_organisation_says_in_the_register(tmp_path: Path) -> None:
    one = registered("A", "https://nieuw.nl/woo")
    one.remarks["https://nieuw.nl/woo"] = "In <b>voorbereiding</b>"
    finding = about_host("robots.ontbreekt", host="nieuw.nl")
    run = write_whole_run(tmp_path / "woo-21", [one], [unread("nieuw.nl")], [finding])
    make_report(run)
    (row,) = html.fromstring(run.coverage_page.read_text(encoding="utf-8")).xpath(
        "//section[@id='no_robots']//tbody/tr"
    )
    assert "In het register staat: “In <b>voorbereiding</b>”" in row.text_content()
    assert "A. In het register" not in row.text_content()


def test_a_gap_of_several_organisations_says_whose_words_it_has(tmp_path: Path) -> None:
    both = [registered(name, "https://nieuw.nl/woo") for name in "AB"]
    both[1].remarks["https://nieuw.nl/woo"] = "In voorbereiding"
    finding = about_host("robots.ontbreekt", host="nieuw.nl")
    run = write_whole_run(tmp_path / "woo-21", both, [unread("nieuw.nl")], [finding])
    make_report(run)
    text = html.fromstring(run.coverage_page.read_text(encoding="utf-8")).text_content()
    assert "B. In het register staat: “In voorbereiding”" in text


def test_a_run_over_some_hosts_has_no_page_of_coverage(tmp_path: Path) -> None:
    text = page(tmp_path, [read(harvested=1)])
    assert "coverage.html" not in text
    assert not (tmp_path / "woo-1" / "coverage.html").exists()


def test_what_is_registered_is_never_markup(tmp_path: Path) -> None:
    evil = registered(EVIL, f"https://a.nl/{EVIL}", kind=EVIL)
    finding = about_host("robots.onbereikbaar", host="a.nl", seen=EVIL)
    folder = write_whole_run(
        tmp_path / "woo-21", [evil, registered("x" + EVIL, kind=EVIL)], [unread("a.nl")], [finding]
    )
    make_report(folder, history=False)
    document = html.fromstring(folder.coverage_page.read_text(encoding="utf-8"))
    assert len(document.xpath("//script")) == 1
    assert document.xpath("//img | //@onerror") == []


def test_english_is_english(tmp_path: Path) -> None:
    finding = about_document("titel.ontbreekt")
    text = page(tmp_path, [read(harvested=2, findings=[finding])], finding, lang="en")
    assert html.fromstring(text).get("lang") == "en"
    shown = words(text)
    assert "All 2 documents listed are harvested" in shown
    assert "The document has no <officieleTitel>." in shown


def test_findings_of_no_host_are_shown(tmp_path: Path) -> None:
    for accounts in ([read(harvested=1)], [read(harvested=1), read("b.nl", harvested=1)]):
        folder = tmp_path / str(len(accounts))
        shown = words(page(folder, accounts, Finding(code="register.onbereikbaar")))
        assert "De export van het Register van Overheidsorganisaties" in shown


def test_lines_that_changed_are_marked() -> None:
    sides = changed_lines(Snippet(before="a\nb\nc", after="a\nB\nc\nd"))
    assert sides == {
        "before": [(False, "a"), (True, "b"), (False, "c")],
        "after": [(False, "a"), (True, "B"), (False, "c"), (True, "d")],
    }
