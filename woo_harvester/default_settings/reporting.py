"""Settings of what a run shows and leaves: its report, progress, summary and figures."""

# ruff: noqa: E501  -- a sentence a setting, as the page shows it

from __future__ import annotations

from woo_harvester.default_settings.setting import Setting

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
        "`scrapy prune` removes the reports and the history of runs that began longer ago, except the newest report of each spider; `--keep` overrides it. No run removes anything itself. Keep reports for as long as `scrapy inventory` has to look back.",
    ),
    Setting(
        "WOO_PROGRESS",
        True,
        "boolean",
        "Whether a run shows its progress: live at the bottom of a terminal, else as lines on stderr.",
    ),
    Setting(
        "WOO_PROGRESS_INTERVAL",
        60,
        "seconds",
        "The interval between lines on stderr if that is not a terminal, as with cron and Scrapyd. 0: never.",
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
        "The file to which a run writes its figures for Prometheus, with the extra `monitoring`. It lies in the folder of the node exporter's textfile collector. `%(spider)s` in it becomes the name of the spider. Unset: nowhere.",
        form=r".*\.prom",
    ),
)
