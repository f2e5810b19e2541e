"""The questions of docs/search.md, taken from the page and asked with curl."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import Any

from tests.conftest import ROOT, skip_or_fail
from woo_harvester.kinds import Kind

PAGE = (ROOT / "docs/search.md").read_text(encoding="utf-8")
ALL = re.findall(r"```bash\n(.+?)```", PAGE, re.DOTALL)


def questions(kind: Kind) -> list[str]:
    """Return the questions about one kind of records, in the order of the page."""
    return [question for question in ALL if f"/{kind.name}/_search" in question]


def asked(question: str, url: str) -> dict[str, Any]:
    """Ask a question with the shell, and return the answer."""
    if not shutil.which("curl"):
        skip_or_fail("needs curl")
    done = subprocess.run(
        ["bash", "-c", question],
        env={"ES": url, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    assert "error" not in answer, answer
    return answer
