"""Kept documents in a folder: how they are called, how they are written, what there is."""
