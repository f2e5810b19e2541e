"""Documents in ``FILES_STORE``: once, whole, and never harvested without being there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.pipelines.servers import s3_server
from tests.samples import SAMPLES, SENTENCE
from tests.utils.command import Line, Run
from tests.utils.daily import FIRST, NEWER, publish
from tests.utils.disturbed_runs import (
    KILLED,
    STORE_POINTS,
    Fallible,
    GatedSite,
    KillAt,
    errors,
    harvested,
    small_disk,
)
from woo_harvester.demo.server import Page, Request
from woo_harvester.outputs.feeds import RecordJsonLinesItemExporter

PDF = SAMPLES["PDF"].read_bytes()
DOWNLOAD = ("-a", "documents=download")


def document(number: int, size: int = 0) -> bytes:
    """A document of its own, of *size* bytes more than a small one."""
    return PDF + f"% {number}".encode() + bytes(size)


def put(site: GatedSite, documents: Mapping[str, bytes], lastmod: str = FIRST) -> set[str]:
    """Have the site publish these documents; gives their locs."""
    publish(site, dict.fromkeys(documents, lastmod))
    for name, body in documents.items():
        site.pages[f"/d/{name}.pdf"] = Page(body, content_type="application/pdf")
    return {site.url(f"/d/{name}.pdf") for name in documents}


def file_of(record: Line) -> Line:
    (file,) = record["versies"][0]["bestanden"]
    found: Line = file
    return found


def stored(store: Path) -> set[Path]:
    """The documents in a folder, each of which is checked to be whole."""
    found = {path for path in store.glob("??/*") if not path.name.endswith(".json")}
    for path in found:
        assert sha256(path.read_bytes()).hexdigest() == path.name
    return found


def locs_of(run: Run, store: Path) -> set[str]:
    """What was delivered, each of which is checked to be in the store."""
    for record in run.records:
        assert (store / file_of(record)["pad"]).is_file()
    return set(run.locs)


@pytest.mark.parametrize("point", [*STORE_POINTS, "before the fsync"])
def test_a_kill_leaves_no_part_of_a_document_and_the_next_run_delivers_the_rest(
    point: str, gated: GatedSite, installation: Fallible
) -> None:
    store = installation.folder / "store"
    expected = put(gated, {f"a{number}": document(number) for number in range(10)})
    killed = installation.start(*DOWNLOAD, fault=KillAt(point), FILES_STORE=store)
    assert killed.status() == KILLED
    stored(store)
    assert len(harvested(installation.folder)) < 10
    known = harvested(installation.folder)
    rest = installation.run(*DOWNLOAD, FILES_STORE=store)
    assert rest.returncode == 0, rest.stderr
    assert locs_of(rest, store) | known == expected
    assert len(stored(store)) == 10


@dataclass(frozen=True)
class LogSteps:
    """No fault: the process writes to a file what it does with documents and records, in their order."""

    log: Path

    def __call__(self) -> None:
        log = self.log.open("a", encoding="utf-8", buffering=1)
        replace, export, fsync = Path.replace, RecordJsonLinesItemExporter.export_item, os.fsync

        def renamed(path: Path, target: Path) -> Path:
            log.write(f"named {target}\n")
            return replace(path, target)

        def exported(exporter: Any, item: Any) -> None:
            log.write(f"record {item.record.versies[-1].bestanden[0].pad}\n")
            export(exporter, item)

        def synced(descriptor: int) -> None:
            fsync(descriptor)
            log.write(f"synced {Path(f'/proc/self/fd/{descriptor}').readlink()}\n")

        Path.replace = renamed  # type: ignore[assignment,method-assign]
        RecordJsonLinesItemExporter.export_item = exported  # type: ignore[assignment,method-assign]
        os.fsync = synced  # type: ignore[assignment]


def test_between_a_document_and_its_record_the_disk_has_its_content_and_then_its_name(
    gated: GatedSite, installation: Fallible
) -> None:
    store = installation.folder / "store"
    put(gated, {f"a{number}": document(number) for number in range(40)})
    log = installation.folder / "steps"
    run = installation.start(*DOWNLOAD, fault=LogSteps(log), FILES_STORE=store).wait()
    assert run.returncode == 0, run.stderr
    steps = log.read_text(encoding="utf-8").splitlines()
    pads = [step.removeprefix("record ") for step in steps if step.startswith("record ")]
    assert sorted(pads) == sorted(str(path.relative_to(store)) for path in stored(store))
    for pad in pads:
        named, written = steps.index(f"named {store / pad}"), steps.index(f"record {pad}")
        assert [step for step in steps[:named] if f"{Path(pad).name}." in step], pad
        assert f"synced {(store / pad).parent}" in steps[named:written], pad


def test_a_full_disk_ends_the_run_and_the_next_delivers_the_rest(
    gated: GatedSite, installation: Fallible
) -> None:
    expected = put(gated, {f"a{number}": document(number, 100_000) for number in range(20)})
    with small_disk(installation.folder / "store", 1024 * 1024) as store:
        failed = installation.run(*DOWNLOAD, FILES_STORE=store)
        assert failed.returncode == 1
        (line,) = errors(failed)
        assert f"a document could not be stored in {store}" in line
        assert "No space left on device" in line
        assert "comes again in the next run" in line
        assert "Traceback" not in failed.stderr
        assert failed.stats["finish_reason"] == "store_failed"
        assert 0 < len(stored(store)) < 20
        first = locs_of(failed, store)
        assert harvested(installation.folder) == first
        subprocess.run(["mount", "-o", "remount,size=8388608", str(store)], check=True)
        rest = installation.run(*DOWNLOAD, FILES_STORE=store)
        assert rest.returncode == 0, rest.stderr
        assert locs_of(rest, store) == expected - first


# Texts


def words(text: str) -> str:
    """A text without its lines."""
    return " ".join(text.split())


def answering(body: bytes) -> Any:
    """A page that answers 304 to whom it has given its ETag."""

    def handle(request: Request) -> Page:
        headers = {"ETag": '"1"'}
        if request.headers.get("If-None-Match") == '"1"':
            return Page(status=304, headers=headers)
        return Page(body, content_type="application/pdf", headers=headers)

    return handle


@pytest.mark.parametrize("server", ["sends it again", "answers 304"])
def test_the_same_file_has_the_same_text(server: str, gated: GatedSite, installation: Fallible) -> None:
    store = installation.folder / "store"
    settings: dict[str, Any] = {"FILES_STORE": store, "WOO_TEXT": 1, "WOO_TEXT_WORKERS": 1}
    put(gated, {"a": PDF})
    if server == "answers 304":
        gated.pages["/d/a.pdf"] = answering(PDF)
    page = gated.pages["/d/a.pdf"]
    first = installation.run(*DOWNLOAD, **settings)
    assert first.returncode == 0, first.stderr
    assert SENTENCE in words(file_of(first.records[0])["tekst"])
    put(gated, {"a": PDF}, NEWER)
    gated.pages["/d/a.pdf"] = page
    second = installation.run(*DOWNLOAD, **settings)
    assert file_of(second.records[0]) == file_of(first.records[0])


# Remote stores


def test_a_server_that_stays_away_ends_the_run_and_nothing_counts_as_harvested(
    gated: GatedSite, installation: Fallible
) -> None:
    put(gated, {"a": PDF, "b": document(1)})
    with s3_server() as server:
        gone = server.settings
    failed = installation.run(*DOWNLOAD, WOO_RETRY_BACKOFF=0.01, **gone)
    assert failed.returncode == 1
    (line,) = errors(failed)
    assert "a document could not be stored in s3://woo/documenten" in line
    assert "Traceback" not in failed.stderr
    assert failed.records == []
    assert harvested(installation.folder) == set()
