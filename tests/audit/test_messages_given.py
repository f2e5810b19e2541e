"""A permit message is known by its root, as far as that can be read; what is beside messages is one too."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.audit.reading import MAXSIZE, entry
from woo_harvester.audit.messages import is_message, messages_among
from woo_harvester.demo.permit_messages import document_message, message
from woo_harvester.demo.sitemaps import sitemap

GOOD = message()
HTML = b"<!DOCTYPE html><html><body>Fout</body></html>"


def written(folder: Path, **files: bytes) -> list[Path]:
    folder.mkdir(exist_ok=True)
    paths = [folder / f"{name}.xml" for name in files]
    for path, body in zip(paths, files.values(), strict=True):
        path.write_bytes(body)
    return paths


@pytest.mark.parametrize(
    "body",
    [
        GOOD,
        document_message(),
        gzip.compress(GOOD),
        GOOD.decode().replace("UTF-8", "UTF-16").encode("utf-16"),
        b"\xef\xbb\xbf" + GOOD,
        b"<message/>",
        b"<message",
        b"<?xml version='1.0'?><!-- <urlset> --><?x y?>\n<a:message xmlns:a='x'>",
        GOOD.replace(b"vergunningen/4.0/", b"vergunningen/3.0/"),
        GOOD.replace(b":message", b":bericht"),
        b"<vergunningzaak/>",
        GOOD.replace(b"?>\n", b'?>\n<!DOCTYPE message [<!ENTITY a "]>">]>\n', 1),
        GOOD[:-200],
        b"<?xml version='1.0'?><!-- nooit gesloten http://standaarden.overheid.nl/vergunningen/4.0/",
    ],
)
def test_a_message_is_known_by_its_root(tmp_path: Path, body: bytes) -> None:
    assert is_message(written(tmp_path, a=body)[0])


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"   ",
        HTML,
        sitemap(entry()),
        b"<sitemapindex/>",
        b"<messages/>",
        b"<x><message/></x>",
        b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:v='http://vergunningen'>",
        gzip.compress(sitemap(entry()))[:-20],
        b"<!--" * 50_000,
        b"<!DOCTYPE x [" + b"<" * 50_000,
    ],
)
def test_another_file_is_none(tmp_path: Path, body: bytes) -> None:
    assert not is_message(written(tmp_path, a=body)[0])


def test_what_is_beside_messages_is_judged_as_one(tmp_path: Path) -> None:
    paths = written(tmp_path, a=GOOD, b=HTML, c=b"")
    assert messages_among(paths, MAXSIZE) == paths


def test_beside_a_sitemap_only_what_shows_it_is_a_message(tmp_path: Path) -> None:
    paths = written(tmp_path, a=GOOD, b=HTML, c=sitemap(entry()))
    assert messages_among(paths, MAXSIZE) == paths[:1]


def test_another_folder_with_messages_says_nothing_of_a_file(tmp_path: Path) -> None:
    (first,) = written(tmp_path / "a", a=GOOD)
    (other,) = written(tmp_path / "b", b=HTML)
    assert messages_among([first, other], MAXSIZE) == [first]


def test_without_a_message_nothing_is_one(tmp_path: Path) -> None:
    assert messages_among(written(tmp_path, a=HTML, b=sitemap(entry())), MAXSIZE) == []
