"""An Elasticsearch server for a benchmark."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.utils.elasticsearch import Server


@contextmanager
def server() -> Iterator[Server]:
    """Start a server, and stop and remove it at the end."""
    with tempfile.TemporaryDirectory(prefix="woo-bench-") as name:
        Path(name).chmod(0o755)
        node = Server(Path(name) / "node")
        node.start()
        try:
            yield node
        finally:
            node.stop()
