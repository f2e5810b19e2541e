"""The suppliers of organisations, from a CSV file of the operator: no message names its supplier."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from unicodedata import normalize

from woo_harvester.inputs import check_regular, read_columns
from woo_harvester.tooi.values import normal_label

_COLUMNS = ("organisatie", "leverancier")

#: What is no plain letter, digit, full stop or hyphen; and the maximum length of a name, in characters.
_OTHER = re.compile("[^a-z0-9.]+")
_LENGTH = 80


class SuppliersError(ValueError):
    """The file cannot be used. The message is one line that names the file, and the line if there is one."""


class Suppliers:
    """The supplier of each organisation in a CSV file.

    The organisations in it are names, TOOI URIs or systeemIds. *identifier_of* returns the identifier that
    findings have for each of these, or None if it is not known; it may raise ValueError.
    """

    def __init__(self, path: Path, identifier_of: Callable[[str], str | None]) -> None:
        try:
            check_regular(path)
            self._suppliers = _read(path.read_bytes(), identifier_of)
        except OSError as error:
            raise SuppliersError(f"{path}: {error.strerror or error}") from None
        except ValueError as error:
            raise SuppliersError(f"{path}: {error}") from None

    def of(self, organisation: str, name: str, host: str) -> str:
        """Return the supplier of an organisation by its identifier or name, else the host of its entry."""
        return self._suppliers.get(organisation) or self._suppliers.get(normal_label(name)) or host


def _read(data: bytes, identifier_of: Callable[[str], str | None]) -> dict[str, str]:
    """Return the suppliers by identifier and by name of the organisation. Raises ValueError."""
    suppliers: dict[str, str] = {}
    for line, (organisation, supplier) in read_columns(data, _COLUMNS):
        if not organisation or not supplier:
            raise ValueError(f"line {line}: expected an organisation and its supplier")
        try:
            identifier = identifier_of(organisation) or organisation
        except ValueError as error:
            raise ValueError(f"line {line}: {error}") from None
        for key in (identifier, normal_label(organisation)):
            if suppliers.setdefault(key, supplier) != supplier:
                raise ValueError(
                    f"line {line}: {organisation} has two suppliers, {suppliers[key]} and {supplier}"
                )
    return suppliers


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Return the name of the page of each supplier: its name in plain letters, different for each."""
    found: dict[str, str] = {}
    for name in names:
        letters = normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        base = _OTHER.sub("-", letters).strip("-.")[:_LENGTH] or "leverancier"
        page, number = f"{base}.html", 1
        while page in found.values():
            number += 1
            page = f"{base}-{number}.html"
        found[name] = page
    return found
