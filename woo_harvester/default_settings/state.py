"""Settings of the register, of value lists, of what is known of each document, and of withdrawals."""

# ruff: noqa: E501  -- a sentence a setting, as the page shows it

from __future__ import annotations

from woo_harvester.default_settings.setting import Setting

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
        "The summary of a run says so if a value list is older: nobody has looked for a newer version for so long. `scrapy tooi` shows the age of each list, and `scrapy tooi update` fetches newer ones. 0: never.",
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
        "After so many days a file is read completely, whatever its server says: an ETag that never changes must not hide changes for ever. A changed document is requested unconditionally when its bytes are so old, and fetched once more when its server said that it is the same.",
    ),
    Setting(
        "WOO_PERMIT_EXPIRED_DAYS",
        365,
        "days",
        "The spider `vergunningen` reports an entry page with cases whose period (`temporal`) ended more than so many days ago: `ipm.verlopen`.",
    ),
    Setting(
        "WOO_REFUSED_DAYS",
        7,
        "days",
        "A document that was fetched and refused is requested again when it has a newer lastmod, or after so many days: a publisher may fix it and forget the lastmod.",
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
        "They are also flushed and synced after so many records. After a kill, at most so many are harvested again.",
        least=1,
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
        "Withdrawals are also pending if all documents of a host with at least so many are gone at once.",
    ),
    Setting(
        "WOO_WITHDRAW_RUNS",
        3,
        "complete runs",
        "A document whose withdrawal is pending is withdrawn after so many complete reads in a row without it. The operator can confirm it earlier.",
    ),
)
