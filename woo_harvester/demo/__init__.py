"""Fictional publishers on loopback, with HTTPS: for ``scrapy demo`` and for the tests.

Needs the extra ``demo`` (aiohttp, trustme); no other part of woo_harvester imports this one.
"""
