"""Makes ``woo_portal/lucene.json``: what Lucene's own code decides about each character."""
