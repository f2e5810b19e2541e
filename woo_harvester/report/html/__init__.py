"""Shows a ``report.json`` as a page that needs nothing else: no network, no other file."""

from woo_harvester.report.html.page import render
from woo_harvester.report.html.words import Words

__all__ = ["Words", "render"]
