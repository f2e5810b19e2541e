"""Makes the sample documents anew: ``python -m tests.samples.make`` in the root of the repository.

Run by hand, since the files are in the repository. Needs ``soffice`` (Debian: libreoffice-writer-nogui,
libreoffice-calc-nogui, libreoffice-impress-nogui, and a font such as fonts-dejavu-core) and ``7z``
(p7zip-full).
"""

from __future__ import annotations

import csv
import io
import subprocess
import tempfile
import zipfile
from pathlib import Path

from tests.samples import PARAGRAPHS, SAMPLES, SCAN, SENTENCE, TITLE

_OASIS = "urn:oasis:names:tc:opendocument:xmlns"
_NAMESPACES = " ".join(
    [
        *(f'xmlns:{name}="{_OASIS}:{name}:1.0"' for name in ("office", "text", "table", "style", "meta")),
        f'xmlns:draw="{_OASIS}:drawing:1.0" xmlns:presentation="{_OASIS}:presentation:1.0"',
        f'xmlns:fo="{_OASIS}:xsl-fo-compatible:1.0" xmlns:svg="{_OASIS}:svg-compatible:1.0"',
        'xmlns:dc="http://purl.org/dc/elements/1.1/"',
    ]
)
_ROWS = [("onderwerp", "toelichting"), ("besluit", SENTENCE), *(("alinea", text) for text in PARAGRAPHS)]

#: Flat OpenDocument source, and of each type made from it the filter of LibreOffice.
_TEXT = {
    "ODT": "odt:writer8",
    "DOC": "doc:MS Word 97",
    "DOCX": "docx:MS Word 2007 XML",
    "RTF": "rtf:Rich Text Format",
    "PDF": "pdf:writer_pdf_Export",
}
_SHEET = {"ODS": "ods:calc8", "XLS": "xls:MS Excel 97", "XLSX": "xlsx:Calc MS Excel 2007 XML"}
_SLIDES = {
    "ODP": "odp:impress8",
    "PPT": "ppt:MS PowerPoint 97",
    "PPS": "pps:MS PowerPoint 97 AutoPlay",
    "PPTX": "pptx:Impress MS PowerPoint 2007 XML",
    "PPSX": "ppsx:Impress MS PowerPoint 2007 XML AutoPlay",
}


def main() -> None:
    """Write every sample beside this file, and tell its size."""
    _write_plain()
    _write_archives()
    with tempfile.TemporaryDirectory() as folder:
        _switch_previews_off(Path(folder))
        _convert(Path(folder), "fodt", _flat("text", _paragraphs()), _TEXT)
        _convert(Path(folder), "fods", _flat("spreadsheet", _table()), _SHEET)
        _convert(Path(folder), "fodp", _flat("presentation", _slide()), _SLIDES)
        _write_scan(Path(folder))
    _mark_as_show()
    for path in (*SAMPLES.values(), SCAN):
        print(f"{path.name:12} {path.stat().st_size:6}")


def _write_plain() -> None:
    text = "\n\n".join((TITLE, SENTENCE, *PARAGRAPHS)) + "\n"
    SAMPLES["TXT"].write_text(text, encoding="utf-8")
    with SAMPLES["CSV"].open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=";").writerows(_ROWS)
    body = "".join(f"<p>{text}</p>\n" for text in (SENTENCE, *PARAGRAPHS))
    SAMPLES["HTML"].write_text(
        f'<!DOCTYPE html>\n<html lang="nl">\n<head><meta charset="utf-8"><title>{TITLE}</title></head>\n'
        f"<body>\n<h1>{TITLE}</h1>\n{body}</body>\n</html>\n",
        encoding="utf-8",
    )


def _write_archives() -> None:
    """The two archives, each with the text file, and the formula, which is an archive too."""
    text = SAMPLES["TXT"].read_text(encoding="utf-8")
    SAMPLES["ZIP"].write_bytes(_zipped({"besluit.txt": text}))
    SAMPLES["7z"].unlink(missing_ok=True)
    subprocess.run(["7z", "a", "-bd", SAMPLES["7z"], SAMPLES["TXT"]], check=True, timeout=120)
    media_type = "application/vnd.oasis.opendocument.formula"
    manifest = f'xmlns:manifest="{_OASIS}:manifest:1.0"'
    entries = {"/": media_type, "content.xml": "text/xml", "meta.xml": "text/xml"}
    files = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="{kind}"/>'
        for name, kind in entries.items()
    )
    SAMPLES["ODF"].write_bytes(
        _zipped(
            {
                "mimetype": media_type,
                "content.xml": '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mtext>'
                f"{SENTENCE}</mtext><mi>kosten</mi><mo>=</mo><mn>12</mn><mo>&#215;</mo><mi>paneel</mi></mrow>"
                f'<annotation encoding="StarMath 5.0">"{SENTENCE}" kosten = 12 times paneel</annotation>'
                "</semantics></math>",
                "meta.xml": f'<office:document-meta {_NAMESPACES} office:version="1.3"><office:meta>'
                f"<dc:title>{TITLE}</dc:title></office:meta></office:document-meta>",
                "META-INF/manifest.xml": f'<manifest:manifest {manifest} manifest:version="1.3">{files}'
                "</manifest:manifest>",
            }
        )
    )


