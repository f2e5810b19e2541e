"""The report of a run, for publishers and operators, made from findings, statistics and accounts of hosts.

During a run, ``funnel.Accounts`` counts what happens to each document. Afterwards ``outputs.make_report``
writes ``report.json``, the CSV file, and the HTML pages. ``run_folder`` knows the names
of all these files.
"""
