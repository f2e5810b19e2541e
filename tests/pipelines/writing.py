"""Writes files to a durable folder, one at a time."""

from __future__ import annotations

from typing import IO

from woo_harvester.pipelines.folder import DurableFolder


def write_file(folder: DurableFolder, name: str, file: IO[bytes]) -> None:
    """Take all the steps by which a file is stored."""
    partial = folder.begin(name)
    try:
        partial.copy(file)
        folder.sync([partial], [])
        folder.sync([], folder.rename([partial]))
    finally:
        partial.close()
