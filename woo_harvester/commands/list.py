"""``scrapy list``: Scrapy's command, with the spiders that add-ons bring."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from scrapy.addons import AddonManager
from scrapy.commands.list import Command as ListCommand

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings


class Command(ListCommand):
    """Lists the spiders. Scrapy's own command does not ask the add-ons for theirs."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the names of the spiders, a line each."""
        AddonManager.load_pre_crawler_settings(cast("Settings", self.settings))
        super().run(args, opts)
