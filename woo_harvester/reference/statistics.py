"""The page ``docs/statistics.md``: the meaning of each statistic of a run."""

from __future__ import annotations

from woo_harvester.reference.markdown import code, head, table

#: The meaning of each key; a part in angle brackets differs from run to run.
STATISTICS = {
    "woo/register/date": "day of the register's export, `YYYY-MM-DD`",
    "woo/tooi/outdated": "value lists that are older than `WOO_TOOI_MAX_AGE`",
    "woo/tooi/unusable": "1 if the value lists in the data folder could not be used",
    "woo/hosts/selected": (
        "hosts that the run visits, by the register and the arguments; of permits, the hosts of entry pages"
    ),
    "woo/hosts/done": "hosts that have nothing left to read or fetch",
    "woo/hosts/complete": "of those: completely read, from robots.txt to the end of each sitemap",
    "woo/hosts/incomplete": (
        "of those: something could not be read, and a finding says what; or the arguments `categories` and "
        "`since` left documents out"
    ),
    "woo/sitemaps/unchanged": "sitemaps that are as in their last complete read: a 304, or the same bytes",
    "woo/entries": "entries that were read from sitemaps, before any rule was applied to them",
    "woo/findings/<code>": "findings by code (`docs/findings.md`)",
    "woo/defaults/<field>": "records with a default value for the field, since the publisher gave none",
    "woo/documents/<outcome>": (
        "documents that are listed, by the decision on them: `new`, `changed`, `republished`, `unchanged`; "
        "`older` and `offered_again` are the findings `lastmod.ouder` and `lastmod.heraanbod`; "
        "`rechecked` are unchanged and fetched once more (`WOO_FULL_READ_DAYS`); "
        "`supplied` are unchanged and lack content that the run wants; "
        "`unchanged_again` and `older_again` are known, and delivered again (`DELTAFETCH_ENABLED` off); "
        "the documents of a sitemap that has not changed count as `unchanged`"
    ),
    "woo/entries/left_out": (
        "entries that the arguments `categories` and `since` left out, or the method `sitemap_filter` of a "
        "project's own spider"
    ),
    "woo/documents/mode": "what the run did with documents: `download`, `head` or `none`",
    "woo/documents/refused": (
        "documents that were fetched and refused: for their type, size or redirect; those that an earlier "
        "run refused, and this run does not request, count too"
    ),
    "woo/documents/sampled": (
        "samples that were received: beginnings of documents whose headers do not show what they are, with "
        "`documents=head`"
    ),
    "woo/documents/unsampled": (
        "samples that were not received: `WOO_PAGE_SAMPLE` was used up, or the server did not send them"
    ),
    "woo/documents/same": "documents that were fetched once more, and have the same bytes as before",
    "woo/documents/delivered_again": (
        "documents that are unchanged, and were delivered again because `DELTAFETCH_ENABLED` is off"
    ),
    "woo/documents/lacking": (
        "documents that were harvested, and whose lacking content was not requested: their part of "
        "`WOO_HOST_BUDGET` was used up"
    ),
    "woo/documents/failed": "documents that could not be fetched, and are tried again in the next run",
    "woo/files/stored": "documents that the run stored in `FILES_STORE`",
    "woo/files/bytes": "their size in bytes",
    "woo/files/present": "documents that were in `FILES_STORE` already, for an earlier run or another URL",
    "woo/files/failed": "documents and texts that could not be stored, so that the run was ended",
    "woo/text/known": "documents whose text was in `FILES_STORE` already: the same bytes were read before",
    "woo/documents/left": "documents that were not requested, because `WOO_HOST_BUDGET` was used up",
    "woo/text/read": "documents whose text was read",
    "woo/text/empty": "documents without text, such as scans without a text layer",
    "woo/text/truncated": "texts that were cut at `WOO_TEXT_MAXLENGTH`",
    "woo/text/failed": "documents whose text could not be read, or not in time",
    "woo/audit": "1 if the run is an audit",
    "woo/ingangen/selected": "entry pages of permits that the run reads, by its arguments",
    "woo/berichten/listed": "files that entry pages list, on the hosts of their organisation",
    "woo/berichten/unchanged": "of those: recognised by their date, a 304 or their content; invalid ones too",
    "woo/berichten/valid": "files with a new valid message",
    "woo/berichten/invalid": "files that are new and have no valid message",
    "woo/berichten/failed": "files that could not be fetched, and are tried again in the next run",
    "woo/zaken/<oorzaak>": "permit cases that changed, by what happened to them",
    "deltafetch/skipped": (
        "documents that are listed, known and not harvested again, also those of a sitemap that has not "
        "changed (a 304, or the same bytes); for other spiders, requests"
    ),
    "deltafetch/stored": "records that every output has durably, and that the state counts as harvested",
    "woo/elasticsearch/acknowledged": "documents that the index has, in this version or a newer one",
    "woo/elasticsearch/newer": "of those: documents that the index had in a newer version already",
    "woo/elasticsearch/refused": "documents that the index refused; `refused.jsonl` of the run has them",
    "woo/elasticsearch/retries": "times that a batch had to wait for the server",
    "woo/outputs/failed": "outputs that could not be written, so that the run was ended",
    "woo/crawl_delay/hosts": "hosts whose robots.txt asks for a `Crawl-delay`",
    "woo/pauses": "pauses of a host after a 429 or 503",
    "woo/retry_after_too_long": "answers whose `Retry-After` is longer than `WOO_RETRY_AFTER_MAX`",
}

_INTRODUCTION = """\
A run writes its statistics to `<WOO_REPORT_DIR>/<spider>-<time>/stats.json` and to the log. The table lists
the project's own. Of Scrapy's, `item_scraped_count` is the number of records, and `finish_reason` says how
the run ended. A key is absent if there was nothing to count. The figures of single hosts are in
`hosts.jsonl` ([report.md](report.md#hostsjsonl)).
"""


def render() -> str:
    """Return the page as Markdown."""
    rows = ((code(key), meaning) for key, meaning in STATISTICS.items())
    return "\n".join(
        [
            head("woo_harvester/reference/statistics.py", "Statistics"),
            _INTRODUCTION,
            *table(("key", "what it counts"), rows),
        ]
    )
