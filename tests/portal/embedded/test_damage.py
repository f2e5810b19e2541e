from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import pytest

from tests.portal.embedded.records import opened, record, titles, write
from tests.utils.waiting import wait_until
from woo_harvester.kinds import WOO
from woo_portal.embedded.answering import EmbeddedReader
from woo_portal.embedded.damage import damage
from woo_portal.embedded.engine import EmbeddedEngine, Watcher
from woo_portal.engine import EngineError, Followed
from woo_portal.question import Clause, Question

WATER = Question(WOO, (Clause("water"),), size=1)
PHRASE = Question(WOO, (Clause("water en zand", is_phrase=True),), size=1)


def some_records(folder: Path) -> Path:
    return write(
        folder / "a.jsonl",
        [record(number, f"Water {number}", text="water en zand " * 9) for number in range(300)],
    )


def index_of(folder: Path) -> Path:
    (found,) = folder.glob("portal/index-*")
    return found


def overwritten(path: Path) -> None:
    """Put other bytes in the place of a file's content; who has it open keeps the old ones."""
    content, other = path.read_bytes(), path.with_name("other")
    body = len(content) - 200  # what the file says of itself is at its end
    other.write_bytes(Random(7).randbytes(body) + content[body:])
    other.rename(path)


def cut_off(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes()[:-20])
    other.rename(path)


def to_file(fault: Callable[[Path], object], part: str, index: Path) -> None:
    fault(next(index.glob(f"*.{part}")))


PARTS = ("idx", "pos", "term", "store", "fast", "fieldnorm")
FAULTS: dict[str, Callable[[Path], object]] = {
    "removed": shutil.rmtree,
    "without its commit": lambda index: (index / "meta.json").unlink(),
    "commit cut off": lambda index: (index / "meta.json").write_text("{"),
    "commit of something else": lambda index: (index / "meta.json").write_text('{"segments": [1]}'),
    **{f"{part} gone": partial(to_file, Path.unlink, part) for part in PARTS},
    **{f"{part} cut off": partial(to_file, cut_off, part) for part in PARTS},
}


def test_a_sound_index_has_no_damage(tmp_path: Path) -> None:
    with opened(tmp_path / "portal") as engine:
        engine.fill([some_records(tmp_path)])
        engine.fill([write(tmp_path / "b.jsonl", [record(1, "Nieuw", second=3)])])  # some are deleted
        assert list(index_of(tmp_path).glob("*.del"))
        assert damage(index_of(tmp_path), with_content=True) == ""


@pytest.mark.parametrize("part", PARTS)
def test_each_file_with_other_content_is_damage(tmp_path: Path, part: str) -> None:
    with opened(tmp_path / "portal") as engine:
        engine.fill([some_records(tmp_path)])
    file = next(index_of(tmp_path).glob(f"*.{part}"))
    overwritten(file)
    assert damage(index_of(tmp_path)) == ""
    assert damage(index_of(tmp_path), with_content=True) == f"{file.name} is damaged"


@pytest.mark.parametrize("fault", FAULTS)
def test_an_index_that_is_damaged_is_made_anew_with_one_line(tmp_path: Path, fault: str) -> None:
    path, lines = some_records(tmp_path), list[str]()
    engine = EmbeddedEngine.open(tmp_path / "portal", 30, report=lines.append)
    try:
        engine.fill([path])
        index = index_of(tmp_path)
        FAULTS[fault](index)
        with Watcher(engine, lambda: [path], lines.append, interval=0.01):
            wait_until(lambda: lines and index.exists() and not damage(index), "the index is made anew")
        assert len(titles(engine, "water")) == 300
        assert engine.search(PHRASE).total == 300
    finally:
        engine.close()
    (line,) = lines
    assert line.startswith(f"{index}: ")
    assert line.endswith("; the index is made anew from the files of records")


def fails(reader: EmbeddedReader) -> bool:
    """Whether a question ends in an error; never in a panic, which no handler of errors would see."""
    try:
        for question in (PHRASE, WATER):
            reader.search(question)
    except Exception:
        return True
    return False


