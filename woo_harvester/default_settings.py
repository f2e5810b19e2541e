"""The project's own settings: ``docs/settings.md`` is made from this table."""

# ruff: noqa: E501  -- a sentence a setting, as the page has it

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

MB = 1024 * 1024
#: As Scrapy reads them.
BOOLEANS = frozenset({"0", "1", "True", "False", "true", "false"})
FRACTIONS = frozenset({"seconds", "hours", "days"})
WHOLE = frozenset({"processes"})

#: The largest number of a unit. A timer takes at most 2**31 milliseconds; a date lies before the year 9999.
MOST = {"seconds": 2_000_000, "hours": 876_000, "days": 36_500, "processes": 1024}
#: The largest number of any other unit, which fits into every integer that it is passed to.
MOST_OF_OTHERS = 10**15


@dataclass(frozen=True, slots=True)
class Option:
    """One setting whose name begins with ``WOO_``."""

    name: str
    default: Any
    unit: str
    why: str
    """What it does, and why the default is what it is."""
    least: float = 0
    """Of a number."""

    @property
    def number(self) -> type[int] | type[float] | None:
        """The type of its number; None for a setting that is not a number."""
        if isinstance(self.default, bool):
            return None
        if self.unit in FRACTIONS or isinstance(self.default, float):
            return float
        return int if self.unit in WHOLE or isinstance(self.default, int) else None

    @property
    def most(self) -> int:
        """The largest number that it may be."""
        return MOST.get(self.unit, MOST_OF_OTHERS)

    def problem(self, value: Any) -> str | None:
        """What is wrong with a value, in one line; None where nothing is. A secret is never wrong."""
        if self.number is not None:
            return self._problem_of_number(value, self.number)
        if isinstance(self.default, bool):
            wrong = str(value) not in BOOLEANS
        elif choices := re.findall(r"`(\w+)`", self.unit):
            wrong = value not in choices
        else:
            wrong = value == "" and self.default is not None
        if not wrong:
            return None
        return f"{self.name}: expected {self.unit.replace('`', '')}, got {_shown(value)}"

    def _problem_of_number(self, value: Any, kind: type[int] | type[float]) -> str | None:
        """Return what is wrong with the value of a number, in one line; None where nothing is."""
        try:
            number = kind(value)
        except (TypeError, ValueError, OverflowError):
            return f"{self.name}: expected {self.unit}, got {_shown(value)}"
        if self.least <= number <= self.most:  # which not-a-number is not
            return None
        return f"{self.name}: expected {self.unit} from {self.least} to {self.most:,}, got {_shown(value)}"


