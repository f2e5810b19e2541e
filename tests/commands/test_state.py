"""``scrapy state``: what it shows and does, and how it refuses."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from scrapy.cmdline import execute
from scrapy.settings import Settings
from sqlalchemy import select

from tests.conftest import ROOT
from tests.state.knowledge import DAY, HARVESTED, LASTMOD, harvest, locs, miss, see, sitemap_of
from tests.state.processes import LOCKING, WRITING, running
from woo_harvester.dates import from_microseconds
from woo_harvester.register.shards import shard_of
from woo_harvester.state import schema
from woo_harvester.state.confirmation import confirm_withdrawn
from woo_harvester.state.documents import look_up
from woo_harvester.state.listings import CONFIRMED
from woo_harvester.state.resources import keep_read
from woo_harvester.state.store import State
from woo_harvester.urls import record_id


class Done(NamedTuple):
    """What the command did."""

    status: int
    stdout: str
    stderr: str


class Shell:
    """Runs ``scrapy state`` in this process, in a folder of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.file = folder / ".scrapy" / "woo-state.sqlite"
        self._capsys = capsys

    def __call__(self, *args: str) -> Done:
        settings = Settings()
        settings.setmodule("woo_harvester.settings", priority="project")
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            execute(["scrapy", "state", *args], settings)
        out, err = self._capsys.readouterr()
        return Done(int(caught.value.code or 0), out, err)

    def fill(self, fill: Callable[[Any], object]) -> None:
        state = State.open(f"sqlite:///{self.file}")
        with state.begin() as connection:
            fill(connection)
        state.close()

    def locs(self) -> list[str]:
        state = State.open(f"sqlite:///{self.file}")
        with state.begin() as connection:
            found = connection.execute(select(schema.documents.c.loc)).scalars().all()
        state.close()
        return sorted(found)


@pytest.fixture
def state(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "woo_harvester.settings")
    return Shell(tmp_path, capsys)


@pytest.fixture
def filled(state: Shell) -> Shell:
    """Two hosts: one with two pending withdrawals and a withdrawn document, one that is new."""

    def fill(connection: Any) -> None:
        sitemap = sitemap_of(connection)
        keys = harvest(connection, sitemap, locs(5))
        confirm_withdrawn(connection, dict.fromkeys(keys[:1], HARVESTED + 5))
        miss(connection, {sitemap: keys[3:]})
        see(connection, sitemap_of(connection, "www.b.nl:8443"), locs(2, "www.b.nl:8443"))

    state.fill(fill)
    return state


def record(loc: str, cause: str = "aanlevering") -> str:
    herkomst = {"opgehaald": "2023-11-14T23:15:00+01:00", "lastmod": from_microseconds(LASTMOD).isoformat()}
    versions = [{"oorzaak": cause, "openbaarmakingsdatum": DAY}]
    return json.dumps(
        {"id": record_id(loc), "document": {"weblocatie": loc}, "versies": versions, "herkomst": herkomst}
    )


def refused(done: Done, line: str, status: int = 2) -> bool:
    return done == (status, "", f"scrapy state: error: {line}\n")


# The table


def test_hosts_are_shown_in_a_table(filled: Shell) -> None:
    assert filled() == (
        0,
        "host          documents withdrawn   pending complete read\n"
        "a.nl                  4         1         2 2023-11-14 23:15\n"
        "www.b.nl:8443         0         0         - never\n"
        "2 hosts, 4 documents, 1 withdrawn\n",
        "",
    )


def test_the_table_fits_eighty_columns_whatever_the_hosts(state: Shell) -> None:
    hosts = [f"{'x' * size}.nl" for size in (1, 30, 31, 60)]
    state.fill(lambda connection: [sitemap_of(connection, host) for host in hosts])
    lines = state().stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if line in hosts] == hosts[2:]
    assert len(lines) == 1 + 4 + 2 + 1


def test_a_state_in_which_nothing_is_known_is_an_empty_table(state: Shell) -> None:
    state.fill(lambda connection: None)
    assert state().stdout == (
        "host documents withdrawn   pending complete read\n0 hosts, 0 documents, 0 withdrawn\n"
    )


def test_without_a_state_the_command_says_so_and_makes_none(state: Shell) -> None:
    line = f"there is no state at {state.file}: the first run makes it (setting WOO_STATE_URL)"
    for args in ([], ["export"], ["forget", "a.nl"], ["confirm", "a.nl"], ["restore", "a.nl"]):
        assert refused(state(*args), line, status=1)
    assert not state.file.parent.exists()


