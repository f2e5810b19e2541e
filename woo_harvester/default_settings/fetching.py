"""Settings of requests: bounds on what is fetched, and how much is asked of a host."""

# ruff: noqa: E501  -- a sentence a setting, as the page shows it

from __future__ import annotations

from woo_harvester.default_settings.contact import CONTACT_FORM
from woo_harvester.default_settings.setting import MB, Setting

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
        "Hosts whose own files and documents may be fetched from a private address. No other host may lead there. `scrapy audit` sets it to the hosts that were typed, so that a test environment can be audited.",
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
        "The number of permit messages of an entry page that a run reads: the newest and the oldest. 0: all. `scrapy audit --permits` sets it to the number of `--sample`.",
    ),
    Setting("WOO_DOCUMENT_MAXSIZE", 500 * MB, "bytes", "The largest document that is fetched."),
    Setting(
        "WOO_DOCUMENT_TIMEOUT", 600, "seconds", "The time in which a document must be fetched completely."
    ),
    Setting(
        "WOO_PAGE_SAMPLE",
        20,
        "documents",
        "With `documents=head`, the number of documents of a host of which a run requests more than the headers: the first 4 KiB of so many whose headers do not show the file type, and 256 KiB of so many web pages. 0: of none. An audit has no such bound.",
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
        "A longer `Crawl-delay` counts as this: at more than a minute a request, a host is never finished in a day.",
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
        "After this time no more documents of a host are fetched in this run. Its sitemaps are still read, and the finding `host.achterstand` says how many documents are left and how many days they take. Documents that only lack content take half of it at most. Unset: no bound.",
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
