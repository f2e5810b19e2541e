"""The stored copy of the register: the fallback for a run, and the measure for a new export.

A copy is replaced in one step, also if the power fails.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from io import BufferedRandom, BufferedReader
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile

from woo_harvester.findings import Finding, Reporter
from woo_harvester.register.reader import RegisterError, read_export
from woo_harvester.register.register import Register
from woo_harvester.utils.atomic import replace_file, replacing
from woo_harvester.utils.dates import day_of
from woo_harvester.utils.inputs import parse_object
from woo_harvester.utils.urls import is_web_url


@dataclass(frozen=True, slots=True)
class CopyInfo:
    """The content of ``register.json``, which is stored beside the copy."""

    source: str
    """URL that the copy was fetched from."""
    sha256: str
    """SHA-256 of ``register.xml``, as hexadecimal digits."""
    fetched: str
    """Moment of fetching: ISO 8601 date-time with offset."""
    organisations: int
    locations: int
    etag: str | None = None
    last_modified: str | None = None

    @property
    def date(self) -> date:
        """Day of the export: that of the header ``Last-Modified``, else the day of fetching."""
        with suppress(ValueError):
            return day_of(parsedate_to_datetime(self.last_modified or ""))
        return date.fromisoformat(self.fetched[:10])


class RegisterCopy:
    """The last good copy of one source: ``register.xml`` and ``register.json`` in a folder of its own."""

    def __init__(self, folder: Path, source: str) -> None:
        self.folder = folder
        self.source = source
        self.path = folder / "register.xml"
        self._info_path = folder / "register.json"

    @classmethod
    def of_source(cls, data_dir: Path, source: str) -> RegisterCopy:
        """Return the copy of *source* in the project's data directory. Each source has its own copy."""
        return cls(data_dir / "register" / hashlib.sha256(source.encode()).hexdigest()[:16], source)

    def info(self) -> CopyInfo | None:
        """Return the data about the copy; None if there is no copy of this source."""
        try:
            info = CopyInfo(**parse_object(self._info_path.read_bytes()))
        except (OSError, ValueError, TypeError):
            return None
        return info if info.source == self.source and self.path.is_file() else None

    def conditional_headers(self) -> dict[str, str]:
        """Return headers for a conditional request: the register only if it changed (RFC 9110, section 13).

        They are empty if ``register.xml`` does not have the expected SHA-256, so that a damaged copy is
        replaced.
        """
        info = self.info()
        if info is None:
            return {}
        with self.path.open("rb") as file:
            if _sha256(file) != info.sha256:
                return {}
        headers = {"If-None-Match": info.etag, "If-Modified-Since": info.last_modified}
        return {name: value for name, value in headers.items() if value}

    def new_file(self) -> BufferedRandom:
        """Open a new file to fetch into, which has no name: nothing is left of it. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return TemporaryFile(dir=self.folder)

    def accept(
        self,
        new: BufferedRandom,
        report: Reporter,
        today: date,
        *,
        fetched: datetime,
        etag: str | None = None,
        last_modified: str | None = None,
    ) -> Register:
        """Make a fetched file the copy, and return the register in it.

        Raises RegisterError, and keeps the earlier copy, if the file is implausible: it cannot be read, or
        has fewer than half of the earlier copy's locations. Findings are reported only for an accepted file.
        """
        findings: list[Finding] = []
        new.seek(0)
        register = read_export(new, Reporter(findings.append), today)
        before = self.info()
        if before is not None and register.location_count * 2 < before.locations:
            raise RegisterError(
                f"The register export has {register.location_count} Woo locations, fewer than half of the"
                f" {before.locations} that the copy of {before.fetched[:10]} had"
            )
        info = CopyInfo(
            source=self.source,
            sha256=_sha256(new),
            fetched=fetched.isoformat(timespec="seconds"),
            organisations=len(register.organisations),
            locations=register.location_count,
            etag=etag,
            last_modified=last_modified,
        )
        # In this order a crash in between leaves a good copy, which the next run fetches again.
        new.seek(0)
        with replacing(self.path, durable=True) as file:
            copyfileobj(new, file)
        replace_file(self._info_path, json.dumps(asdict(info), indent=1).encode(), durable=True)
        for finding in findings:
            report.send(finding)
        register.date = info.date
        return register

    def read(self, report: Reporter, today: date) -> Register:
        """Return the register in the copy. Raises RegisterError if there is no copy or it cannot be read."""
        register = read_file(self.path, report, today)
        if (info := self.info()) is not None:
            register.date = info.date
        return register

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
        info = self.info()
        report(
            "register.onbereikbaar",
            url=self.source,
            seen=reason,
            action=f"kopie van {info.fetched[:10]} gebruikt" if info else "eerdere kopie gebruikt",
        )
        return register


def read_stored(source: str, data_dir: Path, report: Reporter, today: date) -> Register:
    """Return the register of *source* without network: the local file, or the stored copy of the URL.

    Raises RegisterError if there is none.
    """
    if not is_web_url(source):
        return read_file(Path(source), report, today)
    return RegisterCopy.of_source(data_dir, source).read(report, today)


def read_file(path: Path, report: Reporter, today: date) -> Register:
    """Return the register in a local file. Raises RegisterError, naming the path, if it cannot be read."""
    try:
        with path.open("rb") as stream:
            register = read_export(stream, report, today)
            register.date = day_of(datetime.fromtimestamp(path.stat().st_mtime, UTC))
            return register
    except OSError as error:
        raise RegisterError(f"The register {path} cannot be read: {error.strerror or error}") from error
    except RegisterError as error:
        raise RegisterError(f"{error} ({path})") from error


def _sha256(file: BufferedReader | BufferedRandom) -> str:
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()
