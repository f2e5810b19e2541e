"""A portal over :class:`ScanEngine`: ``python -m tests.utils.portal_server FILE [FOLDER]``.

It prints its address. The file has records, one a line. The folder has copies of documents.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.utils.scan_engine import ScanEngine
from woo_portal import server
from woo_portal.app import Options, make_app

if __name__ == "__main__":
    _, file, *folders = sys.argv
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    # Nobody answers at the address of the background of maps.
    options = Options(tiles="http://127.0.0.1:9/{z}/{x}/{y}.png", files=next(map(Path, folders), None))
    app = make_app(ScanEngine(map(json.loads, lines)), options)
    site = server.Site(port=0)
    server.serve(app, site, server.listen(site), lambda address: print(address, flush=True))
