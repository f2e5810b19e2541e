"""The choice of the search engine: the embedded index, or Elasticsearch if there is an address of it."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, TextIO

from woo_harvester.extras import to_install
from woo_harvester.paths import data_dir
from woo_harvester.portal.record_files import RecordFiles
from woo_harvester.program import program
from woo_harvester.search.engine import Engine, EngineError
from woo_harvester.search.record_kinds import KINDS

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from woo_harvester.search.embedded.filling import Filled

#: The folder of the embedded index in the data folder.
FOLDER = "portal"

#: The seconds between two lines about the filling.
_INTERVAL = 2.0


_NO_ELASTICSEARCH = f"WOO_ELASTICSEARCH_URL needs {{}}: {to_install('elasticsearch')}"


@contextmanager
def open_engine(
    settings: BaseSettings, files: RecordFiles, *, rebuild: bool = False, watch: bool = True
) -> Iterator[Engine]:
    """Give the engine: Elasticsearch, or the embedded index, filled with the records of the files.

    Raises EngineError, NoRecordsError, OSError, and ImportError if an extra is not installed.
    """
    if settings["WOO_ELASTICSEARCH_URL"]:
        with closing(_elasticsearch(settings)) as engine:
            yield engine
    else:
        with _embedded(settings, files, rebuild=rebuild, watch=watch) as engine:
            yield engine


@contextmanager
def _embedded(settings: BaseSettings, files: RecordFiles, *, rebuild: bool, watch: bool) -> Iterator[Engine]:
    # These need the extra "portal".
    from woo_harvester.search.embedded.engine import EmbeddedEngine  # noqa: PLC0415
    from woo_harvester.search.embedded.watching import Watcher  # noqa: PLC0415

    folder, seconds = data_dir(settings) / FOLDER, settings.getfloat("WOO_PORTAL_TIMEOUT")
    with ExitStack() as stack:
        engine = stack.enter_context(closing(EmbeddedEngine.open(folder, seconds, rebuild=rebuild)))
        if rebuild or not any(engine.contents(kind).published for kind in KINDS):
            files.check()
        filling = Filling(sys.stderr)
        filling.end(engine.fill(files(), filling))
        if watch:
            stack.enter_context(Watcher(engine, files, filling.write))
        yield engine


def _elasticsearch(settings: BaseSettings) -> Engine:
    try:
        from woo_harvester.elastic.connection import SearchError, connect  # noqa: PLC0415  -- of the extra
        from woo_harvester.elastic.engine import ElasticsearchEngine  # noqa: PLC0415
    except ImportError as error:
        raise EngineError(_NO_ELASTICSEARCH.format(error.name)) from error
    aliases = {kind.name: str(settings[kind.setting]) for kind in KINDS}
    try:
        engine = ElasticsearchEngine(connect(settings), aliases, settings.getfloat("WOO_PORTAL_TIMEOUT"))
    except SearchError as error:
        raise EngineError(str(error)) from error
    engine.contents(KINDS[0])  # an address at which nothing answers is reported at the start
    return engine


class Filling:
    """Lines about the filling of an index: at most one in two seconds, and one at the end."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._begun = self._shown = time.monotonic()

    def __call__(self, filled: Filled) -> None:
        """Say how far it is, if that was not said just now."""
        if time.monotonic() - self._shown >= _INTERVAL:
            self._shown = time.monotonic()
            self.write(f"{filled.lines:,} records read so far")

    def end(self, filled: Filled) -> None:
        """Say what was read, if it was anything."""
        if filled.lines:
            seconds = time.monotonic() - self._begun
            self.write(f"{filled.lines:,} records read in {seconds:.0f} s, {filled.written:,} of them new")
        for message in filled.messages:
            self.write(message)

    def write(self, line: str) -> None:
        """Write a line for the operator."""
        self._out.write(f"{program()} portal: {line}\n")
        self._out.flush()
