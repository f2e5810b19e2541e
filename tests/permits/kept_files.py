"""Keeps one file of an entry page in a state."""

from __future__ import annotations

from sqlalchemy import Connection

from woo_harvester.permits.mutations import Mutation
from woo_harvester.permits.state import PermitFile, ReadFile, keep_files


def keep_file(
    connection: Connection, entry_id: int, url: str, file: PermitFile, message: Mutation | None
) -> int:
    """Note that a file was read; return its number."""
    (number,) = keep_files(connection, [ReadFile(entry_id, url, file, message)])
    return number
