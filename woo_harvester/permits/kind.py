"""The table of what differs for permits: by the name that parts of the harvester ask for, its place here."""

#: Module and name in this package.
PLACES = {
    "account": "account.PermitAccount",
    "columns": "columns.FOR_PEOPLE",
    "count": "operating.count_cases",
    "differences": "operating.case_differences",
    "facets": "search.FACETS",
    "fields": "search.fields",
    "first_columns": "columns.FIRST",
    "forget_host": "state.forget_entries",
    "given_host": "given.GivenMessages",
    "known_hosts": "operating.hosts_of_pages",
    "lock": "state.entry_pages_lock",
    "losses": "judging.LOSSES",
    "metadata": "search.METADATA",
    "not_judged": "judging.NOT_JUDGED",
    "parts": "judging.PARTS",
    "prefix": "judging.PREFIX",
    "record_type": "record.PermitRecord",
    "state_lines": "operating.lines",
    "tables": "tables.TABLES",
    "unread": "judging.UNREAD",
    "verdict": "judging.verdict",
    "would_find_again": "judging.would_find_again",
}
