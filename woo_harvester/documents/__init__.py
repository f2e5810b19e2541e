"""Documents: their file types, their names, and the text in them."""
