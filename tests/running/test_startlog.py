from __future__ import annotations

import errno
import logging
from collections.abc import Iterator
from logging.config import dictConfig
from pathlib import Path

import pytest
from scrapy.settings import Settings
from scrapy.utils.log import _uninstall_scrapy_root_handler, install_scrapy_root_handler

from tests.utils.crawlers import crawler_of
from woo_harvester.running.startlog import (
    IN_LAST_LINE,
    FirstErrors,
    FolderLog,
    StartLog,
    is_unread,
    to_stdout,
    warn_always,
)

scrapy, other = logging.getLogger("scrapy.core.engine"), logging.getLogger("somebody.else")


class Written(logging.Handler):
    """A handler at the root logger, as Scrapy's own is."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@pytest.fixture
def written() -> Iterator[list[str]]:
    handler, level = Written(), logging.root.level
    logging.root.addHandler(handler)
    logging.root.setLevel(logging.DEBUG)
    yield handler.messages
    logging.root.setLevel(level)
    logging.root.removeHandler(handler)


@pytest.fixture
def start_log(written: list[str]) -> Iterator[StartLog]:
    log = StartLog()
    yield log
    log.close()


def test_records_wait_until_the_run_starts(start_log: StartLog, written: list[str]) -> None:
    scrapy.info("one")
    other.info("at once")
    assert written == ["at once"]
    start_log.write_kept()
    scrapy.info("two")
    assert written == ["at once", "one", "two"]


def test_what_waits_can_be_forgotten(start_log: StartLog, written: list[str]) -> None:
    scrapy.info("one")
    scrapy.error("no register", extra={IN_LAST_LINE: True})
    start_log.forget()
    scrapy.info("two")
    assert written == ["two"]


def test_what_was_done_to_a_file_is_always_written(start_log: StartLog, written: list[str]) -> None:
    scrapy.info("one")
    warn_always(scrapy, "Moved 5 bytes")
    assert written == []
    start_log.forget()
    assert written == ["Moved 5 bytes"]


def test_what_was_done_to_a_file_is_written_once_whatever_the_log_leaves_out(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for given, is_logged in (
        ({"LOG_LEVEL": "WARNING"}, True),
        ({"LOG_LEVEL": "ERROR"}, False),
        ({"LOG_ENABLED": False}, False),
        ({"LOG_LEVEL": "CRITICAL", "LOG_FILE": str(tmp_path / "run.log")}, False),
    ):
        install_scrapy_root_handler(Settings(given))
        try:
            warn_always(scrapy, "Moved 5 bytes")
        finally:
            _uninstall_scrapy_root_handler()
        (line,) = capfd.readouterr().err.splitlines()
        assert line.endswith("WARNING: Moved 5 bytes" if is_logged else "Moved 5 bytes"), given
        assert (line == "Moved 5 bytes") != is_logged, given


def test_an_error_not_said_at_the_end_is_written_at_once(start_log: StartLog, written: list[str]) -> None:
    scrapy.info("one")
    scrapy.error("a mistake")
    assert written == ["one", "a mistake"]


def test_what_waits_is_written_when_logging_is_configured(start_log: StartLog, written: list[str]) -> None:
    scrapy.info("one")
    dictConfig({"version": 1, "disable_existing_loggers": False, "loggers": {"scrapy": {"level": "DEBUG"}}})
    assert written == ["one"]
    scrapy.info("two")
    assert written == ["one", "two"]


@pytest.fixture
def terminal() -> Iterator[None]:
    """A terminal that shows errors only."""
    install_scrapy_root_handler(Settings({"LOG_LEVEL": "ERROR"}))
    yield
    for handler in logging.root.handlers:
        if isinstance(handler, FolderLog):
            logging.root.removeHandler(handler)
            handler.close()
    _uninstall_scrapy_root_handler()


@pytest.mark.usefixtures("terminal")
def test_a_terminal_shows_the_errors_of_a_log_that_is_in_a_file(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    crawler = crawler_of(LOG_LEVEL="ERROR")
    FolderLog(tmp_path / "run.log", crawler)
    scrapy.debug("nobody needs this")
    scrapy.warning("one")
    scrapy.error("two")
    scrapy.error("three", extra={IN_LAST_LINE: True})
    lines = (tmp_path / "run.log").read_text(encoding="utf-8").splitlines()
    assert [line.rpartition("] ")[2] for line in lines] == ["WARNING: one", "ERROR: two", "ERROR: three"]
    (shown,) = capfd.readouterr().err.splitlines()
    assert shown.endswith("ERROR: two"), "the command prints the other one itself"
    assert crawler.stats.get_value("log_count/WARNING") == 1


@pytest.mark.usefixtures("terminal")
def test_a_log_that_cannot_be_written_is_one_line(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    FolderLog(tmp_path / "gone" / "run.log", crawler_of(LOG_LEVEL="ERROR"))
    scrapy.info("one")
    scrapy.info("two")
    (line,) = capfd.readouterr().err.splitlines()
    assert line.endswith("/gone/run.log: No such file or directory: the rest of the log is not kept")


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (MemoryError(), ["out of memory"]),
        (
            RuntimeError("can't start new thread"),
            ["can't start new thread: too little memory, or too many processes"],
        ),
        (OSError(errno.EMFILE, "Too many open files"), ["Too many open files"]),
        (BlockingIOError(errno.EAGAIN, "somebody has the lock"), []),
        (ValueError("wrong"), []),
    ],
)
def test_a_lack_of_memory_threads_or_files_is_noticed_in_the_log(error: Exception, cause: list[str]) -> None:
    errors = FirstErrors()
    noticed: list[str] = []
    errors.on_exhausted = noticed.append
    try:
        for number in range(2):
            try:
                raise ValueError(f"because of it, {number}") from error
            except ValueError:
                other.exception("something failed")
    finally:
        errors.close()
    assert errors.first == "ValueError: because of it, 0"
    assert noticed == cause


def test_only_a_broken_pipe_of_stdout_is_a_reader_that_has_gone() -> None:
    broken = BrokenPipeError(errno.EPIPE, "Broken pipe")
    with pytest.raises(OSError, match="standard output") as named, to_stdout():
        raise broken
    assert is_unread(named.value)
    assert not is_unread(broken), "stdout can be written to"
    assert not is_unread(OSError(errno.ENOSPC, "No space left on device", "standard output"))
