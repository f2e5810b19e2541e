from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from scrapy.exceptions import NotConfigured

from tests.conftest import ROOT, skip_or_fail
from tests.documents import pdfs
from tests.documents.test_content import with_stream
from tests.register.exports import export, organisation
from tests.samples import SAMPLES, SCAN, SENTENCE, TITLE
from tests.utils.command import run_scrapy
from tests.utils.crawlers import LOC, crawler_of, fetched_of, item_of
from tests.utils.waiting import STUCK, wait_until
from woo_harvester.diwoo.metadata import TITLE as TITLE_PATH
from woo_harvester.documents.extracted import Limits
from woo_harvester.documents.formats import file_types
from woo_harvester.findings import Finding
from woo_harvester.items import WooItem
from woo_harvester.pipelines.text import NO_LIBRARY, TextPipeline
from woo_harvester.record import Bestand


def document(
    path: Path | None, code: str = "PDF", *, title: str = "onbekend", findings: list[Finding] | None = None
) -> WooItem:
    """An item as it comes to the pipeline; *title* is where its title came from."""
    item = item_of(fetched=replace(fetched_of(size=1), path=path), findings=findings)
    assert item.source is not None
    (item.source.filetype,) = (filetype for filetype in file_types() if filetype.code == code)
    item.record.herkomst.standaardwaarden[TITLE_PATH] = title
    item.record.versies[0].bestanden = [Bestand(LOC)]
    return item


def process(*items: WooItem, **settings: Any) -> dict[str, Any]:
    """The items through the pipeline, all at once; gives the statistics."""
    crawler = crawler_of(WOO_TEXT=True, WOO_TEXT_WORKERS=1, **settings)

    async def run() -> None:
        pipeline = TextPipeline.from_crawler(crawler)
        try:
            assert await asyncio.gather(*map(pipeline.process_item, items)) == list(items)
        finally:
            await pipeline.close_spider()

    asyncio.run(run())
    return {key: value for key, value in crawler.stats.get_stats().items() if key.startswith("woo/")}


def file_of(item: WooItem) -> Bestand:
    return item.record.versies[-1].bestanden[0]


def test_the_time_limit_is_a_setting() -> None:
    pipeline = TextPipeline.from_crawler(crawler_of(WOO_TEXT=True, WOO_TEXT_TIMEOUT=7))
    assert pipeline._workers._limits == Limits(timeout=7)


def test_the_file_gets_its_pages_text_and_language() -> None:
    item = document(SAMPLES["PPTX"], "PPTX")
    assert process(item) == {"woo/text/read": 1}
    file = file_of(item)
    assert (file.paginas, file.taal) == (1, "nl")
    assert file.tekst is not None
    assert SENTENCE in file.tekst
    assert item.report.codes == []


def test_a_slide_show_is_read_though_it_has_no_media_type_of_its_own() -> None:
    item = document(SAMPLES["PPS"], "PPS")
    process(item)
    assert SENTENCE in (file_of(item).tekst or "")


def test_a_scan_without_a_text_layer_is_reported() -> None:
    findings: list[Finding] = []
    item = document(SCAN, findings=findings)
    assert process(item) == {"woo/text/empty": 1}
    assert file_of(item) == Bestand(LOC, paginas=1)
    assert [(finding.code, finding.action) for finding in findings] == [
        ("document.geen-tekst", "geoogst zonder tekst")
    ]


def test_an_office_file_with_a_password_is_said_to_have_one(tmp_path: Path) -> None:
    secret = tmp_path / "a.xlsx"
    secret.write_bytes(with_stream("EncryptedPackage"))
    for code in ("XLSX", "DOCX"):
        findings: list[Finding] = []
        process(document(secret, code, findings=findings))
        assert [(each.code, each.seen) for each in findings] == [("document.geen-tekst", "met wachtwoord")], (
            code
        )


def test_a_document_that_cannot_be_read_is_delivered_without_text(tmp_path: Path) -> None:
    damaged = tmp_path / "a.pdf"
    damaged.write_bytes(b"%PDF-1.7 en niets meer")
    findings: list[Finding] = []
    item = document(damaged, findings=findings)
    assert process(item) == {"woo/text/failed": 1}
    assert file_of(item) == Bestand(LOC)
    (finding,) = findings
    assert finding.code == "document.tekst-mislukt"
    assert "PDF" in (finding.seen or "")


def test_a_document_without_end_costs_its_own_text_only(tmp_path: Path) -> None:
    findings: list[Finding] = []
    endless = document(pdfs.endless(tmp_path / "endless.pdf"), findings=findings)
    others = [document(SAMPLES["TXT"], "TXT") for _ in range(3)]
    statistics = process(endless, *others, WOO_TEXT_TIMEOUT=5)
    assert statistics == {"woo/text/failed": 1, "woo/text/read": 3}
    assert [(finding.code, finding.action) for finding in findings] == [
        ("document.tekst-mislukt", "geoogst zonder tekst, want het lezen duurde te lang")
    ]


def test_a_long_text_is_cut_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("woo_harvester.pipelines.text.Limits", lambda *_, **__: Limits(maxlength=20))
    item = document(SAMPLES["TXT"], "TXT")
    assert process(item) == {"woo/text/read": 1, "woo/text/truncated": 1}
    assert file_of(item).tekst == "Subsidie voor zonnep"


