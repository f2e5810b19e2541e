"""The stored copies of documents, for visitors."""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from lxml import html

from tests.portal.client import Client, client_of
from tests.portal.records import LOC, full, withdrawn
from woo_portal.app import Options
from woo_portal.asking import MAX_DOWNLOADS
from woo_portal.open_overheid import BASE

CONTENT = b"%PDF-1.7 " + bytes(range(256)) * 40
DIGEST = sha256(CONTENT).hexdigest()
PAD = f"{DIGEST[:2]}/{DIGEST}"


def kept(store: Path, content: bytes = CONTENT) -> str:
    """Store a document, and return its path in the store."""
    digest = sha256(content).hexdigest()
    (store / digest[:2]).mkdir(exist_ok=True, parents=True)
    (store / digest[:2] / digest).write_bytes(content)
    return f"{digest[:2]}/{digest}"


def with_file(pad: object = PAD, **file: Any) -> dict[str, Any]:
    record = full()
    record["versies"][0]["bestanden"][0] |= {"pad": pad, **file}
    return record


def path_of(record: Mapping[str, Any], number: object = 1) -> str:
    return f"/document/{record['id']}/kopie/{number}"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with one document."""
    kept(tmp_path / "store")
    return tmp_path / "store"


def client_with(store: Path | None, *records: dict[str, Any]) -> Client:
    return client_of(records, Options(files=store))


def test_a_copy_is_downloaded_and_never_shown(store: Path) -> None:
    record = with_file()
    client = client_with(store, record)
    answer = client.get(path_of(record))
    assert (answer.status_code, answer.content) == (200, CONTENT)
    expected = {
        "content-type": "application/pdf",
        "content-disposition": 'attachment; filename="convenant.pdf"',
        "content-length": str(len(CONTENT)),
        "content-security-policy": "default-src 'none'; sandbox",
        "x-content-type-options": "nosniff",
        "etag": f'"{DIGEST}"',
        "cache-control": "no-cache",
    }
    assert expected.items() <= dict(answer.headers).items()
    page = html.fromstring(client.get(f"/document/{record['id']}").text)
    (link,) = page.cssselect("a[download]")
    assert (link.get("href"), link.text_content()) == (
        path_of(record),
        "Download de bewaarde kopie van convenant.pdf",
    )
    assert page.cssselect(".files a")[0].get("href") == LOC  # the publisher's comes first


def test_a_part_of_a_copy_and_one_that_the_client_has(store: Path) -> None:
    record = with_file()
    client = client_with(store, record)
    part = client.get(path_of(record), headers={"range": "bytes=0-7"})
    assert (part.status_code, part.content) == (206, b"%PDF-1.7")
    assert client.get(path_of(record), headers={"range": "bytes=99999-"}).status_code == 416
    again = client.get(path_of(record), headers={"if-none-match": f'"{DIGEST}"'})
    assert (again.status_code, again.content) == (304, b"")
    head = client.request("HEAD", path_of(record))
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(CONTENT)))


def test_without_the_setting_there_is_no_copy_and_no_link() -> None:
    record = with_file()
    client = client_with(None, record)
    assert client.get(path_of(record)).status_code == 404
    assert "kopie" not in client.get(f"/document/{record['id']}").text
    assert client.get(f"/documenten/{record['id']}").headers["location"] == LOC


def test_the_copy_of_a_withdrawn_document_is_not_served(store: Path) -> None:
    gone = withdrawn(LOC)
    gone["versies"][0]["bestanden"] = with_file()["versies"][0]["bestanden"]  # a record of other software
    client = client_with(store, gone)
    for path in (path_of(gone), f"/documenten/{gone['id']}", f"{BASE}/documenten/{gone['id']}"):
        answer = client.get(path)
        assert answer.status_code == 410
        assert CONTENT[:8] not in answer.content


def test_a_program_of_open_overheid_gets_the_copy(store: Path) -> None:
    record = with_file()
    client = client_with(store, record)
    for path in (f"/documenten/{record['id']}", f"{BASE}/attachment/{record['id']}"):
        assert client.get(path).content == CONTENT
    missing = with_file(pad=f"00/{'0' * 64}")
    assert client_with(store, missing).get(f"/documenten/{missing['id']}").headers["location"] == LOC


def test_a_copy_that_the_portal_may_not_read_is_no_copy(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The portal may run as another user than the harvest, whose files it may not read."""

    def refuse(path: object, *_: object) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    record = with_file()
    client = client_with(store, record)
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)  # not by its mode: to root, each file is readable
        answer = client.get(path_of(record))
        assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
        assert "Van dit bestand is hier geen kopie." in answer.text
        assert client.get(f"/documenten/{record['id']}").headers["location"] == LOC
        assert "kopie" not in client.get(f"/document/{record['id']}").text
    assert client.get(path_of(record)).content == CONTENT


def test_a_link_stands_beside_each_file_whose_copy_is_there(store: Path) -> None:
    record = with_file()
    files = record["versies"][0]["bestanden"]
    files += [{**files[0], "pad": f"00/{'0' * 64}", "bestandsnaam": "weg.pdf"}, dict(files[0])]
    page = html.fromstring(client_with(store, record).get(f"/document/{record['id']}").text)
    links = [link.get("href") for link in page.cssselect("a[download]")]
    assert links == [path_of(record, 1), path_of(record, 3)]


def test_what_is_no_file_of_the_document_is_not_found(store: Path) -> None:
    for number in [0, 2, 999999, "9" * 5000, "x", "-1", "1/", "%31%00"]:
        record = with_file()
        assert client_with(store, record).get(path_of(record, number)).status_code == 404, number


