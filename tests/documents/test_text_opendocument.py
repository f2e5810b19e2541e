from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from woo_harvester.documents.text import read_formula, read_presentation, read_title

NAMES = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


def package(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"{name}.xml", content)
    return path


def presentation(path: Path, *slides: str) -> Path:
    body = "".join(f"<draw:page>{slide}</draw:page>" for slide in slides)
    return package(path, content=f"<office:body {NAMES}>{body}</office:body>")


def test_the_paragraphs_of_all_slides_are_read_in_order(tmp_path: Path) -> None:
    path = presentation(
        tmp_path / "a.odp",
        "<text:h>Haven</text:h><text:p>Een <text:span>nieuwe</text:span> kade</text:p>",
        "<text:p/>",
    )
    assert read_presentation(path) == ("Haven\nEen nieuwe kade", 2, None)


def test_breaks_and_tabs_part_words(tmp_path: Path) -> None:
    path = presentation(tmp_path / "a.odp", "<text:p>a<text:line-break/>b<text:tab/>c<text:s/>d</text:p>")
    assert read_presentation(path)[0] == "a b c d"


def test_a_formula_is_what_was_typed_else_its_symbols(tmp_path: Path) -> None:
    math = '<math xmlns="http://www.w3.org/1998/Math/MathML">'
    typed = package(tmp_path / "a.odf", content=f"{math}<mi>x</mi><annotation>x = 2</annotation></math>")
    symbols = package(tmp_path / "b.odf", content=f"{math}<mi>x</mi><mo>=</mo><mn>2</mn></math>")
    assert read_formula(typed) == ("x = 2", None, None)
    assert read_formula(symbols) == ("x = 2", None, None)


def test_the_title_stands_in_the_properties(tmp_path: Path) -> None:
    path = package(
        tmp_path / "a.ods", meta=f"<office:meta {NAMES}><dc:title>Begroting</dc:title></office:meta>"
    )
    assert read_title(path) == "Begroting"


def test_an_archive_without_content_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"content\.xml"):
        read_presentation(package(tmp_path / "a.odp", other="<a/>"))


def test_entities_do_not_read_files(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("geheim", encoding="ascii")
    doctype = f'<!DOCTYPE a [<!ENTITY s SYSTEM "{secret.as_uri()}">]>'
    path = package(tmp_path / "a.odp", content=f"{doctype}<text:p {NAMES}>x&s;</text:p>")
    assert "geheim" not in read_presentation(path)[0]
