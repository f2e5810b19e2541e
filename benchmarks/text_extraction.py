"""Measure extracting the text of real PDFs, in pages a second: worker processes, and other readers of PDF.

    python -m benchmarks.text_extraction

It reads the four PDFs of ``shared/data/documents`` beside the checkout several times. Every measurement runs
in its own process, which has read them once before the clock starts. The tasks run in turn; the best of
twelve times counts. Programs that are not installed are skipped: pdftotext is in Debian's poppler-utils,
pypdfium2 is a Python library. Two workers need two idle cores.
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

from benchmarks.utils.target import target
from woo_harvester.documents.extracted import Limits
from woo_harvester.documents.text_workers import Workers

FOLDER = Path(__file__).parents[2] / "shared" / "data" / "documents"
REPEATS = 12
#: Number of times that each document is read in one measurement.
ROUNDS = 4


def read_with_pdftotext(paths: Sequence[Path]) -> None:
    """Read with pdftotext, a process for each document."""
    for path in paths:
        subprocess.run(["pdftotext", str(path), "-"], check=True, stdout=subprocess.DEVNULL)


def read_with_pypdfium2(paths: Sequence[Path]) -> None:
    """Read with pypdfium2, page by page."""
    import pypdfium2  # noqa: PLC0415

    for path in paths:
        with pypdfium2.PdfDocument(path) as document:
            for page in document:
                page.get_textpage().get_text_range()


def read_with_kreuzberg(paths: Sequence[Path]) -> None:
    """Read with the library alone, with its defaults, but without its cache."""
    from kreuzberg import ExtractionConfig, extract_file_sync  # noqa: PLC0415

    config = ExtractionConfig(use_cache=False)
    for path in paths:
        extract_file_sync(path, mime_type="application/pdf", config=config)


def in_process(read: Callable[[Sequence[Path]], None]) -> float:
    """Return the seconds of a reader in this process."""
    paths = documents()
    read(paths)
    started = time.perf_counter()
    read(paths * ROUNDS)
    return time.perf_counter() - started


def in_workers(count: int) -> float:
    """Return the seconds of a pool of workers. The longest documents go first, so that two end together."""

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


#: Label, task, and the lowest good speed relative to the library alone.
TASKS: dict[str, tuple[str, Callable[[], float], float | None]] = {
    "pdftotext": ("pdftotext", lambda: in_process(read_with_pdftotext), None),
    "pypdfium2": ("pypdfium2", lambda: in_process(read_with_pypdfium2), None),
    "kreuzberg": ("kreuzberg in one process", lambda: in_process(read_with_kreuzberg), None),
    "one": ("one worker", lambda: in_workers(1), 0.9),
    "two": ("two workers", lambda: in_workers(2), 1.7),
}


def documents() -> list[Path]:
    """Return the documents, the largest first."""
    return sorted(FOLDER.glob("*.pdf"), key=lambda path: path.stat().st_size, reverse=True)


def count_pages() -> int:
    """Return the number of pages of one measurement."""

    async def run() -> int:
        workers = Workers(Limits())
        try:
            return sum([(await workers.extract(path, "PDF")).pages or 0 for path in documents()])
        finally:
            await workers.close()

    return asyncio.run(run()) * ROUNDS


def is_installed(name: str) -> bool:
    """Return whether the program of a task is installed."""
    return name not in {"pdftotext", "pypdfium2"} or bool(shutil.which(name) or find_spec(name))


def repeat(names: Sequence[str]) -> dict[str, float]:
    """Return the shortest time of each task. They run in turn, so that a slow moment affects all tasks."""
    best = dict.fromkeys(names, float("inf"))
    for _ in range(REPEATS):
        for name in names:
            command = [sys.executable, "-m", "benchmarks.text_extraction", name]
            printed = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
            best[name] = min(best[name], json.loads(printed))
    return best


def main() -> None:
    """Print the table."""
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