def test_a_state_elsewhere_is_read_by_its_setting(filled: Shell) -> None:
    other = filled.folder / "elders.sqlite"
    filled.file.rename(other)
    assert filled("-s", f"WOO_STATE_URL=sqlite:///{other}").stdout.startswith("host")
    assert filled("-s", f"WOO_DATA_DIR={filled.folder / 'leeg'}").status == 1


def test_where_the_state_is_off_the_command_says_so(filled: Shell) -> None:
    done = filled("-s", "DELTAFETCH_ENABLED=0")
    assert refused(done, "DELTAFETCH_ENABLED is off, so there is no state", status=1)


def test_a_damaged_state_is_one_line(filled: Shell) -> None:
    filled.file.write_bytes(b"geen database " * 900)
    done = filled()
    assert done.status == 1
    assert "is damaged" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_state_that_a_run_is_using_can_be_read(filled: Shell) -> None:
    with running(LOCKING, filled.file, "a.nl", "www.b.nl:8443"):
        assert filled().status == 0
        assert filled("export").status == 0


# Moving


@pytest.mark.parametrize("name", ["staat.jsonl", "staat.csv"])
def test_a_state_moves_by_way_of_a_file(filled: Shell, name: str) -> None:
    before = filled("export").stdout
    assert filled("export", name) == (0, "", "Exported 7 documents.\n")
    filled.file.unlink()
    for _ in range(2):
        assert filled("import", name) == (0, "", "Imported 2 hosts with 7 documents.\n")
        assert filled("export").stdout == before


def test_an_export_to_a_pipe_is_in_the_format_that_is_asked_for(filled: Shell) -> None:
    lines = [json.loads(line) for line in filled("export").stdout.splitlines()]
    assert [line["kind"] for line in lines].count("document") == 7
    rows = list(csv.DictReader(filled("export", "--format", "csv").stdout.splitlines()))
    assert [row["kind"] for row in rows] == [line["kind"] for line in lines]


def test_one_host_is_exported(filled: Shell) -> None:
    done = filled("export", "--host", "https://WWW.b.nl:8443/")
    assert {json.loads(line)["host"] for line in done.stdout.splitlines()} == {"www.b.nl:8443"}
    assert done.stderr == "Exported 2 documents.\n"


def test_an_export_that_fails_leaves_the_earlier_file(filled: Shell) -> None:
    (filled.folder / "staat.csv").write_text("eerder")
    assert filled("export", "staat.csv", "--host", "x.nl").status == 2
    assert (filled.folder / "staat.csv").read_text() == "eerder"
    assert sorted(path.name for path in filled.folder.iterdir()) == [".scrapy", "staat.csv"]


def test_a_file_that_cannot_be_written_is_one_line(filled: Shell) -> None:
    done = filled("export", "nergens/staat.csv")
    assert refused(done, "nergens/staat.csv.part: No such file or directory", status=1)


def test_nothing_of_a_bad_file_is_imported(filled: Shell) -> None:
    filled("export", "staat.jsonl")
    filled.file.unlink()
    with Path("staat.jsonl").open("a") as file:
        file.write('{"kind": "host"}\n')
    done = filled("import", "staat.jsonl")
    assert refused(done, "staat.jsonl, line 15: host: Field required", status=1)
    assert not filled.file.exists()


