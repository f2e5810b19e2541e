from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from scrapy.settings import Settings
from scrapy.utils.log import _uninstall_scrapy_root_handler, install_scrapy_root_handler

from tests.utils.crawlers import crawler_of
from woo_harvester.running.folder_log import FolderLog, warn_always

scrapy = logging.getLogger("scrapy.core.engine")


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
    lines = (tmp_path / "run.log").read_text(encoding="utf-8").splitlines()
    assert [line.rpartition("] ")[2] for line in lines] == ["WARNING: one", "ERROR: two"]
    (shown,) = capfd.readouterr().err.splitlines()
    assert shown.endswith("ERROR: two")
    assert crawler.stats.get_value("log_count/WARNING") == 1


@pytest.mark.usefixtures("terminal")
def test_a_log_that_cannot_be_written_is_one_line(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    FolderLog(tmp_path / "gone" / "run.log", crawler_of(LOG_LEVEL="ERROR"))
    scrapy.info("one")
    scrapy.info("two")
    (line,) = capfd.readouterr().err.splitlines()
    assert line.endswith("/gone/run.log: No such file or directory: the rest of the log is not kept")
