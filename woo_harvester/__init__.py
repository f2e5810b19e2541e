"""Harvests the documents that Dutch public bodies publish under the Woo."""

from woo_harvester.addon import Addon

__all__ = ["Addon"]
