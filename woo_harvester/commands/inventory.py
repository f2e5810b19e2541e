"""``scrapy inventory``: the command of permits, where Scrapy looks for commands."""

from woo_harvester.permits.inventory_command import InventoryCommand


class Command(InventoryCommand):
    """The command; Scrapy finds only a class that is defined here."""
