"""The stored copy of the register, with which a run makes do if the register cannot be fetched.

A copy is replaced in one step, also if the power fails. Its file has the date of the export.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from datetime import UTC, date, datetime
from email.utils import formatdate, parsedate_to_datetime
from io import BufferedRandom
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile

from woo_harvester.findings import Reporter
from woo_harvester.register.reader import RegisterError, read_export
from woo_harvester.register.register import Register
from woo_harvester.utils.atomic import replacing
from woo_harvester.utils.dates import day_of


class RegisterCopy:
    """The last good copy of one source: ``register.xml`` in a folder of its own."""

    def __init__(self, data_dir: Path, source: str) -> None:
        self.folder = data_dir / "register" / hashlib.sha256(source.encode()).hexdigest()[:16]
        self.source = source
        self.path = self.folder / "register.xml"

    def conditional_headers(self) -> dict[str, str]:
        """Return headers for a conditional request: the register only if it changed (RFC 9110, 13)."""
        with suppress(OSError):
            return {"If-Modified-Since": formatdate(self.path.stat().st_mtime, usegmt=True)}
        return {}

    def new_file(self) -> BufferedRandom:
        """Open a new file to fetch into, which has no name: nothing is left of it. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return TemporaryFile(dir=self.folder)

    def accept(
        self, new: BufferedRandom, report: Reporter, today: date, last_modified: str | None
    ) -> Register:
        """Make a fetched file the copy, and return the register in it.

        *last_modified* is the header of that name. Raises RegisterError, and keeps the earlier copy, if the
        file cannot be read.
        """
        new.seek(0)
        register = read_export(new, report, today)
        new.seek(0)
        with replacing(self.path, durable=True) as file:
            copyfileobj(new, file)
        with suppress(ValueError):
            modified = parsedate_to_datetime(last_modified or "").timestamp()
            if modified < datetime.now(UTC).timestamp():
                os.utime(self.path, (modified, modified))
        register.date = _day_of_file(self.path)
        return register

    def read(self, report: Reporter, today: date) -> Register:
        """Return the register in the copy. Raises RegisterError if there is no copy or it cannot be read."""
        return read_file(self.path, report, today)

    def read_instead(self, reason: str, report: Reporter, today: date) -> Register:
        """Return the register in the copy, with the finding ``register.onbereikbaar``.

        *reason* is one line: why the register could not be fetched. Raises RegisterError if there is no copy.
        """
        try:
            register = self.read(report, today)
        except RegisterError:
            raise RegisterError(
                f"The register cannot be fetched from {self.source}, and there is no earlier copy of it:"
                f" {reason}"
            ) from None
        action = f"kopie van {register.date} gebruikt"
        report("register.onbereikbaar", url=self.source, seen=reason, action=action)
        return register


def read_file(path: Path, report: Reporter, today: date) -> Register:
    """Return the register in a local file. Raises RegisterError, naming the path, if it cannot be read."""
    try:
        with path.open("rb") as stream:
            register = read_export(stream, report, today)
        register.date = _day_of_file(path)
    except OSError as error:
        raise RegisterError(f"The register {path} cannot be read: {error.strerror or error}") from error
    except RegisterError as error:
        raise RegisterError(f"{error} ({path})") from error
    return register


def _day_of_file(path: Path) -> date:
    return day_of(datetime.fromtimestamp(path.stat().st_mtime, UTC))