def _zipped(files: dict[str, str]) -> bytes:
    """A zip file; a ``mimetype`` is stored as it is, as OpenDocument has it (part 2, 3.3)."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
            method = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(entry, text, method)
    return target.getvalue()


def _flat(kind: str, body: str) -> str:
    """A document in one XML file, with its title and in Dutch."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document {_NAMESPACES} office:version="1.3"'
        f' office:mimetype="application/vnd.oasis.opendocument.{kind}">'
        f"<office:meta><dc:title>{TITLE}</dc:title><dc:language>nl-NL</dc:language></office:meta>"
        '<office:styles><style:default-style style:family="paragraph"><style:text-properties'
        ' fo:language="nl" fo:country="NL" fo:font-size="14pt"/></style:default-style></office:styles>'
        '<office:automatic-styles><style:page-layout style:name="A4"><style:page-layout-properties'
        ' fo:page-width="21cm" fo:page-height="29.7cm" fo:margin="2cm"/></style:page-layout>'
        "</office:automatic-styles><office:master-styles>"
        '<style:master-page style:name="Standard" style:page-layout-name="A4"/></office:master-styles>'
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document>"
    )


def _paragraphs() -> str:
    return "".join(f"<text:p>{text}</text:p>" for text in (TITLE, SENTENCE, *PARAGRAPHS))


def _table() -> str:
    def row(texts: tuple[str, ...]) -> str:
        cells = "".join(
            f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'
            for text in texts
        )
        return f"<table:table-row>{cells}</table:table-row>"

    return f'<table:table table:name="Besluit">{"".join(row(texts) for texts in _ROWS)}</table:table>'


def _slide() -> str:
    frame = (
        '<draw:frame svg:x="2cm" svg:y="2cm" svg:width="17cm" svg:height="20cm">'
        f"<draw:text-box>{_paragraphs()}</draw:text-box></draw:frame>"
    )
    return f'<draw:page draw:name="Besluit" draw:master-page-name="Standard">{frame}</draw:page>'


def _switch_previews_off(folder: Path) -> None:
    """Leave out the pictures of the first page; that in a PPT takes half a megabyte."""
    settings = {
        "Save/Document": "GenerateThumbnail",
        "Filter/Microsoft/Export": "EnablePowerPointPreview",
    }
    items = "".join(
        f'<item oor:path="/org.openoffice.Office.Common/{path}"><prop oor:name="{name}" oor:op="fuse">'
        "<value>false</value></prop></item>"
        for path, name in settings.items()
    )
    profile = folder / "profile" / "user" / "registrymodifications.xcu"
    profile.parent.mkdir(parents=True)
    profile.write_text(
        f'<oor:items xmlns:oor="http://openoffice.org/2001/registry">{items}</oor:items>', encoding="utf-8"
    )


def _mark_as_show() -> None:
    """Give the PPSX the main part of a slide show: LibreOffice writes that of a presentation."""
    with zipfile.ZipFile(SAMPLES["PPSX"]) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    types = files["[Content_Types].xml"]
    files["[Content_Types].xml"] = types.replace("presentation.main+xml", "slideshow.main+xml")
    SAMPLES["PPSX"].write_bytes(_zipped(files))


def _convert(folder: Path, ending: str, source: str, targets: dict[str, str]) -> None:
    path = folder / f"besluit.{ending}"
    path.write_text(source, encoding="utf-8")
    for code, conversion in targets.items():
        _soffice(folder, path, conversion)
        SAMPLES[code].write_bytes((folder / f"besluit.{code.lower()}").read_bytes())


def _soffice(folder: Path, path: Path, conversion: str) -> None:
    profile = (folder / "profile").as_uri()
    options = ["--headless", "--convert-to", conversion, "--outdir", str(folder)]
    subprocess.run(
        ["soffice", f"-env:UserInstallation={profile}", *options, str(path)], check=True, timeout=120
    )


def _write_scan(folder: Path) -> None:
    """The page of text as a picture, and that picture as a page."""
    _soffice(folder, folder / "besluit.fodt", "jpg:writer_jpg_Export")
    _soffice(folder, folder / "besluit.jpg", "pdf:draw_pdf_Export")
    SCAN.write_bytes((folder / "besluit.pdf").read_bytes())


if __name__ == "__main__":
    main()
