"""The work of ``scrapy state``, ``prune`` and ``monitor``, with which operators check and correct."""
