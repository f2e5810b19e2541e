"""Settings of ``scrapy monitor``: from when on a difference between runs is a problem."""

# ruff: noqa: E501  -- a sentence a setting, as the page shows it

from __future__ import annotations

from woo_harvester.default_settings.setting import Setting

MONITORING = (
    Setting(
        "WOO_MONITOR_RUNS",
        14,
        "runs",
        "`scrapy monitor` compares a run with so many runs before it: two weeks, so that they include the weekly full read (`WOO_FULL_READ_DAYS`), which makes all findings anew.",
        least=1,
    ),
    Setting(
        "WOO_MONITOR_AGE",
        30,
        "hours",
        "It fails when no run has ended for so long: a day, and six hours for a run that starts later or takes longer than the one before.",
    ),
    Setting(
        "WOO_MONITOR_WELL",
        10,
        "documents",
        "It fails for a host that listed at least so many and lists none any more. A publisher may have removed a smaller number itself.",
    ),
    Setting(
        "WOO_MONITOR_DROP",
        0.1,
        "part of the documents",
        "It fails when the hosts of the run together list this much less than before: no single publisher is so large a part of all.",
    ),
    Setting(
        "WOO_MONITOR_RISE",
        0.5,
        "part of the findings",
        "It fails when there are this much more errors or warnings than the most of earlier runs, and more than 20 more.",
    ),
    Setting(
        "WOO_MONITOR_COVERAGE",
        0.15,
        "part of the records",
        "It fails when the publisher gives a field in this much less of the records than usual. A smaller difference says nothing, since each day has other documents.",
    ),
    Setting(
        "WOO_MONITOR_RECORDS",
        100,
        "records",
        "Coverage is compared only for runs with at least so many records: with fewer, one publisher's batch decides it.",
    ),
)
