"""Looks at files before anything is online: what a harvest would find in them, and what the schema says."""
