"""Stores of documents: each document is stored once, under its SHA-256, as the setting FILES_STORE says.

``store`` says what every store does. There are two: ``local`` stores in a folder of this machine, ``remote``
uses Scrapy's own files stores (S3, Google, FTP). ``opening`` chooses one. ``names`` gives the path of a
document, ``texts`` the file with its text. Two modules serve ``local``: in ``durable_folder`` no incomplete
file ever has a document's name, and with ``group_commit`` many files wait for the disk together.
"""
