from __future__ import annotations

import errno

import pytest

from woo_harvester.running.streams import is_unread, to_stdout


def test_only_a_broken_pipe_of_stdout_is_a_reader_that_has_gone() -> None:
    broken = BrokenPipeError(errno.EPIPE, "Broken pipe")
    with pytest.raises(OSError, match="standard output") as named, to_stdout():
        raise broken
    assert is_unread(named.value)
    assert not is_unread(broken), "stdout can be written to"
    assert not is_unread(OSError(errno.ENOSPC, "No space left on device", "standard output"))
