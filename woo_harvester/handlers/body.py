"""Writes a body to a file, piece by piece: decoded, limited, counted and hashed."""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from typing import IO, Literal

from woo_harvester.handlers.coding import BombError, Decoder
from woo_harvester.sitemaps.decompress import CorruptError, TruncatedError

#: Largest body that stays in memory, in bytes. A larger one is in a temporary file, written in such pieces.
SPOOL_SIZE = 1024 * 1024

Flag = Literal["maxsize", "dataloss", "expansion", "coding"]
"""The reason why a body is not complete; see StreamingDownloadHandler."""


class SpoolError(Exception):
    """A body cannot be written to its temporary file: the disk is full, or the folder is not writable.

    The server is not at fault. Not an OSError, because an OSError means a failed connection.
    """


class Intake:
    """The file of a body that is being received. Large or coded bodies are written in a thread meanwhile."""

    def __init__(self, file: IO[bytes], *, maxsize: int, digest: bool, decoder: Decoder | None) -> None:
        self.size = 0
        """Size of the file in bytes."""
        self.received = 0
        """Number of bytes received, before decoding."""
        self.flag: Flag | None = None
        """The reason why the rest of the body is not written; None until then."""
        self.digest = hashlib.sha256() if digest else None
        self._file = file
        self._maxsize = maxsize
        self._decoder = decoder
        self._pieces: list[bytes] = []
        self._waiting = 0
        self._writing: asyncio.Future[None] | None = None

    async def add(self, piece: bytes) -> None:
        """Add a piece of the body. Wait only if earlier pieces are still being written.

        Raises :class:`SpoolError`.
        """
        self._pieces.append(piece)
        self._waiting += len(piece)
        self.received += len(piece)
        if self._maxsize and self.received > self._maxsize:
            await self.finish()
            self.flag = self.flag or "maxsize"
        elif self._waiting >= SPOOL_SIZE:
            await self._written()
            self._write_in_thread()

    async def finish(self) -> None:
        """Write the remaining pieces. Raises :class:`SpoolError`."""
        await self._written()
        if self._decoder is None:
            self._write(self._pieces)
            self._pieces = []
        else:
            self._write_in_thread()
            await self._written()
            self._check_end(self._decoder)

    def _check_end(self, decoder: Decoder) -> None:
        try:
            decoder.finish()
        except TruncatedError:
            self.flag = self.flag or "dataloss"

    def _write_in_thread(self) -> None:
        pieces, self._pieces, self._waiting = self._pieces, [], 0
        self._writing = asyncio.get_running_loop().run_in_executor(None, self._write, pieces)

    async def _written(self) -> None:
        if self._writing is not None:
            await self._writing

    def _write(self, pieces: list[bytes]) -> None:
        data = b"".join(pieces)
        if self.flag is not None:
            return
        if self._decoder is None:
            self._store(data)
            return
        try:
            for piece in self._decoder.decode(data):
                self._store(piece)
                if self.flag is not None:
                    return
        except BombError:
            self.flag = "expansion"
        except CorruptError:
            self.flag = "coding"

    def _store(self, data: bytes) -> None:
        allowed = self._maxsize - self.size if self._maxsize else len(data)
        if len(data) > allowed:
            self.flag = "maxsize"
            data = data[:allowed]
        try:
            self._file.write(data)
        except OSError as error:
            folder = tempfile.tempdir or "the folder for temporary files"
            raise SpoolError(f"what is fetched cannot be kept in {folder} (TMPDIR): {error}") from error
        self.size += len(data)
        if self.digest:
            self.digest.update(data)
