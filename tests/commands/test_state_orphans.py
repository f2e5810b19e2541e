"""``scrapy state unnamed``: the orphans, stored files of no published document."""

from __future__ import annotations

from contextlib import closing
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.commands.state_shell import Done, Shell
from tests.pipelines.writing import write_file
from tests.state.test_upkeep import keep
from woo_harvester.pipelines.folder import DurableFolder
from woo_harvester.pipelines.stored import path_of, text_path_of
from woo_harvester.state.documents import confirm_withdrawn

PUBLISHED, WITHDRAWN, UNKNOWN = (sha256(name).digest() for name in (b"published", b"withdrawn", b"unknown"))


def run_unnamed(state: Shell, *args: str) -> Done:
    return state("unnamed", *args, "-s", f"FILES_STORE={state.folder / 'store'}")


@pytest.fixture
def store(state: Shell) -> Path:
    """A published document, a withdrawn one, and one that the state does not know; each with its text."""

    def fill(connection: Any) -> None:
        ids = keep(connection, PUBLISHED, WITHDRAWN)
        confirm_withdrawn(connection, dict.fromkeys(ids[1:], 1_700_000_200))

    state.fill(fill)
    with closing(DurableFolder(state.folder / "store")) as folder:
        for digest in (PUBLISHED, WITHDRAWN, UNKNOWN):
            write_file(folder, path_of(digest.hex()), BytesIO(b"besluit"))
            write_file(folder, text_path_of(digest.hex()), BytesIO(b"{}"))
        (folder.path / "foto.jpg").write_bytes(b"of somebody else")
        return folder.path


def lines_of(store: Path, *digests: bytes) -> str:
    """The listing of these documents and their texts."""
    return "".join(
        f"{size:>12} {store / name}\n"
        for digest in sorted(digests)
        for size, name in ((7, path_of(digest.hex())), (2, text_path_of(digest.hex())))
    )


def all_files(store: Path) -> set[Path]:
    return {path for path in store.rglob("*") if path.is_file()}


def test_what_no_published_document_names_is_listed_and_left(state: Shell, store: Path) -> None:
    before = all_files(store)
    line = "Found 4 files of 18 bytes that no published document names.\n"
    assert run_unnamed(state) == Done(0, lines_of(store, WITHDRAWN, UNKNOWN), line)
    assert all_files(store) == before


def test_it_is_removed_if_that_is_asked_for_and_nothing_else_is(state: Shell, store: Path) -> None:
    before = all_files(store)
    line = "Removed 4 files of 18 bytes that no published document names.\n"
    assert run_unnamed(state, "--remove") == Done(0, lines_of(store, WITHDRAWN, UNKNOWN), line)
    removed = {
        store / name(digest.hex()) for digest in (WITHDRAWN, UNKNOWN) for name in (path_of, text_path_of)
    }
    assert all_files(store) == before - removed
    assert run_unnamed(state).stdout == ""


def test_nothing_is_removed_while_a_run_stores_documents(state: Shell, store: Path) -> None:
    with closing(DurableFolder(store)) as folder:
        folder.lock(alone=False)
        before = all_files(store)
        error = f"scrapy state: error: a run stores documents in {store}: wait until it ends\n"
        assert run_unnamed(state, "--remove") == Done(1, "", error)
        assert all_files(store) == before
        assert run_unnamed(state).status == 0


def test_nothing_is_removed_by_a_state_that_names_nothing(state: Shell, store: Path) -> None:
    state.fill(lambda connection: confirm_withdrawn(connection, {1: 1_700_000_200}))
    before = all_files(store)
    done = run_unnamed(state, "--remove")
    assert (done.status, done.stdout) == (1, "")
    assert "is it the state of these documents (setting WOO_STATE_URL)?" in done.stderr
    assert all_files(store) == before


@pytest.mark.parametrize(
    ("uri", "line"),
    [
        ("", "FILES_STORE is not set, so no document is kept"),
        ("s3://woo/geheim", "FILES_STORE names a remote store (s3), and this is for a folder only"),
        ("elders", "elders: there is no such folder"),
    ],
)
def test_a_store_that_cannot_be_listed_is_one_line(state: Shell, store: Path, uri: str, line: str) -> None:
    done = state("unnamed", "-s", f"FILES_STORE={uri}")
    assert done == Done(1, "", f"scrapy state: error: {line}\n")


def test_a_store_may_be_given_as_a_url(state: Shell, store: Path) -> None:
    done = state("unnamed", "-s", f"FILES_STORE=file://{store}")
    assert done.stdout == lines_of(store, WITHDRAWN, UNKNOWN)


def test_remove_belongs_to_unnamed_only(state: Shell, store: Path) -> None:
    done = state("check", "x.jsonl", "--remove")
    assert (done.status, done.stdout) == (2, "")
    assert "option --remove belongs to unnamed" in done.stderr
