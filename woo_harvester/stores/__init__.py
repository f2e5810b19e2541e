"""Where documents are kept: the files stores of Scrapy, by the SHA-256 of a document."""
