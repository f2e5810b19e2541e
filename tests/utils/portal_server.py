"""A portal over :class:`ScanEngine` in a process of its own: ``python -m tests.utils.portal_server FILE``.

It prints its address. The file has records, one a line.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.utils.scan_engine import ScanEngine
from woo_harvester.portal.app import Options, make_app
from woo_harvester.portal.server import Site, listen, serve

if __name__ == "__main__":
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    site = Site(port=int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    app = make_app(ScanEngine(map(json.loads, lines)), Options())
    serve(app, site, listen(site), lambda address: print(address, flush=True))
