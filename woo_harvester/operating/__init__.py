"""The work of ``scrapy state`` and ``prune``, with which operators check and correct."""
