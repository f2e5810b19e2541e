"""Sends the figures of runs to a Pushgateway, since Prometheus cannot ask a container that has ended.

The figures are in the files of WOO_METRICS_FILE, and the Pushgateway is at PUSHGATEWAY_URL. Each file is a
job of its own (woo, vergunningen), with WOO_NODE as its instance.
"""

import os
import sys
from pathlib import Path
from urllib.parse import quote
from urllib.request import Request, urlopen


def main() -> int:
    """Replace what the Pushgateway has of these files; return 1 if it cannot be reached or refuses them."""
    gateway, node = os.environ["PUSHGATEWAY_URL"].rstrip("/"), os.environ.get("WOO_NODE", "")
    files = Path(os.environ["WOO_METRICS_FILE"].replace("%(spider)s", "*"))
    instance = f"/instance/{quote(node, safe='')}" if node else ""
    try:
        for path in files.parent.glob(files.name):
            url = f"{gateway}/metrics/job/{quote(path.stem)}{instance}"
            with urlopen(Request(url, path.read_bytes(), method="PUT"), timeout=30):  # noqa: S310 -- given
                pass
    except (OSError, ValueError) as error:
        print(f"push.py: {gateway}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
