"""The settings with which a spider runs for an audit."""

from __future__ import annotations

from typing import Any

from woo_harvester.state.store import NOWHERE

#: The number of messages of an entry page that an audit reads by default.
MESSAGE_SAMPLE = 200

#: An audit asks for headers, and for samples where these do not suffice. It leaves nothing behind but its
#: report.
AUDIT_SETTINGS: dict[str, Any] = {
    "WOO_STATE_URL": NOWHERE,
    "FEEDS": {},
    "FILES_STORE": None,
    "WOO_ELASTICSEARCH_URL": None,
    # An audit has its own output, and is not a run to compare other runs with.
    "WOO_METRICS_FILE": None,
    # A publisher wants to know of each page.
    "WOO_PAGE_SAMPLE": 10**9,
    "WOO_PROGRESS": False,
    "WOO_REPORT_HISTORY": False,
    "WOO_SUMMARY": False,
    "WOO_TEXT": False,
}
