"""The state as one run uses it: with its hosts and output files locked against other runs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Self

from sqlalchemy import Connection

from woo_harvester.state import outputs
from woo_harvester.state.locks import LockedError, Locks
from woo_harvester.state.store import State, StateError


class LockedState:
    """An open state and the locks of this run in it; *node* is this machine, if others share the state."""

    def __init__(self, state: State, locks: Locks | None = None, node: str = "") -> None:
        self._state = state
        self._locks = locks
        self._node = node

    @classmethod
    def open(cls, url: str, node: str, hosts: Sequence[str]) -> Self:
        """Open the state at *url* and lock *hosts*. Raises StateError."""
        state = State.open(url)
        opened = cls(state, node=node if state.is_shared else "")
        try:
            opened._locks = state.locks(f"process {os.getpid()} on {node}")
            opened.lock_hosts(hosts)
        except StateError:
            with suppress(StateError):  # the first error says what is wrong
                opened.release()
            state.close()
            raise
        return opened

    def begin(self) -> AbstractContextManager[Connection]:
        """Return a transaction as a context manager. Raises StateError."""
        return self._state.begin()

    def lock_hosts(self, hosts: Sequence[str]) -> None:
        """Lock hosts, or raise StateError if another run works on one of them."""
        if self._locks is not None:
            place = self._state.place
            try:
                self._locks.acquire(hosts)
            except LockedError as error:
                raise StateError(
                    f"another run works on {error} with the state {place}: wait until it ends"
                ) from error
            except OSError as error:
                raise StateError(f"hosts of the state {place} cannot be locked: {error}") from error

    def lock_output(self, path: Path) -> None:
        """Lock an output file, or raise StateError if another run writes to it."""
        if self._locks is not None and not self._locks.try_acquire(outputs.lock_name(path, self._node)):
            raise StateError(outputs.ANOTHER_WRITER.format(path))

    def open_output(self, connection: Connection, path: Path, size: int, *, made: bool) -> str:
        """Note that this run writes to *path*, of which *size* bytes are durable; *made*: it made it.

        Return the name of the state for the claims of this run.
        """
        return outputs.open_output(connection, path, size, self._node, made=made)

    def keep_durable(
        self, connection: Connection, sizes: Mapping[Path, int], *, closed: bool = False
    ) -> None:
        """Note how many bytes of each file are durable."""
        outputs.keep_durable(connection, sizes, self._node, closed=closed)

    def cut_back(self, connection: Connection) -> outputs.Repaired:
        """Cut off what killed runs added to files and the state does not know. Raises StateError."""
        try:
            return outputs.cut_back(connection, self._locks, self._node)
        except OSError as error:
            raise StateError(f"a file of a run that was killed cannot be cut back: {error}") from error

    @property
    def heartbeat(self) -> float | None:
        """The seconds between two calls of :meth:`beat`; None if no other run waits for it."""
        return None if self._locks is None else self._locks.heartbeat

    def beat(self) -> None:
        """Show other runs that this run goes on."""
        if self._locks is not None:
            self._locks.beat()

    def release(self) -> None:
        """Release the locks. Raises StateError."""
        if self._locks is not None:
            self._locks.release()

    def end(self) -> None:
        """Release the locks, and close the state. Raises StateError."""
        try:
            self.release()
        finally:
            self.close()

    def close(self) -> None:
        """Close the state, without releasing the locks."""
        self._state.close()
