from __future__ import annotations

import json
from pathlib import Path

from tests.portal.embedded.records import opened, record, titles, write
from tests.utils.waiting import wait_until
from woo_portal.embedded.engine import Watcher


def test_new_files_and_lines_are_found_while_it_runs(tmp_path: Path) -> None:
    lines: list[str] = []
    with opened(tmp_path / "portal") as engine:
        with Watcher(engine, lambda: tmp_path.glob("*.jsonl"), lines.append, interval=0.05):
            path = write(tmp_path / "a.jsonl", [record(1, "Een")])
            wait_until(lambda: titles(engine) == ["Een"], "the first record")
            with path.open("a", encoding="utf-8") as file:
                file.write("geen record\n" + json.dumps(record(2, "Twee")) + "\n")
            wait_until(lambda: len(titles(engine)) == 2, "the second record")
            write(tmp_path / "b.jsonl", [record(1, "Een, gewijzigd", second=5)])
            wait_until(lambda: "Een, gewijzigd" in titles(engine), "the changed record")
        assert len(lines) == 1
        assert lines[0].startswith(f"{path}: 1 lines are no record")


def test_a_fault_that_lasts_is_reported_once(tmp_path: Path) -> None:
    lines: list[str] = []
    asked: list[int] = []

    def files() -> list[Path]:
        asked.append(1)
        return [tmp_path]

    with opened(tmp_path / "portal") as engine:
        with Watcher(engine, files, lines.append, interval=0.01):
            wait_until(lambda: len(asked) > 5, "some looks at the files")
        assert lines == [f"{tmp_path}: Is a directory"]


def test_stopping_ends_a_fill_and_the_next_start_continues_it(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [record(number, text="water " * 500) for number in range(3000)])
    with opened(tmp_path / "portal") as engine, Watcher(engine, lambda: [path], print, interval=0.01):
        wait_until(engine._filling.locked, "a fill")
    with opened(tmp_path / "portal") as engine:
        engine.fill([path])
        assert len(titles(engine)) == 3000
