from __future__ import annotations

from pathlib import Path

import pytest

from woo_harvester.report.inventory import Suppliers, SuppliersError, file_names

STAD = "https://identifier.overheid.nl/tooi/id/gemeente/gm0001"


def identifier_of(given: str) -> str | None:
    """Return the identifier of an organisation by its name, as the register does."""
    if given == "Bergen":
        raise ValueError("'Bergen' is the name of 2 organisations")
    return STAD if given in (STAD, "Gemeente Stad") else None


def suppliers(folder: Path, text: str | bytes) -> Suppliers:
    path = folder / "leveranciers.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return Suppliers(path, identifier_of)


@pytest.mark.parametrize("given", ["Gemeente Stad", STAD])
def test_an_organisation_is_found_by_its_name_and_by_its_identifier(tmp_path: Path, given: str) -> None:
    found = suppliers(tmp_path, f"organisatie,leverancier\n{given},Bedrijf\n")
    assert found.of(STAD, "Gemeente Stad", "www.stad.nl") == "Bedrijf"
    assert found.of("2", "Gemeente Elders", "www.elders.nl") == "www.elders.nl"


def test_a_name_that_only_the_run_knows_is_found_too(tmp_path: Path) -> None:
    found = suppliers(tmp_path, "\ufeffleverancier,organisatie,opmerking\r\nBedrijf, gemeente dorp ,oud\r\n")
    assert found.of("4711", "Gemeente Dorp", "www.dorp.nl") == "Bedrijf"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected the columns organisatie,leverancier; leverancier and organisatie is missing"),
        ("organisatie;leverancier\nStad;Bedrijf", "expected the columns organisatie,leverancier"),
        ("organisatie,leverancier\nStad\n", "line 2: expected an organisation and its supplier"),
        ("organisatie,leverancier\n,Bedrijf\n", "line 2: expected an organisation and its supplier"),
        ("organisatie,leverancier\nBergen,B\n", "line 2: 'Bergen' is the name of 2 organisations"),
        (
            f"organisatie,leverancier\nGemeente Stad,A\n{STAD},B\n",
            f"line 3: {STAD} has two suppliers, A and B",
        ),
        (b"organisatie,leverancier\n\xff,B\n", "'utf-8' codec can't decode"),
        ('organisatie,leverancier\n"Stad', "unexpected end of data"),
        (b"organisatie,leverancier\n\0\n", "line"),
    ],
)
def test_a_file_that_does_not_say_it_is_refused_in_one_line(
    tmp_path: Path, text: str | bytes, problem: str
) -> None:
    with pytest.raises(SuppliersError) as raised:
        suppliers(tmp_path, text)
    (line,) = str(raised.value).splitlines()
    assert line.startswith(f"{tmp_path / 'leveranciers.csv'}: ")
    assert problem in line


@pytest.mark.parametrize("name", ["", "er-niet.csv"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(SuppliersError, match=str(tmp_path)):
        Suppliers(tmp_path / name, identifier_of)


def test_each_supplier_has_a_page_of_its_own_with_a_plain_name() -> None:
    names = ["Bedrijf Één B.V.", "bedrijf een b.v.", "../../etc", "???", "www.a.nl:8443"]
    assert file_names(names) == {
        "Bedrijf Één B.V.": "bedrijf-een-b.v.html",
        "bedrijf een b.v.": "bedrijf-een-b.v-2.html",
        "../../etc": "etc.html",
        "???": "leverancier.html",
        "www.a.nl:8443": "www.a.nl-8443.html",
    }
