"""Fill the index in a folder from files of records, as a process that a test kills.

python -m tests.portal.embedded.fill_files [--in-processes] FOLDER FILE…
"""

from __future__ import annotations

import sys
from pathlib import Path

from woo_portal.embedded import filling, lines, preparing
from woo_portal.embedded.engine import EmbeddedEngine
from woo_portal.engine import EngineError


def main(folder: Path, files: list[Path]) -> None:
    """Fill, with many commits, and print a line for each batch."""
    lines._BATCH = 10
    filling._COMMIT_RECORDS = 30
    try:
        engine = EmbeddedEngine.open(folder, 5)
        engine.fill(files, lambda filled: print(filled.lines, flush=True))
    except EngineError as error:
        sys.exit(str(error))
    engine.close()


if __name__ == "__main__":
    given = sys.argv[1:]
    if given[0] == "--in-processes":
        preparing._MANY_BYTES = 0
        given = given[1:]
    main(Path(given[0]), [Path(name) for name in given[1:]])
