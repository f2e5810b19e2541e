"""The text of real PDFs: pages a second of the worker processes, and of what else reads PDFs.

    python -m benchmarks.text

Reads the four PDFs of ``shared/data/documents`` beside the checkout, several times over. Every measurement
runs in a process of its own that has read them once before the clock starts, and the tasks take turns; the
best of twelve times counts. What is not installed is left out: pdftotext is Debian's poppler-utils, pypdfium2
a package of Python. Two workers need two cores that have nothing else to do.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from benchmarks.target import target
from woo_harvester.text.extracted import Limits
from woo_harvester.text.workers import Workers

FOLDER = Path(__file__).parents[2] / "shared" / "data" / "documents"
REPEATS = 12
#: How often each document is read in one measurement.
ROUNDS = 4


def read_with_pdftotext(paths: Sequence[Path]) -> None:
    """A process for each document."""
    for path in paths:
        subprocess.run(["pdftotext", str(path), "-"], check=True, stdout=subprocess.DEVNULL)


def read_with_pypdfium2(paths: Sequence[Path]) -> None:
    """Page by page."""
    import pypdfium2  # type: ignore[import-untyped,unused-ignore] # noqa: PLC0415

    for path in paths:
        with pypdfium2.PdfDocument(path) as document:
            for page in document:
                page.get_textpage().get_text_range()


def read_with_kreuzberg(paths: Sequence[Path]) -> None:
    """The library on its own, with its own settings but for the cache, which would spare it the work."""
    from kreuzberg import ExtractionConfig, extract_file_sync  # noqa: PLC0415

    config = ExtractionConfig(use_cache=False)
    for path in paths:
        extract_file_sync(path, mime_type="application/pdf", config=config)


def in_process(read: Callable[[Sequence[Path]], None]) -> float:
    """Seconds."""
    paths = documents()
    read(paths)
    started = time.perf_counter()
    read(paths * ROUNDS)
    return time.perf_counter() - started


def in_workers(count: int) -> float:
    """Seconds, with many documents waiting; the longest first, so that two workers end at the same time."""

    async def run() -> float:
        workers = Workers(Limits(), count)
        paths = documents()
        try:
            await asyncio.gather(*(workers.extract(path, "PDF") for path in paths))
            started = time.perf_counter()
            waiting = sorted(paths * ROUNDS, key=paths.index)
            await asyncio.gather(*(workers.extract(path, "PDF") for path in waiting))
            return time.perf_counter() - started
        finally:
            await workers.close()

    return asyncio.run(run())


#: Label, what measures it, and the least speed relative to the library on its own.
TASKS: dict[str, tuple[str, Callable[[], float], float | None]] = {
    "pdftotext": ("pdftotext", lambda: in_process(read_with_pdftotext), None),
    "pypdfium2": ("pypdfium2", lambda: in_process(read_with_pypdfium2), None),
    "kreuzberg": ("kreuzberg in one process", lambda: in_process(read_with_kreuzberg), None),
    "one": ("one worker", lambda: in_workers(1), 0.9),
    "two": ("two workers", lambda: in_workers(2), 1.7),
}


def documents() -> list[Path]:
    """The largest first."""
    return sorted(FOLDER.glob("*.pdf"), key=lambda path: path.stat().st_size, reverse=True)


def count_pages() -> int:
    """Pages of one measurement."""

    async def run() -> int:
        workers = Workers(Limits())
        try:
            return sum([(await workers.extract(path, "PDF")).pages or 0 for path in documents()])
        finally:
            await workers.close()

    return asyncio.run(run()) * ROUNDS


def is_installed(name: str) -> bool:
    """Whether a peer is there to be measured."""
    return name not in {"pdftotext", "pypdfium2"} or bool(shutil.which(name) or find_spec(name))


def repeat(names: Sequence[str]) -> dict[str, float]:
    """The shortest of several runs of each task, in turn, so that a slow moment meets them all."""
    best = dict.fromkeys(names, float("inf"))
    for _ in range(REPEATS):
        for name in names:
            command = [sys.executable, "-m", "benchmarks.text", name]
            printed = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
            best[name] = min(best[name], json.loads(printed))
    return best


def main() -> None:
    """Prints the table."""
    if not documents():
        raise SystemExit(f"expected PDFs in {FOLDER}")
    pages = count_pages()
    best = repeat([name for name in TASKS if is_installed(name)])
    title = f"{len(documents())} PDFs, {pages // ROUNDS} pages, {ROUNDS} times"
    print(f"{title:34}{'best s':>8}{'pages/s':>11}{'speed':>8}   target")
    for name, seconds in best.items():
        label, _, least = TASKS[name]
        speed = best["kreuzberg"] / seconds
        aim = target(f"speed >= {least}", speed >= least) if least else ""
        print(f"{label:34}{seconds:8.3f}{pages / seconds:11,.0f}{speed:8.2f}{aim}")


if __name__ == "__main__":
    if len(sys.argv) == 2:
        print(TASKS[sys.argv[1]][1]())
    else:
        main()
