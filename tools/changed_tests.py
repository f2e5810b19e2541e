"""Print the tests that belong to the files that differ from a commit, for ``make quick``.

::

    python -m tools.changed_tests [COMMIT]

Without COMMIT it is the last one: what is not committed yet counts. A changed module has the tests of its own
folder, a changed test itself, and everything has the rules of the repository.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

_ROOT = Path(__file__).parents[1]

#: The tests of rules for all files, which are quick.
_RULES = ("tests/test_layout.py", "tests/test_repository.py", "tests/test_docs.py", "tests/test_weight.py")


def paths_for(paths: Iterable[str]) -> list[str]:
    """Return the files and folders of tests for changed files, each once; paths are relative to the root."""
    found = dict.fromkeys(_RULES)
    for path in paths:
        first, *rest = Path(path).parts
        if first == "tests" and Path(path).name.startswith("test_") and (_ROOT / path).exists():
            found[path] = None
        elif first == "woo_portal":
            found["tests/portal"] = None
        elif first == "woo_harvester" and len(rest) > 1 and (_ROOT / "tests" / rest[0]).is_dir():
            found[f"tests/{rest[0]}"] = None
        elif first in ("woo_harvester", "tools") and rest:
            own = (
                f"tests/test_{rest[0].removesuffix('.py')}.py" if first == "woo_harvester" else "tests/tools"
            )
            found |= {own: None} if (_ROOT / own).exists() else {}
    return list(found)


def main(arguments: list[str]) -> None:
    """Print the paths on one line."""
    commit = arguments[0] if arguments else "HEAD"
    commands = ["diff", "--name-only", commit], ["ls-files", "--others", "--exclude-standard"]
    texts = [subprocess.check_output(["git", *each], cwd=_ROOT, text=True) for each in commands]  # noqa: S603, S607
    print(*paths_for("".join(texts).splitlines()))


if __name__ == "__main__":
    main(sys.argv[1:])
