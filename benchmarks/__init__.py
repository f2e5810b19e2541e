"""Runnable comparisons, each printing one table; never part of the tests."""
