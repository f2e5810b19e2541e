"""What a person sees while a run goes on, on a terminal of 80 columns and elsewhere."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.utils.command import Run, run_scrapy
from tests.utils.daily import numbered, publish
from tests.utils.sites import MakeSite, write_register
from tests.utils.terminal import COLUMNS, Terminal, run_on_terminal
from woo_harvester.demo.server import Authority
from woo_harvester.demo.site import Site
from woo_harvester.extensions.figures import Figures, _ahead
from woo_harvester.extensions.progress import Speed, progress_table
from woo_harvester.report.accounts import PermitAccount
from woo_harvester.report.funnel import HarvestKind

LINE = re.compile(
    r"(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d woo: (?P<done>\d+) of 2 hosts; (?P<new>\d+) new, 0 changed, "
    r"0 unchanged, 0 withdrawn, \d+ not harvested; [\d.]+ documents/s; (?P<errors>\d+) errors?; .+$"
)
NO_LINES = {"WOO_PROGRESS_INTERVAL": 0}


class Installation:
    """Two hosts, one with slow documents, so that the run can be observed while it is active."""

    def __init__(self, folder: Path, bundle: Path, site: Site, other: Site) -> None:
        publish(site, numbered(40))
        self.folder, self.bundle = folder, bundle
        bodies = {"Gemeente Haven": [site.url("/")], "Gemeente Dal": [other.url("/")]}
        register = write_register(folder / "register.xml", bodies)
        self.args = ["crawl", "woo", "-a", f"register={register}"]

    def run(self, *args: str, slow: bool = True, **settings: Any) -> Run:
        return run_scrapy([*self.args, *args], self.folder, self.bundle, settings=self.given(slow, settings))

    def watch(
        self, *args: str, slow: bool = True, env: dict[str, str] | None = None, **settings: Any
    ) -> tuple[Terminal, list[list[str]]]:
        """Run it on a terminal; what stood there at any moment, and what is left at the end."""
        seen: list[list[str]] = []

        def watch(terminal: Terminal) -> None:
            seen.append(terminal.shown)

        given = self.given(slow, settings)
        args = (*self.args, *args)
        return run_on_terminal(args, self.folder, self.bundle, settings=given, env=env, watch=watch), seen

    @staticmethod
    def given(slow: bool, settings: dict[str, Any]) -> dict[str, Any]:
        # Each of the 40 documents is asked for twice, so that a run takes four seconds: the display is drawn
        # once a second.
        return {**({"DOWNLOAD_DELAY": 0.05} if slow else {}), **settings}


@pytest.fixture
def installation(tmp_path: Path, ca_bundle: Path, site: Site, make_site: MakeSite) -> Installation:
    return Installation(tmp_path, ca_bundle, site, make_site())


@pytest.fixture(scope="module")
def watched(
    tmp_path_factory: pytest.TempPathFactory, ca: Authority, ca_bundle: Path
) -> tuple[Terminal, list[list[str]]]:
    """Return a run without a log, as a person saw it."""
    with Site(ca) as site, Site(ca) as other:
        installation = Installation(tmp_path_factory.mktemp("watched"), ca_bundle, site, other)
        return installation.watch(LOG_LEVEL="ERROR")


def shows(lines: list[str], *names: str) -> bool:
    """Return whether the display is shown, with these rows."""
    starts = {line.split(maxsplit=1)[0] for line in lines}
    return starts >= set(names)


def test_a_terminal_shows_how_far_the_run_is(watched: tuple[Terminal, list[list[str]]]) -> None:
    terminal, seen = watched
    assert terminal.returncode == 0
    displays = [lines for lines in seen if shows(lines, "woo", "documents", "speed", "findings")]
    assert displays
    at_last = {line.split(maxsplit=1)[0]: line.split(maxsplit=1)[1] for line in displays[-1]}
    left = r"about [^,]+ left|end not known yet|ending \(Ctrl-C: at once\)"
    assert re.fullmatch(rf"[12] of 2 hosts, [^,]+, ({left})", at_last["woo"])
    assert re.fullmatch(
        r"\d+ new, 0 changed, 0 unchanged, 0 withdrawn, \d+ not harvested", at_last["documents"]
    )
    assert at_last["speed"].endswith(" documents/s")
    assert at_last["findings"].startswith("1 error, ") or "errors" in at_last["findings"]


def test_only_the_summary_is_left_on_the_terminal(watched: tuple[Terminal, list[list[str]]]) -> None:
    terminal, _ = watched
    first, *rest = terminal.all_lines
    assert re.fullmatch(r"woo: finished in \d+ s", first)
    assert not shows(rest, "speed")
    assert max(map(len, terminal.all_lines)) <= COLUMNS
    assert b"\x1b[?25l" not in terminal.raw.rpartition(b"\x1b[?25h")[2], "the cursor is there again"


def test_the_log_stands_above_the_display_line_for_line(installation: Installation) -> None:
    terminal, seen = installation.watch(LOG_LEVEL="DEBUG")
    together = [
        lines for lines in seen if shows(lines, "woo", "speed") and any("DEBUG: Crawled" in x for x in lines)
    ]
    assert together
    for lines in together:
        place = next(number for number, line in enumerate(lines) if line.startswith("woo   "))
        assert not any("DEBUG: " in line for line in lines[place:])
    text = terminal.raw.decode()
    for number in range(40):
        assert len(re.findall(rf"DEBUG: Crawled \(404\) <HEAD https://\S+/d/doc{number}\.pdf>", text)) == 1


def test_the_log_of_a_run_on_a_terminal_is_in_its_folder_and_its_errors_are_shown(
    installation: Installation,
) -> None:
    history = installation.folder / "reports" / "history"
    history.mkdir(parents=True)
    (history / "woo-2020-01-01T00-00-00.000000.json.gz").write_bytes(b"geen gzip")  # a warning, then an error
    terminal, _ = installation.watch("-a", "documents=none", slow=False)
    assert b" ERROR: No report was made of " in terminal.raw
    assert not any(level in terminal.raw for level in (b" INFO: ", b" WARNING: "))
    (log,) = installation.folder.glob("reports/woo-*/run.log")
    assert f"  log            {log}, with 1 warning\r\n".encode() in terminal.raw
    lines = log.read_text()
    assert "The end of the run cannot be estimated from earlier ones: " in lines
    assert "Spider closed (finished)" in lines


@pytest.mark.parametrize("args", [("--verbose",), ("-L", "INFO"), ("-s", "LOG_LEVEL=INFO")])
def test_whoever_asks_for_the_log_has_it_on_the_terminal(
    installation: Installation, args: tuple[str, ...]
) -> None:
    terminal, _ = installation.watch(*args, "-a", "documents=none", slow=False)
    assert b" INFO: Spider closed (finished)" in terminal.raw
    assert list(installation.folder.glob("reports/woo-*/run.log")) == []


def test_without_a_terminal_the_log_is_on_stderr(installation: Installation) -> None:
    done = installation.run("-a", "documents=none", slow=False)
    assert " INFO: Spider closed (finished)" in done.stderr
    assert list(installation.folder.glob("reports/woo-*/run.log")) == []


def test_a_log_file_keeps_the_terminal_for_the_display(installation: Installation) -> None:
    terminal, seen = installation.watch("--logfile=run.log", LOG_LEVEL="DEBUG")
    assert any(shows(lines, "woo", "speed") for lines in seen)
    assert not any("DEBUG" in line for line in terminal.all_lines)
    log = (installation.folder / "run.log").read_text()
    assert "Spider closed (finished)" in log
    assert " documents/s" not in log
    assert "\x1b" not in log


@pytest.mark.parametrize(
    "given",
    [{"env": {"TERM": "dumb"}}, {"WOO_PROGRESS": 0}],
    ids=["a terminal that cannot", "switched off"],
)
def test_nothing_is_drawn_where_it_is_not_wanted(installation: Installation, given: dict[str, Any]) -> None:
    terminal, seen = installation.watch(LOG_LEVEL="ERROR", **given)
    assert not any(shows(lines, "speed") for lines in seen)
    assert b"\x1b[" not in terminal.raw
    assert terminal.all_lines[0].startswith("woo: finished in ")


def test_records_on_standard_output_are_not_mixed_with_progress(installation: Installation) -> None:
    terminal, seen = installation.watch(
        "-O", "-:jsonlines", "-a", "documents=none", LOG_LEVEL="ERROR", slow=False
    )
    assert not any(shows(lines, "speed") for lines in seen)
    assert terminal.raw.count(b'"weblocatie": ') == 40


def test_elsewhere_there_is_a_line_now_and_then(installation: Installation) -> None:
    done = installation.run(LOG_ENABLED=0, WOO_PROGRESS_INTERVAL=1)
    found = list(LINE.finditer(done.stderr))
    assert len(found) >= 2
    hosts_done = [int(each["done"]) for each in found]
    assert hosts_done == sorted(hosts_done)
    assert hosts_done[-1] >= 1  # of two; on a slow machine a line may come after both
    assert "\x1b" not in done.stderr
    assert done.stderr.splitlines()[len(found)].startswith("woo: finished in ")


@pytest.mark.parametrize("settings", [{"WOO_PROGRESS": 0, "WOO_PROGRESS_INTERVAL": 1}, NO_LINES])
def test_no_lines_where_they_are_off(installation: Installation, settings: dict[str, Any]) -> None:
    done = installation.run("-a", "documents=none", LOG_ENABLED=0, slow=False, **settings)
    assert done.stderr.startswith("woo: finished in ")


def test_a_run_that_cannot_start_shows_nothing(tmp_path: Path) -> None:
    args = ["crawl", "woo", "-a", f"register={tmp_path / 'none.xml'}"]
    terminal = run_on_terminal(args, tmp_path, settings={"LOG_LEVEL": "ERROR"})
    assert terminal.returncode == 1
    assert terminal.raw.startswith(b"scrapy crawl: error: ")
    assert b"\x1b" not in terminal.raw


def test_a_slow_host_is_named(installation: Installation) -> None:
    settings = {"DOWNLOAD_DELAY": 1.5, "CLOSESPIDER_PAGECOUNT": 6, "WOO_PROGRESS_INTERVAL": 1}
    done = installation.run(slow=False, LOG_ENABLED=0, **settings)
    assert re.search(
        r"; slowest: localhost:\d+ \(one request in 1\.5 s, 40 documents so far\)\n", done.stderr
    )


def test_two_runs_in_one_process_share_the_terminal(installation: Installation) -> None:
    script = installation.folder / "twee.py"
    script.write_text(TWO_RUNS)
    seen: list[list[str]] = []
    terminal = run_on_terminal(
        [installation.args[-1].partition("=")[2]],
        installation.folder,
        installation.bundle,
        script=script,
        watch=lambda terminal: seen.append(terminal.shown),
    )
    both = [lines for lines in seen if sum(line.startswith("speed ") for line in lines) == 2]
    assert both
    assert [line for line in terminal.all_lines if line.startswith("woo: finished in ")] != []
    assert sum(line.startswith("woo: finished in ") for line in terminal.all_lines) == 2
    assert not any(line.startswith("speed ") for line in terminal.shown)


TWO_RUNS = """
import sys
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.utils.project import get_project_settings