def test_the_documents_own_title_is_proposed_where_nothing_else_reported_one() -> None:
    item = document(SAMPLES["DOCX"], "DOCX")
    item.record.document.titelcollectie.officieleTitel = "Onbekend"
    process(item)
    assert item.record.herkomst.titelVoorstel == TITLE
    assert item.record.document.titelcollectie.officieleTitel == "Onbekend"


@pytest.mark.parametrize("source", ["bestandsnaam", ""])
def test_no_title_is_proposed_where_the_file_name_or_the_publisher_reported_one(source: str) -> None:
    item = document(SAMPLES["DOCX"], "DOCX", title=source)
    process(item)
    assert item.record.herkomst.titelVoorstel is None


def test_a_title_that_tells_nothing_is_not_proposed(tmp_path: Path) -> None:
    item = document(pdfs.simple(tmp_path / "a.pdf", "Besluit", title="Microsoft Word - Document1.docx"))
    process(item)
    assert item.record.herkomst.titelVoorstel is None


def test_what_was_not_fetched_is_not_read() -> None:
    items = [document(None), item_of(), item_of(fetched=fetched_of())]
    assert process(*items) == {}


def test_items_of_other_spiders_pass() -> None:
    assert process({"a": 1}) == {}  # type: ignore[arg-type]


def test_the_pipeline_is_off_unless_it_is_asked_for() -> None:
    with pytest.raises(NotConfigured):
        TextPipeline.from_crawler(crawler_of())


def test_ocr_without_its_data_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    crawler = crawler_of(WOO_TEXT=True, WOO_TEXT_OCR=True)
    crawler.spider = spider = crawler.spidercls()
    with pytest.raises(NotConfigured):
        TextPipeline.from_crawler(crawler)
    status, line = vars(spider)["failure"]
    assert status == 1
    assert "tesseract-ocr-nld" in line


def test_a_scan_is_read_where_ocr_is_asked_for() -> None:
    if which("tesseract") is None:
        skip_or_fail("needs tesseract-ocr and tesseract-ocr-nld")
    item = document(SCAN)
    assert process(item, WOO_TEXT_OCR=True) == {"woo/text/read": 1}
    file = file_of(item)
    assert SENTENCE in " ".join((file.tekst or "").split())
    assert (file.paginas, file.taal) == (1, "nl")


CRAWL = """
import sys
from pathlib import Path
from scrapy import Spider
from scrapy.crawler import AsyncCrawlerProcess
from tests.pipelines.test_text import document
from woo_harvester.running.default_settings import SETTINGS

class Documents(Spider):
    name = "documents"

    async def start(self):
        for path in sys.argv[2:]:
            yield document(Path(path), "PDF")

process = AsyncCrawlerProcess({
    **{setting.name: setting.default for setting in SETTINGS},
    "ITEM_PIPELINES": {"woo_harvester.pipelines.text.TextPipeline": 400},
    "EXTENSIONS": {"woo_harvester.extensions.stopping.Stopping": 0},
    "WOO_TEXT": True,
    "FEEDS": {sys.argv[1]: {"format": "jsonlines"}},
    "LOG_LEVEL": "INFO",
})
process.crawl(Documents)
process.start()
"""


def crawl(folder: Path, *paths: Path) -> subprocess.Popen[str]:
    """A crawl whose items are these documents; its records go to ``out.jsonl``."""
    command = [sys.executable, "-c", CRAWL, str(folder / "out.jsonl"), *map(str, paths)]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)


def workers_of(pid: int) -> list[int]:
    """The processes that a process started."""
    printed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], stdout=subprocess.PIPE, text=True, check=False
    )
    return [int(line) for line in printed.stdout.split()]


@pytest.mark.integration
def test_a_crawl_delivers_text_and_ends_its_workers(tmp_path: Path) -> None:
    with crawl(tmp_path, SAMPLES["PDF"], SCAN) as process:
        _, stderr = process.communicate(timeout=STUCK)
    assert process.returncode == 0
    assert "Traceback" not in stderr
    records = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    files = [record["versies"][0]["bestanden"][0] for record in records]
    assert sorted(file.get("taal", "") for file in files) == ["", "nl"]


@pytest.mark.integration
@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_a_crawl_that_is_asked_to_stop_twice_leaves_no_worker(tmp_path: Path, name: signal.Signals) -> None:
    with crawl(tmp_path, pdfs.endless(tmp_path / "endless.pdf")) as process:
        try:
            pids: list[int] = []
            while not pids:
                time.sleep(0.1)
                pids = workers_of(process.pid)
            for _ in range(2):
                process.send_signal(name)
                time.sleep(0.5)
            process.communicate(timeout=STUCK)
        finally:
            process.kill()
    wait_until(lambda: not any(Path(f"/proc/{pid}/cmdline").exists() for pid in pids), "no worker is left")


@pytest.mark.integration
def test_a_run_without_the_library_does_not_start(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nsys.modules['kreuzberg'] = None\n", encoding="ascii"
    )
    settings = {"WOO_TEXT": 1, "ITEM_PIPELINES": '{"woo_harvester.pipelines.text.TextPipeline": 400}'}
    env = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    register = tmp_path / "register.xml"
    register.write_bytes(export(organisation("Amsterdam", "https://localhost:9/")))
    args = ["crawl", "woo", "-a", f"register={register}"]
    run = run_scrapy(args, tmp_path, settings=settings, env=env, fresh=True)
    assert (run.returncode, run.stderr.splitlines()[-1]) == (1, f"scrapy crawl: error: {NO_LIBRARY}")
