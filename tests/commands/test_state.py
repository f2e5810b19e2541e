"""``scrapy state``: what it shows, and how it refuses what was typed wrong."""

from __future__ import annotations

import pytest

from tests.commands.state_shell import Shell, refused
from tests.state.processes import LOCKING, running


def test_hosts_are_shown_in_a_table(filled: Shell) -> None:
    assert filled() == (
        0,
        "host          documents withdrawn   pending complete read\n"
        "a.nl                  4         1         2 2023-11-14 23:15\n"
        "www.b.nl:8443         0         0         - never\n"
        "2 hosts, 4 documents, 1 withdrawn\n",
        "",
    )


def test_a_state_in_which_nothing_is_known_is_an_empty_table(state: Shell) -> None:
    state.fill(lambda connection: None)
    assert state().stdout == (
        "host documents withdrawn   pending complete read\n0 hosts, 0 documents, 0 withdrawn\n"
    )


def test_without_a_state_the_command_says_so_and_makes_none(state: Shell) -> None:
    line = f"there is no state at {state.file}: the first run makes it (setting WOO_STATE_URL)"
    for args in ([], ["forget", "a.nl"], ["confirm", "a.nl"], ["restore", "a.nl"]):
        assert refused(state(*args), line, status=1)
    assert not state.file.parent.exists()


def test_a_state_elsewhere_is_read_by_its_setting(filled: Shell) -> None:
    other = filled.folder / "elders.sqlite"
    filled.file.rename(other)
    assert filled("-s", f"WOO_STATE_URL=sqlite:///{other}").stdout.startswith("host")
    assert filled("-s", f"WOO_DATA_DIR={filled.folder / 'leeg'}").status == 1


def test_where_the_state_is_off_the_command_says_so(filled: Shell) -> None:
    done = filled("-s", "WOO_STATE_URL=sqlite://")
    assert refused(done, "there is no state at sqlite://: the first run makes it (setting WOO_STATE_URL)", 1)


def test_a_damaged_state_is_one_line(filled: Shell) -> None:
    filled.file.write_bytes(b"geen database " * 900)
    done = filled()
    assert done.status == 1
    assert "is damaged" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_state_that_a_run_is_using_can_be_read(filled: Shell) -> None:
    with running(LOCKING, filled.file, "a.nl", "www.b.nl:8443"):
        assert filled().status == 0


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["check", ""], "expected: scrapy state check FILE...; got an empty argument"),
        (["forgt"], "unknown action forgt: did you mean forget?"),
        (
            ["zzz"],
            "unknown action zzz: expected one of forget, confirm, restore, again, check, latest, ",
        ),
        (["latest", "--formt", "csv"], "unknown option --formt: scrapy state -h"),
        (["latest", "--format"], "argument --format: expected one argument"),
        (["latest", "x.jsonl", "--format", "xml"], "expected --format jsonl, csv or csv-nl, got xml"),
        (["latest", "x.jsonl", "--format", ""], "expected --format jsonl, csv or csv-nl, got "),
        (["check"], "expected: scrapy state check FILE...; got 0 arguments"),
        (
            ["latest", "--fix", "x"],
            "option --fix belongs to check, not to: scrapy state latest FILE...",
        ),
        (
            ["--format", "csv"],
            "option --format belongs to latest, not to: scrapy state",
        ),
    ],
)
def test_a_wrong_argument_is_one_line_with_a_suggestion(filled: Shell, args: list[str], line: str) -> None:
    done = filled(*args)
    assert done.status == 2
    assert done.stderr.startswith(f"scrapy state: error: {line}")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_the_help_names_all_actions_and_options(state: Shell) -> None:
    help_text = " ".join(state("-h").stdout.split())
    for part in (
        "forget HOST|URL...",
        "confirm HOST...",
        "restore HOST...",
        "--withdrawn",
    ):
        assert part in help_text
