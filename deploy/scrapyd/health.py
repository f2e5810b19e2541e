"""Ends with status 0 where Scrapyd answers; for the health check of the image."""

import base64
import os
import sys
import urllib.request


def main() -> int:
    """Ask Scrapyd how it is, with the name and password that it was given itself."""
    port = os.environ.get("SCRAPYD_HTTP_PORT", "6800")
    request = urllib.request.Request(f"http://127.0.0.1:{port}/daemonstatus.json")
    given = f"{os.environ.get('SCRAPYD_USERNAME', '')}:{os.environ.get('SCRAPYD_PASSWORD', '')}"
    request.add_header("Authorization", f"Basic {base64.b64encode(given.encode()).decode()}")
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=5):
            return 0
    except OSError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
