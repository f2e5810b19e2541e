"""A run to which the machine gives too little memory: it does not end as if nothing were wrong."""

from __future__ import annotations

import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import skip_or_fail
from tests.samples import SAMPLES
from tests.utils.daily import numbered, publish
from tests.utils.disturbed_runs import Fallible, GatedSite, LimitMemory, harvested
from woo_harvester.demo.server import Page

MB = 1024 * 1024


@dataclass(frozen=True)
class NoProgram:
    """Takes the interpreter away from the process, as an upgrade in mid-run does."""

    def __call__(self) -> None:
        sys.executable = "/nowhere/python"


def test_a_run_that_can_start_no_process_for_texts_says_so_and_blames_no_document(
    gated: GatedSite, installation: Fallible
) -> None:
    pytest.importorskip("kreuzberg")
    publish(gated, numbered(3))
    gated.pages["/d/*"] = Page(SAMPLES["PDF"].read_bytes(), content_type="application/pdf")
    args = ("-a", "documents=download")
    settings: dict[str, Any] = {"WOO_TEXT": 1}
    failed = installation.start(*args, fault=NoProgram(), **settings).wait()
    assert failed.returncode == 1
    assert "Traceback" not in failed.stderr
    assert failed.stderr.splitlines()[-1].startswith(
        "scrapy crawl: error: no process could be started to read documents: [Errno 2] "
    )
    assert "document.tekst-mislukt" not in failed.codes
    assert failed.records == []
    assert len(installation.start(*args, **settings).wait().locs) == 3


#: More than the process has at its start. Each of its threads takes 8 MB, and the pool of libuv four of them.
STEPS = (4, 12, 24, 36, 40, 44, 48, 52, 56, 60, 72)

#: What the last line on stderr says of it.
CAUSES = ("can't start new thread", "out of memory", "Cannot allocate memory", "unable to open database file")


@pytest.mark.parametrize("more", STEPS)
def test_a_run_without_enough_memory_says_so_and_the_next_harvests_the_rest(
    more: int, gated: GatedSite, installation: Fallible, tmp_path: Path
) -> None:
    if not Path("/proc/self/statm").exists():
        skip_or_fail("needs /proc")
    publish(gated, numbered(12))
    gated.pages["/d/*"] = Page(b"%PDF-1.7" * 1000, content_type="application/pdf")
    settings: dict[str, Any] = {"FILES_STORE": str(tmp_path / "files")}
    args = ("-a", "documents=download")
    short = installation.start(*args, fault=LimitMemory(more * MB), **settings).wait()
    last = short.stderr.splitlines()[-1]
    if short.returncode == -signal.SIGABRT:  # of a library in C, which Python cannot catch
        assert "Fatal Python error: Aborted" in short.stderr
    elif short.returncode:
        assert short.returncode == 1
        assert last.startswith("scrapy crawl: error: ")
        assert any(cause in last for cause in CAUSES), last
    else:
        assert more > min(STEPS), "no thread can be started"
        assert short.stats["finish_reason"] == "finished"
        assert len(short.locs) == 12
        assert short.report is not None
        assert (short.report / "index.html").exists()
    assert not [code for code in short.codes if "onbereikbaar" in code], "no publisher is to blame"
    rest = installation.start(*args, **settings).wait()
    assert rest.stats["finish_reason"] == "finished"
    assert sorted({*short.locs, *rest.locs}) == sorted(gated.url(f"/d/{name}.pdf") for name in numbered(12))
    assert harvested(installation.folder) == {*short.locs, *rest.locs}
