"""The files of records that a portal searches in: patterns, and what they stand for now."""

from __future__ import annotations

import errno
import logging
import multiprocessing
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from glob import glob, has_magic
from math import ceil
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, TextIO

import uvicorn
from starlette.applications import Starlette
from uvicorn.supervisors import Multiprocess

from woo_harvester.kinds import Kind
from woo_harvester.report.run_folder import ReportsFolder, RunFolder
from woo_harvester.running.causes import StartError
from woo_harvester.running.paths import NoFolderError, data_dir, files_folder
from woo_harvester.state.latest import check_is_records
from woo_harvester.utils.program import program, to_install
from woo_portal.app import Options, make_app
from woo_portal.asking import MAX_DOWNLOADS
from woo_portal.engine import Engine, EngineError
from woo_portal.pages import static_files
from woo_portal.toets import Toets

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from woo_portal.embedded.filling import Filled


#: The longest time of a question in seconds, waiting included, and how many are answered at the same time.
SECONDS, _CONCURRENCY = 5.0, 8

#: What runs write in the working folder without ``-o`` and ``-O``.
DEFAULT = "records/*.jsonl"


class NoRecordsError(Exception):
    """There is nothing to search in; the message is one line."""


class RecordFiles:
    """Files and patterns that were given; without any, what runs write in the working folder."""

    def __init__(self, given: Sequence[str] = ()) -> None:
        self._given = list(given) or [DEFAULT]

    def __call__(self) -> list[Path]:
        """Return the files that there are now, each once, by name."""
        found = {Path(name) for pattern in self._given for name in _names(pattern)}
        return sorted(path for path in found if path.is_file())

    def check_kinds(self) -> None:
        """Raise NotRecordsError for what is there and is no file of records."""
        for pattern in self._given:
            for name in _names(pattern):
                check_is_records(Path(name))

    def check(self) -> None:
        """Raise NoRecordsError if there is none, or if one that was named is not there."""
        for name in self._given:
            if not has_magic(name) and not Path(name).is_file():
                raise NoRecordsError(f"{name}: no such file of records")
        if not self():
            raise NoRecordsError(
                f"no records in {' '.join(self._given)}: {program()} crawl woo makes them, "
                f"and {program()} demo --portal shows fictional ones"
            )


def _names(pattern: str) -> list[str]:
    # pathlib has no patterns that are absolute.
    return glob(pattern, recursive=True) if has_magic(pattern) else [pattern]  # noqa: PTH207


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

    Raises EngineError, NoRecordsError, NotRecordsError, OSError, and ImportError if an extra is missing.
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
    from woo_portal.embedded.engine import EmbeddedEngine, Watcher  # noqa: PLC0415

    files.check_kinds()
    folder, seconds = data_dir(settings) / FOLDER, SECONDS
    filling = Filling(sys.stderr)
    with closing(EmbeddedEngine.open(folder, seconds, rebuild=rebuild, report=filling.write)) as engine:
        if rebuild or (engine.is_empty and not settings.getbool("WOO_TOETS")):
            files.check()
        filling.end(engine.fill(files(), filling))
        with Watcher(engine, files, filling.write) if watch else nullcontext():
            yield engine


def _elasticsearch(settings: BaseSettings) -> Engine:
    try:
        from woo_harvester.outputs.bulk import SearchError, connect  # noqa: PLC0415  -- of the extra
        from woo_portal.elasticsearch import ElasticsearchEngine  # noqa: PLC0415
    except ImportError as error:
        raise EngineError(_NO_ELASTICSEARCH.format(error.name)) from error
    aliases = {kind.name: str(settings[kind.setting]) for kind in Kind}
    try:
        engine = ElasticsearchEngine(connect(settings), aliases, SECONDS)
    except SearchError as error:
        raise EngineError(str(error)) from error
    engine.contents(Kind.woo)  # an address at which nothing answers is reported at the start
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


#: The number of connections at the same time: less than the open files that a process may usually have.
_MAX_CONNECTIONS = 800
#: The seconds for which a connection without a request stays open, and those for answers when it stops.
_KEEP_ALIVE, _STOP = 5, 10
#: The seconds in which one of several processes must begin to answer.
_START = 60


class ListenError(StartError):
    """The address cannot be used; the message is one line."""


@dataclass(frozen=True, slots=True)
class Site:
    """The address of the portal."""

    host: str = "127.0.0.1"
    port: int = 8080
    root_path: str = ""
    """The path at which a proxy has the portal, without a slash at its end."""
    access_log: bool = False


def listen(site: Site) -> socket.socket:
    """Return a socket that listens at the address. Raises ListenError."""
    try:
        family = socket.getaddrinfo(site.host, site.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((site.host, site.port), family=family, backlog=2048)
    except (OSError, OverflowError, UnicodeError) as error:
        code = getattr(error, "errno", None) or 0
        why = os.strerror(code) if code > 0 else getattr(error, "strerror", None) or str(error)
        of_port = code in (errno.EADDRINUSE, errno.EACCES) or isinstance(error, OverflowError)
        option = "--port" if of_port else "--host"
        raise ListenError(
            f"cannot listen at {site.host} port {site.port} ({why}): choose another with {option}"
        ) from error


def serve(app: Starlette, site: Site, listener: socket.socket) -> None:
    """Answer requests until SIGTERM or Ctrl-C."""
    with suppress(KeyboardInterrupt):  # uvicorn raises the signal by which it was stopped once more
        uvicorn.Server(_config(app, site)).run(sockets=[listener])


def _config(app: Starlette | Callable[[], Starlette], site: Site, **options: Any) -> uvicorn.Config:
    _set_loggers(site)
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="on",
        root_path=site.root_path,
        server_header=False,
        access_log=site.access_log,
        log_config=None,
        log_level="info" if site.access_log else "error",
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_STOP,
        timeout_worker_healthcheck=_START,
        **options,
    )