def test_an_export_whose_reader_has_seen_enough_is_no_error(filled: Shell) -> None:
    def fill(connection: Any) -> None:
        harvest(connection, sitemap_of(connection), locs(5000, "c.nl"))

    filled.fill(fill)
    (filled.folder / "scrapy.cfg").write_text("[settings]\ndefault = woo_harvester.settings\n")
    done = subprocess.run(
        f"{sys.executable} -m scrapy state export | head -1",
        cwd=filled.folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


# Forgetting and confirming


def test_a_document_is_forgotten(filled: Shell) -> None:
    assert filled("forget", "https://a.nl/d/1.pdf") == (0, "", "Forgot 0 hosts and 1 document.\n")
    assert "https://a.nl/d/1.pdf" not in filled.locs()
    assert len(filled.locs()) == 6


def test_a_host_is_forgotten_with_all_that_it_has(filled: Shell) -> None:
    assert filled("forget", "a.nl") == (0, "", "Forgot 1 host and 0 documents.\n")
    assert filled.locs() == locs(2, "www.b.nl:8443")


def test_hosts_and_documents_are_forgotten_together(filled: Shell) -> None:
    done = filled("forget", "https://www.b.nl:8443/", *locs(2))
    assert done.stderr == "Forgot 1 host and 2 documents.\n"
    assert filled.locs() == locs(5)[2:]


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("aa.nl", "the state does not know aa.nl: did you mean a.nl?"),
        ("b.nl", "the state does not know b.nl"),
        ("www.b.nl:8444", "the state does not know www.b.nl:8444: did you mean www.b.nl:8443?"),
        ("https://a.nl/d/9.pdf", "the state does not know https://a.nl/d/9.pdf"),
        ("a.nl/d/1.pdf", "the state does not know a.nl/d/1.pdf"),
        ("https://", "Expected a host, got https://"),
    ],
)
def test_what_is_not_known_is_not_forgotten_and_neither_is_the_rest(
    filled: Shell, given: str, line: str
) -> None:
    before = filled.locs()
    assert refused(filled("forget", "https://a.nl/d/1.pdf", given), line)
    assert filled.locs() == before


@pytest.mark.parametrize(
    "args",
    [
        ["forget", "www.b.nl:8443", "a.nl"],
        ["forget", "https://a.nl/d/1.pdf"],
        ["confirm", "a.nl"],
        ["restore", "a.nl"],
    ],
)
def test_what_a_run_is_using_is_not_touched(filled: Shell, args: list[str]) -> None:
    before = filled("export").stdout
    with running(LOCKING, filled.file, "a.nl"):
        assert refused(filled(*args), "a run works on a.nl: wait until it ends", status=1)
    assert filled("export").stdout == before


def test_a_host_that_a_run_is_using_is_not_imported_and_neither_are_the_others(filled: Shell) -> None:
    filled("export", "staat.jsonl")
    filled("forget", "www.b.nl:8443")
    with running(LOCKING, filled.file, "a.nl"):
        done = filled("import", "staat.jsonl")
    assert refused(done, "a run works on a.nl: wait until it ends", status=1)
    assert filled.locs() == locs(5)


def test_another_host_can_be_forgotten_while_a_run_is_going_on(filled: Shell) -> None:
    with running(LOCKING, filled.file, "a.nl"):
        assert filled("forget", "www.b.nl:8443").status == 0


def test_pending_withdrawals_are_confirmed_and_shown(filled: Shell) -> None:
    line = "Confirmed: the next complete run withdraws 2 documents of a.nl, where they are still gone.\n"
    assert filled("confirm", "a.nl") == (0, "", line)
    assert filled().stdout.splitlines()[1] == "a.nl                  4         1 confirmed 2023-11-14 23:15"
    assert filled("confirm", "https://a.nl/").stderr == line


def test_what_is_missing_after_a_confirmation_goes_on_waiting(filled: Shell) -> None:
    filled("confirm", "a.nl")

    def read_again(connection: Any) -> None:
        known = look_up(connection, locs(5))
        miss(connection, {sitemap_of(connection): [known[loc].id for loc in locs(5)[2:]]})

    filled.fill(read_again)
    assert filled().stdout.splitlines()[1] == "a.nl                  4         1         3 2023-11-14 23:15"
    rows = [json.loads(line) for line in filled("export").stdout.splitlines()]
    misses = {row["loc"]: row["misses"] for row in rows if row["kind"] == "listing" and row["misses"]}
    assert misses == {locs(5)[2]: 1, locs(5)[3]: CONFIRMED + 1, locs(5)[4]: CONFIRMED + 1}


def test_where_nothing_is_pending_nothing_is_confirmed(filled: Shell) -> None:
    done = filled("confirm", "a.nl", "www.b.nl:8443")
    assert refused(done, "no withdrawal is pending of www.b.nl:8443", status=1)
    assert "confirmed" not in filled().stdout


def test_withdrawn_documents_are_marked_to_be_delivered_again(filled: Shell) -> None:
    line = "Marked: the next run delivers 1 document of a.nl again, where they are listed.\n"
    for _ in range(2):
        assert filled("restore", "a.nl") == (0, "", line)
    rows = [json.loads(text) for text in filled("export").stdout.splitlines()]
    assert [row["loc"] for row in rows if row.get("restore")] == locs(1)


def test_where_nothing_is_withdrawn_nothing_is_marked(filled: Shell) -> None:
    done = filled("restore", "a.nl", "www.b.nl:8443")
    assert refused(done, "no document is withdrawn of www.b.nl:8443", status=1)
    assert "restore" not in filled("export").stdout