def test_no_path_of_a_record_leads_to_anything_but_a_document(store: Path) -> None:
    (store.parent / "geheim").write_text("geheim")
    (store / ".writing").mkdir()
    (store / ".writing" / "lock").write_text("geheim")
    (store / f"{PAD}.text.json").write_text("geheim")
    for pad in [
        "/etc/passwd",
        "../geheim",
        f"../store/{PAD}",
        f"{PAD}/",
        f"{PAD}\0",
        f"{PAD}\n",
        f"./{PAD}",
        f"{DIGEST[:2]}/../{PAD}",
        f"{PAD}.text.json",
        f"{DIGEST[:2]}\\{DIGEST}",
        f"00/{DIGEST}",
        DIGEST[:2],
        DIGEST,
        PAD.upper(),
        ".writing/lock",
        "",
        None,
        7,
        [PAD],
        {"a": PAD},
    ]:
        record = with_file(pad)
        client = client_with(store, record)
        answer = client.get(path_of(record))
        assert answer.status_code == 404, pad
        assert "Van dit bestand is hier geen kopie. Kijk op de website van de organisatie." in answer.text, (
            pad
        )
        assert "kopie" not in client.get(f"/document/{record['id']}").text, pad


def test_no_link_leads_out_of_the_store_and_only_files_are_served(store: Path) -> None:
    (store.parent / "geheim").write_text("geheim")
    names = ["aa/" + "a" * 64, "bb/" + "b" * 64, "cc/" + "c" * 64, "dd/" + "d" * 64, "ee/" + "e" * 64]
    for name in names[:4]:
        (store / name).parent.mkdir()
    (store / names[0]).symlink_to(store.parent / "geheim")
    (store / names[1]).symlink_to(names[1].rpartition("/")[2])  # a circle
    (store / names[2]).mkdir()
    os.mkfifo(store / names[3])
    outside = store.parent / "elders"
    outside.mkdir()
    (outside / names[4].partition("/")[2]).write_text("geheim")
    (store / "ee").symlink_to(outside)
    for name in names:
        record = with_file(name)
        answer = client_with(store, record).get(path_of(record))
        assert (name, answer.status_code) == (name, 404)


def test_a_store_may_stand_behind_a_link_and_may_be_gone(store: Path) -> None:
    record = with_file()
    link = store.parent / "link"
    link.symlink_to(store)
    assert client_with(link, record).get(path_of(record)).content == CONTENT
    (store / PAD).unlink()
    for folder in (link, store, store.parent / "niets"):
        assert client_with(folder, record).get(path_of(record)).status_code == 404


def test_type_and_name_are_safe_whatever_a_record_says(store: Path) -> None:
    for media_type, name, expected_type, expected_name in [
        ("application/pdf", "besluit", "application/pdf", "besluit.pdf"),
        ("application/pdf", "besluit.PDF", "application/pdf", "besluit.PDF"),
        ("application/pdf", "besluit.exe", "application/pdf", "besluit.exe.pdf"),
        ("application/pdf", "pdf", "application/pdf", "pdf.pdf"),
        ("text/html", "pagina.html", "application/octet-stream", "pagina.html"),
        ("image/svg+xml", "kaart.svg", "application/octet-stream", "kaart.svg.bin"),
        ("text/javascript", "x.js", "application/octet-stream", "x.js.bin"),
        ("application/pdf\r\nX-Eigen: 1", "a.pdf", "application/octet-stream", "a.pdf"),
        ("APPLICATION/PDF", "a.pdf", "application/octet-stream", "a.pdf"),
        (["text/html"], "a.pdf", "application/octet-stream", "a.pdf"),
        ("application/pdf", "../../etc/x.pdf", "application/pdf", "x.pdf"),
        ("application/pdf", "..\\..\\x.pdf", "application/pdf", "x.pdf"),
        ("application/pdf", 'a"; filename="b.exe', "application/pdf", "a_; filename=_b.exe.pdf"),
        ("application/pdf", "a\r\nSet-Cookie: b.pdf", "application/pdf", "a__Set-Cookie_ b.pdf"),
        ("application/pdf", "a\u202efdp.exe", "application/pdf", "a_fdp.exe.pdf"),
        ("application/pdf", "één.pdf", "application/pdf", "één.pdf"),
        ("application/pdf", "...", "application/pdf", "document.pdf"),
        ("application/pdf", "x" * 500 + ".pdf", "application/pdf", "x" * 116 + ".pdf"),
    ]:
        record = with_file(bestandsnaam=name, **{"mime-type": media_type})
        answer = client_with(store, record).get(path_of(record))
        assert answer.status_code == 200, (media_type, name)
        assert answer.headers["content-type"].partition(";")[0] == expected_type, (media_type, name)
        given = answer.headers["content-disposition"]
        shown = given.partition("filename*=utf-8''")[2] or given.partition('filename="')[2].rstrip('"')
        assert (given[:11], unquote(shown)) == ("attachment;", expected_name), (media_type, name)
        assert not {"x-eigen", "set-cookie"} & set(answer.headers), (media_type, name)


def test_visitors_have_as_many_copies_at_once_as_downloads(store: Path) -> None:
    record = with_file()
    client = client_with(store, record)
    client.get(path_of(record))
    for _ in range(MAX_DOWNLOADS):
        assert client.app.state.downloads.acquire(blocking=False)
    refused = client.get(path_of(record))
    assert refused.status_code == 503
    assert refused.headers["retry-after"]
