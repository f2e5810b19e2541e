"""HTML pages of a ``report.json``. They need no network and no other files."""

from woo_harvester.report.html.page import render
from woo_harvester.report.html.texts import Texts

__all__ = ["Texts", "render"]
