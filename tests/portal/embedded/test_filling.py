from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
from pathlib import Path
from time import monotonic

import pytest

from tests.conftest import ROOT
from tests.portal.embedded.records import all_of, opened, record, titles, write
from woo_harvester.kinds import WOO
from woo_portal.embedded.engine import EmbeddedEngine
from woo_portal.embedded.lines import NewLines
from woo_portal.question import Clause, Question

FILL = [sys.executable, "-m", "tests.portal.embedded.fill_files"]


def test_the_latest_record_of_a_document_counts_in_whatever_order_they_come(tmp_path: Path) -> None:
    versions = [record(1, "Oud", second=1), record(1, "Nieuw", second=3), record(1, "Midden", second=2)]
    for number, order in enumerate([(0, 1, 2), (1, 0, 2), (2, 1, 0)]):
        files = [write(tmp_path / f"{number}-{each}.jsonl", [versions[each]]) for each in order]
        with opened(tmp_path / f"portal{number}") as engine:
            for path in files:  # the order of the fills, not of the names
                engine.fill([path])
            assert titles(engine) == ["Nieuw"]
    path = write(tmp_path / "all.jsonl", [versions[1], *versions, record(2, "Ander"), versions[0]])
    with opened(tmp_path / "portal") as engine:
        assert engine.fill([path]).written == 2
        assert sorted(titles(engine)) == ["Ander", "Nieuw"]


def test_a_withdrawn_document_is_no_hit_and_is_there_by_its_id(tmp_path: Path) -> None:
    gone = record(1, cause="intrekking", second=2)
    path = write(tmp_path / "a.jsonl", [record(1, "Weg", second=1), record(2, "Blijft"), gone])
    with opened(tmp_path / "portal") as engine:
        engine.fill([path])
        assert titles(engine) == ["Blijft"]
        assert engine.contents(WOO).withdrawn == 1
        found = engine.get(WOO, gone["id"])
        assert found is not None
        assert found["status"] == "ingetrokken"
        back = write(tmp_path / "b.jsonl", [record(1, "Terug", cause="herpublicatie", second=3)])
        engine.fill([back])
        assert sorted(titles(engine)) == ["Blijft", "Terug"]


def test_only_new_lines_are_read_also_after_a_start(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [record(1), record(2)])
    with opened(tmp_path / "portal") as engine:
        assert engine.fill([path]).lines == 2
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record(3)) + "\n" + json.dumps(record(4)))  # the last line has no end yet
        assert engine.fill([path]).lines == 1
    with opened(tmp_path / "portal") as engine:
        assert engine.fill([path]).lines == 0
        with path.open("a", encoding="utf-8") as file:
            file.write("\n")
        assert engine.fill([path]).lines == 1
        assert len(titles(engine)) == 4


def test_lines_that_are_no_record_are_counted_and_named_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NewLines.__init__, "__kwdefaults__", {"max_line": 5000})
    odd = [
        "geen json",
        "{}",
        "[1]",
        '{"id": 1, "document": {}, "versies": [{}]}',
        json.dumps({**record(3), "versies": ["x"]}),
        json.dumps({**record(3), "versies": 7}),
        json.dumps({**record(3), "id": "x" * 9000}),
        json.dumps({**record(3), "document": {"classificatiecollectie": {"themas": ["x"]}}}),
        json.dumps({**record(3), "herkomst": "x"}),
        '{"vergunning": {"object": {"coordinaten": [{"wgs84": {"lat": "x"}}]}}, "id": "p", "versies": [{}]}',
        json.dumps(record(3, "x" * 6000)),
        "[" * 100_000,
        '{"a": "\\ud800"}',
    ]
    path = write(tmp_path / "a.jsonl", [record(1, "Eerste")])
    with path.open("a", encoding="utf-8") as file:
        file.write("\n".join(odd) + "\n\n" + json.dumps(record(2, "Laatste")) + "\n")
    with opened(tmp_path / "portal") as engine:
        done = engine.fill([path, tmp_path / "gone.jsonl", tmp_path])
        assert (done.written, done.broken) == (2, len(odd))
        assert sorted(titles(engine)) == ["Eerste", "Laatste"]
        assert done.messages[0] == f"{tmp_path}: Is a directory"
        assert done.messages[1].startswith(f"{path}: {len(odd)} lines are no record and were passed over")
        assert len(done.messages) == 2
        assert engine.fill([path]).messages == []


