"""A harvester of the documents that Dutch public organisations publish under the Woo."""

from woo_harvester.addon import Addon

__all__ = ["Addon"]
