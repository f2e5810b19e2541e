"""A folder with copies of stored documents: names, what a person did in it, and what became of a document."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import UsageError

from woo_harvester.operating.copies import Copied, copy_documents
from woo_harvester.pipelines.folder import DurableFolder
from woo_harvester.pipelines.stored import path_of

PLACE = "gemeente Dorp/convenanten"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DurableFolder]:
    with closing(DurableFolder(tmp_path / "store")) as folder:
        yield folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "map"


def stored(store: DurableFolder, content: bytes) -> str:
    """Store a document, and return its SHA-256."""
    digest = sha256(content).hexdigest()
    if not store.has(path_of(digest)):
        store.write(path_of(digest), BytesIO(content))
    return digest


def document(name: str, title: Any, digest: Any, **values: Any) -> dict[str, Any]:
    file = {"hash": digest, "pad": digest, "mime-type": values.pop("media", "application/pdf")}
    organisation = values.pop("organisation", "gemeente Dorp")
    category = values.pop("category", "convenanten")
    about = {
        "weblocatie": f"https://a.nl/{name}",
        "verantwoordelijke": {"label": organisation},
        "titelcollectie": {"officieleTitel": title},
        "classificatiecollectie": {"informatiecategorieen": [{"label": category}]},
    }
    version = {
        "oorzaak": "aanlevering",
        "openbaarmakingsdatum": "2025-02-11",
        "bestanden": [file] if digest else [],
    }
    return {"id": name, "document": {**about, **values}, "versies": [version]}


def withdrawn(name: str) -> dict[str, Any]:
    where = {"weblocatie": f"https://a.nl/{name}"}
    return {"id": name, "document": where, "versies": [{"oorzaak": "intrekking"}]}


def update(folder: Path, store: DurableFolder, *records: dict[str, Any]) -> Copied:
    return copy_documents(folder, store, (json.dumps(record).encode() for record in records))


def named(name: str, content: bytes, suffix: str = ".pdf", place: str = PLACE) -> str:
    """Return the path of the copy of a document."""
    return f"{place}/2025-02-11 {name} {sha256(content).hexdigest()[:8]}{suffix}"


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of each file in the folder but the list, by path."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != "documenten.csv")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "documenten.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def test_a_document_is_copied_under_its_title_and_listed(folder: Path, store: DurableFolder) -> None:
    digest = stored(store, b"besluit")
    permit = {"id": "p", "vergunning": {}, "versies": [{"oorzaak": "aanlevering"}]}
    given = document("a", "Woo-besluit zwembad", digest), document("b", "Elders", None), permit
    assert update(folder, store, *given) == Copied(copied=1, listed=1)
    path = named("Woo-besluit zwembad", b"besluit")
    assert files(folder) == {path: b"besluit"}
    assert rows(folder) == [
        {
            "bestand": path,
            "titel": "Woo-besluit zwembad",
            "organisatie": "gemeente Dorp",
            "categorieën": "convenanten",
            "datum": "2025-02-11",
            "status": "gepubliceerd",
            "link": "https://a.nl/a",
            "id": "a",
        }
    ]
    with (folder / path).open("r+b") as file:
        file.write(b"BESLUIT")
    assert (store.path / path_of(digest)).read_bytes() == b"besluit", "a copy that is edited in place"


#: A title, and the name that its copy gets.
TITLES: list[tuple[Any, str]] = [
    ("Tarief € 12,- per uur", "Tarief € 12,- per uur"),
    ("Kaart, bijlage", "Kaart, bijlage"),
    ("../../../etc/passwd", "..-..-..-etc-passwd"),
    ("a\x00b\x1b[31m\r\nc\u202ed", "a b [31m c d"),
    ("x" * 5000, "x" * 79),
    ("é" * 5000, "é" * 39),
    ('Wat? "Nee": <ja> | a\\b*', "Wat Nee ja a b"),
    ("einde. . .", "einde"),
    ("besluit.PDF", "besluit"),
    (["lijst"], "lijst"),
    (7, "7"),
    (None, "onbekend"),
]
ORGANISATIONS = {
    "../..": "onbekend",
    "=1": "1",
    "CON": "CON_",
    "nul.txt": "nul_.txt",
    "..": "onbekend",
    "o" * 99: "o" * 60,
}
#: The media type of the content, the format that is given, and the extension of the copy.
EXTENSIONS: list[tuple[str | None, dict[str, str], str]] = [
    ("application/pdf", {}, ".pdf"),
    ("text/plain; charset=utf-8", {}, ".txt"),
    ("application/x-msdownload", {"label": "Word DOCX"}, ".docx"),
    (None, {}, ""),
    ("../x", {"label": "exe"}, ""),
]


def test_a_hostile_document_gets_a_harmless_name(folder: Path, store: DurableFolder) -> None:
    digest = stored(store, b"1")

    def copied(**values: Any) -> list[str]:
        update(folder, store, document("a", values.pop("title", "Een"), digest, **values))
        return [*files(folder)]

    for title, name in TITLES:
        assert copied(title=title) == [named(name, b"1")] == [row["bestand"] for row in rows(folder)]
    for organisation, name in ORGANISATIONS.items():
        path = named("Een", b"1", place=f"{name}/convenanten")
        assert copied(organisation=organisation) == [path]
        assert [each.name for each in folder.iterdir() if each.is_dir()] == [name]
    for media, given, suffix in EXTENSIONS:
        assert copied(media=media, format=given) == [named("Een", b"1", suffix)]


def test_a_second_run_copies_what_is_new_and_nothing_else(folder: Path, store: DurableFolder) -> None:
    one, two = document("a", "Een", stored(store, b"1")), document("b", "Twee", stored(store, b"2"))
    update(folder, store, one)
    before = {path: (folder / path).stat().st_ino for path in files(folder)}
    assert update(folder, store, one, two) == Copied(copied=1, listed=2)
    assert sorted(files(folder)) == [named("Een", b"1"), named("Twee", b"2")]
    assert all((folder / path).stat().st_ino == inode for path, inode in before.items())
    assert update(folder, store, two) == Copied(listed=2)  # what these records lack stays
    assert len(files(folder)) == len(rows(folder)) == 2


def test_what_was_withdrawn_goes_and_the_list_says_so(folder: Path, store: DurableFolder) -> None:
    digest = stored(store, b"1")
    update(folder, store, document("a", "Een", digest))
    assert update(folder, store, withdrawn("a"), withdrawn("onbekend")) == Copied(withdrawn=1)
    assert [path.name for path in folder.iterdir() if path.is_dir()] == []
    (row,) = rows(folder)
    assert (row["titel"], row["status"], row["bestand"]) == ("Een", "ingetrokken", "")
    assert update(folder, store, withdrawn("a")) == Copied()
    update(folder, store, document("a", "Een", digest))
    assert list(files(folder)) == [rows(folder)[0]["bestand"]]


def test_a_new_version_and_a_new_title_take_the_place_of_the_old(folder: Path, store: DurableFolder) -> None:
    update(folder, store, document("a", "Een", stored(store, b"1")))
    update(folder, store, document("a", "Een", stored(store, b"2")))
    assert files(folder) == {named("Een", b"2"): b"2"}
    update(folder, store, document("a", "Twee", stored(store, b"2"), category="adviezen"))
    assert files(folder) == {named("Twee", b"2", place="gemeente Dorp/adviezen"): b"2"}
    assert not (folder / PLACE).exists()


def test_nothing_that_a_person_changed_or_made_is_lost(folder: Path, store: DurableFolder) -> None:
    update(folder, store, *(document(name, name, stored(store, name.encode())) for name in "abc"))
    a, b, c = (named(name, name.encode()) for name in "abc")
    for path in (a, b):
        (folder / path).write_bytes(b"met aantekeningen")
    (folder / PLACE / "notities.txt").write_text("x")
    (folder / c).unlink()
    changed = document("b", "b", stored(store, b"nieuw"))
    update(folder, store, withdrawn("a"), changed, document("c", "c", stored(store, b"c")))
    assert files(folder) == {
        a: b"met aantekeningen",
        b: b"met aantekeningen",
        named("b", b"nieuw"): b"nieuw",
        c: b"c",
        f"{PLACE}/notities.txt": b"x",
    }


def test_documents_with_one_content_and_one_name_have_one_copy(folder: Path, store: DurableFolder) -> None:
    records = [document(name, "Een", stored(store, b"1")) for name in "ab"]
    records.append(document("c", "Een", stored(store, b"2")))
    assert update(folder, store, *records) == Copied(copied=2, listed=3)
    update(folder, store, withdrawn("a"), withdrawn("c"))
    assert list(files(folder)) == [named("Een", b"1")]


def test_a_file_that_the_store_does_not_have_is_counted(folder: Path, store: DurableFolder) -> None:
    for digest in ("0" * 64, "../../../etc/passwd", 5):
        assert update(folder, store, document("a", "Een", digest)) == Copied(lost=1), digest
        assert files(folder) == {}


def test_what_an_interrupted_run_copied_is_not_copied_again(folder: Path, store: DurableFolder) -> None:
    records = [document(name, name, stored(store, name.encode())) for name in "ab"]

    def lines() -> Iterator[bytes]:
        yield from (json.dumps(record).encode() for record in records)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        copy_documents(folder, store, lines())
    assert update(folder, store, *records) == Copied(listed=2)
    assert len(files(folder)) == 2


def test_a_list_of_somebody_else_is_refused(folder: Path, store: DurableFolder) -> None:
    folder.mkdir()
    for content in ("", "mijn notities\n"):
        (folder / "documenten.csv").write_text(content)
        with pytest.raises(UsageError, match=r"documenten\.csv was not made by this command: name another"):
            update(folder, store)


@pytest.mark.parametrize("path", ["../o {}.txt", "{folder}/../o {}.txt", "a/../../o {}.txt", "link/o {}.txt"])
def test_a_listed_copy_that_is_no_file_in_the_folder_is_not_removed(
    path: str, folder: Path, store: DurableFolder, tmp_path: Path
) -> None:
    digest = stored(store, b"besluit")
    other = tmp_path / f"o {digest[:8]}.txt"
    other.write_bytes(b"besluit")
    update(folder, store, document("a", "Besluit", digest))
    (folder / "link").symlink_to(tmp_path)
    made = folder / "documenten.csv"
    listed = path.format(digest[:8], folder=folder)
    made.write_text(made.read_text("utf-8-sig").replace(rows(folder)[0]["bestand"], listed), "utf-8-sig")
    assert rows(folder)[0]["bestand"] == listed
    assert update(folder, store, withdrawn("a")).withdrawn == 1
    assert other.read_bytes() == b"besluit"


def test_nothing_is_written_through_links_to_other_folders(
    folder: Path, store: DurableFolder, tmp_path: Path
) -> None:
    update(folder, store)
    (folder / PLACE.partition("/")[0]).symlink_to(tmp_path)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(UsageError, match="leads out of"):
        update(folder, store, document("a", "Besluit", stored(store, b"besluit")))
    assert sorted(tmp_path.iterdir()) == before
