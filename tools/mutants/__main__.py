"""``python -m tools.mutants``: how many small changes of the code the unit tests of its own folder notice."""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from itertools import islice
from pathlib import Path

from tools.mutants.kinds import Mutant, changes
from tools.mutants.trial import Outcome, Tests, Trials, copies_of_checkout, load_slow_imports

FOLDERS = (
    *("state", "sitemaps", "diwoo", "permits", "register", "findings", "report"),
    *("crawl", "spiders", "pipelines", "extensions"),
)

#: Mutants that do the same as the code, one a line as they are printed, each after a comment with the reason.
EQUIVALENT = Path(__file__).with_name("equivalent.txt")


def main() -> None:
    """Try a sample of mutants of each folder; print the survivors and a table."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("folders", nargs="*", default=FOLDERS, metavar="folder")
    parser.add_argument("--module", default="*", help="only of the modules with this name, such as 'listing'")
    parser.add_argument("--sample", type=int, default=60, help="mutants of each folder")
    parser.add_argument("--seed", type=int, default=random.randrange(10_000), help="same seed, same mutants")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at once")
    arguments = parser.parse_args()
    load_slow_imports()
    print(f"seed {arguments.seed}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        copies = copies_of_checkout(Path(folder), arguments.jobs)
        for name in arguments.folders:
            mutants = sample_of(name, arguments.module, arguments.sample, arguments.seed)
            rows.append((name, *_tried(Trials(Tests.measure(copies[0], name), copies), mutants)))
    print(f"\n{'folder':<12}{'mutants':>8}{'noticed':>8}{'share':>8}")
    for name, tried, noticed in rows:
        print(f"{name:<12}{tried:>8}{noticed:>8}{noticed / max(tried, 1):>8.0%}")


def sample_of(folder: str, module: str, size: int, seed: int) -> list[Mutant]:
    """Return *size* mutants of a folder's modules, or all if there are fewer: the same for the same seed."""
    known = equivalent()
    possible = [
        change
        for path in sorted(Path("woo_harvester", folder).glob(f"{module}.py"))
        for change in changes(str(path), path.read_text(encoding="utf-8"))
    ]
    random.Random(seed).shuffle(possible)
    mutants = (change.mutant() for change in possible)
    return list(islice((mutant for mutant in mutants if mutant.name not in known), size))


def equivalent() -> set[str]:
    """Return the names of the mutants that nothing can notice, since they do the same as the code."""
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def _tried(trials: Trials, mutants: list[Mutant]) -> tuple[int, int]:
    """Try the mutants, print each survivor, and return how many were tried and how many were noticed."""
    outcomes: Counter[Outcome] = Counter()
    for mutant, outcome in trials.outcomes(mutants):
        outcomes[outcome] += 1
        if outcome is Outcome.SURVIVED:
            print(f"{mutant.path}:{mutant.line}\n    - {mutant.before}\n    + {mutant.after}", flush=True)
    return outcomes.total(), outcomes.total() - outcomes[Outcome.SURVIVED]


if __name__ == "__main__":
    main()
