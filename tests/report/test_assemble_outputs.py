from __future__ import annotations

from pathlib import Path

from lxml import html

from tests.report.runs import HOST, about_host, read, read_permits, write_run
from woo_harvester.report.assemble import make_report
from woo_harvester.report.funnel import Account
from woo_harvester.report.json_file import read_head


def test_everything_of_a_run_is_made(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "woo-1", [read(harvested=1), read("b.nl:8443", harvested=1)])
    assert make_report(folder) == folder.page
    assert {path.name for path in folder.path.iterdir()} == {
        "findings.jsonl",
        "hosts.jsonl",
        "stats.json",
        "report.json",
        "report.csv",
        "index.html",
    }
    assert [path.name for path in (tmp_path / "history").iterdir()] == ["woo-1.json.gz"]


def test_an_ad_hoc_report_leaves_no_history(tmp_path: Path) -> None:
    make_report(write_run(tmp_path / "woo-1", [read(harvested=1)]), history=False)
    assert [path.name for path in tmp_path.iterdir()] == ["woo-1"]


def test_a_report_can_be_made_again(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "woo-1", [read(harvested=1)], [about_host("robots.te-groot")])
    first = make_report(folder).read_text(encoding="utf-8")
    assert make_report(folder).read_text(encoding="utf-8") == first


def many(number: int) -> list[Account]:
    return [read(f"www.{each}.nl", harvested=1) for each in range(number)]


def links(page: Path) -> list[Path]:
    """Return the files to which the links of a page lead, without those to places in it."""
    hrefs = html.parse(page).xpath("//@href")
    return [page.parent / href.partition("#")[0] for href in hrefs if href[0] != "#" and "://" not in href]


def test_a_run_leaves_as_many_files_in_its_folder_however_many_hosts_it_has(tmp_path: Path) -> None:
    few, much = (make_report(write_run(tmp_path / f"woo-{n}", many(n))).parent for n in (3, 60))
    assert [path.name for path in sorted(much.iterdir())] == [path.name for path in sorted(few.iterdir())]
    assert len(list((tmp_path / "hosts").iterdir())) == 60


def test_the_page_of_a_host_is_that_of_the_last_run_and_links_lead_there_and_back(tmp_path: Path) -> None:
    for run in ("woo-1", "woo-2"):
        overview = make_report(write_run(tmp_path / run, many(60)))
    to_hosts = [path for path in links(overview) if path.parent.name == "hosts"]
    assert len(to_hosts) == 60
    for page in to_hosts:
        assert page.exists()
        assert {path.resolve() for path in links(page)} == {overview}


def test_a_report_that_is_not_the_current_one_has_the_pages_of_its_hosts_in_its_own_folder(
    tmp_path: Path,
) -> None:
    overview = make_report(write_run(tmp_path / "woo-1", many(60)), history=False)
    assert [path.name for path in tmp_path.iterdir()] == ["woo-1"]
    assert len(list((overview.parent / "hosts").iterdir())) == 60
    assert all(path.exists() for path in links(overview))


def test_pages_of_many_hosts_with_permits_lead_to_each_other(tmp_path: Path) -> None:
    accounts = [read_permits(f"www.{number}.nl") for number in range(60)]
    page = make_report(write_run(tmp_path / "vergunningen-1", accounts))
    pages = [found.resolve() for found in links(page)]
    assert (tmp_path / "hosts" / "vergunningen" / "www.7.nl.html") in pages
    assert all(found.exists() for found in pages)
    assert page in [found.resolve() for found in links(tmp_path / "hosts" / "vergunningen" / "www.7.nl.html")]


def test_the_accounts_say_what_a_run_of_a_spider_with_another_name_harvested(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "omgeving-1", [read_permits(HOST)])
    make_report(folder)
    assert read_head(folder.report).run.kind == "vergunningen"
