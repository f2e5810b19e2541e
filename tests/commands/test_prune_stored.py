"""``scrapy prune --documents`` and ``--withdrawn``: the stored files that no document needs any more."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from time import time
from typing import Any

import pytest

from tests.commands.state_shell import Done, Shell
from tests.state.test_upkeep import keep
from woo_harvester.pipelines.folder import DurableFolder
from woo_harvester.pipelines.stored import path_of
from woo_harvester.state.documents import confirm_withdrawn

DAY = 24 * 3600
PUBLISHED, BOTH, LATELY, LONG_AGO, UNKNOWN = (
    sha256(name).digest() for name in (b"published", b"both", b"lately", b"long ago", b"unknown")
)


def prune(state: Shell, *args: str, store: object = None) -> Done:
    return state(*args, "-s", f"FILES_STORE={store or state.folder / 'store'}", command="prune")


@pytest.fixture
def store(state: Shell) -> Path:
    """Documents that are published or withdrawn, some with one file, and a file that the state does not know.

    Each file has its text beside it.
    """

    def fill(connection: Any) -> None:
        ids = keep(connection, PUBLISHED, BOTH, BOTH, LATELY, LONG_AGO)
        days = dict(zip(ids[2:], (90, 10, 90), strict=True))
        confirm_withdrawn(connection, {key: int(time()) - ago * DAY for key, ago in days.items()})

    state.fill(fill)
    with closing(DurableFolder(state.folder / "store")) as folder:
        for digest in (PUBLISHED, BOTH, LATELY, LONG_AGO, UNKNOWN):
            folder.write(path_of(digest.hex()), BytesIO(b"besluit"))
            (folder.path / f"{path_of(digest.hex())}.text.json").touch()  # of an earlier version
        (folder.path / "foto.jpg").write_bytes(b"of somebody else")
        return folder.path


def files_of(store: Path, digests: Iterable[bytes]) -> list[Path]:
    """Return the paths of documents with their texts, sorted."""
    paths = [path_of(digest.hex()) for digest in digests]
    return sorted(store / f"{path}{end}" for path in paths for end in ("", ".text.json"))


def all_files(store: Path) -> set[Path]:
    return {path for path in store.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("args", "gone"),
    [
        (["--documents"], [LATELY, LONG_AGO, UNKNOWN]),
        (["--withdrawn", "30"], [LONG_AGO]),
        (["--withdrawn=0"], [LATELY, LONG_AGO]),
        (["--documents", "--withdrawn", "28d"], [LONG_AGO, UNKNOWN]),
        ([], []),
    ],
)
def test_what_no_document_needs_is_removed_with_its_text(
    state: Shell, store: Path, args: list[str], gone: list[bytes]
) -> None:
    before, files = all_files(store), files_of(store, gone)
    count = f"{2 * len(gone)} stored files: {2 * len(gone)} files, 0.0 MB.\n" if gone else "nothing.\n"
    lines = "".join(f"would remove {path}\n" for path in files)
    assert prune(state, *args, "--dry-run") == Done(0, f"{lines}Would remove {count}", "")
    assert all_files(store) == before
    assert prune(state, *args) == Done(0, f"Removed {count}", "")
    assert all_files(store) == before - set(files)
    assert prune(state, *args).stdout == "Removed nothing.\n"


def test_nothing_is_removed_while_a_run_stores_documents(state: Shell, store: Path) -> None:
    before = all_files(store)
    with closing(DurableFolder(store)) as folder:
        folder.lock(alone=False)
        error = f"scrapy prune: error: a run stores documents in {store}: wait until it ends\n"
        assert prune(state, "--documents") == Done(1, "", error)
        assert prune(state, "--documents", "--dry-run").status == 0
    assert all_files(store) == before


def test_nothing_is_removed_by_a_state_without_a_file_of_a_published_document(
    state: Shell, store: Path
) -> None:
    state.fill(lambda connection: confirm_withdrawn(connection, dict.fromkeys((1, 2), 1_700_000_200)))
    before = all_files(store)
    done = prune(state, "--documents")
    assert (done.status, done.stdout) == (1, "")
    assert "is it the state of these documents (setting WOO_STATE_URL)?" in done.stderr
    assert all_files(store) == before


def test_a_store_or_state_that_is_not_there_is_one_line(state: Shell, store: Path) -> None:
    for uri, line in (
        ("s3://woo/geheim", "FILES_STORE names a remote store (s3), and this is for a folder only"),
        ("elders", "elders: there is no such folder"),
    ):
        assert prune(state, "--documents", store=uri) == Done(1, "", f"scrapy prune: error: {line}\n")
    assert "FILES_STORE is not set" in state("--documents", command="prune").stderr
    state.file.unlink()
    assert "there is no state at" in prune(state, "--documents").stderr
    assert "--withdrawn: expected a number of days" in prune(state, "--withdrawn", "ooit").stderr
