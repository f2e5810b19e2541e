"""What a publisher and an operator see of a run: made from findings, statistics and accounts of hosts.

While a run goes on, ``funnel.Accounts`` counts what becomes of each document. Afterwards ``make.make_report``
makes the report, its page and the rest of it. ``run_folder`` knows the names of all these files.
"""
