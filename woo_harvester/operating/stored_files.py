"""Removes stored files that no document needs any more (``prune --documents`` and ``--withdrawn``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from woo_harvester.pipelines.folder import DurableFolder, StoredFile
from woo_harvester.report.retention import Outcome, remove_file
from woo_harvester.running.paths import files_folder, state_url
from woo_harvester.state.store import State, StateError
from woo_harvester.state.upkeep import has_published_file, known_files

if TYPE_CHECKING:
    from datetime import datetime

    from scrapy.settings import BaseSettings

_OTHER_STATE = (
    "no published document of the state has a file, so nothing of {} is removed: "
    "is it the state of these documents (setting WOO_STATE_URL)?"
)


def prune_stored(
    settings: BaseSettings, before: datetime, *, unknown: bool, dry_run: bool
) -> Iterator[Outcome]:
    """Remove the files of documents withdrawn *before* a moment, unless another document still needs them.

    With *unknown*, also remove the files that no document in the state has. A run locks the folder while it
    stores documents, so a file whose record is not confirmed yet stays. Raises StateError, NoFolderError,
    InUseError and OSError.
    """
    with (
        closing(State.open_existing(state_url(settings))) as state,
        closing(DurableFolder.existing(files_folder(settings))) as folder,
    ):
        if not dry_run:
            folder.lock(alone=True)
        with state.snapshot() as connection:
            if unknown and not has_published_file(connection):
                raise StateError(_OTHER_STATE.format(folder.path))
            known = known_files(connection, int(before.timestamp()))
            for file in _unneeded(folder.files(), known, unknown=unknown):
                yield remove_file(file.path, "stored file", dry_run=dry_run)


def _unneeded(
    files: Iterable[StoredFile], known: Iterator[tuple[bytes, bool]], *, unknown: bool
) -> Iterator[StoredFile]:
    """Yield the files to remove; *files* and *known* are sorted by SHA-256, and read one at a time."""
    digest, is_needed = b"", True
    for file in files:
        wanted = bytes.fromhex(file.sha256)
        while digest < wanted:
            digest, is_needed = next(known, (b"\xff" * 33, True))
        if not is_needed if digest == wanted else unknown:
            yield file
