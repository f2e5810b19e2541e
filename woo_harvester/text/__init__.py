"""Extract the text of documents, with libraries that run in separate worker processes."""
