"""Make the word lists of the search index from the dictionary of OpenTaal. See ``__main__``."""
