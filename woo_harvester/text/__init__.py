"""The text of documents: read by libraries that are kept in processes of their own."""
