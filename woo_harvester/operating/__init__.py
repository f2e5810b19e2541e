"""The work of ``scrapy state``: what an operator looks up and corrects between runs."""
