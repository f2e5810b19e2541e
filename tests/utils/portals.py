"""``scrapy portal`` as a user types it, in a process of its own."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.utils.command import start_forked
from tests.utils.waiting import STUCK, wait_until

START = "The portal is at "


@contextmanager
def running_portal(
    cwd: Path,
    *args: str,
    stop: signal.Signals = signal.SIGTERM,
    ca: Path | None = None,
    **settings: object,
) -> Iterator[str]:
    """Run a portal until the end of the block, which must end well; give its address, without a slash."""
    process = start_forked(["portal", "--port", "0", *args], cwd, ca, settings=settings)
    wait_until(lambda: "\n" in process.stdout or process.ended, "the portal says where it is")
    line = process.stdout
    try:
        assert line.startswith(START), (line, process.stderr)
        yield line.removeprefix(START).split()[0].rstrip("/")
    finally:
        if not process.ended:
            process.send(stop)
        done = process.done(STUCK)
    assert (done.returncode, done.stdout) == (0, line), done.stderr
    assert [line for line in done.stderr.splitlines() if "records read" not in line] == []


@contextmanager
def portal_over(records: Iterable[Mapping[str, Any]], folder: Path, **settings: Any) -> Iterator[str]:
    """Give the address of a portal over records, which gets no map of any other server."""
    file = folder / "portal.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    settings.setdefault("WOO_PORTAL_TILES", "http://127.0.0.1:9/{z}/{x}/{y}.png")  # nobody answers there
    with running_portal(folder, file.name, "--no-watch", **settings) as address:
        yield address
