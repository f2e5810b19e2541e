"""``scrapy state export`` and ``import``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.commands.state_shell import Shell, record, refused
from tests.conftest import ROOT
from tests.state.knowledge import HARVESTED, harvest, locs, sitemap_of
from tests.state.processes import LOCKING, running
from woo_harvester.register.register import shard_of
from woo_harvester.state import transfer
from woo_harvester.state.resources import keep_read

COUNTED = "2 hosts, 4 documents, 1 withdrawn, 2 not harvested"


def test_an_export_counts_what_the_table_of_hosts_counts(filled: Shell) -> None:
    filled("forget", *locs(2, "www.b.nl:8443"))
    total = filled().stdout.splitlines()[-1]
    assert total == "2 hosts, 4 documents, 1 withdrawn"
    assert filled("export").stderr == f"Exported {total}.\n"


def test_a_state_moves_by_way_of_a_file(filled: Shell) -> None:
    name = "staat.jsonl"
    before = filled("export").stdout
    assert filled("export", name) == (0, "", f"Exported {COUNTED}.\n")
    filled.file.unlink()
    for _ in range(2):
        assert filled("import", name) == (0, "", f"Imported {COUNTED}.\n")
        assert filled("export").stdout == before


def test_an_export_to_a_pipe_is_json_lines(filled: Shell) -> None:
    done = filled("export")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["kind"] for line in lines].count("document") == 7
    assert filled("export", "--format", "jsonl") == done


@pytest.mark.parametrize(
    "args",
    [
        ("export", "--format", "csv"),
        ("export", "staat.CSV"),
        ("export", "--format", "csv-nl"),
        ("import", "staat.csv"),
        ("import", "staat.jsonl", "--format", "csv"),
    ],
)
def test_an_export_is_never_csv(filled: Shell, args: tuple[str, ...]) -> None:
    line = "an exported state is JSON Lines, not CSV: name a file such as state.jsonl"
    assert refused(filled(*args), line)
    assert [path.name for path in filled.folder.iterdir()] == [".scrapy"]


@pytest.mark.parametrize("args", [("export",), ("latest", "1.jsonl", "-O")])
def test_no_command_writes_over_the_state_itself(filled: Shell, args: tuple[str, ...]) -> None:
    (filled.folder / "1.jsonl").touch()
    before = filled("export").stdout
    for name in (".scrapy/woo-state.sqlite", "link"):
        (filled.folder / "link").unlink(missing_ok=True)
        (filled.folder / "link").symlink_to(filled.file)
        assert refused(filled(*args, name), f"{name} is the state itself: name another file")
    assert filled("export").stdout == before


def test_one_host_is_exported(filled: Shell) -> None:
    done = filled("export", "--host", "https://WWW.b.nl:8443/")
    assert {json.loads(line)["host"] for line in done.stdout.splitlines()} == {"www.b.nl:8443"}
    assert done.stderr == "Exported 1 host, 0 documents, 0 withdrawn, 2 not harvested.\n"


def test_an_export_that_fails_leaves_the_earlier_file(filled: Shell) -> None:
    (filled.folder / "staat.jsonl").write_text("eerder")
    assert filled("export", "staat.jsonl", "--host", "x.nl").status == 2
    assert (filled.folder / "staat.jsonl").read_text() == "eerder"
    assert sorted(path.name for path in filled.folder.iterdir()) == [".scrapy", "staat.jsonl"]


def test_a_file_that_cannot_be_written_is_one_line(filled: Shell) -> None:
    done = filled("export", "nergens/staat.jsonl")
    assert refused(done, "nergens/staat.jsonl: No such file or directory", status=1)


@pytest.mark.parametrize("args", [("export", "{}"), ("latest", "1.jsonl", "-O", "{}")])
def test_links_and_pipes_stay_what_they_are(filled: Shell, args: tuple[str, ...]) -> None:
    (filled.folder / "1.jsonl").write_text(record(locs(1)[0]) + "\n")
    (filled.folder / "link.jsonl").symlink_to("doel.jsonl")
    os.mkfifo(filled.folder / "pijp.jsonl")
    assert filled(*(arg.format("link.jsonl") for arg in args)).status == 0
    with ThreadPoolExecutor() as threads:
        read = threads.submit((filled.folder / "pijp.jsonl").read_text)
        assert filled(*(arg.format("pijp.jsonl") for arg in args)).status == 0
        assert read.result(10) == (filled.folder / "doel.jsonl").read_text() != ""
    assert (filled.folder / "link.jsonl").is_symlink()
    assert (filled.folder / "pijp.jsonl").is_fifo()


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


def test_a_host_that_a_run_is_using_is_not_imported_and_neither_are_the_others(filled: Shell) -> None:
    filled("export", "staat.jsonl")
    filled("forget", "www.b.nl:8443")
    with running(LOCKING, filled.file, "a.nl"):
        done = filled("import", "staat.jsonl")
    assert refused(done, "a run works on a.nl: wait until it ends", status=1)
    assert filled.locs() == locs(5)


def test_hosts_stay_locked_until_their_import_ends(filled: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    filled("export", "staat.jsonl")
    others: list[str] = []

    def replace(state: object, rows: object) -> None:
        code = LOCKING.partition("locks.acquire")[0] + "print(locks.try_acquire('a.nl'))"
        command = [sys.executable, "-c", code, str(filled.file)]
        others.append(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)

    monkeypatch.setattr(transfer, "replace", replace)
    assert filled("import", "staat.jsonl").status == 0
    assert others == ["False\n"]


def test_reading_does_not_change_the_state(filled: Shell) -> None:
    def keep(connection: Any) -> None:
        keep_read(connection, 1, etag='"e"', last_modified=None, digest=b"d", at=HARVESTED)

    filled.fill(keep)
    before = filled("export").stdout
    Path("1.jsonl").write_text(record(locs(1)[0]) + "\n")
    for args in ([], ["check", "1.jsonl"], ["latest", "1.jsonl"], ["export", "x.jsonl"]):
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