# Files of records


def test_the_check_is_quiet_where_state_and_files_agree(filled: Shell) -> None:
    Path("1.jsonl").write_text("".join(record(loc) + "\n" for loc in locs(5)[1:]))
    assert filled("check", "1.jsonl") == (0, "4 documents in the state: 0 missing, 0 older, 0 extra.\n", "")


def test_the_check_counts_differences_and_lists_them_if_asked(filled: Shell) -> None:
    lines = [record(locs(5)[0]), record(locs(5)[1]), record("https://c.nl/x.pdf")]
    Path("1.jsonl").write_text("\n".join(lines[:2]) + "\n")
    Path("2.jsonl").write_text(lines[2] + "\n")
    counts = "4 documents in the state: 3 missing, 1 older, 1 extra.\n"
    assert filled("check", "1.jsonl", "2.jsonl") == (1, counts, "")
    listed = "".join(f"{word:<8} {loc}\n" for word, loc in [("older", locs(5)[0]), *missing(locs(5)[2:])])
    assert filled("check", "-v", "1.jsonl", "2.jsonl") == (
        1,
        f"{listed}extra    https://c.nl/x.pdf\n{counts}",
        "",
    )


def missing(names: list[str]) -> list[tuple[str, str]]:
    return [("missing", name) for name in names]


def test_the_latest_versions_are_written_without_what_is_withdrawn(state: Shell) -> None:
    one, gone = record("https://a.nl/1.pdf"), record("https://a.nl/2.pdf", "intrekking")
    Path("1.jsonl").write_text(f"{record('https://a.nl/2.pdf')}\n{one}\n")
    Path("2.jsonl").write_text(f"{gone}\n")
    assert state("latest", "1.jsonl", "2.jsonl") == (0, f"{one}\n", "Wrote 1 document.\n")
    assert state("latest", "1.jsonl", "2.jsonl", "--withdrawn", "-O", "uit.jsonl").stdout == ""
    assert Path("uit.jsonl").read_text() == f"{one}\n{gone}\n"


def test_the_output_may_be_one_of_the_files(state: Shell) -> None:
    one = record("https://a.nl/1.pdf")
    Path("1.jsonl").write_text(f"{one}\n{one}\n")
    state("latest", "1.jsonl", "-O", "1.jsonl")
    assert Path("1.jsonl").read_text() == f"{one}\n"


def test_a_line_that_is_broken_off_is_told_and_left_out(filled: Shell) -> None:
    Path("1.jsonl").write_text(f'{record("https://a.nl/1.pdf")}\n{{"id"')
    for args in (("latest", "1.jsonl"), ("check", "1.jsonl")):
        done = filled(*args)
        assert done.status == 1
        line = "scrapy state: error: 1.jsonl, line 2: it is truncated, and left out\n"
        assert done.stderr.startswith(line)


def test_a_line_that_a_run_is_writing_is_left_out_and_is_no_error(state: Shell) -> None:
    path = Path("1.jsonl")
    path.write_text(f'{record("https://a.nl/1.pdf")}\n{{"id"')
    with running(WRITING, path.absolute()):
        done = state("latest", "1.jsonl")
    assert done.status == 0
    assert done.stderr == (
        "scrapy state: 1.jsonl, line 2: a run is writing it, and it is left out\nWrote 1 document.\n"
    )


@pytest.mark.parametrize("action", ["check", "latest"])
def test_a_file_that_holds_no_records_is_one_line(filled: Shell, action: str) -> None:
    Path("1.jsonl").write_text("geen record\n")
    done = filled(action, "1.jsonl")
    assert done.status == 1
    first, *rest = done.stderr.splitlines()
    assert first.startswith("scrapy state: error: 1.jsonl, line 1: expected a record as JSON")
    assert rest == ([] if action == "check" else ["Wrote 0 documents."])


