"""Sample documents that this project made itself, one of each of the 19 types; see README.md."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent

#: The officieleTitel in the properties of each file of a type that has such a thing.
TITLE = "Subsidie voor zonnepanelen op de bibliotheek"

#: A sentence that each file holds.
SENTENCE = "De gemeente Voorbeeldstad verleent subsidie voor zonnepanelen op het dak van de bibliotheek."

#: What comes after it in the files with running text; enough to tell the language by.
PARAGRAPHS = (
    "Het college van burgemeester en wethouders heeft de aanvraag op 12 maart 2024 ontvangen en beoordeeld.",
    "De zonnepanelen leveren naar verwachting een derde van de stroom die het gebouw elk jaar verbruikt.",
    "Belanghebbenden kunnen binnen zes weken na de bekendmaking van dit besluit schriftelijk bezwaar maken.",
)

#: By the code at the end of the type's URI in ``ccw_plooi_filetypes``.
SAMPLES: dict[str, Path] = {
    code: _FOLDER / f"besluit.{code.lower()}"
    for code in (
        *("7z", "CSV", "XLS", "XLSX", "HTML", "ODF", "ODP", "ODS", "ODT", "PDF"),
        *("TXT", "PPSX", "PPT", "PPTX", "PPS", "RTF", "DOC", "DOCX", "ZIP"),
    )
}

#: The types whose files hold :data:`TITLE` as their own title.
TITLED = frozenset(SAMPLES) - {"7z", "CSV", "TXT", "ZIP"}

#: A PDF of one page with SENTENCE as an image, without a text layer: what a scanner makes.
SCAN = _FOLDER / "scan.pdf"

#: The official schema of DiWoo, version 0.9.8, with some organisations of its lists.
DIWOO = _FOLDER / "diwoo"

#: The register with sixteen organisations, as it was published in November 2026.
EXPORT = _FOLDER / "roo" / "exportOO.xml"
