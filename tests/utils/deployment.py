"""Commands that a page or a Dockerfile says to type, read from it and typed."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import gettempdir, mkdtemp

from tests.conftest import ROOT

#: What the commands install, from the checkout.
REQUIREMENTS = ("requirements-all.txt", "deploy/scrapyd/requirements.txt")


def commands_of(page: str, section: str) -> list[str]:
    """Return the commands in the indented blocks of a section of a page, in order, prompts left out."""
    heading = re.compile(rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    found = heading.search(page)
    assert found is not None, f"no section {section}"
    text = re.sub(r"\\\n +", "", found[1])  # a line that goes on in the next
    return [line[4:] for line in text.splitlines() if line.startswith("    ")]


def images(dockerfile: str) -> dict[str, dict[str, str]]:
    """Return the last of each instruction of the stages of a Dockerfile, with those before it."""
    found: dict[str, dict[str, str]] = {}
    for name, ((_, begin), *lines) in _stages(dockerfile).items():
        base = begin.split()[0]
        found[name] = found.get(base, {"FROM": base}) | dict(lines)
    return found


def run_instructions(dockerfile: str) -> dict[str, list[str]]:
    """Return the commands of the RUN lines of each stage of a Dockerfile."""
    stages = _stages(dockerfile).items()
    return {name: [rest for word, rest in lines if word == "RUN"] for name, lines in stages}


def _stages(dockerfile: str) -> dict[str, list[tuple[str, str]]]:
    """Return the instructions of each stage of a Dockerfile, by its name."""
    stages: dict[str, list[tuple[str, str]]] = {}
    for line in re.sub(r"\\\n", " ", dockerfile).splitlines():
        word, _, rest = line.partition(" ")
        if word == "FROM":
            name = rest.partition(" AS ")[2]
            stages[name] = []
        if word.isupper():
            stages[name].append((word, rest))
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


def pip_settings() -> dict[str, str]:
    """Return an environment in which pip installs what it downloaded for all environments of the tests.

    It resolves, unpacks and installs as ever; it compiles nothing, since most of it is never imported.
    """
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(_wheels()), "PIP_NO_COMPILE": "0"}  # 0 means: do not


def _wheels() -> Path:
    """Return the folder of the packages that are required, downloaded once for these requirements."""
    files = [ROOT / name for name in REQUIREMENTS]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files) + sys.version.encode())
    folder = Path(gettempdir()) / f"woo-test-wheels-{digest.hexdigest()[:16]}"
    if folder.exists():
        return folder
    part = Path(mkdtemp(prefix="woo-test-wheels-"))
    required = [option for path in files for option in ("-r", str(path))]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(part), *required]
    subprocess.run(command, check=True)
    try:
        part.rename(folder)
    except OSError:  # another process of the tests was first
        shutil.rmtree(part)
    return folder