OPTIONS = (
    Option(
        "WOO_REGISTER",
        "https://organisaties.overheid.nl/archive/exportOO.xml",
        "URL or path",
        "The ROO export that tells which hosts to visit and whose they are. The default is the public daily export.",
    ),
    Option(
        "WOO_DATA_DIR",
        None,
        "folder",
        "State and the last good copy of the register. Unset: Scrapy's data directory of the project, else `.scrapy` in the working folder.",
    ),
    Option(
        "WOO_STATE_URL",
        None,
        "SQLAlchemy URL",
        "What is known of each document: SQLite, or PostgreSQL (`postgresql+psycopg://user@host/name`, extra `postgresql`) for more than one machine. Unset: the SQLite file `woo-state.sqlite` in the data directory.",
    ),
    Option(
        "WOO_NODE",
        None,
        "name",
        "The machine, by which others on the same state know whose its locks and files are. Unset: the host name; a container whose name is another each day needs one that stays with its files.",
    ),
    Option(
        "WOO_FULL_READ_DAYS",
        7,
        "days",
        "After so many days a file is read whole, whatever its server says: an ETag that never changes must not hide changes for ever. A changed document is asked for unconditionally when its bytes are so old, and fetched once more when its server said that it is the same.",
    ),
    Option(
        "WOO_REFUSED_DAYS",
        7,
        "days",
        "A document that was fetched and refused is asked for again when it has a newer lastmod, or after so many days: a publisher may mend it and forget the lastmod.",
    ),
    Option(
        "WOO_DURABLE_INTERVAL",
        2,
        "seconds",
        "So often records on local disk are flushed and synced; only then does the state learn of them.",
        least=0.01,
    ),
    Option(
        "WOO_DURABLE_RECORDS",
        500,
        "records",
        "Or after so many of them: what a kill may cost is harvested again.",
        least=1,
    ),
    Option(
        "WOO_WITHDRAW_SHARE",
        0.2,
        "part of a host's documents",
        "Where more than this and more than `WOO_WITHDRAW_DOCUMENTS` are gone at once, their withdrawal is pending.",
    ),
    Option(
        "WOO_WITHDRAW_DOCUMENTS",
        50,
        "documents",
        "See `WOO_WITHDRAW_SHARE`: fewer are withdrawn at once, whatever part of the host they are.",
    ),
    Option(
        "WOO_WITHDRAW_ALL_OF",
        10,
        "documents",
        "Where all documents of a host that has at least so many are gone at once, their withdrawal is pending.",
    ),
    Option(
        "WOO_WITHDRAW_RUNS",
        3,
        "complete runs",
        "A document whose withdrawal is pending is withdrawn when so many complete reads in a row have lacked it; the operator can confirm it before.",
    ),
    Option(
        "WOO_REPORT_DIR",
        "reports",
        "folder",
        "Each run writes a folder in it, with its findings, statistics and report.",
    ),
    Option(
        "WOO_REPORT_LANG",
        "nl",
        "`nl` or `en`",
        "The language of the report. Dutch, since publishers read it.",
    ),
    Option(
        "WOO_REPORT_HISTORY",
        True,
        "boolean",
        "Whether the run is kept in `history`, so that the next report tells what changed, and badges and feeds are renewed.",
    ),
    Option(
        "WOO_REPORT_URL",
        None,
        "URL",
        "Where the folder of reports is published, for the links in the feeds of publishers. Unset: feeds have no links.",
    ),
    Option(
        "WOO_ALLOW_PRIVATE_HOSTS",
        False,
        "boolean",
        "Permits loopback and private addresses. A publisher decides what its names point to, so this is for demo and tests only.",
    ),
    Option(
        "WOO_INDEX_MAXSIZE",
        50 * MB,
        "bytes, decompressed",
        "Bound of a sitemap index: that of the guide.",
    ),
    Option(
        "WOO_SITEMAP_MAXSIZE",
        200 * MB,
        "bytes, decompressed",
        "Bound of a sitemap: four times that of the guide, since nothing is gained by leaving documents out.",
    ),
    Option(
        "WOO_MESSAGE_MAXSIZE",
        20 * MB,
        "bytes, decompressed",
        "Bound of a permit message and of an entry page: a listing of 100,000 files has some 15 MB.",
    ),
    Option(
        "WOO_DOCUMENT_MAXSIZE",
        500 * MB,
        "bytes",
        "Bound of a document.",
    ),
    Option(
        "WOO_DOCUMENT_TIMEOUT",
        600,
        "seconds",
        "Bound of the time for a whole document.",
    ),
    Option(
        "WOO_TEXT",
        False,
        "boolean",
        "Whether the text of documents is read, with the extra `text`. It costs time, and most runs only need metadata.",
    ),
    Option(
        "WOO_TEXT_TIMEOUT",
        60,
        "seconds",
        "Bound of the time for the text of one document; then its worker is ended, and another takes its place.",
    ),
    Option(
        "WOO_TEXT_MEMORY",
        512 * MB,
        "bytes",
        "Bound of the memory of a worker, without program code. Four reports of 60 pages took 50 MB; the rest is for large files.",
        least=1,
    ),
    Option(
        "WOO_TEXT_WORKERS",
        None,
        "processes",
        "How many documents are read at once. Unset: as many as the machine has cores.",
        least=1,
    ),
    Option(
        "WOO_TEXT_MAXLENGTH",
        5_000_000,
        "characters",
        "Bound of a text, some 2,000 pages: what is longer is cut.",
    ),
    Option(
        "WOO_TEXT_OCR",
        False,
        "boolean",
        "Whether scans without a text layer are read with Tesseract, which needs its Dutch data (Debian: `tesseract-ocr-nld`). Off, since it takes seconds a page.",
    ),
    Option(
        "WOO_CONNECTIONS",
        1000,
        "connections",
        "How many are in use at once, over all hosts together: more than the hosts of the register, so that slow ones hold up nobody. Fewer where the machine lets the process open fewer files.",
        least=1,
    ),
    Option(
        "WOO_CRAWL_DELAY_MAX",
        60,
        "seconds",
        "A longer `Crawl-delay` counts as this: at more than a minute a request, a host is never finished in a day.",
    ),
    Option(
        "WOO_RETRY_AFTER_MAX",
        300,
        "seconds",
        "A host that asks for a longer rest with `Retry-After` is asked for nothing more in this run.",
    ),
    Option(
        "WOO_RETRY_BACKOFF",
        2,
        "seconds",
        "Rest of a host after a 429 or 503 without `Retry-After`, and before a remote `FILES_STORE` is asked again; doubled with each try.",
    ),
    Option(
        "WOO_HOST_BUDGET",
        None,
        "seconds",
        "After so long no more documents of a host are asked for in this run; its sitemaps are read all the same, and the finding `host.achterstand` says how many documents are left and how many days they take. Unset: no bound.",
    ),
    Option(
        "WOO_HOST_BACKLOG",
        8,
        "requests",
        "Documents of a host that wait or are under way at once: entries become requests only as there is room, so that memory does not grow with a sitemap.",
        least=1,
    ),
    Option(
        "WOO_ELASTICSEARCH_URL",
        None,
        "URLs, commas between",
        "Where Elasticsearch is. Unset: nothing is written to it.",
    ),
    Option(
        "WOO_ELASTICSEARCH_INDEX",
        "woo",
        "alias",
        "The alias of the index of what was published under the Woo. The index itself is made where there is none: `woo-v1`.",
    ),
    Option(
        "WOO_ELASTICSEARCH_PERMITS_INDEX",
        "vergunningen",
        "alias",
        "The alias of the index of permits (`scrapy crawl vergunningen`), which is made likewise: `vergunningen-v1`.",
    ),
    Option(
        "WOO_ELASTICSEARCH_API_KEY",
        None,
        "key",
        "The encoded API key, of which the user may write to the index; it goes before user and password.",
    ),
    Option(
        "WOO_ELASTICSEARCH_USER",
        None,
        "name",
        "The user, where there is no API key.",
    ),
    Option(
        "WOO_ELASTICSEARCH_PASSWORD",
        None,
        "password",
        "Of that user.",
    ),
    Option(
        "WOO_ELASTICSEARCH_CA",
        None,
        "PEM file",
        "The authority of the server's certificate, where it is none of the usual ones.",
    ),
    Option(
        "WOO_ELASTICSEARCH_BATCH",
        1000,
        "documents",
        "So many are written at once; while they are, the next ones are gathered.",
        least=1,
    ),
    Option(
        "WOO_ELASTICSEARCH_BATCH_BYTES",
        8 * MB,
        "bytes",
        "Or so much of them: far below the 100 MB that a server takes at once.",
        least=1,
    ),
    Option(
        "WOO_ELASTICSEARCH_TIMEOUT",
        60,
        "seconds",
        "For the answer to one batch.",
    ),
    Option(
        "WOO_ELASTICSEARCH_PATIENCE",
        600,
        "seconds",
        "So long a server that is away, full or too busy is tried again; then the run ends, and what is not in the index comes again.",
    ),
    Option(
        "WOO_ELASTICSEARCH_WITHDRAWN",
        "mark",
        "`mark` or `delete`",
        "What becomes of a withdrawn document: it stays with `status: ingetrokken`, without metadata and text, or goes.",
    ),
    Option(
        "WOO_STOP_TIMEOUT",
        20.0,
        "seconds",
        "A run that is stopped ends within this time: what is under way gets a quarter of it, outputs, state and report the rest. What was given up comes in the next run. Whoever stops a run should wait 10 seconds more before it is killed, as the files in `deploy/` do.",
        least=1,
    ),
    Option(
        "WOO_PROGRESS",
        True,
        "boolean",
        "Whether a run shows how far it is: live at the bottom of a terminal, else as lines on stderr.",
    ),
    Option(
        "WOO_PROGRESS_INTERVAL",
        60,
        "seconds",
        "So often there is a line on stderr where that is no terminal, as with cron and Scrapyd. 0: never.",
    ),
    Option(
        "WOO_SUMMARY",
        True,
        "boolean",
        "Whether a run ends with its hosts, documents, findings and the path of its report on stderr, whatever `LOG_LEVEL` is.",
    ),
    Option(
        "WOO_METRICS_FILE",
        None,
        "path",
        "Where a run writes its figures for Prometheus, with the extra `monitoring`: a file that ends in `.prom` in the folder of the node exporter's textfile collector. `%(spider)s` in it becomes the name of the spider. Unset: nowhere.",
    ),
    Option(
        "WOO_MONITOR_RUNS",
        14,
        "runs",
        "`scrapy monitor` compares a run with so many before it: two weeks, so that the weekly full read (`WOO_FULL_READ_DAYS`), which makes all findings anew, is among them.",
        least=1,
    ),
    Option(
        "WOO_MONITOR_AGE",
        30,
        "hours",
        "It fails when no run has ended for so long: a day, and six hours for a run that starts later or takes longer than the one before.",
    ),
    Option(
        "WOO_MONITOR_WELL",
        10,
        "documents",
        "It fails for a host that listed at least so many and lists none any more; below that, a publisher may have taken them away.",
    ),
    Option(
        "WOO_MONITOR_DROP",
        0.1,
        "part of the documents",
        "It fails when the hosts of the run together list this much less than they did: no single publisher is so large a part of all.",
    ),
    Option(
        "WOO_MONITOR_RISE",
        0.5,
        "part of the findings",
        "It fails when errors or warnings are this much above the most that there were, and by more than 20.",
    ),
    Option(
        "WOO_MONITOR_COVERAGE",
        0.15,
        "part of the records",
        "It fails when a field is given by its publisher in this much less of the records than usual. A day's documents differ, so less says nothing.",
    ),
    Option(
        "WOO_MONITOR_RECORDS",
        100,
        "records",
        "Coverage is judged in runs with at least so many records: with fewer, one publisher's batch decides it.",
    ),
)


def from_environment(given: Mapping[str, str]) -> dict[str, str]:
    """The settings that the environment *given* has; one that is empty there is not set.

    A password is best given so: an argument of a command can be read by everybody on the machine, and Scrapyd
    shows those of its jobs.
    """
    return {option.name: given[option.name] for option in OPTIONS if given.get(option.name)}


def complete(settings: BaseSettings) -> None:
    """Give the settings that are not set their defaults. Raises ValueError for a value that cannot be."""
    for option in OPTIONS:
        settings.setdefault(option.name, option.default, "default")
        value = settings[option.name]
        if value is not None and (problem := option.problem(value)):
            raise ValueError(problem)


def _shown(value: Any) -> str:
    """Return a value as a message names it, in sixty characters at most."""
    text = str(value) or "nothing"
    return text if len(text) <= 60 else f"{text[:57]}..."
