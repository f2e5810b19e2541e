from __future__ import annotations

import errno
import logging
from pathlib import Path

import pytest
from scrapy.settings import Settings
from scrapy.utils.log import _uninstall_scrapy_root_handler, install_scrapy_root_handler

from woo_harvester.running.streams import is_unread, to_stdout, warn_always

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


def test_only_a_broken_pipe_of_stdout_is_a_reader_that_has_gone() -> None:
    broken = BrokenPipeError(errno.EPIPE, "Broken pipe")
    with pytest.raises(OSError, match="standard output") as named, to_stdout():
        raise broken
    assert is_unread(named.value)
    assert not is_unread(broken), "stdout can be written to"
    assert not is_unread(OSError(errno.ENOSPC, "No space left on device", "standard output"))
