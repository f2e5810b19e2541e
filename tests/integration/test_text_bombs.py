"""Scans of strangers that would take all memory or hours: each costs its own text, and no other publisher."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from shutil import which

import pytest

from tests.conftest import skip_or_fail
from tests.documents import pdfs
from tests.samples import SCAN, SENTENCE
from tests.utils.command import Run, run_scrapy
from tests.utils.daily import FIRST, Harvester, publish
from tests.utils.sites import MakeSite
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site

pytestmark = pytest.mark.integration

PDF = "application/pdf"
BOMBS: dict[str, Callable[[Path], Path]] = {
    "boastful": pdfs.boastful,
    "circular": pdfs.circular,
    "gigapixels": pdfs.gigapixels,
    "packed-twice": pdfs.packed_twice,
    "vast": pdfs.vast,
}
#: What ends a bomb here is memory and size, so that no slow machine changes what happens.
SETTINGS = {
    "WOO_TEXT": 1,
    "WOO_TEXT_OCR": 1,
    "WOO_TEXT_WORKERS": 1,
    "WOO_TEXT_TIMEOUT": 600,
}
#: Those for which a worker needs more memory than it may have.
TOO_LARGE = {"vast"}


def put(site: Site, documents: dict[str, Path]) -> None:
    """Have the site publish these documents."""
    publish(site, dict.fromkeys(documents, FIRST))
    for name, path in documents.items():
        site.pages[f"/d/{name}.pdf"] = Page(path.read_bytes(), content_type=PDF)


def text_of(run: Run, loc: str) -> str:
    """The text of a document, on one line."""
    (file,) = run.record(loc)["versies"][0]["bestanden"]
    return " ".join(file.get("tekst", "").split())


@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux only")
def test_a_scan_that_is_a_bomb_costs_its_own_text_only(
    make_site: MakeSite, tmp_path: Path, ca_bundle: Path
) -> None:
    if which("tesseract") is None:
        skip_or_fail("needs tesseract-ocr and tesseract-ocr-nld")
    stranger, neighbour = make_site(), make_site()
    put(stranger, {name: make(tmp_path / f"{name}.pdf") for name, make in BOMBS.items()})
    put(neighbour, {f"scan{number}": SCAN for number in range(3)})
    harvester = Harvester(tmp_path, ca_bundle, [stranger, neighbour])
    run = run_scrapy(
        harvester.arguments("-a", "documents=download"), tmp_path, ca_bundle, settings=SETTINGS, timeout=1200
    )
    assert run.returncode == 0, run.stderr
    assert len(run.records) == len(BOMBS) + 3
    told = {
        finding["url"]: finding["code"]
        for finding in run.findings
        if finding["code"] in ("document.tekst-mislukt", "document.geen-tekst")
    }
    assert set(told) == {stranger.url(f"/d/{name}.pdf") for name in BOMBS}
    for name in TOO_LARGE:
        assert told[stranger.url(f"/d/{name}.pdf")] == "document.tekst-mislukt"
    for number in range(3):
        assert SENTENCE in text_of(run, neighbour.url(f"/d/scan{number}.pdf"))
