"""Makes ``report.png``, the picture in the README: the report of a run over the demo's publishers.

Run it from the checkout, with Debian's Chromium: ``python docs/images/make.py``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WIDTH, HEIGHT = 1100, 1000


def harvest(folder: Path) -> Path:
    """Run the demo in *folder*; returns the page of its report."""
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = woo_harvester.settings\n", encoding="utf-8")
    command = [sys.executable, "-m", "scrapy", "demo", "--documents", "400"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    (page,) = folder.glob("**/reports/woo-*/index.html")
    return page


def picture(page: Path, target: Path) -> None:
    """Take a picture of the top of a page, in light colours."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("needs a browser: apt install chromium")
    options = [
        "--headless",
        "--no-sandbox",
        "--hide-scrollbars",
        "--blink-settings=preferredColorScheme=1",
        f"--window-size={WIDTH},{HEIGHT}",
        f"--screenshot={target}",
    ]
    subprocess.run([browser, *options, page.as_uri()], check=True, capture_output=True, timeout=120)


if __name__ == "__main__":
    with TemporaryDirectory() as name:
        picture(harvest(Path(name)), HERE / "report.png")
    print(f"{HERE / 'report.png'}: {(HERE / 'report.png').stat().st_size // 1024} kB")