@pytest.mark.parametrize("part", PARTS[:-1])
def test_content_that_cannot_be_read_is_found_by_the_question_and_mended(tmp_path: Path, part: str) -> None:
    path, lines = some_records(tmp_path), list[str]()
    with opened(tmp_path / "portal") as engine:
        engine.fill([path])
        index = index_of(tmp_path)
        overwritten(next(index.glob(f"*.{part}")))
        reader = EmbeddedReader(tmp_path / "portal", 30)  # another process
        assert fails(reader)
        with Watcher(engine, lambda: [path], lines.append, interval=0.01):
            wait_until(lambda: index.exists() and not damage(index, with_content=True), "it is made anew")
        for each in (reader, engine):
            assert (each.search(PHRASE).total, each.search(WATER).total) == (300, 300)
    assert lines == []  # those of the engine go elsewhere


@pytest.mark.parametrize("fault", ["removed", "commit cut off", "idx cut off", "store gone"])
def test_a_start_makes_a_damaged_index_anew(tmp_path: Path, fault: str) -> None:
    path, lines = some_records(tmp_path), list[str]()
    with opened(tmp_path / "portal") as engine:
        engine.fill([path])
    FAULTS[fault](index_of(tmp_path))
    engine = EmbeddedEngine.open(tmp_path / "portal", 30, report=lines.append)
    try:
        assert engine.fill([path]).written == 300
        assert len(titles(engine, "water")) == 300
    finally:
        engine.close()
    assert len(lines) == (fault != "removed")


def test_an_index_that_was_put_back_from_a_backup_is_filled_with_what_it_lacks(tmp_path: Path) -> None:
    path = some_records(tmp_path)
    with opened(tmp_path / "portal") as engine:
        engine.fill([path])
    index, backup = index_of(tmp_path), tmp_path / "backup"
    shutil.copytree(index, backup)
    later = write(tmp_path / "b.jsonl", [record(number, "Later") for number in range(400, 500)])
    with opened(tmp_path / "portal") as engine:
        engine.fill([path, later])
        numbers = engine.changes(WOO, engine.changes(WOO, Followed(), 1000).followed, 10).followed
    shutil.rmtree(index)
    backup.rename(index)
    with opened(tmp_path / "portal") as engine:
        assert titles(engine, "later") == []
        engine.fill([path, later])
        assert len(titles(engine, "later")) == 100
        # Its numbers have another name, so that a copy that follows does not take them for those that it had.
        assert engine.changes(WOO, numbers, 10).followed.index != numbers.index


def test_questions_wait_for_the_index_that_is_made_anew(tmp_path: Path) -> None:
    path, seen = some_records(tmp_path), list[str]()
    with opened(tmp_path / "portal") as engine:
        engine.fill([path])
        shutil.rmtree(index_of(tmp_path))

        def ask(_: object) -> None:
            with pytest.raises(EngineError) as caught:
                engine.search(WATER)
            seen.append(str(caught.value))

        engine.fill([path], ask)
        assert seen
        assert engine.search(WATER).total == 300


def test_without_records_a_damaged_index_stays_as_it_is(tmp_path: Path) -> None:
    with opened(tmp_path / "portal") as engine:
        engine.fill([some_records(tmp_path)])
        (index_of(tmp_path) / "meta.json").write_text("{")
        with pytest.raises(EngineError, match="no records to make the index anew from"):
            engine.fill([])
        assert (index_of(tmp_path) / "meta.json").read_text() == "{"


def test_a_fill_anew_that_was_ended_goes_on_at_the_next_start(tmp_path: Path) -> None:
    path = some_records(tmp_path)
    more = write(tmp_path / "b.jsonl", [record(number, "Later") for number in range(400, 500)])
    with opened(tmp_path / "portal") as engine:
        engine.fill([path, more])
        shutil.rmtree(index_of(tmp_path))
        engine.fill([path, more], lambda filled: engine.interrupt())
    with opened(tmp_path / "portal") as engine:
        assert 0 < engine.fill([path, more]).lines < 400
        assert len(titles(engine)) == 400


def test_a_look_that_fails_in_whatever_way_does_not_end_the_watcher(tmp_path: Path) -> None:
    lines, asked = list[str](), list[int]()

    class Panic(BaseException):
        """No Exception, as a panic of the index."""

    def files() -> list[Path]:
        asked.append(1)
        if len(asked) == 1:
            raise Panic("too small")
        return [some_records(tmp_path)]

    with opened(tmp_path / "portal") as engine:
        with Watcher(engine, files, lines.append, interval=0.01):
            wait_until(lambda: len(titles(engine)) == 300, "the next look")
        assert lines == ["the look for new records failed: Panic('too small')"]
