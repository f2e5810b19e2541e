"""The search engine over an index of its own, in a folder: fills it, and answers from it.

The index is a cache of the files of records. If it is gone or damaged, it is made anew from these.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Self

from tantivy import Index

from woo_harvester.state.locks import FileLocks
from woo_portal.embedded.answering import SUSPECTED, EmbeddedReader
from woo_portal.embedded.damage import damage, may_be_damage, reading
from woo_portal.embedded.filling import Filled, Filler, Progress
from woo_portal.embedded.layout import digest
from woo_portal.engine import EngineError

_LOCK = "portal"


class EmbeddedEngine(EmbeddedReader):
    """An engine that fills the index in a folder too. One process at a time opens a folder so.

    *report* gets a line when the index is made anew because it is damaged.
    """

    def __init__(self, folder: Path, locks: FileLocks, seconds: float, report: Callable[[str], None]) -> None:
        super().__init__(folder, seconds)
        self._locks, self._report, self._reported = locks, report, ""
        self._stopped = Event()
        self._filler = Filler(_made(self._path, self._fields), self._fields, self._stopped)
        self._filling = Lock()

    @classmethod
    def open(
        cls,
        folder: Path,
        seconds: float,
        *,
        rebuild: bool = False,
        report: Callable[[str], None] = lambda line: None,
    ) -> Self:
        """Return the engine over *folder*, which is made if it is not there.

        An index that is damaged or of another version, and with *rebuild* any index, is removed: fill it
        again. Raises EngineError if the folder is in use, or cannot be read or written.
        """
        mine = folder / f"index-{digest()}"
        try:
            locks = FileLocks(folder / "lock")
            if not locks.try_acquire(_LOCK):
                locks.release()
                raise EngineError(
                    f"another portal uses {folder}: stop it, or set WOO_DATA_DIR to another folder"
                )
            for other in folder.glob("index-*"):
                if rebuild or other not in (mine, _new(mine)):
                    shutil.rmtree(other)
            is_suspected = _taken_away(folder / SUSPECTED)
            if mine.exists() and (why := damage(mine, with_content=is_suspected)):
                report(_anew(mine, why))
                shutil.rmtree(mine)
            if _new(mine).exists() and not mine.exists() and not damage(_new(mine)):
                _new(mine).rename(mine)  # its fill goes on
            mine.mkdir(exist_ok=True)
        except OSError as error:
            raise EngineError(f"{folder}: {error.strerror or error}") from error
        try:
            return cls(folder, locks, seconds, report)
        except BaseException:
            locks.release()
            raise

    def fill(self, files: Iterable[Path], progress: Progress = lambda filled: None) -> Filled:
        """Add the records of *files* that are new, and return what was done. Raises EngineError.

        Questions are answered meanwhile, with what was committed last. If the index is damaged, they are not
        until it was made anew.
        """
        with self._filling:
            given = [*files]
            return self._mended(given, progress) or self._filled(given, progress)

    @property
    def is_empty(self) -> bool:
        """Whether the index never had a record."""
        return self._filler.is_empty

    def interrupt(self) -> None:
        """End a fill that is going on after its next batch, and start none any more."""
        self._stopped.set()

    def close(self) -> None:
        """End a fill that is going on, and release the folder."""
        self.interrupt()
        with self._filling:
            self._filler.close()
            self._locks.release()

    def _filled(self, files: Sequence[Path], progress: Progress) -> Filled:
        try:
            with reading():
                return self._filler.fill(files, progress)
        except Exception as error:
            mended = self._mended(files, progress, is_suspected=True) if may_be_damage(error) else None
            if mended is None:
                raise
            return mended

    def _mended(
        self, files: Sequence[Path], progress: Progress, *, is_suspected: bool = False
    ) -> Filled | None:
        """Make the index anew if it is damaged. It is in its place when it is complete."""
        why = damage(self._path, with_content=_taken_away(self._suspected) or is_suspected)
        if not why or self._stopped.is_set():
            return None
        if not files:
            raise EngineError(f"{self._path}: {why}, and there are no records to make the index anew from")
        if (line := _anew(self._path, why)) != self._reported:
            self._report(line)
        self._reported = line
        self._filler.close()
        shutil.rmtree(self._path, ignore_errors=True)
        new = _new(self._path)
        if damage(new):
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir(parents=True)
        filler = Filler(_made(new, self._fields), self._fields, self._stopped)
        done = filler.fill(files, progress)
        filler.finish()
        if not self._stopped.is_set():
            new.rename(self._path)
            self._filler = Filler(_made(self._path, self._fields), self._fields, self._stopped)
            self._reported = ""
        return done


def _new(path: Path) -> Path:
    """Return the folder in which the index is made anew."""
    return path.with_name(f"{path.name}.new")


def _anew(path: Path, why: str) -> str:
    return f"{path}: {why}; the index is made anew from the files of records"


def _taken_away(path: Path) -> bool:
    """Remove a file, and return whether it was there."""
    try:
        path.unlink()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _made(folder: Path, fields: Any) -> Index:
    """Return the index in a folder, which is made if there is none. Raises EngineError."""
    with reading():
        index = Index(fields, str(folder))
        index.config_reader("manual", 0)
    return index


#: Seconds between two looks at the files.
INTERVAL = 2.0


class Watcher:
    """A thread that fills the index with what is new in files, until it is stopped; use it as a context.

    *files* gives the files as they are now. *report* gets one line about each fault, once for as long as it
    lasts: a full disk, or a file with lines that are no record.
    """

    def __init__(
        self,
        engine: EmbeddedEngine,
        files: Callable[[], Iterable[Path]],
        report: Callable[[str], None],
        interval: float = INTERVAL,
    ) -> None:
        self._engine, self._files, self._report, self._interval = engine, files, report, interval
        self._stopped = Event()
        self._reported: list[str] = []
        self._thread = Thread(target=self._run, name="portal-watcher", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the thread; a fill that is going on ends at its next batch, and is continued later."""
        self._stopped.set()
        self._engine.interrupt()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self._interval):
            try:
                messages = self._engine.fill(self._files()).messages
            except (EngineError, OSError) as error:
                messages = [str(error)]
            except BaseException as error:  # whatever it was, the next look may succeed
                messages = [f"the look for new records failed: {error!r}"]
            for message in messages:
                if message not in self._reported:
                    self._report(message)
            self._reported = messages
