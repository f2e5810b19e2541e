"""``scrapy state check`` and ``latest``, which read files of records."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.commands.state_shell import Shell, record, refused
from tests.conftest import ROOT
from tests.state.knowledge import HARVESTED, locs
from tests.state.processes import WRITING, running
from woo_harvester.kinds import Kind
from woo_harvester.operating.output import keeping, writing
from woo_harvester.outputs.columns import columns_of
from woo_harvester.state.latest import RecordsError
from woo_harvester.state.resources import keep_read

VERSIONS = [{"oorzaak": "aanlevering"}]


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
    both = state("latest", "1.jsonl", "2.jsonl", "--withdrawn", "-O", "uit.jsonl")
    assert both == (0, "", "Wrote 1 document, 1 withdrawn.\n")
    assert Path("uit.jsonl").read_text() == f"{one}\n{gone}\n"


def test_the_latest_versions_as_csv_have_the_columns_of_a_run(state: Shell) -> None:
    Path("1.jsonl").write_text(f"{record('https://a.nl/1.pdf')}\n{record('https://a.nl/2.pdf')}\n")
    assert state("latest", "1.jsonl", "-O", "now.csv") == (0, "", "Wrote 2 documents.\n")
    with Path("now.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["link"] for row in rows] == ["https://a.nl/1.pdf", "https://a.nl/2.pdf"]
    assert list(rows[0]) == list(columns_of(Kind.woo))
    assert state("latest", "1.jsonl", "--format", "csv").stdout.startswith('"titel","organisatie",')


@pytest.mark.parametrize("name", ["now.jsonl.gz", "now.csv.gz", "now.xlsx"])
def test_a_name_of_a_format_that_is_not_written_is_refused(state: Shell, name: str) -> None:
    Path("1.jsonl").write_text(f"{record('https://a.nl/1.pdf')}\n")
    line = f"{name}: expected a name that ends in .jsonl or .csv; the file is not packed"
    assert refused(state("latest", "1.jsonl", "-O", name), line)
    assert not Path(name).exists()


def test_the_columns_and_the_separator_of_csv_can_be_chosen(state: Shell) -> None:
    Path("1.jsonl").write_text(f"{record('https://a.nl/1.pdf')}\n")
    columns = ("-s", "WOO_CSV_COLUMNS=link,versies.oorzaak")
    done = state("latest", "1.jsonl", "-O", "now.csv", "--format", "csv-nl", *columns)
    assert done.status == 0
    text = '\ufeff"link";"versies.oorzaak"\r\n"https://a.nl/1.pdf";"aanlevering"\r\n'
    assert Path("now.csv").read_bytes() == text.encode()
    assert refused(
        state("latest", "1.jsonl", "-O", "now.csv", "-s", "WOO_CSV_COLUMNS=lnk"),
        "WOO_CSV_COLUMNS: unknown column lnk: did you mean link?",
    )
    assert Path("now.csv").read_bytes() == text.encode()


def test_records_of_two_kinds_do_not_come_in_one_csv_file(state: Shell) -> None:
    permit = json.dumps({"id": "p", "vergunning": {"identifier": "https://b.nl/1"}, "versies": VERSIONS})
    Path("1.jsonl").write_text(f"{record('https://a.nl/1.pdf')}\n{permit}\n")
    done = state("latest", "1.jsonl", "-O", "now.csv")
    assert done.status == 1
    assert "1.jsonl, line 2: expected a record of the kind woo" in done.stderr
    assert len(Path("now.csv").read_text(encoding="utf-8-sig").splitlines()) == 2


@pytest.mark.parametrize("output", ["all.jsonl", "./all.jsonl", "soft.jsonl", "hard.jsonl"])
def test_an_output_that_is_an_input_is_refused(state: Shell, output: str) -> None:
    """It would lose the earlier versions and the withdrawals."""
    one = record("https://a.nl/1.pdf")
    Path("1.jsonl").write_text(f"{one}\n")
    Path("all.jsonl").write_text(f"{one}\n{record('https://a.nl/1.pdf', 'intrekking')}\n")
    Path("soft.jsonl").symlink_to("all.jsonl")
    Path("hard.jsonl").hardlink_to("all.jsonl")
    before = Path("all.jsonl").read_bytes()
    line = f"{Path(output)} is the input all.jsonl: write to another file"
    assert refused(state("latest", "1.jsonl", "all.jsonl", "-O", output), line)
    assert Path("all.jsonl").read_bytes() == before


def test_a_truncated_line_is_reported_and_left_out(filled: Shell) -> None:
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
@pytest.mark.parametrize("text", ["geen record\n", '"titel","link"\r\n', "[]\n"])
def test_a_file_without_records_gives_one_line(filled: Shell, action: str, text: str) -> None:
    Path("woo.csv").write_text(text)
    assert refused(
        filled(action, "woo.csv"),
        "woo.csv has no records: expected JSON Lines, a record a line, and no CSV, XML or list of JSON. This "
        "writes all that is listed now: scrapy crawl woo -s DELTAFETCH_ENABLED=0 -O woo.jsonl",
    )


@pytest.mark.parametrize("action", ["check", "latest"])
def test_a_folder_is_refused_and_its_files_are_suggested(filled: Shell, action: str) -> None:
    Path("map").mkdir()
    line = "map is a folder: name the files of records in it, such as map/*.jsonl"
    assert refused(filled(action, "map"), line)


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


@pytest.mark.parametrize(
    ("action", "name", "why"),
    [
        *((action, "pijp", "expected a file, got a pipe or a device") for action in ("check", "latest")),
        *((action, "niets", "No such") for action in ("check", "latest")),
    ],
)
def test_what_is_not_a_file_is_refused_in_one_line(filled: Shell, action: str, name: str, why: str) -> None:
    os.mkfifo("pijp")
    done = filled(action, name)
    assert (done.status, done.stdout) == (1, "")
    assert done.stderr.startswith(f"scrapy state: error: {name}: {why}")
    assert done.stderr.count("\n") == 1


def test_a_file_that_cannot_be_written_is_one_line(state: Shell) -> None:
    Path("1.jsonl").write_text(record(locs(1)[0]) + "\n")
    done = state("latest", "1.jsonl", "-O", "nergens/uit.jsonl")
    assert refused(done, f"{state.folder / 'nergens'}: No such file or directory", status=1)


def test_links_and_pipes_stay_what_they_are(state: Shell) -> None:
    Path("1.jsonl").write_text(record(locs(1)[0]) + "\n")
    link, pipe = Path("link.jsonl"), Path("pijp.jsonl")
    link.symlink_to("doel.jsonl")
    os.mkfifo(pipe)
    assert state("latest", "1.jsonl", "-O", link.name).status == 0
    with ThreadPoolExecutor() as threads:
        read = threads.submit(pipe.read_text)
        assert state("latest", "1.jsonl", "-O", pipe.name).status == 0
        assert read.result(10) == Path("doel.jsonl").read_text() != ""
    assert (link.is_symlink(), pipe.is_fifo()) == (True, True)


def test_an_output_whose_reader_has_seen_enough_is_no_error(state: Shell) -> None:
    Path("1.jsonl").write_text("".join(record(loc) + "\n" for loc in locs(5000)))
    Path("scrapy.cfg").write_text("[settings]\ndefault = woo_harvester.settings\n")
    done = subprocess.run(
        f"{sys.executable} -m scrapy state latest 1.jsonl | head -1",
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


def test_reading_does_not_change_the_state(filled: Shell) -> None:
    def keep(connection: Any) -> None:
        keep_read(connection, 1, etag='"e"', last_modified=None, digest=b"d", at=HARVESTED)

    filled.fill(keep)
    before = filled.dump()
    Path("1.jsonl").write_text(record(locs(1)[0]) + "\n")
    for args in ([], ["check", "1.jsonl"], ["latest", "1.jsonl"]):
        filled(*args)
    assert filled.dump() == before


def test_a_file_that_a_run_writes_is_not_replaced(state: Shell) -> None:
    path = Path("all.jsonl")
    path.write_text(f"{record('https://a.nl/1.pdf')}\n{record('https://a.nl/1.pdf')}\n")
    before = path.read_bytes()
    Path("1.jsonl").write_bytes(before)
    with running(WRITING, path.absolute()):
        status, _, error = state("latest", "1.jsonl", "-O", "all.jsonl")
    assert (status, "all.jsonl: a run writes to it" in error) == (1, True)
    assert path.read_bytes() == before
    assert state("latest", "1.jsonl", "-O", "all.jsonl")[0] == 0
    assert len(path.read_bytes().splitlines()) == 1


def test_a_file_to_which_records_are_added_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    path.write_text("1\n")
    with ExitStack() as stack:
        stack.enter_context(writing(path))
        stack.enter_context(keeping(path))
        path.write_text("1\n2\n")
        with pytest.raises(RecordsError, match="wrote to it meanwhile"):
            stack.close()
    assert path.read_text() == "1\n2\n"
    assert [*tmp_path.iterdir()] == [path]
