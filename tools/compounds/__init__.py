"""Makes the word lists of the search index from the word list of OpenTaal. See ``__main__``."""
