"""The work of ``scrapy state``: what an operator looks up, corrects and moves between runs."""