def _set_loggers(site: Site) -> None:
    if site.access_log:
        logging.getLogger("uvicorn.access").addHandler(logging.StreamHandler(sys.stderr))
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)


def run_portal(
    settings: BaseSettings, files: RecordFiles, site: Site, *, rebuild: bool = False, watch: bool = True
) -> None:
    """Serve the portal until it is stopped, and print its address when it answers.

    Raises StartError, EngineError, NoRecordsError, NotRecordsError, NoFolderError, OSError and ImportError.
    """
    options = _options(settings)
    if options.toets is not None and settings.getint("WOO_PORTAL_PROCESSES") != 1:
        raise StartError("WOO_TOETS has its queue in one process: expected WOO_PORTAL_PROCESSES=1")
    static_files(options.css, options.logo)  # what cannot be read is said before the filling
    if options.files is not None and not options.files.is_dir():
        if options.files.exists():
            raise NoFolderError(f"FILES_STORE is no folder: {options.files}")
        Filling(sys.stderr).write(f"FILES_STORE is not there yet, so no document has a copy: {options.files}")
    with (
        _ending_at_sigterm(),
        listen(site) as listener,  # before the filling, which may take minutes
        open_engine(settings, files, rebuild=rebuild, watch=watch) as engine,
    ):
        _announce(site, listener)  # who connects before the first answer waits for it
        if (count := settings.getint("WOO_PORTAL_PROCESSES")) == 1:
            serve(make_app(engine, options), site, listener)
            return
        given = {name: settings[name] for name in settings if name.startswith(("WOO_", "FILES_"))}
        config = _config(partial(_answering, given, site), site, factory=True, workers=count)
        Multiprocess(config, [listener]).run()  # which replaces each process that ends


@contextmanager
def _ending_at_sigterm() -> Iterator[None]:
    """End with status 0 at SIGTERM, also while the index is filled; the next start continues that."""

    def end(number: int, frame: object) -> None:
        raise SystemExit(0)

    earlier = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, earlier)


def _answering(given: Mapping[str, Any], site: Site) -> Starlette:
    """Return the application of one of several processes, over an index that another one fills."""
    from scrapy.settings import BaseSettings  # noqa: PLC0415 -- no other process needs it

    _set_loggers(site)
    Thread(target=_end_with_parent, name="portal-parent", daemon=True).start()
    settings = BaseSettings(dict(given))
    return make_app(_reader(settings), _options(settings))


def _end_with_parent() -> None:
    """End this process if the one that started it was killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None  # noqa: S101 -- for the type checker
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


def _reader(settings: BaseSettings) -> Engine:
    if settings["WOO_ELASTICSEARCH_URL"]:
        return _elasticsearch(settings)
    from woo_portal.embedded.answering import EmbeddedReader  # noqa: PLC0415 -- of the extra "portal"

    return EmbeddedReader(data_dir(settings) / FOLDER, SECONDS)


def site_of(settings: BaseSettings, host: str, port: int, *, access_log: bool = False) -> Site:
    """Return where the portal is by arguments and settings."""
    path = str(settings["WOO_PORTAL_PATH"] or "")
    return Site(host, port, path, access_log)


def _options(settings: BaseSettings) -> Options:
    """Return the options of one process; the processes share what visitors may do at the same time."""
    tiles, processes = str(settings["WOO_PORTAL_TILES"]), settings.getint("WOO_PORTAL_PROCESSES")

    def share(most: int) -> int:
        return ceil(most / processes)

    return Options(
        tiles="" if tiles == "none" else tiles,
        seconds=SECONDS,
        concurrency=share(_CONCURRENCY),
        downloads=share(MAX_DOWNLOADS),
        title=str(settings["WOO_PORTAL_TITLE"]),
        report=_report(settings),
        files=files_folder(settings) if settings.getbool("WOO_PORTAL_FILES") else None,
        metrics=settings.getbool("WOO_PORTAL_METRICS"),
        contact=str(settings["WOO_CONTACT"] or ""),
        links=[tuple(each.strip().rsplit(maxsplit=1)) for each in settings.getlist("WOO_PORTAL_LINKS")],
        css=str(settings["WOO_PORTAL_CSS"] or ""),
        logo=str(settings["WOO_PORTAL_LOGO"] or ""),
        toets=Toets(settings) if settings.getbool("WOO_TOETS") else None,
    )


def _report(settings: BaseSettings) -> Path | None:
    """Return the folder of the report that pages quote: a run's own, or the newest of all runs, or none."""
    if not settings["WOO_REPORT_DIR"]:
        return None
    folder = Path(settings["WOO_REPORT_DIR"])
    return folder if RunFolder(folder).report.exists() else ReportsFolder(folder).latest()


def _announce(site: Site, listener: socket.socket) -> None:
    host = f"[{site.host}]" if ":" in site.host else site.host
    address = f"http://{host}:{listener.getsockname()[1]}{site.root_path}/"
    print(f"The portal is at {address} (stop it with Ctrl-C).", flush=True)