settings = get_project_settings()
shared = {"WOO_ALLOW_PRIVATE_HOSTS": 1, "AUTOTHROTTLE_ENABLED": 0, "DOWNLOAD_DELAY": 0.05}
settings.setdict({**shared, "LOG_LEVEL": "ERROR", "DELTAFETCH_ENABLED": False}, "cmdline")
process = AsyncCrawlerProcess(settings)
for _ in range(2):
    process.crawl("woo", register=sys.argv[1])
process.start()
"""


def figures(seconds: float, listed: int | None, requests: int = 0, **given: Any) -> Figures:
    defaults: dict[str, Any] = {"selected": 10, "done": 0, "complete": 0, "records": 0}
    return Figures("woo", seconds, requests, **{"read": listed or 0, **defaults, **given}, listed=listed)


def test_the_speed_is_that_of_the_last_half_minute() -> None:
    speed = Speed()
    assert speed(figures(0, 0)) == 0
    assert speed(figures(10, 100)) == 10
    assert speed(figures(40, 130)) == 1
    assert speed(figures(60, 1130)) == 50


def test_the_speed_of_a_spider_without_documents_is_in_requests() -> None:
    assert Speed()(figures(10, None, requests=50)) == 5


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({"done": 0}, None),
        ({"done": 5}, 100),
        ({"done": 9, "ahead": 3.0}, 300),
        ({"selected": None}, None),
    ],
)
def test_the_end_is_estimated_by_the_host_that_is_furthest_from_it(
    given: dict[str, Any], left: float | None
) -> None:
    assert figures(100, 1000, **given).seconds_left == left


def test_a_run_that_was_stopped_says_that_it_is_ending() -> None:
    shown = StringIO()
    Console(file=shown, width=COLUMNS).print(progress_table(figures(10, 5, is_ending=True), 1))
    assert "0 of 10 hosts, 10 s, ending (Ctrl-C: at once)" in shown.getvalue()


def test_the_end_of_permits_is_estimated_by_the_files_that_entry_pages_still_have() -> None:
    begun, done = PermitAccount("www.a.nl"), PermitAccount("www.b.nl", complete=True)
    for account in (begun, done):
        account.count_files(10)
    assert (begun.read, _ahead([begun, done], {})) == (0, None)
    begun.count_waiting()
    begun.count_entries(0, 1)
    assert (begun.read, _ahead([begun, done], {})) == (2, 4.0)
    assert figures(1, 20, kind=HarvestKind.PERMITS, read=2).handled == 2
    assert figures(1, 20, kind=HarvestKind.PERMITS).unit == "files"


def test_a_history_that_cannot_be_read_costs_the_estimate(installation: Installation) -> None:
    history = installation.folder / "reports" / "history"
    history.mkdir(parents=True)
    (history / "woo-2020-01-01T00-00-00.000000.json.gz").write_bytes(b"geen gzip")
    done = installation.run("-a", "documents=none", slow=False)
    assert done.returncode == 1  # no report can be made either
    assert "no report was made of" in done.stderr.splitlines()[-1]
    assert "The end of the run cannot be estimated from earlier ones: " in done.stderr
