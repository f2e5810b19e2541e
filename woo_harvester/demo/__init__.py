"""Fictional publishers on loopback, with HTTPS: for ``scrapy demo`` and for the tests.

Needs the extra ``demo`` (aiohttp, trustme); nothing else in the package imports this part.
"""