@pytest.mark.integration
def test_a_fill_that_is_killed_again_and_again_ends_as_an_undisturbed_one(tmp_path: Path) -> None:
    drawn = random.Random(7)
    files = []
    for number in range(6):
        some = [
            record(
                drawn.randrange(150),
                f"Titel {drawn.randrange(1000)}",
                second=number * 9 + drawn.randrange(9),
                cause=drawn.choice(["aanlevering", "wijziging", "wijziging", "intrekking"]),
                text="stikstof en water " * drawn.randrange(1, 50),
            )
            for _ in range(100)
        ]
        files.append(write(tmp_path / f"{number}.jsonl", some))
    with opened(tmp_path / "calm") as engine:
        engine.fill(files)
        expected, hits = all_of(engine), sorted(titles(engine, "water"))
    command = [*FILL, str(tmp_path / "portal"), *map(str, files)]
    kills = 0
    for _ in range(12):
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            for _ in range(drawn.randrange(12)):
                process.stdout.readline()
            process.kill()
        kills += process.returncode == -9
    assert kills
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    with opened(tmp_path / "portal") as engine:
        assert engine.fill(files).lines == 0
        assert all_of(engine) == expected
        assert sorted(titles(engine, "water")) == hits
        assert len(engine.search(Question(WOO, (Clause("water"),), size=100)).hits) == min(100, len(hits))


@pytest.mark.integration
def test_a_full_disk_is_one_line_and_breaks_nothing(tmp_path: Path) -> None:
    some = [
        record(number, text=f"woord{number} " * 200 + str(random.Random(number).random()))
        for number in range(300)
    ]
    first, second = write(tmp_path / "a.jsonl", some[:50]), write(tmp_path / "b.jsonl", some)
    with opened(tmp_path / "portal") as engine:
        engine.fill([first])
        before = all_of(engine)
    command = [*FILL, str(tmp_path / "portal"), str(second)]

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

    done = subprocess.run(command, cwd=ROOT, preexec_fn=full, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("cannot write the index of the portal: ")
    assert done.stderr.count("\n") == 1
    with opened(tmp_path / "portal") as engine:
        assert all_of(engine) == before
        engine.fill([second])
        assert len(all_of(engine)) == 300


def test_one_portal_uses_a_folder(tmp_path: Path) -> None:
    with opened(tmp_path / "portal"):
        command = [*FILL, str(tmp_path / "portal")]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.stderr == (
            f"another portal uses {tmp_path}/portal: stop it, or set WOO_DATA_DIR to another folder\n"
        )
        assert done.returncode == 1


def test_an_index_of_another_version_is_filled_anew(tmp_path: Path) -> None:
    folder = tmp_path / "portal"
    path = write(tmp_path / "a.jsonl", [record(1)])
    with opened(folder) as engine:
        engine.fill([path])
    (old,) = folder.glob("index-*")
    old.rename(folder / "index-0123456789abcdef")
    with opened(folder) as engine:
        assert titles(engine) == []
        assert engine.fill([path]).written == 1
    assert list(folder.glob("index-*")) == [old]


def test_a_rebuild_begins_with_an_empty_index(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [record(1)])
    with opened(tmp_path / "portal") as engine:
        engine.fill([path])
    engine = EmbeddedEngine.open(tmp_path / "portal", 5, rebuild=True)
    assert titles(engine) == []
    engine.close()


def test_questions_are_answered_while_a_fill_goes_on(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [record(number, text="water " * 300) for number in range(1500)])
    seen: list[float] = []
    with opened(tmp_path / "portal") as engine:

        def ask(_: object) -> None:
            started = monotonic()
            engine.search(Question(WOO, (Clause("water"),)))
            seen.append(monotonic() - started)

        version = engine.version()
        engine.fill([path], ask)
        assert len(seen) >= 3
        assert engine.version() != version
        assert len(titles(engine)) == 1500


def test_what_a_fill_left_that_was_killed_just_before_its_commit_is_in_nobodys_way(tmp_path: Path) -> None:
    first = write(tmp_path / "a.jsonl", [record(number, "Oud", second=1) for number in range(20)])
    second = write(tmp_path / "b.jsonl", [record(number, "Nieuw", second=2) for number in range(0, 20, 5)])
    with opened(tmp_path / "portal") as engine:
        engine.fill([first])
    (meta,) = (tmp_path / "portal").glob("index-*/meta.json")
    before = meta.read_bytes()
    files = {path: path.read_bytes() for path in meta.parent.iterdir()}
    with opened(tmp_path / "portal") as engine:
        engine.fill([second])
    # All files of the second fill are there, but for the one that says which count.
    for path, content in files.items():
        if path.name != ".managed.json":
            path.write_bytes(content)
    assert meta.read_bytes() == before
    with opened(tmp_path / "portal") as engine:
        assert engine.fill([second]).written == 4
        assert sorted(titles(engine)) == ["Nieuw"] * 4 + ["Oud"] * 16
