"""``scrapy audit`` of entry pages and permit messages: what a supplier learns before connecting."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from lxml import etree

from tests.integration.audits import Auditor, answer_of
from tests.utils.sites import MakeSite, write_register
from tests.utils.vergunningen import FOLDER, XML, about, case, publish
from woo_harvester.demo.permit_messages import delete_message, document_message
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.report.json_file import read_head, read_hosts
from woo_harvester.report.model import FindingRow, HostReport

pytestmark = pytest.mark.integration

#: A message with each mistake that makes it invalid, by code.
INVALID = {
    "ipm.schema": about(1).replace(b"dcterms:title", b"dcterms:titel"),
    "ipm.ongeldig": about(2)[:-40],
    "ipm.doctype": about(3).replace(b"?>\n", b'?>\n<!DOCTYPE message [<!ENTITY a "b">]>\n', 1),
    "ipm.te-groot": about(4).replace(b"</dcterms:title>", b"x" * 30_000 + b"</dcterms:title>"),
    "ipm.transactie": about(5, "Wijziging"),
    "ipm.identifier": about(6, identifier="zaken/6"),
    "ipm.datum": about(7, aanmaakdatum="1-4-2026"),
    "ipm.datum-toekomst": about(8, aanmaakdatum="2099-01-01"),
}
SMALL = {"WOO_MESSAGE_MAXSIZE": 20_000}


@pytest.fixture
def auditor(tmp_path: Path, ca_bundle: Path) -> Auditor:
    auditor = Auditor(tmp_path, ca_bundle)
    write_register(tmp_path / "register.xml", {"Gemeente Elders": ["https://www.elders.nl/woo"]})
    return auditor


def unwrapped(output: str) -> str:
    """Return output without the line ends that depend on the width of the terminal."""
    return " ".join(output.split())


def supplier(site: Site, files: Mapping[str, bytes | Page], robots: str = "User-agent: *\nAllow: /") -> Site:
    """Have the site list these messages."""
    site.pages["/robots.txt"] = Page(robots, content_type="text/plain")
    publish(site, files)
    return site


def written(folder: Path, files: Mapping[str, bytes]) -> Path:
    folder.mkdir(parents=True)
    for name, body in files.items():
        (folder / name).write_bytes(body)
    return folder


def rows(host: HostReport) -> dict[str, FindingRow]:
    return {row.code: row for row in host.findings}


def test_a_good_supplier_can_be_connected(auditor: Auditor, site: Site) -> None:
    besluit = document_message(case=case(1), identifier=case(1) + "/b.pdf")
    supplier(site, {"1.xml": about(1), "1-besluit.xml": besluit})
    answer = answer_of(run := auditor("--permits", site.url(FOLDER)))
    assert run.returncode == 0
    assert "Aansluitbaar: 2 berichten beoordeeld, zonder fouten." in unwrapped(run.stdout)
    host = answer.hosts[site.host]
    assert (host.kind, host.listed, host.harvested, host.score) == ("vergunningen", 2, 2, 100)
    assert (host.findings, host.complete, host.beyond_sample) == ([], True, 0)
    assert host.verdict is not None
    assert (host.verdict.connectable, host.verdict.in_the_way) == (True, [])
    assert host.verdict.text in answer.page(site)


def test_an_audit_leaves_nothing_but_its_report(auditor: Auditor, site: Site) -> None:
    supplier(site, {"1.xml": about(1)})
    for _ in range(2):
        run = auditor("--permits", site.url(FOLDER))
        assert answer_of(run).hosts[site.host].harvested == 1, "the state is not kept"
    assert not list(auditor.folder.rglob("*.sqlite"))
    assert not (auditor.folder / "records").exists()
    assert not (auditor.folder / "reports" / "history").exists()


def test_each_mistake_has_its_line_what_was_expected_and_the_fix(auditor: Auditor, site: Site) -> None:
    supplier(
        site, {f"{number}.xml": body for number, body in enumerate(INVALID.values())} | {"9.xml": about(9)}
    )
    answer = answer_of(run := auditor("--permits", site.url(FOLDER), **SMALL))
    assert run.returncode == 1
    host = answer.hosts[site.host]
    assert (host.listed, host.harvested) == (9, 1)
    found = rows(host)
    assert found.keys() >= INVALID.keys()
    assert host.verdict is not None
    assert host.verdict.connectable is False
    assert set(host.verdict.in_the_way) == INVALID.keys()
    page = answer.page(site)
    for number, code in enumerate(INVALID):
        row = found[code]
        assert row.url == site.url(f"{FOLDER}{number}.xml")
        assert code in page
        if code != "ipm.te-groot":
            assert row.line, code
        if code not in ("ipm.te-groot", "ipm.ongeldig"):
            assert row.expected, code
            assert row.snippet is not None, code
            assert "urlset" not in row.snippet.after
    schema = found["ipm.schema"].snippet
    assert schema is not None
    assert f"<dcterms:identifier>{case(1)}</dcterms:identifier>" in schema.before, "the sender's own XML"
    assert "<dcterms:title>" in schema.after


@pytest.mark.parametrize(("given", "numbers"), [("3", {0, 8, 9}), ("0", set(range(10)))])
def test_a_sample_is_the_newest_and_the_oldest(
    auditor: Auditor, site: Site, given: str, numbers: set[int]
) -> None:
    files = {f"{number}.xml": about(number) for number in range(10)}
    supplier(site, files)
    links = "\n".join(
        f'<a href="{name}">{name}</a>   {n + 1:02}-Apr-2026 10:00   2' for n, name in enumerate(files)
    )
    site.pages[FOLDER] = Page(f"<pre>{links}</pre>", content_type="text/html; charset=utf-8")
    run = auditor("--permits", site.url(FOLDER), "--sample", given)
    host = answer_of(run).hosts[site.host]
    asked = {request.path.rpartition("/")[2] for request in site.requests if request.path.endswith(".xml")}
    assert asked == {f"{number}.xml" for number in numbers}
    assert (host.listed, host.harvested, host.beyond_sample) == (
        len(numbers),
        len(numbers),
        10 - len(numbers),
    )
    assert ("een steekproef: de ingang noemt er 10" in unwrapped(run.stdout)) is (len(numbers) < 10)


@pytest.mark.parametrize(("messages", "harvested"), [(range(30), 3), ((1,), 0)])
def test_links_beyond_a_sample_are_not_judged(
    auditor: Auditor, site: Site, messages: range | tuple[int], harvested: int
) -> None:
    links = {
        f"zaak.php?id={number}": Page(about(number), content_type=XML)
        if number in messages
        else Page("een menu", content_type="text/html")
        for number in range(30)
    }
    supplier(site, links)
    run = auditor("--permits", site.url(FOLDER), "--sample", "3")
    host = answer_of(run).hosts[site.host]
    assert (host.listed, host.harvested, host.beyond_sample, host.passed_over, host.not_asked) == (
        harvested,
        harvested,
        0,
        0,
        27,
    )
    assert rows(host).keys() <= {"ipm.zonder-datum"}, "a message may be behind the others"
    assert host.verdict is not None
    assert host.verdict.connectable is (True if harvested else None)
    assert "Niet opgevraagd, en dus niet beoordeeld: 27 links" in unwrapped(run.stdout)


def test_a_sample_does_not_report_what_the_other_messages_would_explain(auditor: Auditor, site: Site) -> None:
    alone = {
        "0.xml": document_message(case=case(1), identifier=case(1) + "/b.pdf"),
        "1.xml": delete_message(identifier=case(2)),
        "2.xml": about(3),
    }
    supplier(site, alone)
    complete = rows(answer_of(auditor("--permits", site.url(FOLDER))).hosts[site.host])
    assert complete.keys() == {"ipm.document-zonder-zaak", "ipm.zaak-onbekend"}
    sample = answer_of(auditor("--permits", site.url(FOLDER), "--sample", "2")).hosts[site.host]
    assert rows(sample) == {}


def test_a_page_that_robots_txt_forbids_cannot_be_connected(auditor: Auditor, site: Site) -> None:
    supplier(site, {"1.xml": about(1)}, robots=f"User-agent: *\nDisallow: {FOLDER}")
    host = answer_of(run := auditor("--permits", site.url(FOLDER))).hosts[site.host]
    assert run.returncode == 1
    assert host.verdict is not None
    assert (host.verdict.connectable, host.verdict.in_the_way) == (False, ["robots.verboden"])
    assert not [request for request in site.requests if request.path != "/robots.txt"]


def test_messages_that_robots_txt_forbids_are_not_requested(auditor: Auditor, site: Site) -> None:
    supplier(site, {"1.xml": about(1)}, robots=f"User-agent: *\nDisallow: {FOLDER}1.xml")
    host = answer_of(auditor("--permits", site.url(FOLDER))).hosts[site.host]
    assert rows(host)["robots.verboden"].url == site.url(FOLDER + "1.xml")
    assert (host.listed, host.harvested) == (1, 0)


@pytest.mark.parametrize(
    ("page", "code"),
    [
        (Page("<p>Welkom</p>", content_type="text/html"), "ipm.ingang-zonder-links"),
        (Page(status=500), "ipm.ingang-onbereikbaar"),
        (Page(status=404), "ipm.ingang-onbereikbaar"),
    ],
    ids=["no links", "error", "not there"],
)
def test_an_entry_page_without_messages_cannot_be_connected(
    auditor: Auditor, site: Site, page: Page, code: str
) -> None:
    site.pages |= {"/robots.txt": Page("User-agent: *"), FOLDER: page}
    run = auditor("--permits", site.url(FOLDER), RETRY_TIMES=0)
    host = answer_of(run).hosts[site.host]
    assert (run.returncode, host.listed) == (1, 0)
    assert host.verdict is not None
    assert (host.verdict.connectable, host.verdict.in_the_way) == (False, [code])


def test_a_broken_file_is_named_and_the_others_are_judged(auditor: Auditor, site: Site) -> None:
    supplier(site, {"1.xml": about(1), "2.xml": Page(status=404)})
    host = answer_of(auditor("--permits", site.url(FOLDER))).hosts[site.host]
    assert (host.listed, host.harvested) == (2, 1)
    assert rows(host)["ipm.bericht-onbereikbaar"].url == site.url(FOLDER + "2.xml")


def test_a_private_address_is_audited_and_said_to_be_out_of_reach(auditor: Auditor, site: Site) -> None:
    supplier(site, {"1.xml": about(1)})
    run = auditor("--permits", site.url(FOLDER), WOO_ALLOW_PRIVATE_HOSTS=False)
    host = answer_of(run).hosts[site.host]
    assert rows(host).keys() == {"host.intern-adres"}
    assert host.harvested == 1
    assert host.verdict is not None
    assert host.verdict.in_the_way == ["host.intern-adres"]


def test_several_pages_are_audited_together(auditor: Auditor, make_site: MakeSite) -> None:
    good, bad = supplier(make_site(), {"1.xml": about(1)}), supplier(make_site(), {"2.xml": b"<message/>"})
    answer = answer_of(auditor("--permits", good.url(FOLDER), bad.url(FOLDER)))
    verdicts = {name: host.verdict and host.verdict.connectable for name, host in answer.hosts.items()}
    assert verdicts == {good.host: True, bad.host: False}


@pytest.mark.parametrize("form", ["json", "junit", "sarif"])
def test_other_programs_read_the_answer(auditor: Auditor, site: Site, form: str) -> None:
    supplier(site, {"1.xml": INVALID["ipm.datum"], "2.xml": about(2)})
    run = auditor("--permits", site.url(FOLDER), "--format", form, "--lang", "en")
    assert run.returncode == 1
    if form == "json":
        made = json.loads(run.stdout)
        (host,) = made["hosts"]
        assert (host["listed"], host["harvested"], host["verdict"]["connectable"]) == (2, 1, False)
        assert made["run"]["kind"] == "vergunningen"
        assert host["findings"][0]["expected"] == "a date such as 2009-09-01"
    elif form == "junit":
        suite = etree.fromstring(run.stdout.encode())[0]
        assert suite.get("name") == site.host
        assert "Not ready to be connected yet" in suite[0].findtext("system-out", "")
        assert suite[1].get("name") == "ipm.datum"
    else:
        (result,) = json.loads(run.stdout)["runs"][0]["results"]
        assert result["ruleId"] == "ipm.datum"
        assert "Expected was: a date such as 2009-09-01." in result["message"]["text"]


def test_the_answer_is_english_if_that_is_asked(auditor: Auditor, site: Site) -> None:
    supplier(site, {"1.xml": INVALID["ipm.schema"]})
    run = auditor("--permits", site.url(FOLDER), "--lang", "en")
    answer = answer_of(run)
    for text in (run.stdout, answer.page(site)):
        assert "Not ready to be connected yet. What is in the way:" in text
        assert "<title>, required for C and U" in text
        assert "seen: missing" in text
        assert "berichten" not in text.replace(site.url(FOLDER), "")


def test_a_warning_fails_an_audit_only_if_that_is_asked(auditor: Auditor, site: Site) -> None:
    strange = '<dcterms:spatial scheme="lijst 7">Voorbeeldstad</dcterms:spatial>'
    supplier(site, {"1.xml": about(1, kern=strange)})
    run = auditor("--permits", site.url(FOLDER))
    assert run.returncode == 0
    assert (
        "Aansluitbaar: 1 bericht beoordeeld, zonder fouten. Daarnaast te verbeteren: 1 waarschuwing."
        in unwrapped(run.stdout)
    )
    assert auditor("--permits", site.url(FOLDER), "--fail-on", "warning").returncode == 1


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["--permits", "www.a.nl/xml"], "--permits: expected the URL of an entry page, got 'www.a.nl/xml'"),
        (["--permits", "https://a:b@www.a.nl/"], "--permits: expected the URL of an entry page"),
        (["www.a.nl", "--permits", "https://www.a.nl/"], "audit domains and --permits one after the other"),
        (
            ["--sample", "3", "www.a.nl"],
            "--sample is the number of messages of --permits, which is not there",
        ),
        (["--permits", "https://www.a.nl/", "--sample", "-1"], "expected a whole number"),
        (["--permits", "https://www.a.nl/", "--sample", "veel"], "expected a whole number"),
        (["--permits"], "expected at least one argument"),
    ],
)
def test_a_wrong_argument_is_one_line(auditor: Auditor, args: list[str], line: str) -> None:
    run = auditor(*args)
    assert run.returncode == 2
    assert line in run.stderr
    assert "Traceback" not in run.stderr


def test_a_url_with_a_comma_is_one_page(auditor: Auditor, site: Site) -> None:
    supplier(site, {"1.xml": about(1)})
    site.pages["/xml,nieuw/"] = Page('<a href="/xml/1.xml">1</a>', content_type="text/html")
    assert answer_of(auditor("--permits", site.url("/xml,nieuw/"))).hosts[site.host].harvested == 1


def test_files_and_an_entry_page_are_audited_together(auditor: Auditor, site: Site) -> None:
    supplier(site, {"1.xml": about(1)})
    folder = written(auditor.folder / "klaar", {"2.xml": about(2), "3.xml": INVALID["ipm.datum"]})
    answer = answer_of(auditor("--permits", site.url(FOLDER), "--file", "klaar"))
    assert {name: host.listed for name, host in answer.hosts.items()} == {site.host: 1, folder.name: 2}


def test_the_same_mistake_in_a_file_has_the_same_finding(auditor: Auditor, site: Site) -> None:
    supplier(site, {f"{code}.xml": body for code, body in INVALID.items()})
    online = rows(answer_of(auditor("--permits", site.url(FOLDER), **SMALL)).hosts[site.host])
    written(auditor.folder / "klaar", {f"{code}.xml": body for code, body in INVALID.items()})
    offline = rows(answer_of(auditor("--file", "klaar", **SMALL)).hosts["klaar"])
    assert offline.keys() == online.keys() == INVALID.keys()
    for code in INVALID:
        mine, other = offline[code], online[code]
        assert (mine.line, mine.element, mine.seen, mine.expected) == (
            other.line,
            other.element,
            other.seen,
            other.expected,
        )
        assert (mine.snippet is None) == (other.snippet is None)


def test_a_folder_of_messages_and_sitemaps_is_judged_by_kind(auditor: Auditor) -> None:
    urlset = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>'
    written(auditor.folder / "klaar", {"1.xml": about(1), "2.xml": b"<message/>", "sitemap.xml": urlset})
    run = auditor("--file", "klaar", "--lang", "en")
    hosts = answer_of(run).hosts
    assert {name: (host.kind, host.listed) for name, host in hosts.items()} == {
        "klaar": ("woo", 0),
        "klaar (vergunningen)": ("vergunningen", 2),
    }
    assert rows(hosts["klaar (vergunningen)"]).keys() == {"ipm.schema"}
    assert "1 of the 2 messages is processed" in unwrapped(run.stdout)


@pytest.mark.parametrize("code", INVALID)
def test_no_advice_turns_a_message_into_a_sitemap(auditor: Auditor, code: str) -> None:
    (auditor.folder / "bericht.xml").write_bytes(INVALID[code])
    run = auditor("--file", "bericht.xml", "--json", **SMALL)
    made = json.loads(run.stdout)
    assert [row["code"] for row in made["hosts"][0]["findings"]] == [code]
    assert "urlset" not in run.stdout
    assert "sitemap" not in json.dumps([row.get("snippet") for row in made["hosts"][0]["findings"]])


def test_a_report_has_its_version_and_other_forms(auditor: Auditor, site: Site) -> None:
    supplier(site, {"1.xml": INVALID["ipm.datum"]})
    run = auditor("--permits", site.url(FOLDER))
    assert run.report is not None
    assert read_head(run.report / "report.json").run.kind == "vergunningen"
    assert [host.host for host in read_hosts(run.report / "report.json")] == [site.host]
    assert "ipm.datum" in (run.report / "report.csv").read_text(encoding="utf-8-sig")


def test_a_file_with_another_extension_is_read_if_it_is_xml(auditor: Auditor, site: Site) -> None:
    supplier(site, {"1": Page(about(1), content_type=XML)})
    host = answer_of(auditor("--permits", site.url(FOLDER))).hosts[site.host]
    assert (host.listed, host.harvested) == (1, 1)
