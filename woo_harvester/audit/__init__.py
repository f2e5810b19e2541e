"""The audit of local files, before they are online: what a harvest would find, and what the schema says."""
