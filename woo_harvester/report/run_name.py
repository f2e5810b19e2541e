"""The names of runs, which are also those of their folders and files."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime

#: The name of the folder of a run, as run_name() or part_name() makes it.
_RUN_NAME = re.compile(r"(?P<spider>.+)(?P<moment>-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+)(-\d+)?")

#: The name of the folder of merged runs: a spider and a day.
_MERGED_NAME = re.compile(r"(?P<spider>.+)(?P<moment>-\d{4}-\d\d-\d\d)")


def parse_name(name: str) -> tuple[str, datetime] | None:
    """Return the spider and the moment in the name of a run, or the spider and the day of merged runs."""
    for pattern, form in ((_RUN_NAME, "-%Y-%m-%dT%H-%M-%S.%f"), (_MERGED_NAME, "-%Y-%m-%d")):
        if match := pattern.fullmatch(name):
            with suppress(ValueError):  # there is no such moment
                return match["spider"], datetime.strptime(match["moment"], form).astimezone()
    return None


def spider_of(name: str) -> str | None:
    """Return the spider in the name of a run, or of a job of it; None for any other name."""
    match = _RUN_NAME.fullmatch(name)
    return match["spider"] if match else None


def run_name(spider: str) -> str:
    """Return the name of a run of *spider* that begins now, to the microsecond."""
    return f"{spider}-{datetime.now().astimezone():%Y-%m-%dT%H-%M-%S.%f}"
