"""The project's own settings: their names, defaults, units and reasons.

Each module has the settings of one subject. A new setting is written there and nowhere else. ``make docs``
makes ``docs/settings.md`` of them, and the list of known settings of scrapy-lint in ``pyproject.toml``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from woo_harvester.running.service_settings import ELASTICSEARCH, MONITORING, PORTAL
from woo_harvester.running.setting import CONTACT_FORM, MB, Setting

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


# ruff: noqa: E501  -- a sentence a setting, as the page shows it


FETCHING = (
    Setting(
        "WOO_CONTACT",
        None,
        "URL or e-mail address",
        "The address at which publishers reach you. It is added to `USER_AGENT`, unless that has an address already. A run over the register without it logs a line that says so.",
        form=CONTACT_FORM,
    ),
    Setting(
        "WOO_ALLOW_PRIVATE_HOSTS",
        False,
        "boolean",
        "Permits loopback and private addresses. A publisher decides which address its names have, so this is for the demo and for tests only.",
    ),
    Setting(
        "WOO_PRIVATE_HOSTS",
        [],
        "list of hosts",
        "Hosts whose own files and documents may be fetched from a private address. No other host may lead there. `woo-harvester audit` sets it to the hosts that were typed, so that a test environment can be audited.",
    ),
    Setting(
        "WOO_TEST_HOSTS",
        [],
        "list of hosts",
        "Hosts that are asked with a password or a certificate that a harvest does not have, such as test environments: these need not be in the register, so `register.domein-ontbreekt` is no more than a notice there. `woo-harvester audit` sets it to the hosts of `--user`, and with `--ca` to all that were typed.",
    ),
    Setting(
        "WOO_INDEX_MAXSIZE",
        50 * MB,
        "bytes, decompressed",
        "The largest sitemap index that is read: the bound of the guide.",
    ),
    Setting(
        "WOO_SITEMAP_MAXSIZE",
        200 * MB,
        "bytes, decompressed",
        "The largest sitemap that is read: four times the bound of the guide, since nothing is gained by leaving documents out.",
    ),
    Setting(
        "WOO_MESSAGE_MAXSIZE",
        20 * MB,
        "bytes, decompressed",
        "The largest permit message or entry page that is read: a listing of 100,000 files has some 15 MB.",
    ),
    Setting(
        "WOO_MESSAGE_SAMPLE",
        0,
        "messages",
        "The number of permit messages of an entry page that a run reads: the newest and the oldest. 0: all. `woo-harvester audit --permits` sets it to the number of `--sample`.",
    ),
    Setting(
        "WOO_DOCUMENT_SAMPLE",
        0,
        "documents",
        "With `documents=head`, the number of documents of a host that a run requests, when it has read all sitemaps of the host. It checks only the metadata of the others, and makes no record of them. 0: all. `woo-harvester audit` sets it to 400, and to 0 with `--all`.",
    ),
    Setting(
        "WOO_AUDIT",
        False,
        "boolean",
        "With `documents=head`, a run also requests the first KiB of each document whose headers do show the file type, and looks into sitemaps that robots.txt names and that are not for the Woo by their names: ten requests a host at most, of 1 MB at most. `woo-harvester audit` sets it. A harvest makes none of these requests.",
    ),
    Setting("WOO_DOCUMENT_MAXSIZE", 500 * MB, "bytes", "The largest document that is fetched."),
    Setting(
        "WOO_DOCUMENT_TIMEOUT", 600, "seconds", "The time in which a document must be fetched completely."
    ),
    Setting(
        "WOO_PAGE_SAMPLE",
        20,
        "documents",
        "With `documents=head`, the number of documents per host of which a run requests more than the headers: the first 4 KiB of this many whose headers do not show the file type, and 256 KiB of this many web pages. 0: of none. An audit has no such bound.",
    ),
    Setting(
        "WOO_CONNECTIONS",
        1000,
        "connections",
        "The number of connections in use at once, over all hosts together. There are fewer hosts in the register, so slow ones delay nobody. It is lower if the machine lets the process open fewer files.",
        least=1,
    ),
    Setting(
        "WOO_CRAWL_DELAY_MAX",
        60,
        "seconds",
        "A longer `Crawl-delay` counts as this: at more than a minute per request, a host is never finished in a day.",
    ),
    Setting(
        "WOO_RETRY_AFTER_MAX",
        300,
        "seconds",
        "A host that asks for a longer rest with `Retry-After` gets no more requests in this run.",
    ),
    Setting(
        "WOO_RETRY_BACKOFF",
        2,
        "seconds",
        "The rest of a host after a 429 or 503 without `Retry-After`, and the time before a remote `FILES_STORE` is tried again. It doubles with each try.",
    ),
    Setting(
        "WOO_HOST_BUDGET",
        None,
        "seconds",
        "After this time no more documents of a host are fetched in this run. Its sitemaps are still read, and the finding `host.achterstand` says how many documents are left and how many days they take. Unset: no bound.",
    ),
    Setting(
        "WOO_HOST_BACKLOG",
        8,
        "requests",
        "The number of documents of a host that wait or are under way at once. An entry becomes a request only when there is capacity, so that memory does not grow with a sitemap.",
        least=1,
    ),
    Setting(
        "WOO_STOP_TIMEOUT",
        20.0,
        "seconds",
        "A run that is stopped ends within this time: what is under way gets a quarter of it; outputs, state and report get the rest. The next run fetches what was given up. Whoever stops a run should wait 10 seconds more before killing it, as the files in `deploy/` do.",
        least=1,
    ),
)


# ruff: noqa: E501  -- a sentence a setting, as the page shows it


STATE = (
    Setting(
        "WOO_REGISTER",
        "https://organisaties.overheid.nl/archive/exportOO.xml",
        "URL or path",
        "The ROO export: it lists the hosts to visit and the organisations that own them. The default is the public daily export.",
    ),
    Setting(
        "WOO_TOOI_MAX_AGE",
        365,
        "days",
        "The summary of a run over the register says so if nobody has looked for a newer version of a value list for longer than this. `woo-harvester tooi` shows the age of each list, and `woo-harvester tooi update` fetches newer ones. 0: never.",
    ),
    Setting(
        "WOO_DATA_DIR",
        None,
        "folder",
        "The folder of the state, of the last good copy of the register, and of newer value lists. Unset: Scrapy's data directory of the project, else `.scrapy` in the working folder.",
    ),
    Setting(
        "WOO_STATE_URL",
        None,
        "a URL such as sqlite:///state.sqlite or postgresql+psycopg://user@host/name",
        "The database with what is known of each document, as a URL of SQLAlchemy: SQLite, or PostgreSQL (extra `postgresql`) for more than one machine. Unset: the SQLite file `woo-state.sqlite` in the data directory.",
        form=r"(sqlite|postgresql)(\+\w+)?://.*",
        has_password=True,
    ),
    Setting(
        "WOO_NODE",
        None,
        "name",
        "The name of this machine, by which other machines on the same state know the owner of its locks and files. Unset: the host name. A container whose name changes each day needs a name that stays with its files.",
    ),
    Setting(
        "WOO_FULL_READ_DAYS",
        7,
        "days",
        "After this many days a file is read completely, whatever its server says: an ETag that never changes must not hide changes for ever. A changed document is requested unconditionally when its bytes are this old.",
    ),
    Setting(
        "WOO_PERMIT_EXPIRED_DAYS",
        365,
        "days",
        "The spider `vergunningen` reports an entry page with cases whose period (`temporal`) ended more than this many days ago: `ipm.verlopen`.",
    ),
    Setting(
        "WOO_REFUSED_DAYS",
        7,
        "days",
        "A document that was fetched and refused is requested again when it has a newer lastmod, or after this many days: a publisher may fix it and forget the lastmod.",
    ),
    Setting(
        "WOO_DURABLE_INTERVAL",
        2,
        "seconds",
        "The interval at which records on local disk are flushed and synced; only then are they marked in the state as harvested.",
        least=0.01,
    ),
    Setting(
        "WOO_DURABLE_RECORDS",
        500,
        "records",
        "They are also flushed and synced after this many records. After a kill, at most this many are harvested again.",
        least=1,
    ),
    Setting(
        "WOO_CSV_COLUMNS",
        [],
        "names and paths, with commas between",
        "The columns of CSV, of a run and of `woo-harvester state latest`. Empty: some twelve with Dutch names, which fit a screen. `all`: all columns, named by their paths. Or a list of both, such as `titel,link,document.omschrijvingen` ([As CSV](record.md#as-csv)).",
    ),
    Setting(
        "WOO_WITHDRAW_SHARE",
        0.2,
        "part of a host's documents",
        "Withdrawals are pending if more than this part, and more than `WOO_WITHDRAW_DOCUMENTS`, are gone at once.",
    ),
    Setting(
        "WOO_WITHDRAW_DOCUMENTS",
        50,
        "documents",
        "See `WOO_WITHDRAW_SHARE`: fewer documents are withdrawn at once, whatever part of the host they are.",
    ),
    Setting(
        "WOO_WITHDRAW_ALL_OF",
        10,
        "documents",
        "Withdrawals are also pending if all documents of a host with at least this many are gone at once.",
    ),
    Setting(
        "WOO_WITHDRAW_RUNS",
        3,
        "complete runs",
        "A document whose withdrawal is pending is withdrawn after this many complete reads in a row without it. The operator can confirm it earlier.",
    ),
)


# ruff: noqa: E501  -- a sentence a setting, as the page shows it


REPORTING = (
    Setting(
        "WOO_REPORT_DIR",
        "reports",
        "folder",
        "Each run writes a folder in this one, with its findings, statistics and report.",
    ),
    Setting(
        "WOO_REPORT_LANG",
        "nl",
        "`nl` or `en`",
        "The language of the report. Dutch, since publishers read it.",
    ),
    Setting(
        "WOO_REPORT_HISTORY",
        True,
        "boolean",
        "Whether the run is kept in `history`, so that the next report says what changed.",
    ),
    Setting(
        "WOO_KEEP_DAYS",
        90,
        "days",
        "`woo-harvester prune` removes the reports and the history of runs that began longer ago, except the newest report of each spider; `--keep` overrides it. No run removes anything itself. Keep reports for as long as `woo-harvester inventory` has to look back.",
    ),
    Setting(
        "WOO_PROGRESS_INTERVAL",
        60,
        "seconds",
        "The interval between lines of progress on stderr if that is not a terminal, as with cron and Scrapyd. A terminal has one line that is updated each second. 0: no progress is shown.",
    ),
    Setting(
        "WOO_SUMMARY",
        True,
        "boolean",
        "Whether a run ends with its hosts, documents, findings and the path of its report on stderr, whatever `LOG_LEVEL` is.",
    ),
    Setting(
        "WOO_METRICS_FILE",
        None,
        "path that ends in .prom",
        "The file to which a run writes its figures for Prometheus. It lies in the folder of the node exporter's textfile collector. `%(spider)s` in it becomes the name of the spider. Unset: nowhere.",
        form=r".*\.prom",
    ),
)


# ruff: noqa: E501  -- a sentence a setting, as the page shows it


TEXT = (
    Setting(
        "WOO_TEXT",
        False,
        "boolean",
        "Whether the text of documents is read, with the extra `text`. It costs time, and most runs only need metadata.",
    ),
    Setting(
        "WOO_TEXT_TIMEOUT",
        60,
        "seconds",
        "The time for the text of one document. After it, the worker is ended and replaced by a new one.",
    ),
    Setting(
        "WOO_TEXT_MEMORY",
        512 * MB,
        "bytes",
        "The memory of a worker, without program code. Four reports of 60 pages needed 50 MB; the rest is for large files.",
        least=1,
    ),
    Setting(
        "WOO_TEXT_WORKERS",
        None,
        "processes",
        "The number of documents that are read at once. Unset: the number of cores of the machine.",
        least=1,
    ),
    Setting(
        "WOO_TEXT_MAXLENGTH",
        5_000_000,
        "characters",
        "The longest text, some 2,000 pages: a longer one is cut.",
    ),
    Setting(
        "WOO_TEXT_OCR",
        False,
        "boolean",
        "Whether scans without a text layer are read with Tesseract, which needs its Dutch data (Debian: `tesseract-ocr-nld`). Off, since it takes seconds a page.",
    ),
)


#: The prefixes of settings of Scrapy's stores, which may stand in the environment.
_PREFIXES_OF_OTHERS = ("AWS_", "FTP_")

#: The settings by subject, in the order of the page.
SUBJECTS: dict[str, tuple[Setting, ...]] = {
    "Register, value lists, state and withdrawals": STATE,
    "Fetching": FETCHING,
    "Text of documents": TEXT,
    "Elasticsearch": ELASTICSEARCH,
    "Portal": PORTAL,
    "Report and progress": REPORTING,
    "Monitoring": MONITORING,
}

SETTINGS: tuple[Setting, ...] = tuple(setting for group in SUBJECTS.values() for setting in group)


def from_environment(given: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that stand in the environment *given*; one that is empty there is not set.

    These are the project's own settings, and those of stores on other machines (``AWS_…``, ``FTP_…``). This
    is the best way to give a password: everybody on the machine can read the arguments of a command, and
    Scrapyd shows those of its jobs.
    """
    names = [setting.name for setting in SETTINGS]
    names += [name for name in given if name.startswith(_PREFIXES_OF_OTHERS)]
    return {name: given[name] for name in names if given.get(name)}


def complete(settings: BaseSettings) -> None:
    """Give each setting that is not set its default. Raises ValueError for a value that cannot be right."""
    for _, problem in wrong_values(settings):
        raise ValueError(problem)


def wrong_values(settings: BaseSettings) -> Iterator[tuple[Setting, str]]:
    """Give each setting that is not set its default; yield each one with a wrong value, and what is wrong."""
    for setting in SETTINGS:
        settings.setdefault(setting.name, setting.default, "default")
        value = settings[setting.name]
        if value is not None and (problem := setting.problem(value)):
            yield setting, problem
