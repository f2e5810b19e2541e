"""Commands that a page or a Dockerfile says to type, read from it and typed."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path


def commands_of(page: str, section: str) -> list[str]:
    """Return the commands in the indented blocks of a section of a page, in order, prompts left out."""
    heading = re.compile(rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    found = heading.search(page)
    assert found is not None, f"no section {section}"
    text = re.sub(r"\\\n +", "", found[1])  # a line that goes on in the next
    return [line[4:] for line in text.splitlines() if line.startswith("    ")]


def run_instructions(dockerfile: str) -> list[list[str]]:
    """Return the commands of the RUN lines of a Dockerfile, a list for each stage."""
    stages: list[list[str]] = []
    for line in re.sub(r"\\\n", " ", dockerfile).splitlines():
        word, _, rest = line.partition(" ")
        if word == "FROM":
            stages.append([])
        elif word == "RUN":
            stages[-1].append(rest)
    return stages


def copied(dockerfile: str) -> list[str]:
    """Return the files that the Dockerfile copies from the checkout."""
    lines = re.findall(r"^COPY (?!--from)(.+)$", dockerfile, re.MULTILINE)
    return [path for line in lines for path in line.split()[:-1]]


def type_in(command: str, folder: Path, environ: Mapping[str, str], *, seconds: float = 600) -> str:
    """Run a line of a shell in *folder*; return what it prints."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env=dict(environ),
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout
