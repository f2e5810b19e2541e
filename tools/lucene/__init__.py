"""Makes ``woo_harvester/search/lucene.json``: what Lucene's own code decides about each character."""
