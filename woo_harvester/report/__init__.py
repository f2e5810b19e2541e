"""What a publisher and an operator see of a run: made from findings, statistics and accounts of hosts.

While a run goes on, :class:`Accounts` counts what becomes of each document. Afterwards :func:`make_report`
makes ``report.json``, the page and the rest of it.
"""

from woo_harvester.report.funnel import Account, Accounts
from woo_harvester.report.make import make_report

__all__ = ["Account", "Accounts", "make_report"]
