"""What a person sees while a run goes on, on a terminal of 80 columns and elsewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.utils.command import Run, environment, in_project, run_scrapy
from tests.utils.daily import numbered, publish
from tests.utils.forked_runs import Forked
from tests.utils.sites import MakeSite, write_register
from tests.utils.terminal import COLUMNS, Terminal, run_on_terminal
from woo_harvester.demo.server import Authority
from woo_harvester.demo.site import Site
from woo_harvester.extensions.figures import Figures
from woo_harvester.extensions.progress import progress_line
from woo_harvester.permits.account import PermitAccount
from woo_harvester.report.funnel import Account


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


SHOWN = re.compile(
    r"woo: (?P<done>[012]) of 2 hosts, \d+ s, (?P<errors>\d+) errors?(, ending \(Ctrl-C: at once\))?; "
    r"[\d.]+ documents/s; .*"
)


def shows(lines: list[str]) -> bool:
    """Return whether the last line on the terminal is that of progress."""
    return bool(lines) and SHOWN.fullmatch(lines[-1]) is not None


def test_a_terminal_shows_how_far_the_run_is_and_keeps_only_the_summary(
    watched: tuple[Terminal, list[list[str]]],
) -> None:
    terminal, seen = watched
    assert terminal.returncode == 0
    assert any(map(shows, seen))
    first, *rest = terminal.all_lines
    assert re.fullmatch(r"woo: finished in \d+ s", first)
    assert not any(map(SHOWN.fullmatch, rest))
    assert max(map(len, terminal.all_lines)) <= COLUMNS


def test_the_log_stands_above_the_line_of_progress(installation: Installation) -> None:
    terminal, seen = installation.watch(LOG_LEVEL="DEBUG")
    assert [lines for lines in seen if shows(lines) and any("DEBUG: Crawled" in line for line in lines)]
    assert "documents/s" not in "".join(terminal.all_lines)
    text = terminal.raw.decode()
    for number in range(40):
        assert len(re.findall(rf"DEBUG: Crawled \(404\) <HEAD https://\S+/d/doc{number}\.pdf>", text)) == 1


def test_a_terminal_shows_the_warnings_of_the_log_and_not_what_is_usual(installation: Installation) -> None:
    history = installation.folder / "reports" / "history"
    history.mkdir(parents=True)
    (history / "woo-2020-01-01T00-00-00.000000.json.gz").write_bytes(b"geen gzip")
    terminal, _ = installation.watch("-a", "documents=none", slow=False)
    assert b" WARNING: a damaged history of a run is now " in terminal.raw
    assert b" INFO: " not in terminal.raw


def test_without_a_terminal_there_are_a_few_lines_unless_someone_asks_for_the_log(
    installation: Installation,
) -> None:
    for more, has_log in [((), False), (("--verbose",), True)]:
        args = in_project([*installation.args, "-a", "documents=none", *more], installation.folder)
        done = Forked(args, installation.folder, environment(installation.bundle)).done(60)
        lines = done.stderr.splitlines()
        assert (done.returncode, lines[0].startswith("woo: finished in ")) == (0, not has_log)
        assert any("INFO: Spider closed (finished)" in line for line in lines) is has_log
        assert has_log or len(lines) <= 12


@pytest.mark.parametrize("args", [("--verbose",), ("-L", "INFO"), ("-s", "LOG_LEVEL=INFO")])
def test_whoever_asks_for_the_log_has_it_on_the_terminal(
    installation: Installation, args: tuple[str, ...]
) -> None:
    terminal, _ = installation.watch(*args, "-a", "documents=none", slow=False)
    assert b" INFO: Spider closed (finished)" in terminal.raw


def test_a_log_file_keeps_the_terminal_for_the_display(installation: Installation) -> None:
    terminal, seen = installation.watch("--logfile=run.log", LOG_LEVEL="DEBUG")
    assert any(map(shows, seen))
    assert not any("DEBUG" in line for line in terminal.all_lines)
    log = (installation.folder / "run.log").read_text()
    assert "Spider closed (finished)" in log
    assert " documents/s" not in log
    assert "\x1b" not in log


@pytest.mark.parametrize(
    "given",
    [{"env": {"TERM": "dumb"}}, {"WOO_PROGRESS_INTERVAL": 0}],
    ids=["a terminal that cannot", "switched off"],
)
def test_nothing_is_drawn_where_it_is_not_wanted(installation: Installation, given: dict[str, Any]) -> None:
    terminal, seen = installation.watch(LOG_LEVEL="ERROR", **given)
    assert not any(map(shows, seen))
    assert b"\x1b[" not in terminal.raw
    assert terminal.all_lines[0].startswith("woo: finished in ")


def test_records_on_standard_output_are_not_mixed_with_progress(installation: Installation) -> None:
    terminal, seen = installation.watch(
        "-O", "-:jsonlines", "-a", "documents=none", LOG_LEVEL="ERROR", slow=False
    )
    assert not any(map(shows, seen))
    assert terminal.raw.count(b'"weblocatie": ') == 40


def test_elsewhere_there_is_a_line_now_and_then(installation: Installation) -> None:
    done = installation.run(LOG_ENABLED=0, WOO_PROGRESS_INTERVAL=1)
    found = list(re.finditer(rf"(?m)^\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d {SHOWN.pattern}$", done.stderr))
    assert len(found) >= 2
    hosts_done = [int(each["done"]) for each in found]
    assert hosts_done == sorted(hosts_done)
    assert hosts_done[-1] >= 1  # of two; on a slow machine a line may come after both
    assert "\x1b" not in done.stderr
    assert done.stderr.splitlines()[len(found)].startswith("woo: finished in ")


def test_no_lines_where_they_are_off(installation: Installation) -> None:
    done = installation.run("-a", "documents=none", LOG_ENABLED=0, slow=False, WOO_PROGRESS_INTERVAL=0)
    assert done.stderr.startswith("woo: finished in ")


def test_a_run_that_cannot_start_shows_nothing(tmp_path: Path) -> None:
    args = ["crawl", "woo", "-a", f"register={tmp_path / 'none.xml'}"]
    terminal = run_on_terminal(args, tmp_path, settings={"LOG_LEVEL": "ERROR"})
    assert terminal.returncode == 1
    assert b"scrapy crawl: error: " in terminal.raw
    assert b"\x1b" not in terminal.raw


def test_the_line_of_each_kind_of_run() -> None:
    def line(**given: Any) -> str:
        given = {"selected": 884, "done": 312, "complete": 300, "records": 7, **given}
        return progress_line(Figures("x", 723.0, 1446, **given))

    total = Account("", listed=9000, new=1204, unchanged=6000, lost={"document.leeg": 26})
    assert line(total=total, codes={"loc.ongeldig": 1}) == (
        "x: 312 of 884 hosts, 12 min 03 s, 1 error; 10 documents/s; "
        "1,204 new, 0 changed, 6,000 unchanged, 0 withdrawn, 26 not harvested"
    )
    assert line(total=PermitAccount("", listed=9000, applied=723), is_ending=True) == (
        "x: 312 of 884 hosts, 12 min 03 s, 0 errors, ending (Ctrl-C: at once); 1.0 files/s; "
        "files: 723 of 9,000 read, 0 unchanged, 0 not harvested; cases: 0 new, 0 changed, 0 withdrawn"
    )
    assert line(selected=None) == "x: 1,446 requests, 12 min 03 s, 0 errors; 2.0 requests/s; 7 records"
