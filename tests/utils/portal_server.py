"""A portal over :class:`ScanEngine`: ``python -m tests.utils.portal_server FILE``.

It prints its address. The file has records, one a line.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.utils.scan_engine import ScanEngine
from woo_portal import server
from woo_portal.app import Options, make_app

if __name__ == "__main__":
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    app = make_app(ScanEngine(map(json.loads, lines)), Options())
    site = server.Site(port=0)
    server.serve(app, site, server.listen(site), lambda address: print(address, flush=True))
