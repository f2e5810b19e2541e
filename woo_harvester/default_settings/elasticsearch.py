"""Settings of the search index."""

# ruff: noqa: E501  -- a sentence a setting, as the page shows it

from __future__ import annotations

from woo_harvester.default_settings.setting import MB, Setting

ELASTICSEARCH = (
    Setting(
        "WOO_ELASTICSEARCH_URL",
        None,
        "URLs with scheme, host and port, commas between",
        "The addresses of Elasticsearch. Unset: nothing is written to it.",
        form=r"(?:(?:^|,)\s*https?://[^\s,]+:\d+(?:/[^\s,]*)?\s*)+",
        has_password=True,
    ),
    Setting(
        "WOO_ELASTICSEARCH_INDEX",
        "woo",
        "alias",
        "The alias of the index of what was published under the Woo. If there is no such index yet, `woo-v1` is made.",
    ),
    Setting(
        "WOO_ELASTICSEARCH_PERMITS_INDEX",
        "vergunningen",
        "alias",
        "The alias of the index of permits (`scrapy crawl vergunningen`), which is made in the same way: `vergunningen-v1`.",
    ),
    Setting(
        "WOO_ELASTICSEARCH_API_KEY",
        None,
        "key",
        "The encoded API key of a user who may write to the index. It is used instead of user and password.",
    ),
    Setting("WOO_ELASTICSEARCH_USER", None, "name", "The user, if there is no API key."),
    Setting("WOO_ELASTICSEARCH_PASSWORD", None, "password", "The password of that user."),
    Setting(
        "WOO_ELASTICSEARCH_CA",
        None,
        "PEM file",
        "The authority of the server's certificate, if it is not one of the usual ones.",
    ),
    Setting(
        "WOO_ELASTICSEARCH_BATCH",
        1000,
        "documents",
        "The largest number of documents that is written at once. The next ones are gathered meanwhile.",
        least=1,
    ),
    Setting(
        "WOO_ELASTICSEARCH_BATCH_BYTES",
        8 * MB,
        "bytes",
        "The largest size of what is written at once: far below the 100 MB that a server accepts.",
        least=1,
    ),
    Setting("WOO_ELASTICSEARCH_TIMEOUT", 60, "seconds", "The time for the answer to one batch."),
    Setting(
        "WOO_ELASTICSEARCH_PATIENCE",
        600,
        "seconds",
        "The time for which a server that is away, full or too busy is tried again. After it the run ends, and the next run harvests again what is not in the index.",
    ),
    Setting(
        "WOO_ELASTICSEARCH_WITHDRAWN",
        "mark",
        "`mark` or `delete`",
        "What happens to a withdrawn document: it stays with `status: ingetrokken`, without metadata and text, or is deleted.",
    ),
)
