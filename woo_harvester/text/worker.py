"""A worker process, started by :mod:`woo_harvester.text.workers`.

It reads requests from stdin, one line of JSON each. It writes answers in JSON to stdout, each after its
length in bytes. JSON is only data, so that a worker that a document has taken over cannot harm the crawl.
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from woo_harvester.text.confinement import bound_memory, end_with_parent, forbid_outside, forbid_writing
from woo_harvester.text.extract import extract, prepare
from woo_harvester.text.extracted import LENGTH_BYTES, Limits, TextFailedError

#: Seconds after the time limit at which a worker ends itself. Normally its parent ends it earlier.
_GRACE = 5


def main() -> None:
    """Answer requests until there are no more."""
    # An operator's Ctrl-C ends the crawl, which stops its workers itself.
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_IGN)
    limits = Limits(**json.loads(sys.argv[1]))
    end_with_parent()
    answers = _answers()
    confined = forbid_outside()
    _load(limits)
    confined = forbid_writing() and confined
    bound_memory(limits.memory)
    _send(answers, {"confined": confined})
    for line in sys.stdin.buffer:
        # This works also without the parent, and while a library is in an endless loop.
        signal.alarm(math.ceil(limits.timeout) + _GRACE)
        _send(answers, _answer(json.loads(line), limits))
        signal.alarm(0)


def _load(limits: Limits) -> None:
    """Have the library unpack its files into a new folder, which has no files of others."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = os.environ["KREUZBERG_CACHE_DIR"] = folder
        prepare(limits)


def _answers() -> BinaryIO:
    """Return stdout for the answers, and discard what libraries print."""
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    os.close(nothing)
    return answers


def _answer(request: dict[str, str], limits: Limits) -> dict[str, Any]:
    try:
        return asdict(extract(Path(request["path"]), request["filetype"], limits))
    except TextFailedError as error:
        return {"error": str(error)}


def _send(answers: BinaryIO, answer: dict[str, Any]) -> None:
    content = json.dumps(answer, ensure_ascii=False).encode()
    answers.write(len(content).to_bytes(LENGTH_BYTES) + content)
    answers.flush()


if __name__ == "__main__":
    main()
