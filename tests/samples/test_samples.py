"""The samples are what their helper module says of them."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT, skip_or_fail
from tests.samples import PARAGRAPHS, SAMPLES, SCAN, SENTENCE, TITLE, TITLED
from woo_harvester.documents.formats import file_types

ZIPPED = ("XLSX", "ODF", "ODP", "ODS", "ODT", "PPSX", "PPTX", "DOCX")


def test_there_is_one_of_each_type() -> None:
    assert [filetype.uri.rpartition("/")[2] for filetype in file_types()] == list(SAMPLES)
    assert {path.name for path in SCAN.parent.glob("*.*") if path.suffix not in (".py", ".md")} == {
        ".gitattributes",
        "scan.pdf",
        *(path.name for path in SAMPLES.values()),
    }


@pytest.mark.parametrize("path", [*SAMPLES.values(), SCAN], ids=lambda path: path.name)
def test_each_is_small(path: Path) -> None:
    assert 0 < path.stat().st_size < 64 * 1024


@pytest.mark.parametrize("code", ["CSV", "HTML", "TXT"])
def test_the_text_files_hold_the_text(code: str) -> None:
    text = SAMPLES[code].read_text(encoding="utf-8")
    assert all(sentence in text for sentence in (SENTENCE, *PARAGRAPHS))
    assert (f"<title>{TITLE}</title>" in text) == (code in TITLED)


@pytest.mark.parametrize("code", ZIPPED)
def test_the_office_files_hold_the_sentence_and_the_title(code: str) -> None:
    with zipfile.ZipFile(SAMPLES[code]) as archive:
        members = [archive.read(name) for name in archive.namelist() if name.endswith(".xml")]
    for text in (SENTENCE, TITLE):
        assert any(text.encode() in member for member in members), text


@pytest.mark.parametrize("code", ["DOC", "XLS", "PPT", "PPS"])
def test_the_old_office_files_hold_them_too(code: str) -> None:
    content = SAMPLES[code].read_bytes()
    assert SENTENCE.encode("cp1252") in content or SENTENCE.encode("utf-16-le") in content
    assert TITLE.encode() in content


def test_the_archives_hold_the_text_file() -> None:
    with zipfile.ZipFile(SAMPLES["ZIP"]) as archive:
        assert archive.read("besluit.txt") == SAMPLES["TXT"].read_bytes()


def test_the_bytes_are_kept_as_they_are() -> None:
    paths = [str(path) for path in (*SAMPLES.values(), SCAN)]
    tool = ["git", "check-attr", "text", "--", *paths]
    listed = subprocess.run(tool, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        skip_or_fail("needs a git checkout")
    assert all(line.endswith(": text: unset") for line in listed.stdout.splitlines())
