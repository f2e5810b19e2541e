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

from tests.pipelines.writing import write_file
from woo_harvester.operating.copies import CopiesFolder
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
        write_file(store, path_of(digest), BytesIO(content))
    return digest


def document(name: str, title: Any, digest: str | None, **values: Any) -> dict[str, Any]:
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


def update(folder: Path, store: DurableFolder, *records: dict[str, Any]) -> CopiesFolder:
    copies = CopiesFolder(folder, store)
    copies.update(json.dumps(record).encode() for record in records)
    return copies


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of each file in the folder but the list and the memory, by path."""
    own = ("documenten.csv", ".woo-harvester.json")
    found = (path for path in folder.rglob("*") if path.is_file() and path.name not in own)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "documenten.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def test_a_document_is_copied_under_its_title_and_listed(folder: Path, store: DurableFolder) -> None:
    digest = stored(store, b"besluit")
    copies = update(
        folder, store, document("a", "Woo-besluit zwembad", digest), document("b", "Elders", None)
    )
    path = f"{PLACE}/2025-02-11 Woo-besluit zwembad.pdf"
    assert files(folder) == {path: b"besluit"}
    assert (copies.copied, len(copies), copies.lost, copies.notes) == (1, 1, 0, [])
    assert ("a" in copies, "b" in copies) == (True, False)
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


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Tarief € 12,- per uur", "Tarief € 12- per uur"),
        ("a,=1+1", "a=1+1"),
        ("Kaart, bijlage", "Kaart, bijlage"),
    ],
)
def test_the_list_has_the_names_as_they_are(
    folder: Path, store: DurableFolder, title: str, name: str
) -> None:
    update(folder, store, document("a", title, stored(store, b"besluit")))
    (row,) = rows(folder)
    assert row["bestand"] == f"{PLACE}/2025-02-11 {name}.pdf"
    assert [*files(folder)] == [row["bestand"]]


def test_a_copy_that_is_edited_in_place_leaves_the_store_as_it_is(folder: Path, store: DurableFolder) -> None:
    digest = stored(store, b"besluit")
    update(folder, store, document("a", "Besluit", digest))
    (path,) = files(folder)
    with (folder / path).open("r+b") as file:
        file.write(b"BESLUIT")
    assert (store.path / path_of(digest)).read_bytes() == b"besluit"


def test_a_second_run_copies_what_is_new_and_nothing_else(folder: Path, store: DurableFolder) -> None:
    one, two = document("a", "Een", stored(store, b"1")), document("b", "Twee", stored(store, b"2"))
    update(folder, store, one)
    before = {path: (folder / path).stat().st_ino for path in files(folder)}
    again = update(folder, store, one, two)
    assert again.copied == 1
    assert sorted(files(folder)) == [f"{PLACE}/2025-02-11 Een.pdf", f"{PLACE}/2025-02-11 Twee.pdf"]
    assert all((folder / path).stat().st_ino == inode for path, inode in before.items())
    assert update(folder, store, two).copied == 0  # what these records lack stays
    assert len(files(folder)) == len(rows(folder)) == 2


def test_what_was_withdrawn_goes_and_the_list_says_so(folder: Path, store: DurableFolder) -> None:
    digest = stored(store, b"1")
    update(folder, store, document("a", "Een", digest))
    copies = update(folder, store, withdrawn("a"), withdrawn("onbekend"))
    assert (copies.withdrawn, len(copies), copies.notes) == (1, 0, [])
    assert [path.name for path in folder.iterdir() if path.is_dir()] == []
    (row,) = rows(folder)
    assert (row["titel"], row["status"], row["bestand"]) == ("Een", "ingetrokken", "")
    assert update(folder, store, withdrawn("a")).withdrawn == 0
    update(folder, store, document("a", "Een", digest))
    assert list(files(folder)) == [rows(folder)[0]["bestand"]]


def test_a_new_version_and_a_new_title_take_the_place_of_the_old(folder: Path, store: DurableFolder) -> None:
    update(folder, store, document("a", "Een", stored(store, b"1")))
    update(folder, store, document("a", "Een", stored(store, b"2")))
    assert files(folder) == {f"{PLACE}/2025-02-11 Een.pdf": b"2"}
    update(folder, store, document("a", "Twee", stored(store, b"2"), category="adviezen"))
    assert files(folder) == {"gemeente Dorp/adviezen/2025-02-11 Twee.pdf": b"2"}
    assert not (folder / PLACE).exists()
    update(folder, store, document("a", "Een", stored(store, b"2")))
    assert list(files(folder)) == [f"{PLACE}/2025-02-11 Een.pdf"]


def test_nothing_that_a_person_changed_or_made_is_lost(folder: Path, store: DurableFolder) -> None:
    update(folder, store, *(document(name, name, stored(store, name.encode())) for name in "abc"))
    a, b, c = (f"{PLACE}/2025-02-11 {name}.pdf" for name in "abc")
    for path in (a, b):
        (folder / path).write_bytes(b"met aantekeningen")
    (folder / PLACE / "notities.txt").write_text("x")
    (folder / PLACE / "2025-02-11 D.PDF").write_bytes(b"van iemand anders")
    (folder / c).unlink()
    changed = document("b", "b", stored(store, b"nieuw"))
    copies = update(
        folder,
        store,
        withdrawn("a"),
        changed,
        document("c", "c", stored(store, b"c")),
        document("d", "d", stored(store, b"d")),
    )
    assert files(folder) == {
        a: b"met aantekeningen",
        b: b"met aantekeningen",
        f"{PLACE}/2025-02-11 b (2).pdf": b"nieuw",
        c: b"c",
        f"{PLACE}/notities.txt": b"x",
        f"{PLACE}/2025-02-11 D.PDF": b"van iemand anders",
        f"{PLACE}/2025-02-11 d (2).pdf": b"d",
    }
    assert copies.notes == [
        f"{folder / a} was changed by hand, and is kept: its document is withdrawn",
        f"{folder / b} was changed by hand, and is kept: the document is {PLACE}/2025-02-11 b (2).pdf now",
    ]
    assert update(folder, store, changed).notes == []


def test_a_list_that_a_person_changed_gets_another_name(folder: Path, store: DurableFolder) -> None:
    one = document("a", "Een", stored(store, b"1"))
    update(folder, store, one)
    (folder / "documenten.csv").write_text("mijn notities")
    copies = update(folder, store, one)
    assert copies.notes == [f"{folder / 'documenten.csv'} was changed by hand, and is documenten (2).csv now"]
    assert (folder / "documenten (2).csv").read_text() == "mijn notities"
    assert len(rows(folder)) == 1


def test_no_two_documents_have_one_file(folder: Path, store: DurableFolder) -> None:
    titles = ["Besluit", "BESLUIT", "besluit ", "Café", "Cafe\u0301", "besluit.pdf", "Besluit"]
    records = [document(str(n), title, stored(store, b"%d" % (n % 6))) for n, title in enumerate(titles)]
    update(folder, store, *records)
    names = sorted(Path(path).name for path in files(folder))
    assert len(names) == len({name.casefold() for name in names}) == len(titles)
    assert "2025-02-11 besluit (3).pdf" in names
    assert update(folder, store, *reversed(records)).copied == 0


def test_folders_that_differ_in_capitals_are_one_and_a_file_in_the_way_stays(
    folder: Path, store: DurableFolder
) -> None:
    update(folder, store, document("a", "Een", stored(store, b"1")))
    (folder / "waterschap").write_text("van iemand anders")
    update(
        folder,
        store,
        document("b", "Twee", stored(store, b"2"), organisation="Gemeente dorp"),
        document("c", "Drie", stored(store, b"3"), organisation="Waterschap"),
        document("d", "Vier", stored(store, b"4"), organisation="documenten.csv"),
    )
    assert sorted(files(folder)) == [
        "Waterschap (2)/convenanten/2025-02-11 Drie.pdf",
        "documenten.csv (2)/convenanten/2025-02-11 Vier.pdf",
        f"{PLACE}/2025-02-11 Een.pdf",
        f"{PLACE}/2025-02-11 Twee.pdf",
        "waterschap",
    ]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("../../../etc/passwd", "2025-02-11 ..-..-..-etc-passwd.pdf"),
        ("a\x00b\x1b[31m\r\nc\u202ed", "2025-02-11 a b [31m c d.pdf"),
        ("x" * 5000, f"2025-02-11 {'x' * 79}.pdf"),
        ("é" * 5000, f"2025-02-11 {'é' * 39}.pdf"),
        ('Wat? "Nee": <ja> | a\\b*', "2025-02-11 Wat Nee ja a b.pdf"),
        ("einde. . .", "2025-02-11 einde.pdf"),
        ("", "2025-02-11.pdf"),
        (["lijst"], "2025-02-11 lijst.pdf"),
        (7, "2025-02-11 7.pdf"),
        (None, "2025-02-11 onbekend.pdf"),
    ],
)
def test_a_hostile_title_is_a_harmless_name(
    folder: Path, store: DurableFolder, title: Any, name: str
) -> None:
    update(folder, store, document("a", title, stored(store, b"1")))
    assert list(files(folder)) == [f"{PLACE}/{name}"]


@pytest.mark.parametrize(
    ("organisation", "name"),
    [("../..", "-"), ("CON", "CON_"), ("nul.txt", "nul_.txt"), ("..", "onbekend"), ("o" * 99, "o" * 60)],
)
def test_a_hostile_organisation_is_a_folder_in_the_folder(
    folder: Path, store: DurableFolder, organisation: str, name: str
) -> None:
    update(folder, store, document("a", "Een", stored(store, b"1"), organisation=organisation))
    assert [path.name for path in folder.iterdir() if path.is_dir()] == [name]


@pytest.mark.parametrize(
    ("media", "given", "suffix"),
    [
        ("application/pdf", {}, ".pdf"),
        ("text/plain; charset=utf-8", {}, ".txt"),
        ("application/x-msdownload", {"label": "Word DOCX"}, ".docx"),
        (None, {}, ""),
        ("../x", {"label": "exe"}, ""),
    ],
)
def test_the_extension_is_that_of_the_content(
    folder: Path, store: DurableFolder, media: str | None, given: dict[str, str], suffix: str
) -> None:
    update(folder, store, document("a", "Een", stored(store, b"1"), media=media, format=given))
    assert list(files(folder)) == [f"{PLACE}/2025-02-11 Een{suffix}"]


@pytest.mark.parametrize("digest", ["0" * 64, "../../../etc/passwd", 5])
def test_a_file_that_the_store_does_not_have_is_counted(
    folder: Path, store: DurableFolder, digest: Any
) -> None:
    copies = update(folder, store, document("a", "Een", digest))
    assert (copies.lost, files(folder)) == (1, {})


def test_what_an_interrupted_run_copied_is_recognised(folder: Path, store: DurableFolder) -> None:
    records = [document(name, "Een", stored(store, b"1")) for name in "ab"]

    class InterruptedRunError(Exception):
        pass

    def lines() -> Iterator[bytes]:
        yield from (json.dumps(record).encode() for record in records)
        raise InterruptedRunError

    with pytest.raises(InterruptedRunError):
        CopiesFolder(folder, store).update(lines())
    assert len(files(folder)) == 2
    copies = update(folder, store, *records)
    assert (copies.copied, len(copies), len(files(folder))) == (0, 2, 2)
    newer = [document(name, "Een", stored(store, b"2")) for name in "ab"]
    records[:] = newer
    with pytest.raises(InterruptedRunError):
        CopiesFolder(folder, store).update(lines())
    assert update(folder, store, *newer).copied == 0
    assert sorted(files(folder).values()) == [b"2", b"2"]


def test_a_folder_of_somebody_else_is_refused(folder: Path, store: DurableFolder) -> None:
    folder.mkdir()
    (folder / "brief.txt").write_text("x")
    with pytest.raises(UsageError, match="has files that this command did not make: name a new or an empty"):
        CopiesFolder(folder, store)
    (folder / "brief.txt").unlink()
    assert len(CopiesFolder(folder, store)) == 0
    (folder / ".woo-harvester.json").write_text("[]")
    with pytest.raises(UsageError, match=r"\.woo-harvester\.json is damaged: name another folder"):
        CopiesFolder(folder, store)


def test_a_folder_in_the_store_is_refused(store: DurableFolder) -> None:
    for path in (store.path, store.path / "map"):
        with pytest.raises(UsageError, match="is in FILES_STORE"):
            CopiesFolder(path, store)


def test_permits_are_left_out(folder: Path, store: DurableFolder) -> None:
    permit = {"id": "p", "vergunning": {}, "versies": [{"oorzaak": "aanlevering"}]}
    assert len(update(folder, store, permit)) == 0
    assert rows(folder) == []


@pytest.mark.parametrize("path", ["../other.txt", "{}", "a/../../other.txt", "link/other.txt", "./other.txt"])
def test_a_copy_that_is_no_file_in_the_folder_is_not_believed(
    path: str, folder: Path, store: DurableFolder, tmp_path: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_bytes(b"besluit")
    record = document("a", "Besluit", stored(store, b"besluit"))
    update(folder, store, record)
    (folder / "link").symlink_to(tmp_path)
    memory = folder / ".woo-harvester.json"
    read = json.loads(memory.read_text(encoding="utf-8"))
    read["copies"]["a"]["path"] = path.format(other)
    memory.write_text(json.dumps(read), encoding="utf-8")
    with pytest.raises(UsageError, match="which is no file in this folder; name another folder"):
        update(folder, store, withdrawn("a"))
    assert other.read_bytes() == b"besluit"


@pytest.mark.parametrize("digest", ["", "x", "../x"])
def test_a_copy_without_a_digest_is_not_believed(digest: str, folder: Path, store: DurableFolder) -> None:
    update(folder, store, document("a", "Besluit", stored(store, b"besluit")))
    memory = folder / ".woo-harvester.json"
    read = json.loads(memory.read_text(encoding="utf-8"))
    read["copies"]["a"]["sha256"] = digest
    memory.write_text(json.dumps(read), encoding="utf-8")
    with pytest.raises(UsageError, match="is damaged: name another folder"):
        update(folder, store)


def test_nothing_is_written_through_links_to_other_folders(
    folder: Path, store: DurableFolder, tmp_path: Path
) -> None:
    update(folder, store)
    elsewhere, target = tmp_path / "elsewhere", tmp_path / "target.csv"
    elsewhere.mkdir()
    target.write_text("of a person")
    (folder / PLACE.partition("/")[0]).symlink_to(elsewhere)
    (folder / "documenten.csv").unlink()
    (folder / "documenten.csv").symlink_to(target)
    update(folder, store, document("a", "Besluit", stored(store, b"besluit")))
    assert [*elsewhere.iterdir()] == []
    assert target.read_text() == "of a person"
    assert (folder / rows(folder)[0]["bestand"]).read_bytes() == b"besluit"
    memory = folder / ".woo-harvester.json"
    memory.rename(tmp_path / "memory.json")
    memory.symlink_to(tmp_path / "memory.json")
    with pytest.raises(UsageError, match="it is a link; name another folder"):
        update(folder, store)
