"""The search engine over an index of its own, in a folder: fills it, and answers from it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Self

from tantivy import Index

from woo_harvester.outputs.definition import RecordKind
from woo_harvester.state.locks import FileLocks
from woo_portal.embedded.answering import Answering
from woo_portal.embedded.filling import Filled, Filler, Progress
from woo_portal.embedded.layout import digest, schema
from woo_portal.engine import Answer, Changes, Contents, EngineError, Followed
from woo_portal.question import Question

_LOCK = "portal"


class EmbeddedReader:
    """An engine over the index in a folder that another process fills. It sees each commit."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self._fields, path = schema(), _index_folder(folder)
        self._index = _opened(path, self._fields)
        self._answering = Answering(self._index, self._fields, path, seconds)

    def search(self, question: Question) -> Answer:
        """Return the page of hits that the question asks for, with counts and highlights if it wants them."""
        return self._answering.search(question)

    def get(self, kind: RecordKind, record_id: str) -> Mapping[str, Any] | None:
        """Return the search document of a record, also of a withdrawn one, or None."""
        return self._answering.get(kind, record_id)

    def all_documents(self, question: Question) -> Iterator[Mapping[str, Any]]:
        """Yield the search documents of all hits in the question's order."""
        return self._answering.all_documents(question)

    def changes(self, kind: RecordKind, followed: Followed, size: int) -> Changes:
        """Return the first changes that a copy does not have."""
        return self._answering.changes(kind, followed, size)

    def similar_words(self, kind: RecordKind, word: str) -> list[str]:
        """Return words of titles and metadata that look like *word*, the most similar first."""
        return self._answering.similar_words(kind, word)

    def contents(self, kind: RecordKind) -> Contents:
        """Return what the index has of *kind*."""
        return self._answering.contents(kind)

    def version(self) -> str:
        """Return a text that changes with each commit of a fill."""
        return self._answering.version

    def close(self) -> None:
        """Do nothing: the files are closed with the process."""


class EmbeddedEngine(EmbeddedReader):
    """An engine that fills the index in a folder too. One process at a time opens a folder so."""

    def __init__(self, folder: Path, locks: FileLocks, seconds: float) -> None:
        super().__init__(folder, seconds)
        self._locks = locks
        self._filler = Filler(self._index, self._fields)
        self._filling = Lock()

    @classmethod
    def open(cls, folder: Path, seconds: float, *, rebuild: bool = False) -> Self:
        """Return the engine over *folder*, which is made if it is not there.

        An index of another version, and with *rebuild* any index, is removed: fill it again. Raises
        EngineError if the folder is in use, or cannot be read or written.
        """
        mine = _index_folder(folder)
        try:
            locks = FileLocks(folder / "lock")
            if not locks.try_acquire(_LOCK):
                locks.release()
                raise EngineError(
                    f"another portal uses {folder}: stop it, or set WOO_DATA_DIR to another folder"
                )
            for other in folder.glob("index-*"):
                if rebuild or other != mine:
                    shutil.rmtree(other)
            mine.mkdir(exist_ok=True)
        except OSError as error:
            raise EngineError(f"{folder}: {error.strerror or error}") from error
        try:
            return cls(folder, locks, seconds)
        except BaseException:
            locks.release()
            raise

    def fill(self, files: Iterable[Path], progress: Progress = lambda filled: None) -> Filled:
        """Add the records of *files* that are new, and return what was done. Raises EngineError.

        Questions are answered meanwhile, with what was committed last.
        """
        with self._filling:
            return self._filler.fill(files, progress)

    @property
    def is_filling(self) -> bool:
        """Whether a fill is going on."""
        return self._filling.locked()

    def interrupt(self) -> None:
        """End a fill that is going on after its next batch, and start none any more."""
        self._filler.is_interrupted = True

    def close(self) -> None:
        """End a fill that is going on, and release the folder."""
        self.interrupt()
        with self._filling:
            self._filler.close()
            self._locks.release()


def _index_folder(folder: Path) -> Path:
    return folder / f"index-{digest()}"


def _opened(folder: Path, fields: Any) -> Index:
    try:
        index = Index(fields, str(folder))
        index.config_reader("manual", 0)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise EngineError(f"{folder} cannot be read: {reason}; start once with --rebuild") from error
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
            for message in messages:
                if message not in self._reported:
                    self._report(message)
            self._reported = messages
