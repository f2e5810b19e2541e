"""What the pages of the report and of the portal share: one base style, and one way to make templates."""

from woo_harvester.style.templates import base_css, is_web, make_environment, read_asset

__all__ = ["base_css", "is_web", "make_environment", "read_asset"]
