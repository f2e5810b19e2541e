"""Harvests the documents that Dutch public bodies publish under the Woo."""
