"""Measure time and memory of reading the register export, against a bare ``iterparse`` of the same file.

    python -m benchmarks.register_reading

It writes an export of 38 MB, in the form of the real one, to a temporary folder. Every measurement runs in
its own process. The shortest of five times counts, and the largest peak memory, without the memory that the
process had before.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from itertools import count
from pathlib import Path

from lxml import etree

from benchmarks.utils.target import target
from woo_harvester.findings import Reporter
from woo_harvester.register import Register, read_export

SIZE = 38_000_000
REPEATS = 5
LOOK_UPS = 200_000


def organisation(number: int) -> str:
    """Return an ``organisatie``, mostly people; one in five has five locations, one in six has ended."""
    people = "".join(
        f'<p:functie p:systeemId="{number}{post}"><p:naam>Lid {post} van het bestuur</p:naam>\n'
        f"<p:medewerkers><p:medewerker><p:naam>Naam {post}</p:naam><p:partij>Geen</p:partij>\n"
        "</p:medewerker></p:medewerkers></p:functie>\n"
        for post in range(24)
    )
    places = "".join(
        "<p:documentLocatie><p:informatiecategorie>Adviezen</p:informatiecategorie>\n"
        f"<p:url>https://www.body{number % 884}.nl/woo/{place}{'?soort=advies' * (place % 2)}</p:url>\n"
        f"<p:toelichting>Alle adviezen van {number}</p:toelichting></p:documentLocatie>\n"
        for place in range(5)
    )
    return (
        f'<p:organisatie p:systeemId="{number}" '
        f'p:resourceIdentifierTOOI="https://identifier.overheid.nl/tooi/id/gemeente/gm{number:05}">\n'
        f"<p:naam>Gemeente {number}</p:naam>\n<p:types><p:type>Gemeente</p:type></p:types>\n"
        f"<p:contact><p:adressen><p:adres><p:straat>Dorpsstraat</p:straat><p:nummer>{number}</p:nummer>\n"
        "<p:postcode>1234 AB</p:postcode><p:plaats>Ons Dorp</p:plaats></p:adres></p:adressen></p:contact>\n"
        f"<p:functies>{people}</p:functies>\n"
        + (f"<p:woo><p:wooIndex>{places}</p:wooIndex></p:woo>\n" if number % 5 == 0 else "")
        + ("<p:eindDatum>2020-01-01</p:eindDatum>\n" if number % 6 == 0 else "")
        + "</p:organisatie>\n"
    )


def generate(path: Path) -> None:
    """Write the export, the same one each time."""
    with path.open("w", encoding="utf-8") as file:
        file.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n<p:overheidsorganisaties '
            'xmlns:p="https://organisaties.overheid.nl/static/schema/oo/export/2.6.9"><p:organisaties>\n'
        )
        numbers = count(1)
        while file.tell() < SIZE:
            file.write(organisation(next(numbers)))
        file.write("</p:organisaties></p:overheidsorganisaties>\n")


def read_bare(path: Path) -> None:
    """Parse the file with a bare ``iterparse``. The others are compared with this one."""
    for _ in etree.iterparse(str(path)):
        pass


def read_and_clear(path: Path) -> None:
    """Parse the file, and clear each element, the usual way to save memory."""
    for _, element in etree.iterparse(str(path)):
        element.clear()


def read_register(path: Path) -> Register:
    """Read the file with the harvester's own reader."""
    with path.open("rb") as stream:
        return read_export(stream, Reporter(print), date(2026, 11, 21))


def locations(register: Register) -> Iterator[str]:
    """Yield locations on all hosts in turn, half of them in a registered folder."""
    hosts = register.hosts
    for number in range(LOOK_UPS):
        folder = f"woo/{number % 5}" if number % 2 else "download"
        yield f"https://{hosts[number % len(hosts)]}/{folder}/{number}/besluit.pdf"


def look_up(register: Register, urls: list[str]) -> None:
    """Look up the organisation of each URL."""
    for url in urls:
        register.organisation_of(url, "www.index.nl")


def task(name: str, path: Path) -> Callable[[], object]:
    """Return the task with this name, prepared so that only the task itself is measured."""
    if name == "look_up":
        register = read_register(path)
        return partial(look_up, register, list(locations(register)))
    readers = {"read_bare": read_bare, "read_and_clear": read_and_clear, "read_register": read_register}
    return partial(readers[name], path)


def measure(name: str, path: Path) -> tuple[float, float]:
    """Run a task; return seconds, and peak memory in MB above that before. For a process of its own."""
    run = task(name, path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    kept = run()
    seconds = time.perf_counter() - start
    peak_memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    del kept
    return seconds, (peak_memory - before) / 1024


def best_of(name: str, path: Path) -> tuple[float, float]:
    """Return the shortest time and the largest memory of several runs."""
    command = [sys.executable, "-m", "benchmarks.register_reading", name, str(path)]
    runs = [
        json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout) for _ in range(REPEATS)
    ]
    return min(seconds for seconds, _ in runs), max(memory for _, memory in runs)


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "exportOO.xml")
        generate(path)
        bare, bare_memory = best_of("read_bare", path)
        cleared, cleared_memory = best_of("read_and_clear", path)
        ours, our_memory = best_of("read_register", path)
        looked_up, _ = best_of("look_up", path)
        title = f"register export, {path.stat().st_size / 1e6:.0f} MB"
    aim = target("ratio < 3, < 60 MB", ours < 3 * bare and our_memory < 60)
    print(f"{title:34}{'seconds':>8}{'ratio':>7}{'max MB':>9}   target")
    print(f"{'bare iterparse':34}{bare:8.2f}{1:7.2f}{bare_memory:9.1f}")
    print(f"{'iterparse, elements cleared':34}{cleared:8.2f}{cleared / bare:7.2f}{cleared_memory:9.1f}")
    print(f"{'read_export':34}{ours:8.2f}{ours / bare:7.2f}{our_memory:9.1f}{aim}")
    print(f"{f'{LOOK_UPS:,} look-ups':34}{looked_up:8.2f}{'':16}   {LOOK_UPS / looked_up:,.0f} a second")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]))))
    else:
        main()
