from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.utils.command import Run
from tests.utils.crawl import Crawl
from tests.utils.daily import FIRST, publish
from tests.utils.sites import MakeSite, write_register
from woo_harvester.demo.site import Site
from woo_harvester.extensions import figures as formatting
from woo_harvester.extensions.figures import Figures
from woo_harvester.extensions.summary import _lines, answer, summary
from woo_harvester.findings import Finding
from woo_harvester.permits.account import PermitAccount
from woo_harvester.report.funnel import Account

CODES = {"lastmod.ontbreekt": 1200, "titel.ontbreekt": 30, "loc.ongeldig": 2, "index.naam": 1}

TOTAL = Account(
    "",
    listed=1_215_366,
    new=12_034,
    changed=17,
    unchanged=1_203_103,
    lost={"document.leeg": 212},
    withdrawn=3,
)


def figures(**given: Any) -> Figures:
    defaults: dict[str, Any] = {
        "selected": 884,
        "done": 884,
        "complete": 871,
        "codes": CODES,
        "total": TOTAL,
    }
    return Figures("woo", 723, 15_000, 12_054, **{**defaults, **given})


def test_the_summary_has_hosts_documents_findings_and_the_report(tmp_path: Path) -> None:
    (tmp_path / "index.html").touch()
    assert summary(figures(), "finished", tmp_path).splitlines() == [
        "woo: finished in 12 min 03 s",
        "  hosts          884 of 884 hosts: 871 complete, 13 not",
        "  documents      1,215,366 listed, 212 not harvested",
        "                 12,034 new, 17 changed, 1,203,103 unchanged, 3 withdrawn",
        "  findings       3 errors, 30 warnings, 1,200 notices",
        "                 2 x loc.ongeldig (error)",
        "                 1 x index.naam (error)",
        "                 30 x titel.ontbreekt (warning)",
        "                 1,200 x lastmod.ontbreekt (notice)",
        f"  report         {tmp_path / 'index.html'}",
    ]


def test_what_is_delivered_again_and_what_is_left_out_are_counted_apart(tmp_path: Path) -> None:
    lines = summary(
        figures(again=1_203, total=TOTAL.model_copy(update={"left_out": 70})), "finished", tmp_path
    ).splitlines()
    assert lines[4:6] == [
        "                 1,203 of the unchanged delivered again, as asked",
        "                 70 entries left out, as asked: a later run may deliver more",
    ]


def test_a_run_that_chooses_documents_says_nothing_of_complete_hosts(tmp_path: Path) -> None:
    lines = summary(figures(is_choosing=True), "finished", tmp_path).splitlines()
    assert lines[1] == (
        "  hosts          884 of 884 hosts: withdrawals are not looked for, since the run chose documents"
    )


@pytest.mark.parametrize(
    ("account", "errors", "line"),
    [
        ({"listed": 0, "complete": True}, [], "0 documents, 0 new"),
        ({"listed": 412, "unchanged": 409, "new": 3}, [], "412 documents, 3 new"),
        (
            {"listed": 5, "changed": 2, "unchanged": 1, "withdrawn": 1, "left_out": 70},
            [],
            "5 documents, 0 new, 2 changed, 1 withdrawn, 70 left out, as asked, 2 not reached",
        ),
        (
            {"listed": 4, "lost": {"document.onbereikbaar": 2, "document.leeg": 1, "loc.ongeldig": 1}},
            [],
            "4 documents, 0 new, 4 not harvested (document.onbereikbaar, document.leeg, loc.ongeldig)",
        ),
        (
            {},
            [Finding(code="robots.ontbreekt", host="www.a.nl", seen="HTTP 404")],
            "nothing. There is no robots.txt in the root of this domain (HTTP 404)",
        ),
    ],
)
def test_a_host_that_was_asked_for_has_a_line(
    account: dict[str, Any], errors: list[Finding], line: str
) -> None:
    assert str(answer(Account("www.a.nl", **account), errors)) == f"www.a.nl: {line}"


@pytest.fixture
def ask(crawl: Crawl, tmp_path: Path) -> Callable[..., Run]:
    """Run over hosts that are asked for, with a register of one that is not."""
    register = write_register(tmp_path / "roo.xml", {"Raad": ["https://www.ver.example/"]})

    def run(hosts: str, *args: str, **settings: object) -> Run:
        given = ("-a", f"register={register}", "-a", f"domains={hosts}", "-a", "documents=none", *args)
        return crawl(*given, settings={"LOG_ENABLED": 0, **settings})

    return run


def test_a_run_over_hosts_ends_with_what_became_of_each(
    ask: Callable[..., Run], site: Site, make_site: MakeSite
) -> None:
    publish(site, {"a": FIRST, "b": None})
    other = make_site()
    done = ask(f"{site.host},{other.host}")
    assert done.returncode == 0
    assert done.stderr.splitlines()[-2:] == [
        f"{site.host}: 2 documents, 2 new",
        f"{other.host}: nothing. There is no robots.txt in the root of this domain (HTTP 404)",
    ]


def test_a_run_over_hosts_of_which_nothing_can_be_read_fails_with_the_cause(
    ask: Callable[..., Run], site: Site, make_site: MakeSite
) -> None:
    cause = "There is no robots.txt in the root of this domain (HTTP 404)"
    done = ask(site.host)
    assert done.returncode == 1
    assert done.stderr.count(cause) == 1
    assert done.stderr.endswith(f"\nscrapy crawl: error: nothing could be read of {site.host}: {cause}\n")
    both = ask(f"{site.host},{make_site().host}", WOO_SUMMARY=0)
    assert both.returncode == 1
    assert both.stderr.splitlines()[-1] == (
        f"scrapy crawl: error: nothing could be read of 2 hosts, such as {site.host}: {cause}"
    )


