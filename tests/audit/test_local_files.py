"""The file on disk that a URL leads to."""

from __future__ import annotations

from pathlib import Path

import pytest

from woo_harvester.audit.local_files import FolderFiles

ROOT = Path("/map")


@pytest.mark.parametrize(
    ("files", "url", "found"),
    [
        (["a.xml"], "https://www.a.nl/a.xml", "a.xml"),
        (["a.xml"], "https://www.a.nl/woo/a.xml", "a.xml"),
        (["a.xml.gz"], "https://www.a.nl/a.xml", "a.xml.gz"),
        (["a.xml"], "https://www.a.nl/a.xml.gz", "a.xml"),
        (["a.xml"], "https://www.a.nl/a.xml?p=1#x", "a.xml"),
        (["a.xml", "a.xml?p=1"], "https://www.a.nl/a.xml?p=1", "a.xml?p=1"),
        (["x/a.xml", "y/a.xml"], "https://www.a.nl/y/a.xml", "y/a.xml"),
        (["www.b.nl/a.xml", "www.a.nl/a.xml"], "https://www.a.nl/a.xml", "www.a.nl/a.xml"),
        (["z/x/a.xml", "z/y/a.xml"], "https://www.a.nl/y/a.xml", "z/y/a.xml"),
        (["onder/a.xml", "a.xml"], "https://www.a.nl/elders/a.xml", "a.xml"),
        (["een besluit.xml"], "https://www.a.nl/een%20besluit.xml", "een besluit.xml"),
        (["b.xml"], "https://www.a.nl/a.xml", None),
        (["a.xml"], "https://www.a.nl/", None),
        (["a.xml"], "https://www.a.nl/../../etc/passwd", None),
    ],
)
def test_a_url_leads_to_the_file_most_like_it(files: list[str], url: str, found: str | None) -> None:
    taken = FolderFiles(ROOT, [ROOT / name for name in files]).take(url)
    assert taken == (None if found is None else ROOT / found)


def test_a_file_belongs_to_one_url() -> None:
    files = FolderFiles(ROOT, [ROOT / "a.xml", ROOT / "b.xml"])
    assert files.take("https://www.a.nl/a.xml?p=1") == ROOT / "a.xml"
    assert files.take("https://www.a.nl/a.xml?p=2") is None
    assert list(files.left()) == [ROOT / "b.xml"]
