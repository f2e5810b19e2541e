"""The audit of files on disk, before they are online: what a harvest would find, and what the schema says."""
