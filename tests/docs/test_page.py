"""What plays the pages notices what a page says wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.page import Command, Reader, Written, alike, steps

PAGE = """
Write this:

```python title="groet/hallo.py"
print("hallo, 2026-11-23 10:00")
```

```console
$ python groet/hallo.py
hallo, 2025-01-02 03:04
$ cd groet
$ ls \\
    -1
hallo.py
$ false  # exit status 1
```

```json
{"only": "read"}
```
"""


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    folder = tmp_path / "empty"
    folder.mkdir()
    return Reader(folder)


def test_a_page_is_files_and_commands_in_their_order() -> None:
    assert list(steps(PAGE)) == [
        Written("groet/hallo.py", 'print("hallo, 2026-11-23 10:00")\n'),
        Command("python groet/hallo.py", ("hallo, 2025-01-02 03:04",)),
        Command("cd groet", None),
        Command("ls \\\n    -1", ("hallo.py",)),
        Command("false", None, status=1),
    ]


def test_a_page_that_says_what_happens_is_played(reader: Reader, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    reader.play(page)
    assert (reader.folder / "groet" / "hallo.py").exists()


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (Command("echo ja", ("nee",)), "echo ja shows"),
        (Command("false", None), "false: 1"),
        (Command("true", None, status=1), "true: 0"),
        (Command("echo een; echo twee", ("een",)), "shows"),
    ],
)
def test_a_command_that_does_otherwise_fails(reader: Reader, step: Command, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        reader.do(step)


def test_what_stands_in_is_named_as_on_the_page(reader: Reader) -> None:
    reader.stand_ins = {"www.gemeente.nl": "localhost:1234"}
    reader.do(Command("echo www.gemeente.nl > host; cat host", ("www.gemeente.nl",)))
    assert (reader.folder / "host").read_text(encoding="utf-8") == "localhost:1234\n"


def test_what_goes_on_in_the_background_has_shown_its_lines_and_ends_with_the_page(reader: Reader) -> None:
    with reader:
        reader.do(Command("bash -c 'echo klaar; exec sleep 600' &", ("klaar",)))
        (process,) = reader._started
        assert process.poll() is None
    assert process.poll() is not None


def test_what_ends_before_the_page_does_is_a_fault(reader: Reader) -> None:
    reader.do(Command("echo klaar &", ("klaar",)))
    reader._started[0].wait()
    with pytest.raises(AssertionError, match="it ended before the page did"), reader:
        pass
    with pytest.raises(AssertionError, match="echo nee & shows"), reader:
        reader.do(Command("echo nee &", ("klaar",)))


def test_dots_stand_for_any_lines() -> None:
    assert alike(("a", "…", "d"), ["a", "b", "c", "d"])
    assert alike(("a", "…"), ["a"])
    assert not alike(("a", "…", "d"), ["a", "b"])


def test_a_run_of_pytest_is_alike_whether_it_takes_a_minute_or_not() -> None:
    assert alike(("1 passed in 0.01s",), ["1 passed in 66.60s (0:01:06)"])
    assert not alike(("1 passed in 0.01s",), ["2 passed in 66.60s (0:01:06)"])


def test_the_program_is_there_outside_a_project(reader: Reader) -> None:
    reader.do(Command("woo-harvester list", ("vergunningen", "woo")))
