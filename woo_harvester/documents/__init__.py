"""File types: which of the 19 harvested types a document has, and the name of its file."""
