from __future__ import annotations

import codecs
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import ROOT
from woo_harvester.state.latest import INDEX_BATCH, BrokenLine, Latest, LatestVersion, RecordsError
from woo_harvester.utils.inputs import NotRecordsError
from woo_harvester.utils.urls import record_id

LOC = "https://a.nl/d.pdf"
FIRST, SECOND, THIRD = (f"2026-11-2{day}T08:00:00+01:00" for day in (1, 2, 3))


def record(
    at: str | None = FIRST, *, loc: str = LOC, cause: str = "aanlevering", **source: Any
) -> dict[str, Any]:
    """Return a record with the keys that are read here."""
    herkomst = {"opgehaald": at, **source} if at else source
    return {
        "id": record_id(loc),
        "document": {"weblocatie": loc},
        "versies": [{"oorzaak": cause}],
        "herkomst": herkomst,
    }


def file_of(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return path


def latest(paths: Sequence[Path], *, withdrawn: bool = False) -> list[dict[str, Any]]:
    with Latest(paths) as files:
        return [json.loads(line) for line in files.lines(withdrawn=withdrawn)]


def test_the_latest_version_of_each_document_counts_in_any_order_of_the_files(tmp_path: Path) -> None:
    other, changed = record(loc="https://a.nl/ander.pdf"), record(SECOND, cause="wijziging")
    monday = file_of(tmp_path / "1.jsonl", record(FIRST), other)
    tuesday = file_of(tmp_path / "2.jsonl", changed)
    assert latest([monday, tuesday]) == [other, changed]
    assert latest([tuesday, monday]) == [changed, other]
    assert latest([]) == []


def test_the_later_of_two_versions_with_the_same_moment_counts(tmp_path: Path) -> None:
    for at in (FIRST, None):
        one, two = record(at), record(at, cause="wijziging")
        assert latest([file_of(tmp_path / "1.jsonl", one, two)]) == [two], at
        assert latest([file_of(tmp_path / "2.jsonl", two), file_of(tmp_path / "3.jsonl", one)]) == [one], at
    path = file_of(tmp_path / "1.jsonl", record(), record())
    assert latest([path]) == latest([path, path]) == [record()]
    later = record("2026-11-21T08:30:00Z", cause="wijziging")
    path = file_of(tmp_path / "1.jsonl", later, record("2026-11-21T09:00:00+01:00"))
    assert latest([path]) == [later], "moments are compared and not notations"


def test_withdrawn_documents_are_left_out_unless_they_are_asked_for(tmp_path: Path) -> None:
    gone, back = record(SECOND, cause="intrekking"), record(THIRD, cause="herpublicatie")
    path = file_of(tmp_path / "1.jsonl", record(FIRST), gone)
    assert latest([path]) == []
    assert latest([path], withdrawn=True) == [gone]
    assert latest([path, file_of(tmp_path / "2.jsonl", back)]) == [back]


LINE = json.dumps({**record(), "titel": "één"}, ensure_ascii=False, separators=(" ,", " : ")).encode()


def test_a_line_is_returned_as_it_is_in_the_file(tmp_path: Path) -> None:
    for number, content in enumerate(
        (
            *(LINE + b"\n", LINE, b"\n" + LINE + b"\r\n\n", codecs.BOM_UTF8 + LINE + b"\r\n"),
            gzip.compress(LINE + b"\n"),
        )
    ):
        path = tmp_path / (f"{number}.jsonl.gz" if content[:2] == b"\x1f\x8b" else f"{number}.jsonl")
        path.write_bytes(content)
        with Latest([path]) as files:
            assert list(files.lines()) == [LINE + b"\n"], number


def test_a_record_without_a_url_counts_by_its_id(tmp_path: Path) -> None:
    permit = {"id": "x", "vergunning": {}, "versies": [{"oorzaak": "aanlevering"}, {"oorzaak": "wijziging"}]}
    path = file_of(tmp_path / "1.jsonl", permit)
    assert latest([path]) == [permit]
    with Latest([path]) as files:
        assert list(files) == [LatestVersion("x", None, 0, None, False)]


def test_a_version_has_the_values_that_are_compared_with_the_state(tmp_path: Path) -> None:
    given = record("2000-01-01T00:00:01Z", lastmod="2000-01-01T01:00:00.000002+01:00", cause="intrekking")
    strange = record("2000-01-01T00:00:01Z", lastmod="gisteren", loc="https://a.nl/x.pdf")
    with Latest([file_of(tmp_path / "1.jsonl", given, strange)]) as files:
        assert len(files) == 2
        expected = LatestVersion(record_id(LOC), LOC, 946_684_801_000_000, 946_684_800_000_002, True)
        assert files.find([record_id(LOC), "niets"]) == {record_id(LOC): expected}
        assert {version.lastmod for version in files} == {946_684_800_000_002, None}


def test_a_truncated_last_line_is_left_out_and_reported(tmp_path: Path) -> None:
    path = file_of(tmp_path / "1.jsonl", record())
    with path.open("a") as file:
        file.write('{"id": "')
    with Latest([path]) as files:
        assert files.truncated == [path]
        assert len(list(files.lines())) == 1


#: A line that is no record, and the reason that is given.
NO_RECORD = {
    "geen json": "expected a record as JSON",
    "[]": "expected a record, with an id and a version that has an oorzaak",
    '{"id": "x"}': "expected a record, with an id",
    '{"id": "x", "versies": []}': "expected a record, with an id",
    '{"id": 3, "versies": [{"oorzaak": "aanlevering"}]}': "expected a record, with an id",
    "\udcff": "expected a record as JSON",
    '{"id": "a", "versies": [{"oorzaak": "wijziging"}], "herkomst": "y"}': ".* are objects",
    '{"id": "a", "versies": [{"oorzaak": "wijziging"}], "document": [1]}': ".* are objects",
    '{"id": "a", "versies": [5, {"oorzaak": "wijziging"}]}': ".* lists of objects",
    '{"id": "a", "versies": [{"oorzaak": "wijziging", "bestanden": 5}]}': ".* lists of objects",
    '{"id": "a", "versies": [{"oorzaak": "wijziging", "bestanden": [5]}]}': ".* lists of objects",
}


def test_a_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    path = tmp_path / "1.jsonl"
    for line, why in NO_RECORD.items():
        path.write_bytes(f"{json.dumps(record())}\n\n{line}\n".encode(errors="surrogateescape"))
        with pytest.raises(RecordsError, match=f"1.jsonl, line 3: {why}"):
            Latest([path])


def test_a_file_that_cannot_be_read_is_reported_by_name(tmp_path: Path) -> None:
    path = tmp_path / "1.jsonl.gz"
    complete = gzip.compress(json.dumps(record()).encode() * 20)
    for content in (None, complete[:-9], b"{}\n", complete[:10] + b"\xff" * 30 + complete[40:]):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(RecordsError, match=r"1\.jsonl\.gz(, line 1)?: "):
            Latest([path])


ONE = json.dumps(record())
#: What else a file may have.
NO_RECORDS = (
    *('"id","titel"\r\n"1","x"\r\n', "[\n]", f"[{ONE}]", f"[\n{ONE}\n]", f"[\n{ONE},\n{ONE}\n]"),
    *("<?xml version='1.0'?>\n<items></items>", '{"type": "FeatureCollection", "features": [\n]}\n'),
    *('{"kind": "document", "host": "a.nl"}\n', '"titel"', "x\n" * 30 + ONE, "[" * 100_000 + "\n"),
    *('{"a":' * 100_000 + "\n", '{"id": "\\ud800", "versies": []}\n', "\0" * 1000 + "\n"),
)
#: Files with a record, or with none yet.
RECORDS = ("", "\n\n", '{"id": "a", "ver', ONE, f"x\n{ONE}\n", f"{{}}\n[]\n\n{ONE}\n", f'{ONE}\n{{"id"')


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_file_of_something_else_is_refused(tmp_path: Path, is_packed: bool) -> None:
    path = tmp_path / ("woo.gz" if is_packed else "woo.csv")
    for text in NO_RECORDS:
        content = text.encode()
        path.write_bytes(gzip.compress(content) if is_packed else codecs.BOM_UTF8 + content)
        with pytest.raises(NotRecordsError, match=r"has no records: expected JSON Lines, .* -O woo\.jsonl$"):
            Latest([path], on_broken=lambda broken: None)
    for text in RECORDS:
        path.write_bytes(gzip.compress(text.encode()) if is_packed else text.encode())
        with Latest([path], on_broken=lambda broken: None) as latest:
            assert len(latest) == (ONE in text), text
    with pytest.raises(NotRecordsError, match=r"is a folder: name the files of records in it, such as .*/\*"):
        Latest([tmp_path])


def test_a_record_that_is_not_accepted_is_a_broken_line(tmp_path: Path) -> None:
    def accept(given: Mapping[str, Any]) -> None:
        if given["versies"][0]["oorzaak"] == "wijziging":
            raise ValueError("no changes")

    path = tmp_path / "1.jsonl"  # whose last record is complete, although it has no line end
    path.write_text(f"{json.dumps(record())}\n{json.dumps(record(cause='wijziging'))}")
    with pytest.raises(RecordsError, match=r"1\.jsonl, line 2: no changes"):
        Latest([path], accept)
    with Latest([path], accept, lambda line: None) as files:
        assert [json.loads(line) for line in files.lines()] == [record()]


def broken_lines(*paths: Path) -> tuple[list[str], list[dict[str, Any]]]:
    """Return each broken line as a text, and the records that are left."""
    found: list[BrokenLine] = []
    with Latest(paths, on_broken=found.append) as files:
        return [f"{line.path.name} {line.line}" for line in found], list(map(json.loads, files.lines()))


def test_each_broken_line_is_reported_and_the_others_count(tmp_path: Path) -> None:
    one, two = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    good, glued = json.dumps(record()), '{"id": "x", "vers{"id": "y"}'
    one.write_text(f"{glued}\n{good}\n[]\n" + "[" * 100_000 + "\n")
    two.write_text(f"{json.dumps(record(loc='https://a.nl/2.pdf'))}\n{good[:40]}")
    assert broken_lines(one, two) == (
        ["1.jsonl 1", "1.jsonl 3", "1.jsonl 4", "2.jsonl 2"],
        [record(), record(loc="https://a.nl/2.pdf")],
    )


def test_the_lines_before_the_damage_in_a_gzip_file_count(tmp_path: Path) -> None:
    path, after = tmp_path / "1.jsonl.gz", tmp_path / "2.jsonl"
    with gzip.open(path, "wb") as file:
        file.write(json.dumps(record()).encode() + b"\n")
        file.flush()
        file.write(os.urandom(1000))
    path.write_bytes(path.read_bytes()[:-400])
    file_of(after, record(loc="https://a.nl/2.pdf"))
    lines, records = broken_lines(path, after)
    assert records == [record(), record(loc="https://a.nl/2.pdf")]
    assert lines[-1].startswith("1.jsonl.gz ")


def test_a_location_that_is_not_a_text_is_a_broken_line(tmp_path: Path) -> None:
    locs: tuple[object, ...] = (1, 2**63, [], {}, True, 1.5)
    for loc in locs:
        given = {**record(), "document": {"weblocatie": loc}}
        assert broken_lines(file_of(tmp_path / "1.jsonl", given)) == (["1.jsonl 1"], []), loc


MEASURE = """
import sys, tracemalloc
from pathlib import Path
from woo_harvester.state.latest import Latest
tracemalloc.start()
with Latest([Path(sys.argv[1])]) as files:
    print(sum(1 for _ in files.lines()), tracemalloc.get_traced_memory()[1])
"""


def test_memory_does_not_grow_with_the_files(tmp_path: Path) -> None:
    path = tmp_path / "1.jsonl"
    with path.open("w") as file:
        for number in range(20 * INDEX_BATCH):
            file.write(json.dumps(record(loc=f"https://a.nl/{number}.pdf", vulling="x" * 500)) + "\n")
    # In its own process: the memory of the other tests would count.
    command = [sys.executable, "-c", MEASURE, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    count, peak_memory = map(int, done.stdout.split())
    assert count == 20 * INDEX_BATCH
    assert peak_memory < path.stat().st_size / 5


CAUSES = st.sampled_from(["aanlevering", "wijziging", "intrekking", "herpublicatie"])
RUNS = st.lists(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9), CAUSES), max_size=8), max_size=5)


@given(RUNS)
@settings(max_examples=50)
def test_it_gives_what_a_dict_of_all_records_gives(
    tmp_path_factory: pytest.TempPathFactory, runs: list[list[tuple[int, int, str]]]
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    expected: dict[str, dict[str, Any]] = {}
    paths = []
    for number, run in enumerate(runs):
        made = [
            record(f"2026-11-21T08:00:0{second}Z", loc=f"https://a.nl/{name}.pdf", cause=cause)
            for name, second, cause in run
        ]
        paths.append(file_of(folder / f"{number}.jsonl", *made))
        for each in made:
            known = expected.get(each["id"])
            if known is None or each["herkomst"]["opgehaald"] >= known["herkomst"]["opgehaald"]:
                expected[each["id"]] = each
    found = latest(paths, withdrawn=True)
    assert {each["id"]: each for each in found} == expected
    assert len(found) == len(expected)
    published = [each for each in found if each["versies"][0]["oorzaak"] != "intrekking"]
    assert latest(paths) == published
