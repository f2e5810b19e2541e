"""Makes the pictures of README and docs: reports of the demo's publishers, and the portal.

Run it from the checkout, with Debian's Chromium: ``python docs/images/make.py``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

from lxml import html

from woo_harvester.demo.publishers import Demo

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WIDTH, HEIGHT = 1100, 1000

#: The line in which a portal says where it is.
_ADDRESS = "The portal is at "


@contextmanager
def demo(folder: Path, *arguments: str) -> Iterator[str]:
    """Run the demo in *folder*, and give the address of a portal over its records."""
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = woo_harvester.settings\n", encoding="utf-8")
    command = [sys.executable, "-m", "scrapy", "demo", *arguments, "--portal", "--port", "0"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        lines = (line for line in process.stdout if line.startswith(_ADDRESS))
        address = next(lines).removeprefix(_ADDRESS).split()[0].rstrip("/")
        yield address
        process.terminate()


def audited(folder: Path) -> Path:
    """Audit the publisher with mistakes as its operator does; return the page, with a name for its host."""
    with Demo(folder) as demo:
        given = {"SSL_CERT_FILE": str(demo.ca_path), "WOO_REGISTER": str(demo.register_path)}
        command = [sys.executable, "-m", "woo_harvester", "audit", demo.mistaken.host]
        subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT), **given}, check=False)
        (page,) = folder.glob("reports/woo-*/index.html")
        text = page.read_text(encoding="utf-8").replace(demo.mistaken.host, "www.kladderveen.nl")
        page.write_text(text, encoding="utf-8")
        return page


def picture(url: str, target: Path, height: int = HEIGHT) -> None:
    """Take a picture of the top of a page, in light colours."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("needs a browser: apt install chromium")
    options = [
        "--headless",
        "--no-sandbox",
        "--hide-scrollbars",
        "--blink-settings=preferredColorScheme=1",
        f"--window-size={WIDTH},{height}",
        f"--screenshot={target}",
    ]
    subprocess.run([browser, *options, url], check=True, capture_output=True, timeout=120)
    print(f"{target}: {target.stat().st_size // 1024} kB")


def first_hit(address: str, question: str) -> str:
    """Return the address of the first document that a question finds."""
    with urlopen(f"{address}/?q={question}") as answer:
        (link, *_) = html.fromstring(answer.read()).cssselect(".hit a")
    return f"{address}{link.get('href')}"


def main() -> None:
    """Make all pictures."""
    with TemporaryDirectory() as name:
        picture(audited(Path(name)).as_uri(), HERE / "audit.png")
    with TemporaryDirectory() as name, demo(Path(name), "--documents", "400") as portal:
        (report,) = Path(name).glob("**/reports/woo-*/index.html")
        picture(report.as_uri(), HERE / "report.png")
        picture(f"{portal}/?q=besluit", HERE / "portal-search.png")
        picture(first_hit(portal, "waterfront"), HERE / "portal-document.png")
    with TemporaryDirectory() as name, demo(Path(name), "vergunningen") as portal:
        picture(f"{portal}/vergunningen/kaart", HERE / "portal-map.png")


if __name__ == "__main__":
    main()
