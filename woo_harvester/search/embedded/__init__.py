"""The embedded search index: filled from files of records, in a folder of its own."""
