"""The findings about a record, explained on its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from woo_harvester.findings import Explanation, Severity, explain


def explanations_of(record: Mapping[str, Any]) -> list[Explanation]:
    """Return the explanations of the findings about a record; a code that is not known explains itself."""
    codes: Sequence[str] = (record.get("herkomst") or {}).get("bevindingen") or ()
    explained = []
    for code in codes:
        try:
            explained.append(explain(code, "nl"))
        except ValueError:  # of a newer version of the harvester
            explained.append(Explanation(code, Severity.INFO, code, "", "", ""))
    return explained
