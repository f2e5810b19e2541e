from __future__ import annotations

from typing import Any

import pytest

from woo_harvester.kinds import Kind
from woo_harvester.outputs.columns import ALL, all_columns, cells, columns_of
from woo_harvester.report.csv_file import cell

RECORD: dict[str, Any] = {
    "id": "1",
    "document": {
        "weblocatie": "https://a.nl/b.pdf",
        "publisher": {"type": "gemeente", "id": "https://x/gm0363", "label": "gemeente Amsterdam"},
        "titelcollectie": {"officieleTitel": "Besluit | kade"},
        "classificatiecollectie": {
            "informatiecategorieen": [
                {"id": "u1", "label": "adviezen"},
                {"id": "u2", "label": "convenanten"},
            ],
            "trefwoorden": ["kade", "a|b"],
        },
        "documenthandelingen": [
            {"soortHandeling": {"id": "h1", "label": "ontvangst"}, "atTime": "2024-05-01T10:00:00+02:00"},
            {"soortHandeling": {"id": "h2", "label": "ondertekening"}},
        ],
        "extraMetadata": [
            {"prefix": "x", "velden": [{"key": "zaak", "values": ["1", "2"]}, {"key": "leeg"}]}
        ],
    },
    "versies": [
        {"oorzaak": "aanlevering", "bestanden": [{"grootte": 0, "mime-type": "text/csv", "tekst": "…"}]}
    ],
    "herkomst": {"standaardwaarden": {"document.publisher": "register", "versies.x": "index"}},
}


def of(column: str, record: dict[str, Any] = RECORD) -> object:
    (found,) = cells(record, [column])
    return found


def test_a_column_has_the_value_at_its_path() -> None:
    for column, expected in [
        ("document.publisher.label", "gemeente Amsterdam"),
        ("document.publisher.id", "https://x/gm0363"),
        ("document.publisher.bronwaarde", ""),
        ("document.titelcollectie.officieleTitel", "Besluit | kade"),
        ("document.classificatiecollectie.informatiecategorieen.label", "adviezen | convenanten"),
        ("document.classificatiecollectie.informatiecategorieen.bronwaarde", ""),
        ("document.classificatiecollectie.trefwoorden", r"kade | a\|b"),
        ("document.documenthandelingen.atTime", "2024-05-01T10:00:00+02:00 | "),
        ("document.extraMetadata.velden", "zaak=1 | zaak=2"),
        ("document.extraMetadata.prefix", "x"),
        ("document.opsteller.label", ""),
        ("versies.bestanden.grootte", "0"),
        ("versies.bestanden.mime-type", "text/csv"),
        ("herkomst.standaardwaarden", "document.publisher=register | versies.x=index"),
        ("herkomst.bevindingen", ""),
    ]:
        assert of(column) == expected, column
        assert column in columns_of(Kind.woo, [ALL]), column


def test_the_values_of_a_list_are_separated_again_by_splitting() -> None:
    texts = str(of("document.classificatiecollectie.trefwoorden")).split(" | ")
    assert [text.replace(r"\|", "|") for text in texts] == ["kade", "a|b"]


def test_the_path_of_an_object_gives_its_json() -> None:
    assert of("document.titelcollectie") == '{"officieleTitel": "Besluit | kade"}'


def test_no_text_is_a_formula_of_a_spreadsheet() -> None:
    for title in ["=1+1", "+31 20", "-kade", "@gemeente"]:
        record = {
            "id": "1",
            "document": {"titelcollectie": {"officieleTitel": title, "verkorteTitels": [title, "x"]}},
        }
        assert cell(of("document.titelcollectie.officieleTitel", record)) == f"'{title}", title
        assert cell(of("document.titelcollectie.verkorteTitels", record)) == f"'{title} | x", title


def test_a_number_is_a_number() -> None:
    record = {"id": "1", "documenten": [], "x": -5}
    assert of("x", record) == -5


def test_an_object_that_is_not_as_in_a_record_is_its_json() -> None:
    for value, text in (
        (1, "1"),
        ("tekst", "tekst"),
        ([[1]], "[1]"),
        ([{"key": "k", "values": 3}], '{"key": "k", "values": 3}'),
        ({"values": None}, '{"values": null}'),
    ):
        record = {"id": "1", "document": {"extraMetadata": {"velden": value}}}
        assert of("document.extraMetadata.velden", record) == text
    for defaults in (1, ["1"], "1"):
        assert of("herkomst.standaardwaarden", {"id": "1", "herkomst": {"standaardwaarden": defaults}}) == "1"


def test_all_columns_are_unique_and_have_no_text_of_documents() -> None:
    for kind in Kind:
        columns = all_columns(kind)
        assert len(set(columns)) == len(columns) > 80, kind
        assert columns[0] == "id", kind
        assert "versies.bestanden.tekst" not in columns, kind
        assert columns_of(kind, [ALL]) == dict(zip(columns, columns, strict=True)), kind


def test_the_columns_of_a_record_are_those_of_its_kind() -> None:
    assert {"vergunning.title", "documenten.title"} <= set(all_columns(Kind.vergunningen))


def test_the_columns_for_people_are_few_and_each_has_a_place_in_a_record() -> None:
    for kind in Kind:
        columns = columns_of(kind)
        assert list(columns)[:2] == ["titel", "organisatie"], kind
        assert list(columns)[-2:] == ["link", "id"] or list(columns)[-3:] == ["pad", "tekst", "id"], kind
        assert 10 <= len(columns) <= 14, kind
        assert set(columns.values()) - {"tekst"} <= set(all_columns(kind)), kind


def test_a_list_chooses_columns_by_name_and_by_path() -> None:
    chosen = ["link", " document.titelcollectie", "versies.bestanden.tekst"]
    assert columns_of(Kind.woo, chosen) == {
        "link": "document.weblocatie",
        "document.titelcollectie": "document.titelcollectie",
        "versies.bestanden.tekst": "versies.bestanden.tekst",
    }


def test_an_unknown_column_is_refused() -> None:
    for kind, chosen, line in [
        (Kind.woo, ["titl"], "WOO_CSV_COLUMNS: unknown column titl: did you mean titel?"),
        (
            Kind.woo,
            ["document.webloctie"],
            "unknown column document.webloctie: did you mean document.weblocatie?",
        ),
        (Kind.woo, ["titel", "all"], "expected all alone, or names without it, got titel,all$"),
        (Kind.woo, ["al"], "unknown column al: did you mean all?"),
        (Kind.vergunningen, ["xyzw"], "unknown column xyzw: expected one of titel, .*, id, all$"),
        (Kind.vergunningen, [""], "unknown column : expected one of titel, "),
    ]:
        with pytest.raises(ValueError, match=line.replace("?", r"\?")):
            columns_of(kind, chosen)


def test_the_column_of_a_text_has_its_beginning_on_one_line() -> None:
    def beginning(*texts: str | None) -> object:
        files = [{} if text is None else {"tekst": text} for text in texts]
        return of("tekst", {"id": "1", "versies": [{"bestanden": files}]})

    assert beginning("Besluit\n\n  over\tde kade\r\n") == "Besluit over de kade"
    assert beginning("a", None, "b|c") == r"a |  | b\|c"
    assert len(str(beginning("woord\n" * 100_000))) == 32_000
    assert beginning() == beginning(None) == of("tekst", {"id": "1"}) == ""
    assert of("tekst", {"id": "1", "versies": [{"bestanden": [{"tekst": 5}]}]}) == "5"
