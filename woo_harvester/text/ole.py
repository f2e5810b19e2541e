"""Read the properties of documents of Office before 2007. The library returns only some of them.

Source: [MS-OLEPS], the property sets SummaryInformation and DocumentSummaryInformation.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import olefile

#: The code page of UTF-8, as Windows numbers them.
_UTF_8 = 65001


def read_properties(path: Path) -> tuple[str | None, int | None]:
    """Return the title and the number of pages or slides, as the program that wrote the file noted them.

    Raises OSError if it is no OLE file, and LookupError for an unknown code page.
    """
    with olefile.OleFileIO(str(path)) as file:
        properties: Any = file.get_metadata()  # its attributes are not in the stubs
        title, pages = properties.title, properties.num_pages or properties.slides
        return _text(title, properties.codepage) if title else None, pages or None


def _text(title: bytes, codepage: int | None) -> str:
    """Decode a title. The number of its code page is a signed number of 16 bits."""
    number = (codepage or 1252) & 0xFFFF
    return title.decode("utf-8" if number == _UTF_8 else f"cp{number}", errors="replace").rstrip("\0")
