"""``scrapy state lost``: the documents whose file is not in the store any more."""

from __future__ import annotations

from contextlib import closing
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from tests.commands.state_shell import Done, Shell
from tests.pipelines.writing import write_file
from tests.state.test_upkeep import keep
from woo_harvester.pipelines.folder import DurableFolder
from woo_harvester.pipelines.stored import path_of
from woo_harvester.state.contents import Content, Depth, add_content, describe
from woo_harvester.state.schema import documents

THERE, LOST = (sha256(name).digest() for name in (b"there", b"lost"))
LOC = "https://a.nl/d/1.pdf"


def run_lost(state: Shell, *args: str) -> Done:
    return state("lost", *args, "-s", f"FILES_STORE={state.folder / 'store'}")


@pytest.fixture
def store(state: Shell) -> Path:
    """A store that has one of the two documents that the state counts as kept there."""
    path = state.folder / "store"

    def fill(connection: Any) -> None:
        keep(connection, THERE, LOST)
        number = add_content(connection, describe(Content(Depth.FILE, str(path.resolve()))))
        connection.execute(update(documents).values(known_content=number))

    state.fill(fill)
    with closing(DurableFolder(path)) as folder:
        write_file(folder, path_of(THERE.hex()), BytesIO(b"besluit"))
        return folder.path


def test_a_document_without_its_file_is_listed_until_it_is_to_be_fetched(state: Shell, store: Path) -> None:
    line = f"1 document of which the file is not in {store}"
    for _ in range(2):
        assert run_lost(state) == Done(1, f"{LOC}\n", f"{line}.\n")
    assert run_lost(state, "--fetch") == Done(0, f"{LOC}\n", f"{line}; the next run fetches them.\n")
    none = f"0 documents of which the file is not in {store}.\n"
    assert run_lost(state) == run_lost(state, "--fetch") == Done(0, "", none)


def test_it_needs_a_folder(state: Shell, store: Path) -> None:
    assert "is not set, so no document is kept" in state("lost").stderr
    remote = state("lost", "-s", "FILES_STORE=s3://bucket/folder")
    assert (remote.status, "names a remote store (s3)" in remote.stderr) == (1, True)


def test_the_option_belongs_to_it(state: Shell, store: Path) -> None:
    assert "option --fetch belongs to lost" in state("unnamed", "--fetch").stderr
