"""The overview: verdict, worst hosts and heaviest faults first, then the funnel, then everything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lxml import html
from lxml.html import HtmlElement

from tests.report.html.test_page import words
from tests.report.runs import about_document, about_file, about_host, read, read_permits, write_run
from woo_harvester.findings import Finding, Language
from woo_harvester.report.assemble import make_report
from woo_harvester.report.funnel import Account
from woo_harvester.report.html.page import FIRST_ROWS, ONE_PAGE_HOSTS
from woo_harvester.report.run_folder import AUDIT


def overview(
    tmp_path: Path,
    accounts: list[Account],
    *findings: Finding,
    lang: Language = "nl",
    name: str = "woo-2",
    **stats: Any,
) -> HtmlElement:
    run = write_run(tmp_path / name, accounts, findings, **stats)
    return html.fromstring(make_report(run, lang=lang).read_text(encoding="utf-8"))


def shown(element: HtmlElement) -> str:
    return words(html.tostring(element, encoding="unicode"))


def sections(page: HtmlElement) -> list[str]:
    """Return the headings of the overview, in their order."""
    return [str(each.text_content()) for each in page.xpath("//main//h2[not(ancestor::article)]")]


def hosts(number: int, *, bad: int = 0) -> tuple[list[Account], list[Finding]]:
    """Return hosts with a document each; of the first ones nothing is harvested."""
    findings = [about_host("robots.ontbreekt", f"bad-{each}.nl") for each in range(bad)]
    accounts = [Account(f"bad-{each}.nl", visited=True, complete=False) for each in range(bad)]
    accounts += [read(f"good-{each}.nl", harvested=1) for each in range(number - bad)]
    return accounts, findings


@pytest.mark.parametrize(
    ("lang", "verdict"),
    [
        ("nl", "Alle 9 vermelde documenten worden geoogst, maar van 3 van de 12 hosts niets"),
        ("en", "All 9 documents listed are harvested, but nothing from 3 of the 12 hosts"),
    ],
)
def test_one_sentence_gives_the_verdict(tmp_path: Path, lang: Language, verdict: str) -> None:
    accounts, findings = hosts(12, bad=3)
    page = overview(tmp_path, accounts, *findings, lang=lang)
    assert " ".join(page.findtext(".//p[@class='headline']", "").split()) == verdict


def test_a_run_without_faults_names_no_worst_hosts_and_no_faults(tmp_path: Path) -> None:
    page = overview(tmp_path, hosts(12)[0])
    verdict = page.findtext(".//p[@class='headline']", "").strip()
    assert verdict == "Alle 12 vermelde documenten worden geoogst"
    assert sections(page)[:3] == ["In één oogopslag", "Van vermeld naar geoogst", "Hosts"]


def test_of_many_hosts_the_worst_come_first_then_the_faults_the_funnel_and_the_table(tmp_path: Path) -> None:
    accounts, findings = hosts(12, bad=7)
    page = overview(tmp_path, accounts, *findings)
    assert sections(page)[:6] == [
        "In één oogopslag",
        "Slechtste hosts",
        "Zwaarste fouten",
        "Van vermeld naar geoogst",
        "Hosts",
        "Zelfde fout bij meer hosts",
    ]
    worst = page.xpath("//section[@id='slechtste']//li")
    assert [each.findtext(".//a") for each in worst] == [f"bad-{number}.nl" for number in range(5)]
    assert "Er wordt niets geoogst In de root van dit domein staat geen robots.txt." in shown(worst[0])
    assert page.xpath("//section[@id='slechtste']//a[@href='#hosts']/text()") == ["Alle 12 hosts"]


def test_of_few_hosts_the_table_is_complete_and_stands_before_the_faults(tmp_path: Path) -> None:
    accounts, findings = hosts(4, bad=1)
    page = overview(tmp_path, accounts, *findings)
    headings = ["In één oogopslag", "Hosts", "Zwaarste fouten", "Van vermeld naar geoogst"]
    assert sections(page)[:4] == headings
    assert page.xpath("//section[@id='slechtste']") == []
    row = page.xpath("//table[@id='tabel-hosts']/tbody/tr")[0]
    assert row.xpath("*[1]/@class") == ["right points"]
    assert [(each.get("data-l"), each.text) for each in row.xpath("td[@data-l]")] == [
        ("vermeld", "0"),
        ("geoogst", "niets"),
        ("niet geoogst", "100%"),
        ("fouten", "1"),
        ("waarschuwingen", "0"),
    ]
    assert page.xpath("//*[@class='trend']") == [], "of a first run"


def test_a_host_that_lists_no_documents_and_has_no_faults_is_not_among_the_worst(tmp_path: Path) -> None:
    accounts, findings = hosts(12, bad=1)
    page = overview(tmp_path, [*accounts, read("empty.nl")], *findings)
    assert page.xpath("//section[@id='slechtste']//li//a/text()") == ["bad-0.nl"]


def test_a_heavy_fault_says_what_fixing_it_gives_and_leads_to_its_hosts(tmp_path: Path) -> None:
    accounts, findings = hosts(ONE_PAGE_HOSTS + 1, bad=25)
    missing = about_document("titel.ontbreekt", "good-0.nl")
    page = overview(tmp_path, accounts, *findings, missing)
    first, second = page.xpath("//section[@id='zwaarste']//li[div]")
    assert "Fout samen +2.375 punten In de root van dit domein staat geen robots.txt." in shown(first)
    assert first.findtext(".//summary") == "25 hosts, 25 keer"
    links = first.xpath(".//a/@href")
    assert links == [f"../hosts/bad-{number}.nl.html" for number in range(20)]
    assert "en nog 5" in shown(first)
    assert second.xpath(".//details") == []
    assert second.xpath(".//a/@href") == ["../hosts/good-0.nl.html"]


def test_a_gain_of_less_than_a_tenth_is_written_in_words(tmp_path: Path) -> None:
    finding = about_document("titel.ontbreekt")
    text = shown(overview(tmp_path, [read(harvested=5000, findings=[finding])], finding))
    assert "minder dan 0,1 punt" in text
    assert "+<0,1" not in text


def test_the_figures_are_grouped_and_written_as_the_language_does(tmp_path: Path) -> None:
    accounts, findings = hosts(12, bad=2)
    accounts.append(read("much.nl", unchanged=1234))
    page = overview(tmp_path, accounts, *findings)
    groups = {
        group.findtext("h3"): dict(zip(group.xpath(".//dt/text()"), group.xpath(".//dd/text()"), strict=True))
        for group in page.xpath("//div[@class='groups']/section")
    }
    assert groups == {
        "Documenten": {
            "vermeld": "1.244",
            "geoogst": "1.244",
            "nieuw": "10",
            "gewijzigd": "0",
            "ingetrokken": "0",
        },
        "Hosts": {"bezocht": "13", "waarvan niets geoogst": "2", "niet helemaal gelezen": "2"},
        "Bevindingen": {"fouten": "2", "waarschuwingen": "0", "ter informatie": "0"},
    }


def test_steps_of_the_funnel_without_a_loss_are_folded_together(tmp_path: Path) -> None:
    finding = about_document("format.niet-ondersteund")
    page = overview(tmp_path, [read(harvested=3, findings=[finding])], finding)
    steps = page.xpath("//ol[@class='funnel']/li")
    assert [shown(each.xpath(".//*[@class='step' or self::summary]")[0]) for each in steps] == [
        "Vermeld in een sitemap4",
        "Bruikbaar adres, toegestaan, op te halen: hier valt niets af",
        "Geoogst3",
    ]
    assert "Toegestaan: 4" in shown(steps[1])
    assert "Een volledig https-adres." in shown(steps[1])


def test_a_step_with_a_loss_stays_between_folded_ones(tmp_path: Path) -> None:
    finding = about_host("robots.verboden", sitemap="https://www.a.nl/s.xml")
    page = overview(tmp_path, [read(harvested=3, findings=[finding])], finding)
    is_folded = [bool(each.xpath("details")) for each in page.xpath("//ol[@class='funnel']/li")]
    assert is_folded == [False, True, False, True, False]


@pytest.mark.parametrize("number", [1, 4])
def test_the_trend_stands_beside_the_headline(tmp_path: Path, number: int) -> None:
    accounts, _ = hosts(number)
    make_report(write_run(tmp_path / "woo-1", accounts, finish_time="2026-11-20T08:00:00+01:00"))
    page = overview(tmp_path, accounts)
    assert page.xpath("//h3[.='In de tijd'] | //h2[.='In de tijd']") == []
    first = page.xpath("//div[@class='beside']")[0]
    assert first.xpath(".//p[@class='headline']")
    assert f"Geoogst: van {number} naar {number} sinds 20-11-2026" in shown(first)
    rows = first.xpath(".//details//tbody/tr/th/text()")
    assert rows == ["21-11-2026 08:00", "20-11-2026 08:00"]


def test_all_hosts_are_in_the_page_and_the_table_says_how_many_to_show_first(tmp_path: Path) -> None:
    accounts, _ = hosts(FIRST_ROWS + 11)
    page = overview(tmp_path, accounts)
    (table,) = page.xpath("//table[@id='tabel-hosts']")
    assert len(table.xpath("tbody/tr[not(@hidden) and not(@class)]")) == FIRST_ROWS + 11
    assert (table.get("data-first"), table.get("data-all")) == (str(FIRST_ROWS), "Toon alle {n}")


def test_the_rule_of_a_finding_is_a_link_where_it_is_public(tmp_path: Path) -> None:
    findings = [about_host("host.prive-adres"), about_document("document.te-groot")]
    page = overview(tmp_path, [read(harvested=1, findings=findings)], *findings)
    rules = {
        each.xpath("string(code)"): [(link.text, link.get("href")) for link in each.xpath(".//a")]
        for each in page.xpath("//details//dt[.='De regel']/following-sibling::dd[1]")
    }
    assert rules == {
        "host.prive-adres": [("RFC 6890, 2.2", "https://www.rfc-editor.org/rfc/rfc6890#section-2.2")],
        "document.te-groot": [],
    }


def test_a_fault_of_the_run_itself_stands_below_the_verdict(tmp_path: Path) -> None:
    of_one = Finding(code="register.url-ongeldig", seen="geen")
    page = overview(tmp_path, hosts(4)[0], Finding(code="register.onbereikbaar"), of_one)
    (line,) = page.xpath("//div[@class='beside']//p[contains(@class, 'blind')]")
    assert "De export van het Register van Overheidsorganisaties" in shown(line)
    (link,) = line.xpath("a/@href")
    section = page.get_element_by_id(link.removeprefix("#"))
    assert len(section.xpath(".//details")) == 2


@pytest.mark.parametrize(
    ("lang", "verdict", "messages", "cases"),
    [
        ("nl", "3 van de 5 vermelde berichten zijn verwerkt", "Berichten", "Zaken"),
        ("en", "3 of the 5 messages listed are processed", "Messages", "Cases"),
    ],
)
def test_a_report_of_permits_counts_messages_and_cases(
    tmp_path: Path, lang: Language, verdict: str, messages: str, cases: str
) -> None:
    findings = [about_file("ipm.schema", host) for host in ("www.a.nl", "www.b.nl")]
    accounts = [read_permits(each.host or "", each) for each in findings] + [read_permits("www.c.nl")]
    page = overview(tmp_path, list(accounts), *findings, lang=lang, name="vergunningen-1")
    assert " ".join(page.xpath("//p[@class='headline']")[0].text_content().split()) == verdict
    groups = {
        group.findtext("h3"): group.xpath(".//dd/text()")
        for group in page.xpath("//div[@class='groups']/section")
    }
    assert groups.items() >= {messages: ["5", "3"], cases: ["3", "0", "0"]}.items()
    assert "Gemeente A" in shown(page.xpath("//table[@id='tabel-hosts']")[0])
    text = shown(page.xpath("//main")[0]).lower()
    for word in ("sitemap", "informatiecategorie", "geoogst", "publisher"):
        assert word not in text, word


@pytest.mark.parametrize("name", ["woo-1", "vergunningen-1"])
@pytest.mark.parametrize("number", [1, 2, ONE_PAGE_HOSTS + 1])
def test_an_audit_is_called_so_and_says_nothing_of_what_is_new_or_withdrawn(
    tmp_path: Path, name: str, number: int
) -> None:
    names = [f"www.host{each}.nl" for each in range(number)]
    accounts = [read(host, harvested=3) if name == "woo-1" else read_permits(host) for host in names]
    audit: dict[str, Any] = {AUDIT: 1}
    overview(tmp_path, accounts, name=name, **audit)
    pages = [html.fromstring(path.read_text(encoding="utf-8")) for path in tmp_path.rglob("*.html")]
    assert len(pages) == 1 + number * (number > ONE_PAGE_HOSTS)
    for each in pages:
        assert shown(each.xpath("//title")[0]).startswith("Auditverslag")
        assert "Oogstverslag" not in shown(each)
        for word in ("nieuw", "gewijzigd", "ingetrokken", "Zaken"):
            assert word not in shown(each.xpath("//div[@class='glance' or @class='groups']")[0]), word
    harvest = overview(tmp_path, accounts, name=name.replace("1", "2"))
    assert "ingetrokken" in shown(harvest.xpath("//div[@class='glance' or @class='groups']")[0])
    assert shown(harvest.xpath("//title")[0]).startswith("Oogstverslag")


def test_organisations_with_entry_pages_on_one_host_are_named(tmp_path: Path) -> None:
    shared = read_permits("www.bedrijf.nl")
    for number in range(2, 6):
        shared.add_organisation(str(number), f"Gemeente {number}")
    page = overview(tmp_path, [shared, read_permits("www.b.nl")], name="vergunningen-1")
    assert "Gemeente Bedrijf, Gemeente 2, Gemeente 3 en nog 2" in shown(page.get_element_by_id("tabel-hosts"))
