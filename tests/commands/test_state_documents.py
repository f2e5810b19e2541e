"""``scrapy state documents``: what it says, and what it refuses."""

from __future__ import annotations

import json
from contextlib import closing
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest

from tests.commands.state_shell import Done, Shell, record, refused
from tests.state.test_upkeep import keep
from woo_harvester.pipelines.folder import DurableFolder
from woo_harvester.pipelines.stored import path_of

THERE, LOST = (sha256(name).digest() for name in (b"there", b"lost"))
LOC = "https://a.nl/d/1.pdf"
CONTENT = b"besluit"


def run_documents(state: Shell, *args: str) -> Done:
    return state("documents", *args, "-s", f"FILES_STORE={state.folder / 'store'}")


@pytest.fixture
def store(state: Shell) -> Path:
    """A store that has the file of one of the two documents."""
    state.fill(lambda connection: keep(connection, THERE, LOST))
    with closing(DurableFolder(state.folder / "store")) as folder:
        folder.write(path_of(THERE.hex()), BytesIO(b"besluit"))
        return folder.path


@pytest.fixture
def there(store: Path) -> Path:
    """The store, with the file of one of its two documents under its own hash."""
    digest = sha256(CONTENT).hexdigest()
    path = store / path_of(digest)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(CONTENT)
    return store


def with_file(loc: str, digest: str, cause: str = "aanlevering") -> str:
    found = json.loads(record(loc, cause))
    found["document"]["titelcollectie"] = {"officieleTitel": "Besluit"}
    found["versies"][0]["bestanden"] = [
        {"hash": digest, "pad": path_of(digest), "mime-type": "application/pdf"}
    ]
    return json.dumps(found) + "\n"


def test_documents_are_copied_by_the_records_of_runs(state: Shell, there: Path) -> None:
    Path("records").mkdir()
    Path("records/woo-1.jsonl").write_text(with_file(LOC, sha256(CONTENT).hexdigest()))
    line = "Copied 1 file to map. map/documenten.csv lists 1 document.\n"
    done = run_documents(state, "map")
    assert (done.status, done.stdout) == (0, "")
    assert done.stderr.endswith(line)
    assert [path.read_bytes() for path in Path("map").rglob("*.pdf")] == [CONTENT]
    assert run_documents(state, "map").stderr.endswith(line.replace("1 file", "0 files"))
    Path("records/woo-2.jsonl").write_text(
        with_file(LOC, THERE.hex(), "intrekking").replace('"opgehaald": "2023', '"opgehaald": "2024')
    )
    assert "Copied 0 files to map, and removed 1 withdrawn. " in run_documents(state, "map").stderr


def test_documents_without_a_file_are_counted(state: Shell, there: Path) -> None:
    Path("b.jsonl").write_text(with_file(LOC, LOST.hex()))
    done = run_documents(state, "map", "b.jsonl")
    assert done.stderr.startswith("1 document of which the file is not in the store. To have them fetched")


def test_what_cannot_be_copied_from_or_to_is_one_line(state: Shell, there: Path) -> None:
    none = "no records in records/*.jsonl: name the files that have the records of these documents"
    assert refused(run_documents(state, "map"), none)
    assert not Path("map").exists()
    Path("a.jsonl").write_text(record(LOC) + "\n")
    Path("file").touch()
    Path("documenten.csv").touch()
    line = "documenten.csv was not made by this command: name another folder"
    assert refused(run_documents(state, ".", "a.jsonl"), line)
    assert run_documents(state, "file", "a.jsonl").stderr.count("\n") == 1
    remote = state("documents", "map", "a.jsonl", "-s", "FILES_STORE=s3://bucket/x")
    assert refused(remote, "FILES_STORE names a remote store (s3), and this is for a folder only", 1)
    assert "expected: scrapy state documents FOLDER [FILE...]; got 0 arguments" in state("documents").stderr
    assert THERE.hex() not in str(list(Path("map").rglob("*")))
