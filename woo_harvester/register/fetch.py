"""Get the register for a run: from a local file, or over HTTP with the stored copy as a fallback."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from woo_harvester.findings import Reporter
from woo_harvester.register import Register, RegisterCopy, RegisterError
from woo_harvester.register.stored_copy import read_file
from woo_harvester.utils.fetch import FetchError, fetch_file
from woo_harvester.utils.urls import is_web_url

#: Largest export that is fetched, in bytes. The export of 2026 has 38 MB.
_MAXSIZE = 500 * 1024 * 1024


async def obtain_register(
    source: str,
    data_dir: Path,
    report: Reporter,
    today: date,
    *,
    user_agent: str,
    time_limit: float = 300,
    backoff: float = 2,
) -> Register:
    """Return the register from *source*, a local path or an http(s) URL.

    For a URL the last good copy is stored in *data_dir*. If the register cannot be fetched or read, that copy
    is used, with the finding ``register.onbereikbaar``. *time_limit* and *backoff* are those of
    :func:`woo_harvester.utils.fetch.fetch_file`. Raises RegisterError if there is neither a register nor a
    copy.
    """
    if not is_web_url(source):
        return read_file(Path(source), report, today)
    copy = RegisterCopy(data_dir, source)
    try:
        with copy.new_file() as file:
            fetched = await fetch_file(
                source,
                file,
                user_agent=user_agent,
                maxsize=_MAXSIZE,
                headers=copy.conditional_headers(),
                time_limit=time_limit,
                backoff=backoff,
            )
            # Not in a thread: a run can do nothing else before it knows its hosts.
            if fetched is None:
                return copy.read(report, today)
            return copy.accept(file, report, today, fetched.last_modified)
    except (FetchError, RegisterError, OSError) as error:
        return copy.read_instead(str(error), report, today)
