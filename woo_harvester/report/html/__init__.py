"""Shows a ``report.json`` as a page that needs nothing else: no network, no other file."""

from woo_harvester.report.html.page import render
from woo_harvester.report.html.texts import Texts

__all__ = ["Texts", "render"]
