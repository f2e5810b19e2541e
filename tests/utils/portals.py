"""Portals in processes of their own."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE
from typing import Any

from tests.utils.command import ROOT, environment
from tests.utils.guard import Server
from tests.utils.waiting import STUCK


@contextmanager
def portal_over(
    records: Iterable[Mapping[str, Any]], folder: Path, *, files: Path | None = None
) -> Iterator[str]:
    """Give the address, without a slash at its end, of a portal over records in a process of its own.

    *files* is a folder with copies of documents.
    """
    file = folder / "portal.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    command = [sys.executable, "-W", "error", "-m", "tests.utils.portal_server", str(file)]
    command += [str(files)] if files else []
    with Server(command, cwd=ROOT, env=environment(None), stdout=PIPE, stderr=PIPE) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address, process.communicate()[1]
            yield address.rstrip("/")
        finally:
            process.terminate()
            _, errors = process.communicate(timeout=STUCK)
    assert (process.returncode, errors) == (0, "")
