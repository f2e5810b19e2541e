"""Settings of the search index."""

from __future__ import annotations

from woo_harvester.running.setting import MB, Setting

# ruff: noqa: E501  -- a sentence a setting, as the page shows it


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
        "The alias of the index of permits (`woo-harvester crawl vergunningen`), which is made in the same way: `vergunningen-v1`.",
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


# ruff: noqa: E501  -- a sentence a setting, as the page shows it


MONITORING = (
    Setting(
        "WOO_MONITOR_AGE",
        30,
        "hours",
        "`woo-harvester monitor` fails when no run has ended for this long: a day, and six hours for a run that starts later or takes longer than the one before.",
    ),
    Setting(
        "WOO_MONITOR_DROP",
        0.1,
        "part of the documents",
        "It fails when the hosts of the run together list this much less than when they were last read: no single publisher is so large a part of all.",
    ),
    Setting(
        "WOO_MONITOR_RISE",
        0.5,
        "part of the findings",
        "It fails when there are this much more errors or warnings than in any of the 14 runs before, and more than 20 more.",
    ),
)


# ruff: noqa: E501  -- a sentence a setting, as the page shows it


PORTAL = (
    Setting(
        "WOO_PORTAL_TITLE",
        "Woo-documenten",
        "text",
        "The name of the site, on each page of `woo-harvester portal`.",
    ),
    Setting(
        "WOO_PORTAL_SEARCH_ENGINES",
        True,
        "boolean",
        "Whether search engines may list the documents: `/sitemap.xml`, and data of schema.org in the page of a document. Without it, `/robots.txt` keeps them out.",
    ),
    Setting(
        "WOO_PORTAL_REPORT",
        None,
        "folder of a run's report, or none",
        "The report that the pages of organisations quote: how many documents were listed and harvested, and what could not be read. By default `latest` in `WOO_REPORT_DIR`. `none`: these pages say nothing about it.",
    ),
    Setting(
        "WOO_PORTAL_FILES",
        False,
        "boolean",
        "Whether visitors may download the copies of documents in `FILES_STORE`, which must be a folder. Off, since the organisation's own website is where a document is published.",
    ),
    Setting(
        "WOO_PORTAL_TILES",
        "https://service.pdok.nl/brt/achtergrondkaart/wmts/v2_0/standaard/EPSG:3857/{z}/{x}/{y}.png",
        "URL with {z}, {x} and {y}, or none",
        "The background of the map of permits: by default the public one of PDOK. Browsers get it from there. `none`: the points stand on a plain ground.",
        form=r"none|https?://[\w.:-]+/[^\s\"'<>;,]*",
    ),
    Setting(
        "WOO_PORTAL_TIMEOUT",
        5,
        "seconds",
        "The longest time that a question may take, waiting included. After it the visitor is asked to ask less.",
        least=0.1,
    ),
    Setting(
        "WOO_PORTAL_CONCURRENCY",
        8,
        "questions",
        "The number of questions that are answered at the same time, at least 2 in each process. One visitor has at most half of them.",
        least=1,
    ),
    Setting(
        "WOO_PORTAL_PROCESSES",
        1,
        "processes",
        "The number of processes that answer. With more than 1 they are beside the one that fills the index, and share the questions and downloads at the same time among them, at least 2 of each for a process. As many as there are cores answer the most; each takes up to 250 MB.",
        least=1,
    ),
    Setting(
        "WOO_PORTAL_PATH",
        None,
        "path such as /woo",
        "The path at which a proxy has the portal, if that is not `/`. The proxy must leave it out of what it passes on.",
        form=r"(/[A-Za-z0-9._~-]+)+",
    ),
    Setting(
        "WOO_PORTAL_PROXIES",
        "127.0.0.1",
        "addresses, commas between",
        "The addresses of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.",
    ),
)