def test_a_choice_that_leaves_all_out_has_read_the_host(ask: Callable[..., Run], site: Site) -> None:
    publish(site, {"a": FIRST})
    done = ask(site.host, "-a", "since=2026-01-01")
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1] == f"{site.host}: 0 documents, 0 new, 1 left out, as asked"


def test_of_many_hosts_those_that_gave_nothing_come_first() -> None:
    read = [answer(Account(f"www.{number}.nl"), []) for number in range(30)]
    nothing = answer(Account("www.a.nl"), [Finding(code="robots.ontbreekt", host="www.a.nl")])
    lines = _lines([*read, nothing])
    assert lines[0] == str(nothing)
    assert lines[-1] == "11 more hosts are in the report"
    assert len(lines) == 21


def test_a_run_that_ended_early_says_why(tmp_path: Path) -> None:
    text = summary(figures(done=3, complete=3, codes={}), "shutdown", tmp_path)
    assert text.startswith("woo: ended early (shutdown) in 12 min 03 s\n  hosts          3 of 884 hosts: 3 ")
    assert text.endswith(f"findings       0 errors, 0 warnings, 0 notices\n  files          {tmp_path}")


def test_documents_that_the_index_refused_are_reported(tmp_path: Path) -> None:
    text = summary(figures(refused=1300), "finished", tmp_path)
    assert "  refused        1,300 by Elasticsearch: see the log\n" in text
    assert "by Elasticsearch" not in summary(figures(), "finished", tmp_path)


def test_a_spider_without_accounts_shows_its_records(tmp_path: Path) -> None:
    text = summary(figures(selected=None, total=None, codes={}), "finished", tmp_path)
    assert text.splitlines()[1] == "  records        12,054"


def test_what_a_pipeline_of_the_project_drops_is_in_the_sum(tmp_path: Path) -> None:
    text = summary(figures(dropped=1300), "finished", tmp_path)
    assert "1,203,103 unchanged, 3 withdrawn, 1,300 dropped by a pipeline\n" in text
    text = summary(figures(selected=None, total=None, codes={}, dropped=2), "finished", tmp_path)
    assert text.splitlines()[1] == "  records        12,054, 2 dropped by a pipeline"
    assert formatting.one_line(figures(total=None, dropped=2)) == "12,054 records, 2 dropped by a pipeline"


def test_the_summary_of_permits_has_files_and_cases(tmp_path: Path) -> None:
    hosts = {"selected": 40, "done": 40, "complete": 39}
    given: dict[str, Any] = {
        "listed": 18_204,
        "unchanged": 17_000,
        "applied": 788,
        "lost": {"ipm.schema": 212},
    }
    total = PermitAccount("", new=12_034, changed=17, withdrawn=3, **given)
    shown = figures(total=total, codes={}, dropped=2, **hosts)
    assert summary(shown, "finished", tmp_path).splitlines()[1:4] == [
        "  hosts          40 of 40 hosts: 39 complete, 1 not",
        "  files          18,204 listed, 17,000 unchanged, 212 not harvested",
        "  cases          12,034 new, 17 changed, 3 withdrawn, 2 dropped by a pipeline",
    ]
    assert formatting.one_line(shown) == (
        "files: 18,000 of 18,204 read, 17,000 unchanged, 212 not harvested; "
        "cases: 12,034 new, 17 changed, 3 withdrawn, 2 dropped by a pipeline"
    )


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (59.6, "1 min 00 s"), (200, "3 min 20 s"), (7500, "2 h 05 min")]
)
def test_durations_have_two_units_at_most(seconds: float, text: str) -> None:
    assert formatting.duration(seconds) == text


def test_a_count_of_one_has_a_singular_noun() -> None:
    assert formatting.counted(1, "host") == "1 host"
    assert formatting.counted(2000, "host") == "2,000 hosts"


@pytest.mark.parametrize("settings", [{"LOG_LEVEL": "CRITICAL"}, {"LOG_ENABLED": 0}, {"LOG_FILE": "run.log"}])
def test_it_is_there_whatever_the_log_level(
    crawl: Crawl, site: Site, tmp_path: Path, settings: dict[str, object]
) -> None:
    publish(site, {"a": FIRST, "b": None})
    register = write_register(tmp_path / "roo.xml", {"Raad": [site.url("/")]})
    done = crawl("-a", f"register={register}", "-a", "documents=none", settings=settings)
    assert done.report is not None
    first, hosts, documents, changes, *_, report = done.stderr.splitlines()
    assert re.fullmatch(r"woo: finished in \d+ s", first)
    assert hosts == "  hosts          1 of 1 host: 1 complete, 0 not"
    assert documents == "  documents      2 listed, 0 not harvested"
    assert changes == "                 2 new, 0 changed, 0 unchanged, 0 withdrawn"
    assert report == f"  report         {done.report / 'index.html'}"


def test_it_can_be_switched_off(crawl: Crawl, site: Site, tmp_path: Path) -> None:
    register = write_register(tmp_path / "roo.xml", {"Raad": [site.url("/")]})
    done = crawl("-a", f"register={register}", settings={"LOG_ENABLED": 0, "WOO_SUMMARY": 0})
    assert done.stderr == ""


def test_the_report_is_there_when_the_summary_names_it(crawl: Crawl, site: Site, tmp_path: Path) -> None:
    publish(site, {"a": FIRST})
    register = write_register(tmp_path / "roo.xml", {"Raad": [site.url("/")]})
    done = crawl("-a", f"register={register}", "-a", "documents=none", settings={"LOG_ENABLED": 0})
    assert done.report is not None
    assert (done.report / "index.html").exists()
    assert done.stderr.endswith(f"  report         {done.report / 'index.html'}\n")
