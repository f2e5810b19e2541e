"""Documents in a folder of this machine."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest

from tests.pipelines.opened import CONTENT, DIGEST, PDF, READ, has, put, with_store
from woo_harvester.documents.extracted import Extracted, Limits
from woo_harvester.pipelines import folder as disk
from woo_harvester.pipelines.folder import DurableFolder, PartialFile
from woo_harvester.pipelines.local import GroupCommit
from woo_harvester.pipelines.stored import DocumentStore, StoreError, path_of, text_path_of

NAMES = [path_of(f"{number:02x}" + "0" * 62) for number in range(30)]


@pytest.fixture(params=[True, False], ids=["at once", "one by one"])
def folder(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[DurableFolder]:
    monkeypatch.setattr(disk, "_syncs_at_once", lambda descriptor: request.param)
    with closing(DurableFolder(tmp_path / "store")) as made:
        yield made


def partial(folder: DurableFolder, name: str) -> PartialFile:
    made = folder.begin(name)
    made.write(name.encode())
    return made


def committed(folder: DurableFolder, *names: str) -> list[BaseException | None]:
    """Commit files at the same time, and return the error of each, or None."""

    async def run() -> list[BaseException | None]:
        with closing(GroupCommit(folder)) as commit:
            waiting = (commit.commit(partial(folder, name)) for name in names)
            return await asyncio.gather(*waiting, return_exceptions=True)

    return asyncio.run(run())


def left(folder: DurableFolder) -> list[str]:
    """Return the names of the files that do not have their own name yet."""
    return [path.name for path in (folder.path / ".writing").iterdir() if path.name != "lock"]


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_a_document_is_kept_once(tmp_path: Path, form: str) -> None:
    store = form.format(tmp_path / "store")
    assert not has(FILES_STORE=store)
    assert put(FILES_STORE=store)
    assert not put(FILES_STORE=store)
    assert has(FILES_STORE=store)
    assert (tmp_path / "store" / path_of(DIGEST)).read_bytes() == CONTENT


def test_a_folder_that_is_given_relatively_has_whole_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def use(store: DocumentStore) -> Path | None:
        return store.local_path(DIGEST)

    assert with_store(use, FILES_STORE="store") == tmp_path / "store" / path_of(DIGEST)


def test_the_same_document_many_times_at_once_is_written_once(tmp_path: Path) -> None:
    async def use(store: DocumentStore) -> list[bool]:
        return await asyncio.gather(
            *(store.put(DIGEST, len(CONTENT), BytesIO(CONTENT), PDF) for _ in range(20))
        )

    assert with_store(use, FILES_STORE=tmp_path).count(True) == 1


def test_a_file_that_lost_a_part_is_written_anew(tmp_path: Path) -> None:
    put(FILES_STORE=tmp_path)
    (tmp_path / path_of(DIGEST)).write_bytes(b"bes")
    assert put(FILES_STORE=tmp_path)
    assert (tmp_path / path_of(DIGEST)).read_bytes() == CONTENT


def test_a_text_is_kept_beside_its_document(tmp_path: Path) -> None:
    async def use(store: DocumentStore) -> list[Extracted | None]:
        before = await store.load_text(DIGEST)
        await store.keep_text(DIGEST, READ)
        return [before, await store.load_text(DIGEST)]

    assert with_store(use, FILES_STORE=tmp_path) == [None, READ]
    assert (tmp_path / text_path_of(DIGEST)).is_file()


def test_a_text_that_was_read_within_other_limits_does_not_count(tmp_path: Path) -> None:
    with_store(lambda store: store.keep_text(DIGEST, READ), FILES_STORE=tmp_path)
    loaded = with_store(lambda store: store.load_text(DIGEST), Limits(ocr=True), FILES_STORE=tmp_path)
    assert loaded is None


def test_a_text_that_cannot_be_read_or_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / text_path_of(DIGEST)).mkdir(parents=True)
    with pytest.raises(StoreError, match="could not be read"):
        with_store(lambda store: store.load_text(DIGEST), FILES_STORE=tmp_path)
    with pytest.raises(StoreError, match="could not be stored"):
        with_store(lambda store: store.keep_text(DIGEST, READ), FILES_STORE=tmp_path)


# Files that wait for the disk together.
def test_all_files_get_their_names(folder: DurableFolder) -> None:
    assert committed(folder, *NAMES) == [None] * len(NAMES)
    assert {(folder.path / name).read_bytes() for name in NAMES} == {name.encode() for name in NAMES}
    assert left(folder) == []


def test_each_is_durable_before_it_has_its_name_and_its_name_before_anyone_is_reported(
    folder: DurableFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[tuple[str, str]] = []
    fsync, replace, sync_file_system = os.fsync, os.replace, disk.sync_file_system

    def syncing(descriptor: int) -> None:
        steps.append(("synced", str(Path(f"/proc/self/fd/{descriptor}").readlink())))
        fsync(descriptor)

    def syncing_all(descriptor: int) -> None:
        assert Path(f"/proc/self/fd/{descriptor}").readlink().is_relative_to(folder.path)
        steps.append(("synced", "all"))
        sync_file_system(descriptor)

    def replacing(path: str, target: str) -> None:
        steps.append((f"named {path}", target))
        replace(path, target)

    monkeypatch.setattr(os, "fsync", syncing)
    monkeypatch.setattr(disk, "sync_file_system", syncing_all)
    monkeypatch.setattr(os, "replace", replacing)
    committed(folder, *NAMES)
    for name in NAMES:
        target = str(folder.path / name)
        (named,) = (number for number, step in enumerate(steps) if step[1] == target)
        path = steps[named][0].removeprefix("named ")
        assert {("synced", path), ("synced", "all")}.intersection(steps[:named])
        assert {("synced", str(Path(target).parent)), ("synced", "all")}.intersection(steps[named:])


def test_those_that_come_meanwhile_wait_for_the_disk_together(
    folder: DurableFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[tuple[int, int]] = []
    sync = folder.sync

    def counting(partials: list[PartialFile], folders: set[int]) -> None:
        batches.append((len(partials), len(folders)))
        sync(partials, folders)

    monkeypatch.setattr(folder, "sync", counting)
    committed(folder, *NAMES)
    assert batches == [(len(NAMES), 0), (0, 1 + len(NAMES))]


def test_one_wait_is_for_the_content_of_a_group_and_for_the_names_of_the_group_before(
    folder: DurableFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = NAMES[:10], NAMES[10:]
    batches: list[tuple[set[str], int]] = []
    sync = folder.sync

    async def run() -> None:
        loop = asyncio.get_running_loop()
        later: list[asyncio.Task[None]] = []

        def waiting(partials: list[PartialFile], folders: set[int]) -> None:
            batches.append(({partial.target for partial in partials}, len(folders)))
            if not later:
                asyncio.run_coroutine_threadsafe(begin_second(), loop).result()
            sync(partials, folders)

        async def begin_second() -> None:
            later.extend(asyncio.create_task(commit.commit(partial(folder, name))) for name in second)

        monkeypatch.setattr(folder, "sync", waiting)
        with closing(GroupCommit(folder)) as commit:
            await asyncio.gather(*(commit.commit(partial(folder, name)) for name in first))
            await asyncio.gather(*later)

    asyncio.run(run())
    assert batches == [
        ({str(folder.path / name) for name in first}, 0),
        ({str(folder.path / name) for name in second}, 1 + len(first)),
        (set(), 1 + len(second)),
    ]


def test_where_the_names_cannot_be_made_durable_their_group_is_notified_too(
    folder: DurableFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = folder.sync

    def failing(partials: list[PartialFile], folders: set[int]) -> None:
        if folders:
            raise OSError(5, "Input/output error")
        sync(partials, folders)

    monkeypatch.setattr(folder, "sync", failing)
    assert all(isinstance(one, OSError) for one in committed(folder, *NAMES))


def test_where_the_disk_fails_all_are_notified_and_nothing_is_left(
    folder: DurableFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", failing)
    monkeypatch.setattr(disk, "sync_file_system", failing)
    errors = committed(folder, *NAMES)
    assert all(isinstance(one, OSError) for one in errors)
    assert left(folder) == []
    assert not any(folder.has(name) for name in NAMES)


def test_after_a_failure_the_next_are_committed(folder: DurableFolder) -> None:
    async def run() -> None:
        with closing(GroupCommit(folder)) as commit:
            lost = partial(folder, NAMES[0])
            os.unlink(lost.path)  # noqa: PTH108 -- in async code, a Path would be refused too
            with pytest.raises(FileNotFoundError):
                await commit.commit(lost)
            await commit.commit(partial(folder, NAMES[1]))

    asyncio.run(run())
    assert [folder.has(name) for name in NAMES[:2]] == [False, True]


def test_who_no_longer_waits_holds_up_nobody(folder: DurableFolder) -> None:
    async def run() -> None:
        with closing(GroupCommit(folder)) as commit:
            first = asyncio.create_task(commit.commit(partial(folder, NAMES[0])))
            second = asyncio.create_task(commit.commit(partial(folder, NAMES[1])))
            await asyncio.sleep(0)
            first.cancel()
            await second

    asyncio.run(run())
    assert folder.has(NAMES[1])
    assert left(folder) == []
