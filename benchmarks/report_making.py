"""Measure time and memory of making a report: 900 hosts, a million documents, 100,000 findings.

    python -m benchmarks.report_making [HOSTS] [FINDINGS]

It writes the files of a run, and those of three earlier runs. Then it makes ``report.json``, the CSV and
the pages of the run in a separate process.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from benchmarks.utils.target import target
from woo_harvester.findings import Finding, Severity, explanations
from woo_harvester.kinds import Kind
from woo_harvester.report.accounts import Accounts
from woo_harvester.report.funnel import FIELDS, REPEATED, Account, stages_of
from woo_harvester.report.run_folder import RunFolder, finding_line
from woo_harvester.tooi.lists import informatiecategorieen

HOSTS, DOCUMENTS, FINDINGS = 900, 1_000_000, 100_000
EARLIER_RUNS = 3

#: Codes with their relative frequency: most findings are about metadata of single documents.
CODES = [code for code in explanations() if not code.startswith(("ipm.", "register.onbereikbaar"))]
FREQUENCIES = [1 if explanations()[code].severity is Severity.ERROR else 6 for code in CODES]
HOST_LEVEL = ("register.", "robots.", "tls.", "host.", "index.", "sitemap.", "intrekking.")


def finding(draw: random.Random, number: int, host: str) -> Finding:
    """Return one finding of the usual length."""
    (code,) = draw.choices(CODES, FREQUENCIES)
    about_host = code.startswith(HOST_LEVEL)
    return Finding(
        code=code,
        url=f"https://{host}/documenten/{draw.randrange(16**8):08x}/besluit-op-verzoek-{number}.pdf",
        host=host,
        organisation=f"https://identifier.overheid.nl/tooi/id/gemeente/gm{number % 900:04}",
        sitemap=None if about_host else f"https://{host}/api/sitemap/2025/{number % 12}.xml",
        line=number % 9000,
        element="classificatiecollectie/themas/thema",
        seen=f"afval en water (https://{host}/themas/afval)",
        action="gelezen als afval (https://identifier.overheid.nl/tooi/def/thes/top/c_d96f9cd3)",
        at="2026-11-21T08:00:00+01:00",
    )


def account(draw: random.Random, number: int, of: int) -> Account:
    """Return the account of a host; a random share of its documents is new."""
    documents = DOCUMENTS // of
    new = draw.randrange(documents)
    made = Account(
        f"open.gemeente-{number}.nl",
        organisations=[
            {"id": f"gm{number // 2:04}", "name": f"gemeente Voorbeeld aan de Rijn {number // 2}"}
        ],
        visited=True,
        complete=True,
        listed=documents,
        unchanged=documents - new,
        new=new,
        fields={name: draw.randrange(new + 1) for name in FIELDS},
        categories={concept.uri: new // 17 for concept in islice(informatiecategorieen(), 17)},
    )
    made.indexes, made.sitemaps = 1, 12
    return made


def generate(folder: Path, hosts: int, findings: int, seed: int) -> None:
    """Write the files of a run."""
    draw = random.Random(seed)
    folder.mkdir(parents=True)
    accounts = Accounts()
    for number in range(hosts):
        made = account(draw, number, hosts)
        accounts.add(made)
    names = [each.host for each in accounts]
    run = RunFolder(folder)
    with run.findings.open("w", encoding="utf-8") as lines:
        for number in range(findings):
            found = finding(draw, number, names[number % hosts])
            if found.sitemap and found.code in (*stages_of(Kind.woo), REPEATED):
                accounts.of(names[number % hosts]).listed += 1
            accounts.count_finding(found)
            lines.write(finding_line(found))
    run.write_accounts(accounts)
    stats = {"finish_time": f"2026-11-2{seed}T08:00:00+01:00", "finish_reason": "finished"}
    run.write_stats(stats)


def make(folder: Path) -> None:
    """Make the report; print seconds and peak memory in MB. For a process of its own."""
    from woo_harvester.report.assemble import make_report  # noqa: PLC0415 -- its import counts

    start = time.perf_counter()
    make_report(RunFolder(folder))
    seconds = time.perf_counter() - start
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def main() -> None:
    """Print the table."""
    if sys.argv[1:2] == ["--make"]:
        make(Path(sys.argv[2]))
        return
    hosts = int(sys.argv[1]) if len(sys.argv) > 1 else HOSTS
    findings = int(sys.argv[2]) if len(sys.argv) > 2 else FINDINGS
    columns = {"": 12, "hosts": 7, "findings": 10, "seconds": 9, "max MB": 9, "index kB": 10, "json MB": 9}
    print("".join(f"{name:>{width}}" for name, width in columns.items()) + "   target")
    with tempfile.TemporaryDirectory() as name:
        for run in range(1, EARLIER_RUNS + 2):
            folder = Path(name) / f"woo-2026-11-2{run}"
            last = run > EARLIER_RUNS
            generate(folder, hosts, findings if last else 5 * hosts, run)
            command = [sys.executable, "-m", "benchmarks.report_making", "--make", str(folder)]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            if last:
                run_folder = RunFolder(folder)
                seconds, memory = json.loads(done.stdout)
                index = run_folder.page.stat().st_size / 1000
                size = run_folder.report.stat().st_size / 1e6
                row = f"{seconds:9.1f}{memory:9.0f}{index:10.0f}{size:9.1f}"
                aim = target("< 20 s, < 300 MB, index < 1 MB", seconds < 20 and memory < 300 and index < 1000)
                print(f"{'report':12}{hosts:7,}{findings:10,}{row}{aim}")


if __name__ == "__main__":
    main()