def test_each_broken_line_is_named_and_the_rest_is_written(filled: Shell) -> None:
    good = record("https://a.nl/1.pdf")
    Path("1.jsonl").write_text(f'{{"id": "x", "ver{good}\n{good}\n')
    Path("2.jsonl").write_text(f"[]\n{record('https://a.nl/2.pdf')}\n")
    done = filled("latest", "1.jsonl", "2.jsonl", "-O", "uit.jsonl")
    assert done.status == 1
    one, two, wrote = done.stderr.splitlines()
    assert one.startswith("scrapy state: error: 1.jsonl, line 1: expected a record as JSON: ")
    assert two.startswith("scrapy state: error: 2.jsonl, line 1: expected a record, with an id")
    assert wrote == "Wrote 2 documents."
    assert Path("uit.jsonl").read_text() == f"{good}\n{record('https://a.nl/2.pdf')}\n"
    assert filled("check", "uit.jsonl").stderr == ""
    checked = filled("check", "1.jsonl", "2.jsonl")
    assert (checked.status, checked.stderr.splitlines()) == (1, [one, two])


@pytest.mark.parametrize("action", ["check", "latest", "import"])
@pytest.mark.parametrize(
    ("name", "why"),
    [("pijp", "expected a file, got a pipe or a device"), ("map", "Is a directory"), ("niets", "No such")],
)
def test_what_is_not_a_file_is_refused_in_one_line(filled: Shell, action: str, name: str, why: str) -> None:
    os.mkfifo("pijp")
    Path("map").mkdir()
    done = filled(action, name)
    assert (done.status, done.stdout) == (1, "")
    assert done.stderr.startswith(f"scrapy state: error: {name}: {why}")
    assert done.stderr.count("\n") == 1


# What is typed wrong


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["exprt"], "unknown action exprt: did you mean export?"),
        (
            ["zzz"],
            "unknown action zzz: "
            "expected one of export, import, forget, confirm, restore, check, latest, unnamed",
        ),
        (["export", "--hots", "a.nl"], "unknown option --hots: did you mean --host?"),
        (
            ["--zzz"],
            "unknown option --zzz: "
            "expected one of --host, --shard, --format, --output, --withdrawn, --remove, --verbose",
        ),
        (["forget", "-x", "a.nl"], "unknown option -x: expected one of --host"),
        (["export", "--host"], "argument --host: expected one argument"),
        (["export", "--format", "xml"], "expected --format jsonl or --format csv, got xml"),
        (["import", "x.jsonl", "--format", ""], "expected --format jsonl or --format csv, got "),
        (["check"], "expected: scrapy state check FILE...; got 0 arguments"),
        (["import", "a", "b"], "expected: scrapy state import FILE; got 2 arguments"),
        (
            ["check", "--host", "a.nl", "x"],
            "option --host belongs to export, not to: scrapy state check FILE...",
        ),
        (["--format", "csv"], "option --format belongs to export and import, not to: scrapy state"),
        (["-s", "WOO_STATE_URL"], "Invalid -s value, use -s NAME=VALUE"),
    ],
)
def test_what_is_typed_wrong_is_one_line_with_a_hint_and_status_2(
    filled: Shell, args: list[str], line: str
) -> None:
    done = filled(*args)
    assert done.status == 2
    assert done.stderr.startswith(f"scrapy state: error: {line}")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_the_help_names_all_actions_and_options(state: Shell) -> None:
    help_text = " ".join(state("-h").stdout.split())
    for part in (
        "export [FILE]",
        "import FILE",
        "forget HOST|URL...",
        "confirm HOST...",
        "restore HOST...",
        "--withdrawn",
    ):
        assert part in help_text


def test_the_whole_state_is_as_it_was_after_reading(filled: Shell) -> None:
    def keep(connection: Any) -> None:
        keep_read(connection, 1, etag='"e"', last_modified=None, digest=b"d", at=HARVESTED)

    filled.fill(keep)
    before = filled("export").stdout
    Path("1.jsonl").write_text(record(locs(1)[0]) + "\n")
    for args in ([], ["check", "1.jsonl"], ["latest", "1.jsonl"], ["export", "x.csv"]):
        filled(*args)
    assert filled("export").stdout == before


def test_only_the_hosts_of_a_shard_are_exported(filled: Shell) -> None:
    everything = {json.loads(line)["host"] for line in filled("export").stdout.splitlines()}
    parts = [
        {json.loads(line)["host"] for line in filled("export", "--shard", f"{number}/2").stdout.splitlines()}
        for number in (1, 2)
    ]
    assert parts[0] | parts[1] == everything
    assert not parts[0] & parts[1]
    assert {shard_of(host, 2) for host in parts[1]} <= {2}


def test_a_shard_that_cannot_be_is_refused(filled: Shell) -> None:
    done = filled("export", "--shard", "3/2")
    assert refused(done, "option --shard: expected a shard such as 2/8 (the second of eight), got '3/2'")
