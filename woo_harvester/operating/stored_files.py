"""Removes stored files that no document needs any more (``prune --documents`` and ``--withdrawn``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scrapy.pipelines.files import S3FilesStore

from woo_harvester.operating.named import known_hosts, locked
from woo_harvester.pipelines.folder import DurableFolder
from woo_harvester.pipelines.stored import path_of, sha256_of, text_path_of
from woo_harvester.report.retention import Outcome, Removal, remove_file
from woo_harvester.running.paths import files_folder, state_url
from woo_harvester.state.store import State, StateError
from woo_harvester.state.upkeep import has_published_file, known_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.settings import Settings

_OTHER_STATE = (
    "no published document of the state has a file, so nothing of {} is removed: "
    "is it the state of these documents (setting WOO_STATE_URL)?"
)

#: A file in a bucket that is younger may be of a run that has not confirmed its record yet.
_FRESH = timedelta(days=1)


class _File(NamedTuple):
    """A stored file: the SHA-256 of its document, and what removes it."""

    sha256: bytes
    remove: Callable[[], Outcome]


def prune_stored(settings: Settings, before: datetime, *, unknown: bool, dry_run: bool) -> Iterator[Outcome]:
    """Remove the files of documents withdrawn *before* a moment, unless another document still needs them.

    With *unknown*, also remove the files that no document in the state has. Raises StateError, NoFolderError,
    InUseError, LockedError and OSError.
    """
    uri = str(settings["FILES_STORE"] or "")
    with closing(State.open_existing(state_url(settings))) as state:
        files = _bucket(state, settings, dry_run) if uri.startswith("s3://") else _folder(settings, dry_run)
        with files as found, state.snapshot() as connection:
            if unknown and not has_published_file(connection):
                raise StateError(_OTHER_STATE.format(uri))
            known = known_files(connection, int(before.timestamp()))
            for file in _unneeded(found, known, unknown=unknown):
                yield file.remove()


@contextmanager
def _folder(settings: Settings, dry_run: bool) -> Iterator[Iterator[_File]]:
    """Return the files of a folder, which no run may use meanwhile."""
    with closing(DurableFolder.existing(files_folder(settings))) as folder:
        if not dry_run:
            folder.lock(alone=True)
        yield (
            _File(bytes.fromhex(file.sha256), partial(remove_file, file.path, "stored file", dry_run=dry_run))
            for file in folder.files()
        )


@contextmanager
def _bucket(state: State, settings: Settings, dry_run: bool) -> Iterator[Iterator[_File]]:
    """Return the files of a bucket that speaks S3, which has no locks: no run may work on a known host.

    A run over a host that the state does not know yet may begin, so what was stored lately stays.
    """
    names = vars(S3FilesStore).keys() - {"AWS_MAX_POOL_CONNECTIONS"}  # which has to be a number
    given = {name: settings[name] for name in names if name.startswith("AWS_")}
    store = type("Bucket", (S3FilesStore,), given)(f"{settings['FILES_STORE'].rstrip('/')}/")
    bucket, prefix, client = store.bucket, store.prefix, store.s3_client
    until = datetime.now(UTC) - _FRESH

    def remove(key: str, size: int) -> Outcome:
        if not dry_run:
            client.delete_object(Bucket=bucket, Key=key)
        return Removal("stored file", Path(key), 1, size)

    def files() -> Iterator[_File]:
        for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
            for found in page.get("Contents", ()):  # sorted by their keys
                key = found["Key"]
                sha256 = sha256_of(key.rpartition("/")[2])
                is_own = sha256 and key.removeprefix(prefix) in (path_of(sha256), text_path_of(sha256))
                if sha256 and is_own and found["LastModified"] < until:
                    yield _File(bytes.fromhex(sha256), partial(remove, key, found["Size"]))

    with state.begin() as connection:
        hosts = known_hosts(connection)
    with locked(state, settings, () if dry_run else hosts):
        yield files()


def _unneeded(
    files: Iterable[_File], known: Iterator[tuple[bytes, bool]], *, unknown: bool
) -> Iterator[_File]:
    """Yield the files to remove; *files* and *known* are sorted by SHA-256, and read one at a time."""
    digest, is_needed = b"", True
    for file in files:
        while digest < file.sha256:
            digest, is_needed = next(known, (b"\xff" * 33, True))
        if not is_needed if digest == file.sha256 else unknown:
            yield file
